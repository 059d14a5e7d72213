"""The rows of working sessions; what they mean is in `working/transcript.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple

from loxodon.store.indexes import Part

_REWRITTEN = "transcripts"  # the counter of changes to lines that were written before


class WorkingSession(NamedTuple):
    owner: str  # empty for the owner of the memory, or whoever is behind a wall (`Wall.mark`)
    key: str
    entry: str  # JSON: its transcript, and where the conversation stands


class WorkingSessions(Part):
    """Sessions by their keys, and transcripts; whoever is behind a wall has their own."""

    def writing(self) -> AbstractContextManager[None]:
        return self._db.writing()

    def entry(self, key: str) -> str | None:
        entry: str | None = self._db.value("working_session", (self._db.wall.mark, key))
        return entry

    def put(self, key: str, entry: str, owner: str | None = None) -> None:
        """Store a session, of whoever asks or, for the owner of the memory, of anyone."""
        mark = self._db.wall.mark if owner is None else owner
        self._db.run("put_working_session", (mark, key, entry))

    def lines(self, transcript: str, after: int = 0) -> list[tuple[int, str]]:
        """(number, JSON) of every line behind one."""
        rows = self._db.all("transcript_lines", (transcript, after))
        return [(n, line) for n, line in rows]

    def append(
        self, transcript: str, last: int, lines: Iterable[str], owner: str | None = None
    ) -> None:
        """Add lines behind the one with the number `last`."""
        mark = self._db.wall.mark if owner is None else owner
        rows = [(transcript, n, mark, line) for n, line in enumerate(lines, last + 1)]
        self._db.many("put_transcript_line", rows)

    @property
    def rewrites(self) -> tuple[int, int]:
        """What changes when lines are not as they were read any more."""
        return self._db.generation, self._db.value("counter", (_REWRITTEN,)) or 0

    # For the owner

    def all(self) -> list[WorkingSession]:
        return [WorkingSession(*row) for row in self._db.all("working_sessions")]

    def rename(self, session: WorkingSession, key: str) -> None:
        self._db.run("drop_working_session", session[:2])
        self.put(key, session.entry, session.owner)

    def transcripts(self) -> Iterator[tuple[str, str, list[tuple[int, str]]]]:
        """(id, owner, lines) of every transcript."""
        for id, owner in self._db.all("transcripts"):
            yield id, owner, self.lines(id)

    def rewrite(self, transcript: str, lines: Mapping[int, str]) -> None:
        """Put other lines in the place of some; who has read them reads them again."""
        rows = [(line, transcript, n) for n, line in lines.items()]
        self._db.many("set_transcript_line", rows)
        self._db.take(_REWRITTEN, 1)

    def clear(self) -> int:
        """Drop every session and transcript; how many transcripts those were."""
        count = len(self._db.all("transcripts"))
        self._db.run("clear_working_sessions")
        self._db.run("clear_transcripts")
        self._db.take(_REWRITTEN, 1)
        return count
