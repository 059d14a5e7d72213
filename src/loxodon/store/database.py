"""What the store asks of a database: statements, transactions, and what need not be read twice.

The SQL is SQLite's. `?` stands for a value, `main.` before a table for the table itself, past the
wall that may stand before it. A backend with another SQL translates (`postgres/dialect.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import RLock
from typing import Any, TypeVar

from loxodon.store.walls import Wall

SQL = os.path.join(os.path.dirname(__file__), "sql")

LOCK_SECONDS = 120.0
"""How long a writer waits for its turn."""
MEMO = 4_000
"""What is remembered at most: who reads all of a store reads nothing twice."""

Row = tuple[Any, ...]
_Value = TypeVar("_Value")


class Database:
    """A database of one space for one process; its threads take turns."""

    def __init__(self, path: str, backend: str) -> None:
        self.path = path
        """What it is called in errors."""
        self.read_only = False
        self.generation = 0
        """Changes when another database was put in the place of this one: what was read is void."""
        self.wall = Wall()
        self.before_commit: Callable[[], None] | None = None
        """Called inside every transaction that has changed something; an error undoes it."""
        self.changed: list[str] = []
        """Ids of what this transaction changed, for the audit log."""
        self.sign: Callable[[bytes], bytes] | None = None
        """What signs changes of sensitive memories."""
        self.sql = named_queries(backend)
        self._turn = RLock()
        self._mode = ""  # or "reading", "writing"
        self._memo: dict[Hashable, Any] = {}
        self._lasting: dict[str, tuple[object, dict[int, int]]] = {}

    # What a backend does in its own way

    def reading(self) -> AbstractContextManager[None]:
        """One view of the data for several reads, whatever others write meanwhile."""
        raise NotImplementedError

    def writing(self, seconds: float = LOCK_SECONDS) -> AbstractContextManager[None]:
        """A transaction; one inside another is undone by itself, and kept for good with it.

        BusyStoreError where others write for longer than `seconds`.
        """
        raise NotImplementedError

    def all(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Every row of the answer."""
        raise NotImplementedError

    def many(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        """A statement for each of many rows."""
        raise NotImplementedError

    def stand_behind(self, wall: Wall) -> None:
        """Let this wall stand before the tables, in place of the one that did.

        From now on whatever is read by the names of tables is read through it. Within a transaction
        that is undone, so is this: put the old one up again.
        """
        raise NotImplementedError

    def past_wall(self) -> AbstractContextManager[None]:
        """What is written meanwhile may be out of sight of whoever writes it.

        A backend whose walls stand before what is written too needs to be told so.
        """
        return nullcontext()

    def as_half(self, vector: bytes) -> bytes:
        """A vector in float16 as the column for it takes it."""
        return vector

    def compact(self) -> None:
        """Write the data anew: nothing is left of what was erased. Not within a transaction."""
        raise NotImplementedError

    def settle(self) -> bool:
        """Empty the log of writes; False if someone is still reading from it."""
        raise NotImplementedError

    def close(self) -> None:
        """Closing twice is fine."""
        raise NotImplementedError

    # What all have

    def one(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """The first row of the answer, if there is one."""
        rows = self.all(sql, values)
        return rows[0] if rows else None

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        """A statement whose answer does not matter."""
        self.all(sql, values)

    @staticmethod
    def among(column: str, values: Sequence[Any]) -> tuple[str, list[Any]]:
        """That a column has one of some values, as a condition and what goes with it."""
        return f"{column} IN ({','.join('?' * len(values))})", [*values]

    def take(self, counter: str, count: int) -> int:
        """The last of `count` numbers that nobody else gets; called within a write."""
        return int(self.all(self.sql["take_numbers"], (counter, count))[0][0])

    @property
    def walled(self) -> bool:
        """Whether a wall stands before the tables."""
        return self.wall.stands

    @property
    def is_writing(self) -> bool:
        """Whether this is within a write, which may still be undone."""
        return self._mode == "writing"

    @property
    def in_transaction(self) -> bool:
        return bool(self._mode)

    @property
    def memo(self) -> dict[Hashable, Any]:
        """For what need not be read twice: it lasts as long as `reading` shows the same moment."""
        if self._mode != "reading" or len(self._memo) > MEMO:
            self._memo = {}
        return self._memo

    @property
    def unchanging(self) -> dict[Hashable, Any]:
        """The same for what does not depend on the time of day either: a backend may know that
        nobody has written since, and keep it longer."""
        return self.memo

    @property
    def counters(self) -> Mapping[str, int]:
        """How many rows each index has, about, and how often some of them changed."""
        memo = self.unchanging
        if "counters" not in memo:
            memo["counters"] = dict(self.all(self.sql["index_counters"]))
        found: dict[str, int] = memo["counters"]
        return found

    def lasting(self, name: str, counter: str, most: int) -> dict[int, int]:
        """What stays known from one read to the next for as long as a counter stands still."""
        version = self.generation, self.counters.get(counter, 0)
        known = self._lasting.get(name)
        if known is None or known[0] != version or len(known[1]) > most:
            known = version, {}
            if self._mode != "writing":  # which may be undone, and the counter with it
                self._lasting[name] = known
        return known[1]

    def each(
        self, kind: str, rows: Iterable[int], read: Callable[[list[int]], Mapping[int, _Value]]
    ) -> dict[int, _Value]:
        """What `read` gives for each of some rows, in their order; not asked twice.

        A record has a strength that falls (`memo`); all else is as it is kept (`unchanging`).
        """
        memo, wanted = self.memo if kind == "record" else self.unchanging, sorted(set(rows))
        missing = [row for row in wanted if (kind, row) not in memo]
        for row, value in read(missing).items() if missing else ():
            memo[kind, row] = value
        return {row: memo[kind, row] for row in wanted if (kind, row) in memo}


def named_queries(backend: str) -> dict[str, str]:
    """The statements of `sql/queries.sql`, and those of a backend, by the name above each."""
    found = {}
    for folder in (SQL, os.path.join(SQL, backend)):
        with open(os.path.join(folder, "queries.sql"), encoding="utf-8") as file:
            parts = file.read().split("-- name: ")[1:]
        for part in parts:
            name, _, body = part.partition("\n")
            found[name.strip()] = body.strip()
    return found


def migrations(backend: str) -> list[str]:
    """The files that make the schema of a backend, in order."""
    folder = os.path.join(SQL, backend, "migrations")
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))
