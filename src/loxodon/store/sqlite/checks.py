"""What is wrong with a store: `loxodon validate`.

Every part of the file is looked at, and none is passed over because another is damaged. The truth
is held against its seals (`seals.py`), its references and its history; everything derived is held
against the truth. A finding says which of the two it is of: `repair` makes anew what is derived,
and looks for an intact copy of what is not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loxodon.errors import LoxodonError, StoreError
from loxodon.messages import t
from loxodon.store import Progress
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.rows import labels_of
from loxodon.store.sqlite import seals, write_counter
from loxodon.store.sqlite.database import Database, Row
from loxodon.store.sqlite.postings import numbers
from loxodon.store.sqlite.reindexing import INDEXES, batches
from loxodon.store.sqlite.schema import expected_schema
from loxodon.store.sqlite.search import TABLES
from loxodon.store.sqlite.vectors import check_vectors
from loxodon.text.words import fold, index_words
from loxodon.types import Problem, Record

_REPAIR = "loxodon repair"
_MOST = 20
"""Findings of one kind that are told one by one."""

# Each finds rows that break a promise: (what is promised of, query for the ids that break it).
BROKEN = (
    (
        "a turn without a session",
        "SELECT 't_' || seq FROM turns WHERE session NOT IN (SELECT no FROM sessions)",
    ),
    (
        "a memory with an invalid kind, state or number",
        "SELECT id FROM memories WHERE kind NOT IN ('fact', 'belief', 'summary') "
        "OR state NOT IN ('active', 'archived') OR NOT importance BETWEEN 0 AND 1 "
        "OR NOT confidence BETWEEN 0 AND 1 OR strength < 0",
    ),
    (
        "a memory whose lists are not valid JSON",
        "SELECT id FROM memories WHERE NOT (json_valid(tags) AND json_valid(entities) "
        "AND json_valid(derived_from))",
    ),
    (
        "a memory that replaces a missing one",
        "SELECT id FROM memories m WHERE replaces <> '' "
        "AND NOT EXISTS (SELECT 1 FROM memories o WHERE o.id = m.replaces)",
    ),
    (
        "an entity, segment or note whose lists are not valid JSON",
        "SELECT 'e_' || no FROM entities WHERE NOT json_valid(aliases) "
        "UNION ALL SELECT topic FROM segments WHERE NOT json_valid(tags) "
        "UNION ALL SELECT 'n_' || chunk FROM chunk_places WHERE NOT json_valid(triggers)",
    ),
    (
        "a review of something that is not a belief, or with an invalid answer",
        "SELECT m.id FROM reviews r JOIN memories m ON m.row = r.belief "
        "WHERE m.kind <> 'belief' OR r.answer NOT IN ('', 'confirmed', 'rejected')",
    ),
    (
        "unreadable pending work",
        "SELECT 't_' || turn FROM fragments "
        "WHERE stage NOT IN ('again', 'cut', 'waiting', 'failed') "
        "UNION ALL SELECT 't_' || turn FROM candidates WHERE NOT json_valid(body) "
        "UNION ALL SELECT name FROM pages WHERE NOT json_valid(basis)",
    ),
    (
        "a document that is not valid JSON",
        "SELECT namespace || key FROM documents WHERE NOT json_valid(value)",
    ),
    (
        "a memory that does not match its history",
        "SELECT id FROM memories m WHERE (version, version) <> (SELECT coalesce(max(version), 0), "
        "count(*) FROM memory_changes c WHERE c.memory = m.row)",
    ),
    (
        "a memory with an unreadable history",
        "SELECT m.id FROM memory_changes c JOIN memories m ON m.row = c.memory "
        "WHERE (c.version = 1) <> (c.before IS NULL) OR NOT json_valid(coalesce(c.before, '{}')) "
        "OR c.version > 1 AND c.before ->> 'version' <> c.version - 1",
    ),
)

RecordOf = Callable[[Row], Record]
EndOf = Callable[[Row], int]
"""The moment at which the memory of a row ends by itself."""


def check(
    db: Database, record_of: RecordOf, end_of: EndOf | None, progress: Progress
) -> list[Problem]:
    """Every problem of the file, its records and its indexes. Call within one view of the data.

    Without `end_of` the ends of memories are left alone: they were reckoned by other rates.
    """
    found: list[Problem] = []
    parts: tuple[Callable[[], Iterator[Problem]], ...] = (
        lambda: _schema(db),
        lambda: _unusable(db),
        lambda: _file(db),
        lambda: _references(db),
        lambda: _promises(db),
        lambda: _lost(db),
        lambda: _counts(db),
        lambda: _entity_names(db),
        lambda: _vectors(db),
        lambda: _indexed(db, record_of, end_of, progress),
        lambda: _put_aside(db),
    )
    for part in parts:
        with _telling(db.path, found):
            found += part()
    return _once_an_index(found)


def _once_an_index(found: list[Problem]) -> list[Problem]:
    """The first finding of each full-text index, which is made anew whatever else is wrong with it,
    and all others once."""
    told: dict[object, Problem] = {}
    for one in found:
        told.setdefault(one.where if one.where in INDEXES else one, one)
    return list(told.values())


@contextmanager
def _telling(path: str, found: list[Problem]) -> Iterator[None]:
    """A part that cannot be looked at is a finding, and the others are looked at all the same."""
    try:
        yield
    except LoxodonError as error:
        found.append(_of_truth(path, error.localized()[0]))
    # What no writer of ours put there: text that is none, a number or nothing where text should be.
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
        found.append(_of_truth(path, str(error)))


def _of_truth(where: str, what: str) -> Problem:
    hint = t(
        "run `{command}`; it copies intact data from the text views or a backup", command=_REPAIR
    )
    return Problem(where, what, hint)


def _derived(where: str, what: str) -> Problem:
    return Problem(where, what, t("run `{command}`", command=_REPAIR), derived=True)


def _astray(name: str, missing: int, stale: int) -> Iterator[Problem]:
    if missing:
        yield _derived(name, t("{n} rows are missing", n=missing))
    if stale:
        yield _derived(name, t("{n} rows are stale", n=stale))


# The file


def _schema(db: Database) -> Iterator[Problem]:
    """Tables and indexes that are not as this version makes them."""
    found = set(db.all("SELECT type, name, sql FROM sqlite_schema"))
    wanted = expected_schema()
    for type, name, _ in sorted(wanted - found, key=str)[:_MOST]:
        what = t("its definition is wrong")
        yield _of_truth(name, what) if type == "table" else _derived(name, what)


def _unusable(db: Database) -> Iterator[Problem]:
    """Indexes that cannot be asked at all.

    Asking also matters for the others: until then a connection may hold an old idea of an index
    that someone else has changed, and take it for damage.
    """
    for name in INDEXES:
        try:
            db.run(f"SELECT 1 FROM {name} WHERE {name} MATCH 'a' LIMIT 1")
        except StoreError as error:
            yield _derived(name, error.localized()[0])


_NAMED = (
    re.compile(r"(?:index|table) (?:main\.)?(\w+)$"),
    re.compile(r"(?:value|affinity) in (\w+)\."),
)
_TREE = re.compile(r"^Tree (\d+) ")
_NO_FINDING = ("ok", "*** in database main ***")


def _file(db: Database) -> Iterator[Problem]:
    """What SQLite itself finds wrong, and which rows do not fit their seals."""
    roots: dict[int, str] = dict(db.all("SELECT rootpage, name FROM sqlite_schema WHERE rootpage"))
    tables = {name for (name,) in db.all("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    sealed = {one.name: one for one in seals.tables(db.all)}
    suspect: set[str] = set()
    cut = False
    try:
        answer = db.all(f"PRAGMA integrity_check({_MOST * 5})")
        said = [("", line) for (message,) in answer for line in message.splitlines()]
        cut = len(answer) >= _MOST * 5
    except StoreError:  # it gives up where a full-text index, or the worst damage, is met
        said, cut = [*_one_by_one(db)], True
    for at, message in said:
        if message in _NO_FINDING:
            continue
        name = _name_in(message, roots) or at
        if name in sealed:
            suspect.add(name)
        elif name and (name not in tables or name not in PRIMARY_TABLES):
            yield _derived(name, message)
        else:
            yield _of_truth(name or db.path, message)
    for index in sealed if cut else suspect:
        rows = [*_unsealed(db, sealed[index])]
        yield from rows
        if index in suspect and not rows:
            yield _derived(index, t("it does not match its table"))


def _one_by_one(db: Database) -> Iterator[tuple[str, str]]:
    """What SQLite finds wrong, asked for each table by itself: (table, message)."""
    for (table,) in db.all(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    ):
        try:
            for (message,) in db.all(f"PRAGMA integrity_check('{table}')"):
                yield from ((table, line) for line in message.splitlines())
        except StoreError as error:
            yield table, error.localized()[0]


def _name_in(message: str, roots: dict[int, str]) -> str:
    """Which table or index a message of SQLite is about; empty for the file."""
    if tree := _TREE.match(message):
        return roots.get(int(tree[1]), "")
    for pattern in _NAMED:
        if found := pattern.search(message):
            return found[1]
    return ""


def _unsealed(db: Database, sealed: seals.Sealed) -> Iterator[Problem]:
    """The rows of a table that were damaged, lost or put there by somebody else."""
    try:
        rows = [*seals.broken(db.all, sealed)]
    except StoreError as error:
        yield _of_truth(sealed.table, error.localized()[0])
        return
    for n, row in enumerate(rows):
        if n == _MOST:
            yield _of_truth(sealed.table, t("more rows are damaged"))
            return
        where = f"{sealed.table} {'.'.join(map(str, row.key))}"
        if row.unsealed and row.row:
            yield _derived(where, t("its checksum is damaged"))
        elif sealed.table not in PRIMARY_TABLES:
            yield _derived(where, t("it differs from what was written"))
        elif row.row:
            yield _of_truth(where, t("it differs from what was written"))
        else:
            yield _of_truth(where, t("it is missing"))


# The truth


def _references(db: Database) -> Iterator[Problem]:
    for table, rowid, parent, _ in db.all("PRAGMA foreign_key_check")[:_MOST]:
        what = t("row {row} refers to a missing row of {parent}", row=rowid, parent=parent)
        yield _of_truth(table, what) if table in PRIMARY_TABLES else _derived(table, what)


def _promises(db: Database) -> Iterator[Problem]:
    for what, query in BROKEN:
        for (id,) in db.all(f"{query} LIMIT {_MOST}"):
            yield _of_truth(str(id), t(what))


def _lost(db: Database) -> Iterator[Problem]:
    """Writes that were acknowledged and are not there: the log was damaged, or the file is an old
    copy."""
    counted: dict[str, int] = dict(
        db.all("SELECT name, last FROM counters WHERE name LIKE 'writes%'")
    )
    lost = counted.get(write_counter.LOST, 0) + max(
        0, write_counter.of(db.path) - counted.get(write_counter.WRITES, 0)
    )
    if lost:
        yield _of_truth(db.path, t("{n} acknowledged writes are missing", n=lost))


def _put_aside(db: Database) -> Iterator[Problem]:
    """Messages that the rules stumbled over."""
    hint = t("it stays in the journal; please report this")
    for turn, reason in db.all(
        "SELECT turn, reason FROM fragments WHERE stage = 'failed' ORDER BY turn LIMIT 20"
    ):
        what = t("this message could not be processed: {reason}", reason=reason)
        yield Problem(f"t_{turn}", what, hint)


# What is derived


def _counts(db: Database) -> Iterator[Problem]:
    """An index has the rows of its truth, no more and no fewer, and their number is known."""
    for index, table in TABLES.items():
        truth = f"SELECT {table.key} FROM {table.truth} WHERE {table.which}"
        held = f"SELECT id FROM {table.name}_docsize"
        try:
            missing = len(db.all(f"{truth} EXCEPT {held}"))
            stale = len(db.all(f"{held} EXCEPT {truth}"))
            yield from _astray(table.name, missing, stale)
        except StoreError as error:
            yield _derived(table.name, error.localized()[0])
        ((counted, rows),) = db.all(
            "SELECT (SELECT coalesce(max(last), 0) FROM counters WHERE name = ?), "
            f"(SELECT count(*) FROM ({truth}))",
            (f"rows_{index}",),
        )
        yield from _astray(f"rows_{index}", 0, abs(counted - rows))


def _entity_names(db: Database) -> Iterator[Problem]:
    """Names that should lead to an entity, or to another one, and how many entities there are."""
    entities = {
        no: {fold(one) for one in (name, *json.loads(aliases))}
        for no, name, aliases in db.all("SELECT no, name, aliases FROM entities")
    }
    names: dict[str, int] = dict(db.all("SELECT name, entity FROM entity_names"))
    missing = len(set().union(*entities.values()) - names.keys())
    stale = sum(name not in entities.get(no, ()) for name, no in names.items())
    counted = db.one(db.sql["counter"], ("rows_entities",)) or (0,)
    yield from _astray("entity_names", missing, stale)
    yield from _astray("rows_entities", 0, abs(counted[0] - len(entities)))


def _vectors(db: Database) -> Iterator[Problem]:
    yield from _astray("vectors", *check_vectors(db))


class _Words:
    """The words of one index as they should be, against those that it has.

    For each word, all places that it stands at go into one sum: a list that leads to another row or
    place, or is longer or shorter, has another one.
    """

    _ROW, _PLACE, _MASK, _ONE = 2_654_435_761, 40_503, 0xFFFF_FFFF, 1 << 44

    def __init__(self, name: str) -> None:
        self.name = name
        self._sums: dict[str, int] = {}
        self._rows = self._words = 0

    def add(self, row: int, words: list[str]) -> None:
        sums, start = self._sums, row * self._ROW
        for place, word in enumerate(words):
            here = (start + place * self._PLACE & self._MASK) + self._ONE
            sums[word] = sums.get(word, 0) + here
        self._rows += 1
        self._words += len(words)

    def wrong(self, db: Database) -> Iterator[Problem]:
        try:
            wrong = self._wrong(db)
            kept = db.one(f"SELECT block FROM {self.name}_data WHERE id = 1")
        except (StoreError, UnicodeDecodeError) as error:
            yield _derived(self.name, str(error))
            return
        if wrong:
            yield _derived(self.name, t("{n} words point to the wrong rows", n=wrong))
        if [*numbers(kept[0] if kept else b"")][:2] not in ([self._rows, self._words], []):
            yield _derived(self.name, t("its number of words does not match its rows"))

    def _wrong(self, db: Database) -> int:
        sums, wrong = self._sums, 0
        for word, count, total in db.all(
            f"SELECT term, count(*), sum((doc * {self._ROW} + offset * {self._PLACE}) "
            f"& {self._MASK}) FROM {self.name}_words GROUP BY term"
        ):
            wrong += sums.pop(word, 0) != count * self._ONE + total
        return wrong + len(sums)


def _indexed(
    db: Database, record_of: RecordOf, end_of: EndOf | None, progress: Progress
) -> Iterator[Problem]:
    """Rows that are found by other words or labels than theirs, or that end at another time."""
    stale = dict.fromkeys((*INDEXES, "memory_labels", "ends_at"), 0)
    words = {index: _Words(table.name) for index, table in TABLES.items()}
    done = 0
    for index, rows, total in batches(db):
        name, between = TABLES[index].name, (rows[0][0], rows[-1][0])
        sizes = _sizes(db, name, between)
        of_memories = TABLES[index].truth == "memories"
        labels, ends = _beside(db, between) if of_memories else ({}, {})
        for row, *rest in rows:
            text = rest[0]
            if of_memories:
                record = record_of(tuple(rest))
                text = record.searchable
                stale["memory_labels"] += labels.get(row, set()) != labels_of(record)
                if index == "memories" and end_of:
                    stale["ends_at"] += ends[row] != end_of(tuple(rest))
            found = index_words(text)
            words[index].add(row, found)
            if row in sizes and sizes[row] != [len(found)]:
                stale[name] += 1
        done += len(rows)
        progress(done, total)
    for name, n in stale.items():
        yield from _astray(name, 0, n)
    for one in words.values():
        yield from one.wrong(db)


def _beside(
    db: Database, between: tuple[int, int]
) -> tuple[dict[int, set[tuple[str, str]]], dict[int, int]]:
    """The labels of some memories, and when each ends, as they are kept."""
    labels: dict[int, set[tuple[str, str]]] = {}
    for memory, label, named in db.all(
        "SELECT memory, label, name FROM memory_labels "
        "WHERE memory BETWEEN ? AND ? AND label <> 'keyword'",
        between,
    ):
        labels.setdefault(memory, set()).add((label, named))
    ends = db.all("SELECT row, ends_at FROM memories WHERE row BETWEEN ? AND ?", between)
    return labels, dict(ends)


def _sizes(db: Database, index: str, between: tuple[int, int]) -> dict[int, list[int]]:
    """How many words an index says that some rows have; none where it cannot say."""
    try:
        kept = db.all(f"SELECT id, sz FROM {index}_docsize WHERE id BETWEEN ? AND ?", between)
    except StoreError:  # told of already
        return {}
    return {row: [*numbers(sizes)] for row, sizes in kept}
