"""`WorkspaceData` over a `Database`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, tzinfo
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from loxodon.clock import to_stored
from loxodon.store import Chunk, Note, NoteFile
from loxodon.store.database import Database, Row
from loxodon.store.indexes import Indexes
from loxodon.store.rows import loaded, moment
from loxodon.store.search import THESE, listed, these

if TYPE_CHECKING:
    from loxodon.trust.guard.guard import Guard

_BATCH = 400
_FILE = "f.root, f.path, f.role, f.size, f.mtime, f.hash, f.problem"
_PLACE = "p.first_line, p.last_line, p.heading, p.at, p.type, p.importance, p.project, p.triggers"

_FIRST = (
    "SELECT q.file, q.n FROM chunk_places q JOIN source_files g ON g.no = q.file "
    "WHERE q.chunk = c.no ORDER BY g.root, g.path, q.n LIMIT 1"
)
"""The place of a chunk in the file where it stands first."""


class _Words(NamedTuple):
    """What a chunk is found by beside its text and the name of its file."""

    heading: str
    project: str
    triggers: str


class WorkspaceData:
    """Data of the workspace.

    The user's and agent's files as searchable chunks, how far followed transcripts were read, and
    what was imported. Files and chunks are derived data: if lost, the files are read again.
    """

    def __init__(
        self,
        db: Database,
        zone: tzinfo | None,
        indexes: Indexes,
        forget: Callable[[Iterable[int]], None],
        guard: Guard | None = None,
    ) -> None:
        self._db = db
        self._zone = zone
        self._indexes = indexes
        self._forget = forget
        self._guard = guard

    # Files and their chunks

    def files(self) -> list[NoteFile]:
        """Every file that was read, ordered by root and path."""
        rows = self._db.all(f"SELECT {_FILE} FROM source_files f ORDER BY f.root, f.path")
        return [NoteFile(*row) for row in rows]

    def chunk_counts(self) -> dict[tuple[str, str], int]:
        """The number of chunks per file, by root and path, without files that have none."""
        rows = self._db.all(self._db.sql["chunk_counts"])
        return {(root, path): count for root, path, count in rows}

    def put_file(self, file: NoteFile, chunks: Sequence[Chunk], at: datetime) -> None:
        """Store and index a file and its chunks, replacing its previous version.

        A text that occurs in several places is stored and indexed once.
        """
        if self._guard:
            chunks = [self._guard.chunk(chunk) for chunk in chunks]
        no, same_role = self._put_row(file, at)
        before = self._words_of(no)
        rows = self._rows_of([chunk.text for chunk in chunks])
        after: dict[int, list[_Words]] = {}
        places = []
        for n, (row, chunk) in enumerate(zip(rows, chunks, strict=True)):
            triggers = json.dumps(chunk.triggers, ensure_ascii=False)
            after.setdefault(row, []).append(_Words(chunk.heading, chunk.project, triggers))
            day = to_stored(chunk.at)[0] if chunk.at else None
            places.append(
                (
                    no,
                    n,
                    row,
                    chunk.first_line,
                    chunk.last_line,
                    chunk.heading,
                    day,
                    chunk.type,
                    chunk.importance,
                    chunk.project,
                    triggers,
                )
            )
        self._db.run("DELETE FROM chunk_places WHERE file = ?", (no,))
        self._db.many(self._db.sql["put_place"], places)
        self._reindex(
            {
                row
                for row in before.keys() | after.keys()
                if not same_role or sorted(before.get(row, ())) != sorted(after.get(row, ()))
            }
        )

    def drop_file(self, root: str, path: str) -> None:
        known = self._db.one(self._db.sql["source_file"], (root, path))
        if known is None:
            return
        rows = self._words_of(known[0])
        self._db.run("DELETE FROM chunk_places WHERE file = ?", known[:1])
        self._db.run("DELETE FROM source_files WHERE no = ?", known[:1])
        self._reindex(rows)

    def of_file(self, root: str, path: str) -> list[str]:
        """The texts of a file's chunks, with their headings, in order."""
        rows = self._db.all(
            "SELECT p.heading || '\n' || c.text FROM source_files f "
            "JOIN chunk_places p ON p.file = f.no JOIN chunks c ON c.no = p.chunk "
            "WHERE f.root = ? AND f.path = ? ORDER BY p.n",
            (root, path),
        )
        return [text for (text,) in rows]

    def notes(self, rows: Iterable[int]) -> dict[int, Note]:
        """Chunks by their row in the index `chunks`; missing ones are left out."""
        found: dict[int, Note] = {}
        for row, text, *rest in self._db.all(
            f"SELECT c.no, c.text, {_PLACE}, {_FILE} FROM chunks c "
            f"JOIN chunk_places p ON (p.file, p.n) = ({_FIRST}) "
            f"JOIN source_files f ON f.no = p.file WHERE c.no IN {THESE}",
            (these(rows),),
        ):
            found[row] = Note(NoteFile(*rest[8:]), self._chunk(text, tuple(rest[:8])))
        return found

    def dated(self, since: datetime, until: datetime, limit: int) -> list[int]:
        """The rows of the latest `limit` chunks dated within a time, latest first."""
        values = (to_stored(since)[0], to_stored(until)[0], limit)
        return [row for (row,) in self._db.all(self._db.sql["dated_chunks"], values)]

    def _put_row(self, file: NoteFile, at: datetime) -> tuple[int, bool]:
        """The number of a file, kept as it is now, and whether it is what it was before."""
        known = self._db.one(self._db.sql["source_file"], (file.root, file.path))
        no, role = known or (self._db.take("source_file", 1), file.role)
        values = (no, *file[:6], to_stored(at)[0], file.problem)
        self._db.run(self._db.sql["put_source_file"], values)
        return no, role == file.role

    def _words_of(self, file: int) -> dict[int, list[_Words]]:
        """What each chunk of a file is found by for standing there."""
        found: dict[int, list[_Words]] = {}
        for row, *words in self._db.all(self._db.sql["places_of"], (file,)):
            found.setdefault(row, []).append(_Words(*words))
        return found

    def _rows_of(self, texts: Sequence[str]) -> list[int]:
        """The rows of texts; those that are new get one, not indexed yet."""
        # A lone surrogate is refused by the database, with a message.
        hashes = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        known: dict[bytes, int] = {}
        for start in range(0, len(hashes), _BATCH):
            having, some = self._db.among("hash", hashes[start : start + _BATCH])
            known.update(self._db.all(f"SELECT hash, no FROM chunks WHERE {having}", some))
        for key, text in zip(hashes, texts, strict=True):
            if key not in known:
                known[key] = self._db.take("chunk", 1)
                self._db.run(self._db.sql["put_chunk"], (known[key], key, text))
        return [known[key] for key in hashes]

    def _reindex(self, rows: Iterable[int]) -> None:
        """Bring the index up to date for chunks that stand elsewhere, or nowhere, now."""
        wanted = sorted(rows)
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            standing = {
                row
                for (row,) in self._db.all(
                    f"SELECT DISTINCT chunk FROM chunk_places WHERE chunk IN {listed(batch)}"
                )
            }
            self._indexes.drop("chunks", batch)
            self._indexes.put_rows("chunks", standing)
            gone = [row for row in batch if row not in standing]
            self._forget(gone)
            self._db.many("DELETE FROM chunks WHERE no = ?", [(row,) for row in gone])

    def _chunk(self, text: str, place: Row) -> Chunk:
        first, last, heading, at, type, importance, project, triggers = place
        day = moment(at, self._zone) if at is not None else None
        return Chunk(
            text, first, last, heading, day, type, importance, project, tuple(loaded(triggers))
        )

    # Transcripts that are followed

    def mark(self, path: str, session: str = "") -> str:
        """How far a transcript was read, in its reader's format; empty if not at all."""
        row = self._db.one(self._db.sql["mark"], (path, session))
        return row[0] if row else ""

    def marks(self, path: str) -> dict[str, str]:
        """The marks of all sessions of a file."""
        return dict(self._db.all(self._db.sql["marks"], (path,)))

    def set_mark(self, path: str, session: str, mark: str, at: datetime) -> None:
        self._db.run(self._db.sql["set_mark"], (path, session, mark, to_stored(at)[0]))

    # Imports

    def imported(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The imported keys among these, each with the id of its memory."""
        wanted = list(keys)
        found: dict[bytes, str] = {}
        for start in range(0, len(wanted), _BATCH):
            having, some = self._db.among("i.key", wanted[start : start + _BATCH])
            found.update(
                self._db.all(
                    "SELECT i.key, m.id FROM imports i JOIN memories m ON m.row = i.memory "
                    f"WHERE {having}",
                    some,
                )
            )
        return found

    def put_import(self, key: bytes, memory: str, at: datetime) -> None:
        self._db.run(self._db.sql["put_import"], (key, to_stored(at)[0], memory))
