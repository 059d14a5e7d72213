"""`Driver`: what the store asks of a database, and the named statements that it sends.

Statements are in `sql/`, by name: `queries.sql` for SQLite, from which `tools/sql.py` writes those
for PostgreSQL, and what either has of its own. `(past)` behind a name means that the statement is
about tables themselves, past the wall that may stand before them.
"""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from functools import lru_cache
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from loxodon.clock import to_stored
from loxodon.errors import InputError, StoreError
from loxodon.store.walls import Wall

if TYPE_CHECKING:
    from loxodon.store.search import FullText

SQL = os.path.join(os.path.dirname(__file__), "sql")
FILES = {
    "sqlite": ("queries.sql", "sqlite/queries.sql"),
    "postgres": ("postgres/queries.sql", "postgres/own.sql", "postgres/directory.sql"),
}
LOCK_SECONDS = 120.0  # that a writer waits for its turn
_MEMO = 20_000  # values remembered at most: who reads all of a store reads nothing twice
_COMPOSED = 2_000
BATCH = 2_000  # rows that `stream` reads at a time

Row = tuple[Any, ...]
Part = str | tuple[str, ...]
_Value = TypeVar("_Value")
_as_json = json.JSONEncoder(ensure_ascii=False).encode
HOLE = re.compile(r"\{(\w+)\}")
_ENTRY = re.compile(r"^-- (name|part): (\S+)( \(past\))?\n", re.M)
_COMMENT = re.compile(r"^--(?! (?:name|part): ).*\n?", re.M)


class Entry(NamedTuple):
    """A statement of a file, or a part of statements, its own parts filled in."""

    kind: str
    name: str
    past: bool
    text: str


class Statement(str):
    past: bool
    writes: bool

    def __new__(cls, text: str, past: bool = False) -> Statement:
        found = super().__new__(cls, text)
        found.past = past
        found.writes = text.lstrip().startswith(("INSERT", "UPDATE", "DELETE", "SET", "DO"))
        return found


def entries(paths: Iterable[str]) -> list[Entry]:
    found: list[tuple[str, ...]] = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            _, *split = _ENTRY.split(_COMMENT.sub("", file.read()))
            found += zip(*(split[n::4] for n in range(4)), strict=True)
    texts = {name: body.strip() for _, name, _, body in found}
    parts = {name for kind, name, *_ in found if kind == "part"}

    def filled(text: str) -> str:
        return HOLE.sub(lambda hole: filled(texts[hole[1]]) if hole[1] in parts else hole[0], text)

    return [Entry(kind, name, bool(past), filled(texts[name])) for kind, name, past, _ in found]


@lru_cache
def statements(backend: str) -> Mapping[str, Statement]:
    files = entries(os.path.join(SQL, name) for name in FILES[backend])
    return {one.name: Statement(one.text, one.past) for one in files}


def migrations(backend: str) -> list[str]:
    folder = os.path.join(SQL, backend, "migrations")
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def these(rows: Iterable[int | str | bytes]) -> str:
    """Row numbers, texts or bytes as a value, for `IN (SELECT value FROM json_each(?))`."""
    return _as_json([row.hex() if isinstance(row, bytes) else row for row in rows])


def plain(values: Iterable[Any]) -> list[Any]:
    """Values as statements take them: times in milliseconds, lists and objects as JSON."""
    found: list[Any] = []
    for one in values:
        if isinstance(one, datetime):
            one = to_stored(one)[0]
        elif isinstance(one, list | set | frozenset | tuple):
            one = these(one)
        elif isinstance(one, Mapping):
            one = json.dumps(dict(one), ensure_ascii=False)
        found.append(int(one) if isinstance(one, bool) else one)
    return found


def half_character() -> InputError:
    return InputError(
        "the text contains half a character (a lone surrogate)",
        hint="it was cut off or decoded incorrectly; send it as UTF-8",
    )


def unusable(path: str, reason: str) -> StoreError:
    return StoreError(
        "cannot use {path}: {reason}",
        hint="run `loxodon validate`; if the error persists, report it with this message",
        path=path,
        reason=reason,
    )


def newer(path: str, found: int, known: int) -> StoreError:
    return StoreError(
        "{path} was written by a newer version of Loxodon (schema {found}; this version "
        "supports {known})",
        hint="install that version of Loxodon or a later one; nothing was changed",
        path=path,
        found=found,
        known=known,
    )


