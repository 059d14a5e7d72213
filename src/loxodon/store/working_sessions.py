"""The rows of working sessions; what they mean is in `working/transcript.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple

from loxodon.store.database import Database
from loxodon.store.walls import Wall

_REWRITTEN = "transcripts"
"""The counter of changes to lines that were written before."""


class WorkingSession(NamedTuple):
    owner: str
    """Empty for the owner of the memory, or whoever is behind a wall (`Wall.mark`)."""
    key: str
    entry: str
    """JSON: its transcript, and where the conversation stands."""


class WorkingSessions:
    """Sessions by their keys, and transcripts, of which a session has one at a time.

    Whoever is behind a wall has their own.
    """

    def __init__(self, db: Database, wall: Callable[[], Wall]) -> None:
        self._db = db
        self._wall = wall

    def writing(self) -> AbstractContextManager[None]:
        return self._db.writing()

    def entry(self, key: str) -> str | None:
        row = self._db.one(self._db.sql["working_session"], (self._wall().mark, key))
        return str(row[0]) if row else None

    def put(self, key: str, entry: str) -> None:
        self.put_for(self._wall().mark, key, entry)

    def lines(self, transcript: str, after: int = 0) -> list[tuple[int, str]]:
        """(number, JSON) of every line behind one."""
        rows = self._db.all(self._db.sql["transcript_lines"], (transcript, after))
        return [(n, line) for n, line in rows]

    def append(self, transcript: str, last: int, lines: Iterable[str]) -> None:
        """Add lines behind the one with the number `last`."""
        self.append_for(self._wall().mark, transcript, last, lines)

    @property
    def rewrites(self) -> tuple[int, int]:
        """What changes when lines are not as they were read any more."""
        row = self._db.one(self._db.sql["counter"], (_REWRITTEN,))
        return self._db.generation, int(row[0]) if row else 0

    # For the owner

    def all(self) -> list[WorkingSession]:
        return [WorkingSession(*row) for row in self._db.all(self._db.sql["working_sessions"])]

    def put_for(self, owner: str, key: str, entry: str) -> None:
        self._db.run(self._db.sql["put_working_session"], (owner, key, entry))

    def rename(self, session: WorkingSession, key: str) -> None:
        self._db.run(self._db.sql["drop_working_session"], session[:2])
        self.put_for(session.owner, key, session.entry)

    def transcripts(self) -> Iterator[tuple[str, str, list[tuple[int, str]]]]:
        """(id, owner, lines) of every transcript."""
        for id, owner in self._db.all(self._db.sql["transcripts"]):
            yield id, owner, self.lines(id)

    def append_for(self, owner: str, transcript: str, last: int, lines: Iterable[str]) -> None:
        rows = [(transcript, n, owner, line) for n, line in enumerate(lines, last + 1)]
        self._db.many(self._db.sql["put_transcript_line"], rows)

    def rewrite(self, transcript: str, lines: Mapping[int, str]) -> None:
        """Put other lines in the place of some; who has read them reads them again."""
        rows = [(line, transcript, n) for n, line in lines.items()]
        self._db.many(self._db.sql["set_transcript_line"], rows)
        self._db.take(_REWRITTEN, 1)

    def clear(self) -> int:
        """Drop every session and transcript; how many transcripts those were."""
        count = len(self._db.all(self._db.sql["transcripts"]))
        self._db.run("DELETE FROM working_sessions")
        self._db.run("DELETE FROM transcript_lines")
        self._db.take(_REWRITTEN, 1)
        return count
