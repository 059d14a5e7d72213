"""What the workspace keeps in the store.

The files that a user or an agent wrote, as chunks that a search can find; how far transcripts that
are followed were read; and what was imported. Files and chunks are derived: without them the files
are read again. All writes are called inside `Store.writing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, Protocol

from loxodon.values import NamedTuple

FileRole = Literal["memory", "user", "soul", "agents", "daily", "note"]
"""What a file is: MEMORY.md, USER.md, SOUL.md or IDENTITY.md, AGENTS.md, a day's notes, another."""


class NoteFile(NamedTuple):
    """A file that is read where it lies."""

    root: str
    """The folder it was found under, as a full path."""
    path: str
    """Within that folder, with slashes."""
    role: FileRole
    size: int
    mtime: int
    """Nanoseconds."""
    hash: bytes
    """SHA-256 of its bytes, and by which rules it was cut; empty where it could not be opened."""
    problem: str = ""
    """Why it could not be read, or what of it was left out."""


class Chunk(NamedTuple):
    """A piece of a file."""

    text: str
    first_line: int
    last_line: int
    heading: str = ""
    """The headings above it, outermost first, with ` > ` between."""
    at: datetime | None = None
    """The day it is of, where the file or the line says one."""
    type: Literal["", "world", "experience", "opinion"] = ""
    importance: float | None = None
    project: str = ""
    triggers: tuple[str, ...] = ()
    """Words that it should come up for."""


class Note(NamedTuple):
    """A chunk in the file where it stands first."""

    file: NoteFile
    chunk: Chunk

    @property
    def searchable(self) -> str:
        """What it is found by where it stands first: its words, headings, project and triggers."""
        chunk = self.chunk
        return "\n".join((chunk.text, chunk.heading, chunk.project, *chunk.triggers))


class WorkspaceData(Protocol):
    # Files and their chunks

    def files(self) -> list[NoteFile]:
        """Every file that was read, in the order of root and path."""
        ...

    def chunk_counts(self) -> dict[tuple[str, str], int]:
        """How many chunks each file has that has any, by its root and path."""
        ...

    def put_file(self, file: NoteFile, chunks: Sequence[Chunk], at: datetime) -> None:
        """Keep a file and its chunks in place of what was kept of it; indexed.

        A text that stands in several places is kept and indexed once.
        """
        ...

    def drop_file(self, root: str, path: str) -> None: ...

    def of_file(self, root: str, path: str) -> list[str]:
        """The texts of a file's chunks, with their headings, in order."""
        ...

    def notes(self, rows: Iterable[int]) -> dict[int, Note]:
        """Chunks by their row in the index `chunks`, those that exist."""
        ...

    def dated(self, since: datetime, until: datetime, limit: int) -> list[int]:
        """The rows of the latest `limit` chunks whose day is in a time, latest first."""
        ...

    # Transcripts that are followed

    def mark(self, path: str, session: str = "") -> str:
        """How far a transcript was read, as its reader put it down; empty for not at all."""
        ...

    def marks(self, path: str) -> dict[str, str]:
        """The marks of all sessions of a file."""
        ...

    def set_mark(self, path: str, session: str, mark: str, at: datetime) -> None: ...

    # Imports

    def imported(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """Those of these keys that were imported, and the id of the memory each became."""
        ...

    def put_import(self, key: bytes, memory: str, at: datetime) -> None: ...
