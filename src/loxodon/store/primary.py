"""The primary data of a store: its tables and columns; everything else is derived. And whether both
are sound.

Rows are plain values, so that a view can write them and another backend can load them. Sessions
and memories are referenced by their ids, except in the two tables that depend on memories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from loxodon.errors import LoxodonError, StoreError
from loxodon.messages import t, tn
from loxodon.store import Progress
from loxodon.store.driver import Driver
from loxodon.store.indexes import Part, indexed_rows
from loxodon.store.rows import COLUMNS, labels_of
from loxodon.store.search import TABLES
from loxodon.store.store import Store
from loxodon.types import Problem

Row = tuple[Any, ...]

# The tables that say how much a space has, when it is deleted
COUNTED = ("turns", "memories", "documents")


class PrimaryTable(NamedTuple):
    columns: tuple[str, ...]
    key: int  # how many of the columns, from the first, it is ordered by and found again with
    # Columns that are kept as the number of a session or memory, and given as its id
    sessions: frozenset[str] = frozenset()
    memories: frozenset[str] = frozenset()
    which: str = "true"


def _table(
    columns: str, key: int = 1, *, session: str = "", memory: str = "", which: str = "true"
) -> PrimaryTable:
    names = tuple(columns.split())
    return PrimaryTable(names, key, frozenset(session.split()), frozenset(memory.split()), which)


# Every table, those that others refer to first
PRIMARY_TABLES: Mapping[str, PrimaryTable] = {
    "sessions": _table("no id turns first_at last_at"),
    "turns": _table(
        "seq session id key role speaker channel chat origin at utc_offset content agent",
        session="session",
    ),
    "memories": _table(f"row {' '.join(COLUMNS)}"),
    "memory_sources": _table("memory n session turn seq file line", 2),
    "memory_changes": _table("memory version at change before", 2),
    "segments": _table(
        "no session first_turn last_turn started_at ended_at utc_offset topic tags text",
        session="session",
    ),
    "fragments": _table("turn n text type stage keep about bonus reason", 2),
    "candidates": _table("no turn body"),
    "events": _table("no date at session channel sender summary tokens trust compressed agent"),
    "entities": _table("no name type aliases created_at updated_at agent"),
    "reviews": _table("belief against asked_at answer answered_at", memory="belief against"),
    "memory_uses": _table("memory day times last_at", 2, memory="memory"),
    "unindexed": _table("memory", memory="memory"),
    "model_use": _table("day phase calls tokens_in tokens_out", 2),
    "pages": _table("name language made_at text basis", 2),
    "quarantine": _table("no turn memory start stop text reason origin at state decided_at"),
    "followed": _table("path session mark read_at", 2),
    "imports": _table("key memory at", memory="memory"),
    "jobs": _table("name last_at seconds counts succeeded_at failed_at error failures runs"),
    "documents": _table("no namespace key value text created_at updated_at minutes expires_at"),
    "working_sessions": _table("owner key entry", 2),
    "transcript_lines": _table("session n owner line", 2),
    "tokens": _table("token request memory version at", memory="memory"),
    "tombstones": _table("kind mark size until", 2),
    "receipts": _table("id at actor what erased files"),
    # How many rows an index has is derived, and how many writes there were is of the file.
    "counters": _table(
        "name last", which=r"name NOT LIKE 'rows\_%' ESCAPE '\' AND name NOT LIKE 'writes%'"
    ),
    # So is what is known of the indexes; and whose file it is, only the file can say.
    "meta": _table(
        "name value",
        which=r"name NOT IN ('space', 'words', 'rates', 'sampled', 'audit', 'forgotten_to') "
        r"AND name NOT LIKE 'sampled\_%' ESCAPE '\'",
    ),
}


class JournalDay(NamedTuple):
    """The turns of one day where they were said, or a part of them where they are many."""

    date: str
    part: int  # from 1, in the order of the journal
    turns: int
    first: int
    last: int  # the numbers of its first and last turn


_BATCH = 2_000
PART_TURNS = 2_000
PART_BYTES = 8 << 20  # the most turns of a day, and the most of their text, that are in one part

_MS = 86_400_000
_FIRST_DAY = 719_162 * _MS  # from the first day there is until 1970, as in the part `day`
_BASES = ("turns", "segments", "events", "entities", "imports", "unindexed", "documents")
_NUMBERED = (
    ("session", "sessions", "no"),
    ("turn", "turns", "seq"),
    ("memory", "memories", "row"),
    ("segment", "segments", "no"),
    ("entity", "entities", "no"),
    ("document", "documents", "no"),
    ("quarantine", "quarantine", "no"),
)
# Tables that a store may have rows in though nothing is kept in it
_ABOUT = ("counters", "meta", "tombstones", "receipts")


class PrimaryData(Part):
    # Out

    def dump(self, table: str) -> Iterator[Row]:
        """Every row of a table of `PRIMARY_TABLES`, ordered by key, read in batches."""
        spec = PRIMARY_TABLES[table]
        key = ", ".join(f"t.{column}" for column in spec.columns[: spec.key])
        select = f"SELECT {key}, {_columns(spec)} FROM {table} t WHERE {spec.which}"
        order = f"ORDER BY {key} LIMIT {_BATCH}"
        rows = self._db.all(f"{select} {order}")
        while rows:
            yield from (row[spec.key :] for row in rows)
            if len(rows) < _BATCH:
                return
            marks = ", ".join("?" * spec.key)
            rows = self._db.all(f"{select} AND ({key}) > ({marks}) {order}", rows[-1][: spec.key])

    def days(self) -> list[JournalDay]:
        """The days of the journal, in order. A turn stays in its part when others are added."""
        found = []
        for day, turns, size, first, last in self._db.all("days"):
            name = date.fromordinal(day + 1).isoformat()
            if turns <= PART_TURNS and size <= PART_BYTES:
                found.append(JournalDay(name, 1, turns, first, last))
            else:
                found += self._parts(day, name)
        return found

    def _parts(self, day: int, name: str) -> list[JournalDay]:
        """A long day, cut wherever a part is full."""
        found: list[JournalDay] = []
        turns = size = first = last = 0
        for seq, length in self._db.all("sizes_of_day", _around(day)):
            if turns == PART_TURNS or (turns and size + length > PART_BYTES):
                found.append(JournalDay(name, len(found) + 1, turns, first, last))
                turns = size = 0
            first, last = first if turns else seq, seq
            turns, size = turns + 1, size + length
        return [*found, JournalDay(name, len(found) + 1, turns, first, last)]

    def turns_of(self, day: JournalDay) -> list[Row]:
        """The turns of a day or part of a day, as in `dump`, in order of time."""
        number = date.fromisoformat(day.date).toordinal() - 1
        return self._db.all("turns_of_day", (*_around(number), day.first, day.last))

    def bases(self) -> dict[str, str]:
        """For each large table (memories by kind and state) a text that changes when it does."""
        found = {name: _joined(self._db.all(f"basis_{name}")[0]) for name in _BASES}
        for kind, state, *rest in self._db.all("basis_memories"):
            found[f"memories/{kind}/{state}"] = _joined(rest)
        return found

    # In

    def is_empty(self) -> bool:
        tables = [name for name in PRIMARY_TABLES if name not in _ABOUT]
        held = " OR ".join(f"EXISTS (SELECT 1 FROM {name})" for name in tables)
        return not self._db.all(f"SELECT {held}")[0][0]

    def load(self, rows: Iterable[tuple[str, Sequence[Row]]], progress: Progress) -> None:
        """Fill an empty store with dumped rows, referenced rows first, and rebuild what is derived;
        all or nothing."""
        with self._db.writing():
            if not self.is_empty():
                raise StoreError(
                    "{path} is not empty",
                    hint="choose another home with --home",
                    path=self._db.path,
                )
            unindexed: list[Row] = []
            for table, batch in rows:
                if table == "unindexed":
                    unindexed += batch
                else:
                    self._put(table, batch)
            # A number that something has is not given out again, whatever the counters say.
            for counter, name, column in _NUMBERED:
                self._db.run("keep_counter", (counter,), table=name, key=column)
            self._db.run("keep_id_counters")
            self._store.rebuild(progress)
            self._put("unindexed", unindexed)  # which making it anew has emptied

    def _put(self, table: str, rows: Iterable[Row]) -> None:
        if table in ("counters", "meta"):  # opening a store makes some single values
            self._db.many("set_counter" if table == "counters" else "set_meta", rows)
            return
        spec = PRIMARY_TABLES[table]
        marks = ", ".join(_mark(column, spec) for column in spec.columns)
        self._db.many(f"INSERT INTO {table} ({', '.join(spec.columns)}) VALUES ({marks})", rows)


def _columns(table: PrimaryTable) -> str:
    """What to select of `t`: sessions and memories by their ids."""
    found = []
    for column in table.columns:
        if column in table.sessions:
            found.append(f"(SELECT s.id FROM sessions s WHERE s.no = t.{column})")
        elif column in table.memories:
            found.append(f"(SELECT m.id FROM memories m WHERE m.row = t.{column})")
        else:
            found.append(f"t.{column}")
    return ", ".join(found)


def _mark(column: str, table: PrimaryTable) -> str:
    """The place of a value. One that is not there becomes 0, which refers to nothing."""
    if column in table.sessions:
        return "coalesce((SELECT no FROM sessions WHERE id = ?), 0)"
    if column in table.memories:
        return "coalesce((SELECT row FROM memories WHERE id = ?), 0)"
    return "?"


def _around(day: int) -> tuple[int, int, int]:
    """All moments that are on this day somewhere, and the day."""
    start = day * _MS - _FIRST_DAY
    return start - _MS, start + 2 * _MS, day


def _joined(values: Sequence[object]) -> str:
    return ".".join(str(value or 0) for value in values)


# What is wrong with a store (`loxodon validate`), and whether `repair` can make it anew

_REPAIR = "loxodon repair"
MOST = 20  # findings of one kind that are told one by one


def check(store: Store, progress: Progress) -> list[Problem]:
    """Every problem of the file, the records and the indexes. Call within one view of the data."""
    found: list[Problem] = []
    db = store._db
    for part in (_file(db), _indexes(store), _rows(store, progress)):
        try:
            found += part
        except LoxodonError as error:
            found.append(_problem(db.path, error.localized()[0]))
        # What no writer of ours put there: a number, or nothing, where text should be.
        except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
            found.append(_problem(db.path, str(error)))
    indexes = {table.name for table in TABLES.values()}
    # One finding of each full-text index is enough: it is made anew as a whole.
    return list({one.where if one.where in indexes else one: one for one in found}.values())


def _problem(where: str, what: str) -> Problem:
    said = t("run `{command}`; it restores the text views or a backup", command=_REPAIR)
    return Problem(where, what, said)


def _derived(where: str, what: str) -> Problem:
    return Problem(where, what, t("run `{command}`", command=_REPAIR), derived=True)


def _astray(name: str, missing: int, stale: int) -> Iterator[Problem]:
    """Findings about rows that should be there, or should not."""
    if missing:
        yield _derived(name, tn("{n} row is missing", "{n} rows are missing", missing))
    if stale:
        yield _derived(name, tn("{n} row is stale", "{n} rows are stale", stale))


def _file(db: Driver) -> Iterator[Problem]:
    for name, what in db.integrity(MOST):
        of_truth = not name or name in PRIMARY_TABLES
        yield _problem(name or db.path, what) if of_truth else _derived(name, what)


def _indexes(store: Store) -> Iterator[Problem]:
    """An index has the rows of its table, no more and no fewer, and their number is known."""
    db, text = store._db, store._db.text
    for index, table in TABLES.items():
        truth = f"SELECT {table.key} FROM {table.truth} WHERE {table.which}"
        try:
            missing = len(db.all(f"{truth} EXCEPT {text.held(index)}"))
            stale = len(db.all(f"{text.held(index)} EXCEPT {truth}"))
            yield from _astray(table.name, missing, stale)
        except StoreError as error:
            yield _derived(table.name, error.localized()[0])
        counted = db.value("counter", (f"rows_{index}",)) or 0
        rows = db.value(f"SELECT count(*) FROM ({truth}) t")
        yield from _astray(f"rows_{index}", 0, abs(counted - rows))
    unsigned, astray = db.value("count_unsigned_vectors"), db.value("count_astray_vectors")
    yield from _astray("vectors", unsigned, astray)


def _rows(store: Store, progress: Progress) -> Iterator[Problem]:
    """Read everything that is indexed; memories that are found by other labels than theirs."""
    db, stale, done = store._db, 0, 0
    for id in db.column("broken_histories", (MOST,)):
        yield _problem(id, t("a memory that does not match its history"))
    for index, rows, total in indexed_rows(db):
        if TABLES[index].truth == "memories":
            labels: dict[int, set[tuple[str, str]]] = {}
            for memory, label, name in db.all("labels_between", (rows[0][0], rows[-1][0])):
                labels.setdefault(memory, set()).add((label, name))
            for row, *rest in rows:
                stale += labels.get(row, set()) != labels_of(store._record(tuple(rest)))
        done += len(rows)
        progress(done, total)
    yield from _astray("memory_labels", 0, stale)