class Driver(ABC):
    """A database of one space for one process; its threads take turns."""

    text: FullText

    def __init__(self, path: str, backend: str) -> None:
        self.path = path  # what it is called in errors
        # Changes when another database was put in the place of this one: what was read is void
        self.generation = 0
        self.wall = Wall()
        # Called inside every transaction that has changed something; an error undoes it
        self.before_commit: Callable[[], None] | None = None
        self.changed: list[str] = []  # ids of what this transaction changed, for the audit log
        self.sql = statements(backend)
        self.patience = LOCK_SECONDS  # to wait for others who write
        self._composed: dict[Hashable, Statement] = {}
        self._turn = RLock()
        self._mode = ""  # or "reading", "writing"
        self._closed = False
        self._memo: dict[Hashable, Any] = {}

    # What a backend does in its own way

    @abstractmethod
    def another(self) -> Self:
        """The same database on a connection of its own."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[None]:
        """One view of the data for several reads, whatever others write meanwhile."""

    @abstractmethod
    def writing(self, seconds: float = LOCK_SECONDS) -> AbstractContextManager[None]:
        """A transaction or savepoint; BusyStoreError where others write for so long."""

    @abstractmethod
    def all(self, statement: str, values: Sequence[Any] = (), **parts: Part) -> list[Row]:
        """Every row that a statement gives; see `statement` for the parts."""

    @abstractmethod
    def many(self, statement: str, values: Iterable[Sequence[Any]], **parts: str) -> None:
        """A statement for each of many rows."""

    @abstractmethod
    def stand_behind(self, wall: Wall) -> None:
        """Let this wall stand before the tables, in place of the one that did. Within a transaction
        that is undone, so is this: put the old one up again."""

    @abstractmethod
    def size(self) -> int:
        """Bytes on disk."""

    @abstractmethod
    def close(self) -> None:
        """Closing twice is fine."""

    def past_wall(self) -> AbstractContextManager[None]:
        """What is written meanwhile may be out of sight of whoever writes it."""
        return nullcontext()

    def as_half(self, vector: bytes) -> bytes:
        """A vector in float16 as the column for it takes it."""
        return vector

    def integrity(self, most: int) -> Iterable[tuple[str, str]]:
        """What the database itself finds wrong: the table or index (empty for all), and what."""
        return ()

    def compact(self) -> bool:
        """Write the data anew: nothing is left of what was erased; False if someone still reads
        from the log of writes. Not within a transaction."""
        return True

    def _variant(self, name: str) -> str:
        """The name of the statement to use in place of another."""
        return name

    def _marked(self, text: str) -> str:
        """A text put together with question marks, as the backend takes it."""
        return text

    # What all have

    def _check_usable(self) -> None:
        if self._closed:
            raise StoreError(
                "{path} is closed", hint="reopen the memory before using it", path=self.path
            )

    def statement(self, name: str, parts: Mapping[str, Part]) -> Statement:
        """A statement by its name, the braces in it filled.

        A part is the name of a table, column or index, for `rows` that of another text, for
        `where` those of conditions, for `set` those of columns. What is no name is taken as SQL."""
        name = name if isinstance(name, Statement) else self._variant(name)
        if not parts and name in self.sql:
            return self.sql[name]
        key = (name, *parts.items())
        if found := self._composed.get(key):
            return found
        template = self.sql.get(name) or Statement(name, getattr(name, "past", False))
        text = str(template)
        for hole, part in parts.items():
            if hole == "set":
                filled = ", ".join(f"{column} = ?" for column in part)
            elif hole == "where":
                filled = " AND ".join(self.sql[condition] for condition in part) or "true"
            else:
                filled = self.sql[str(part)] if hole == "rows" else str(part)
            text = text.replace(f"{{{hole}}}", filled)
        if len(self._composed) > _COMPOSED:
            self._composed.clear()
        found = self._composed[key] = Statement(self._marked(text), template.past)
        return found

    def stream(
        self,
        statement: str,
        values: Sequence[Any] = (),
        *,
        key: int = 1,
        where: tuple[str, ...] = (),
        **parts: Part,
    ) -> Iterator[list[Row]]:
        """All rows of a statement, some at a time. It takes the key of the row before, which is the
        first `key` columns and a positive number each, then `values`, then how many."""
        after: Row = (0,) * key
        while rows := self.all(statement, (*after, *values, BATCH), where=where, **parts):
            yield rows
            after = rows[-1][:key]

    def one(self, statement: str, values: Sequence[Any] = (), **parts: Part) -> Row | None:
        rows = self.all(statement, values, **parts)
        return rows[0] if rows else None

    def column(self, statement: str, values: Sequence[Any] = (), **parts: Part) -> list[Any]:
        return [row[0] for row in self.all(statement, values, **parts)]

    def value(self, statement: str, values: Sequence[Any] = (), **parts: str) -> Any:
        """The first column of the first row; None if there is none."""
        rows = self.all(statement, values, **parts)
        return rows[0][0] if rows else None

    def run(self, statement: str, values: Sequence[Any] = (), **parts: Part) -> None:
        self.all(statement, values, **parts)

    def meta(self, name: str) -> str:
        """A value that is kept by its name; empty for none."""
        return self.value("get_meta", (name,)) or ""

    def set_meta(self, name: str, value: str) -> None:
        self.run("set_meta", (name, value))

    def take(self, counter: str, count: int) -> int:
        """The last of `count` numbers that nobody else gets; called within a write."""
        return int(self.value("take_numbers", (counter, count)))

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
        if self._mode != "reading" or len(self._memo) > _MEMO:
            self._memo = {}
        return self._memo

    def once(self, key: Hashable, read: Callable[[], _Value]) -> _Value:
        """What `read` gives, not asked twice in one `reading`."""
        memo = self.memo
        if key not in memo:
            memo[key] = read()
        found: _Value = memo[key]
        return found

    @property
    def counters(self) -> Mapping[str, int]:
        """How many rows each index has, about, and how often some of them changed."""
        return self.once("counters", lambda: dict(self.all("index_counters")))

    def each(
        self, kind: str, rows: Iterable[int], read: Callable[[list[int]], Mapping[int, _Value]]
    ) -> dict[int, _Value]:
        """What `read` gives for each of some rows, in their order; not asked twice."""
        memo, wanted = self.memo, sorted(set(rows))
        missing = [row for row in wanted if (kind, row) not in memo]
        for row, value in read(missing).items() if missing else ():
            memo[kind, row] = value
        return {row: memo[kind, row] for row in wanted if (kind, row) in memo}
