"""Taking things out of a store for good: what `trust/forget/forgetting.py` asks of a database.

Everything else only adds, changes or archives. All writes are called inside `Store.writing`;
`scrub` and `settle` are called outside of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

from loxodon.types import Record


class SaidRow(NamedTuple):
    """A turn as it lies in the journal."""

    seq: int
    session: str
    id: str
    key: bytes
    speaker: str
    channel: str
    at: int
    """Milliseconds since 1970 UTC."""
    content: str


class KnownRow(NamedTuple):
    """A memory with its number and those of the turns that it was drawn from."""

    row: int
    record: Record
    turns: tuple[int, ...]


class TextAt(NamedTuple):
    """A text of a table that hangs on nothing else."""

    table: str
    key: tuple[int | str, ...]
    column: str
    text: str
    at: int
    """When it was written; 0 where that is not known."""


class Erasure(Protocol):
    def turns(self, rows: Iterable[int] | None = None) -> Iterator[SaidRow]:
        """Every turn, or those with these numbers, in the order of the journal; not all at once in
        memory."""
        ...

    def memories(self, rows: Iterable[int] | None = None) -> Iterator[KnownRow]:
        """Every memory, or those with these numbers, in that order; not all at once in memory."""
        ...

    def memory_texts(self) -> Iterator[tuple[int, str]]:
        """(number, all its words) of every memory: cheap, to find out which are worth reading."""
        ...

    def rows_of(self, ids: Iterable[str]) -> set[int]:
        """The numbers of the memories with these ids."""
        ...

    def drawn_from(self, turns: Iterable[int]) -> set[int]:
        """The numbers of the memories that were drawn from any of these turns."""
        ...

    def made_of(self, ids: Iterable[str]) -> set[int]:
        """The numbers of the summaries that were made of any of these memories."""
        ...

    def is_told(self, name: str, but: Iterable[int]) -> bool:
        """Whether a name stands in any memory but these, summaries aside, as it is written."""
        ...

    def redact(self, turns: Mapping[int, tuple[str, bytes]]) -> None:
        """Give turns other words and another key; indexes and vectors of the old ones go."""
        ...

    def drop_turns(self, turns: Iterable[int]) -> None:
        """Turns are no more, nor work in hand with them; their segments must be gone before."""
        ...

    def drop_work(self, turns: Iterable[int], keep: Mapping[int, str]) -> int:
        """Let go of the work in hand with turns; with those of `keep`, but for what stands in the
        text that is given for them. How many pieces went."""
        ...

    def drop_memories(self, rows: Iterable[int]) -> list[bytes]:
        """Memories are no more, nor anything that hangs on them; the keys that they had as
        imports."""
        ...

    def histories(self) -> Iterator[tuple[int, int, str]]:
        """(memory, version, the record before it as JSON) of every change that has one."""
        ...

    def set_history(self, memory: int, version: int, before: str) -> None: ...

    def segments_with(self, turns: Iterable[int]) -> list[tuple[int, str, int, int]]:
        """(number, session, first turn, last turn) of the segments that have any of these turns."""
        ...

    def drop_events(self, session: str, dates: Iterable[str]) -> list[tuple[str, int]]:
        """What is noted of a session on these days goes; (day, whether it was compressed)."""
        ...

    def texts(self) -> Iterator[TextAt]:
        """Texts of other tables: notes of events, documents, reasons why something failed."""
        ...

    def set_text(self, where: TextAt, text: str) -> None:
        """Give such a text other words; an event that has none is no more."""
        ...

    def documents_of(self, keys: Iterable[str]) -> list[int]:
        """The numbers of documents that are kept under these keys, in any namespace."""
        ...

    def drop_pages(self) -> int:
        """What was made for a person to read goes, and is made anew when it is asked for."""
        ...

    def drop_all(self) -> dict[str, int]:
        """All that was said and is known goes; how many rows, by table. Numbers that were given
        out, marks of what was read, tombstones and receipts stay."""
        ...

    def is_said(self, text: str) -> bool:
        """Whether a text stands in the words of any turn, as it is written."""
        ...

    def times_said(self, text: str) -> int:
        """In how many turns a text stands, as it is written."""
        ...

    def is_common(self, text: str, most: int) -> bool:
        """Whether a text stands in the words of more than so many turns, as it is written."""
        ...

    def occurs(self, text: str) -> bool:
        """Whether a name stands in the words of any turn or memory, as it is written."""
        ...

    def rename(self, old: str, new: str) -> int:
        """Put what is filed under one name under another, in the histories too; under none where
        `new` is empty. Of how many memories it did."""
        ...

    def sessions(self) -> list[tuple[str, int]]:
        """(name, when it began) of every session; of channels, which have no row of their own,
        see `channels`."""
        ...

    def rename_session(self, old: str, new: str) -> None:
        """Call a session something else, wherever it is named; with one of that name it is one."""
        ...

    def channels(self) -> list[tuple[str, int]]:
        """(name, when something was first said on it) of every channel."""
        ...

    def drop_channel(self, name: str) -> None:
        """Let what was said on a channel have been said on none."""
        ...

    def rename_speaker(self, old: str, new: str) -> None:
        """Let another name have said all that one said."""
        ...

    def tombstones(self) -> list[tuple[str, bytes, int, int]]:
        """(kind, mark, size, until) of everything that must not come back."""
        ...

    def put_tombstones(self, tombstones: Iterable[tuple[str, bytes, int, int]]) -> None: ...

    def receipts(self) -> list[tuple[str, int, str, str, str, str]]:
        """(id, at, actor, what, erased, files), the newest first."""
        ...

    def put_receipt(
        self, id: str, at: datetime, actor: str, what: str, erased: str, files: str
    ) -> None: ...

    def scrub(self) -> None:
        """See to it that nothing of what was erased is left in any index."""
        ...

    def settle(self) -> bool:
        """Empty the write-ahead log; False where somebody still reads from it."""
        ...

    def value(self, name: str) -> str:
        """A single value, empty where there is none."""
        ...

    def set_value(self, name: str, value: str) -> None: ...
