"""What is wrong with a store: `loxodon validate`.

Every part is looked at, and none is passed over because another is damaged. The truth is held
against its references and its history (and by a backend against whatever it has to tell damage by);
everything derived is held against the truth. A finding says which of the two it is of: `repair`
makes anew what is derived, and looks for an intact copy of what is not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from loxodon.errors import LoxodonError, StoreError
from loxodon.messages import t, tn
from loxodon.store import Index, Progress
from loxodon.store.driver import Driver as Database
from loxodon.store.driver import Row
from loxodon.store.fulltext import FullText
from loxodon.store.reindexing import INDEXES, batches
from loxodon.store.rows import labels_of
from loxodon.store.search import TABLES
from loxodon.text.words import fold, index_words
from loxodon.types import Problem, Record

_REPAIR = "loxodon repair"
MOST = 20
"""Findings of one kind that are told one by one."""
_LISTS = "an entity, segment or note whose lists are not valid JSON"
_PENDING = "unreadable pending work"


@dataclass(frozen=True)
class Promise:
    """What holds for every row of a table `t`."""

    what: str
    table: str
    id: str
    broken: str
    of_row: bool = True
    """Whether a row alone can break it, without others."""


PROMISES = (
    Promise(
        "a turn without a session",
        "turns",
        "'t_' || seq",
        "session NOT IN (SELECT no FROM sessions)",
        of_row=False,
    ),
    Promise(
        "a turn with an invalid time",
        "turns",
        "'t_' || seq",
        "NOT at BETWEEN -62135596800000 AND 253402300799999 "  # the years 1 to 9999
        "OR NOT utc_offset BETWEEN -1439 AND 1439",
    ),
    Promise(
        "a memory with an invalid kind, state or number",
        "memories",
        "id",
        "kind NOT IN ('fact', 'belief', 'summary') OR state NOT IN ('active', 'archived') "
        "OR NOT importance BETWEEN 0 AND 1 OR NOT confidence BETWEEN 0 AND 1 OR strength < 0",
    ),
    Promise(
        "a memory whose lists are not valid JSON",
        "memories",
        "id",
        "NOT (json_valid(tags) AND json_valid(entities) AND json_valid(derived_from))",
    ),
    Promise(
        "a memory that replaces a missing one",
        "memories",
        "id",
        "replaces <> '' AND NOT EXISTS (SELECT 1 FROM memories o WHERE o.id = t.replaces)",
        of_row=False,
    ),
    Promise(_LISTS, "entities", "'e_' || no", "NOT json_valid(aliases)"),
    Promise(_LISTS, "segments", "topic", "NOT json_valid(tags)"),
    Promise(_LISTS, "chunk_places", "'n_' || chunk", "NOT json_valid(triggers)"),
    Promise(
        "a review with an invalid answer",
        "reviews",
        "(SELECT m.id FROM memories m WHERE m.row = t.belief)",
        "answer NOT IN ('', 'confirmed', 'rejected')",
    ),
    Promise(
        _PENDING, "fragments", "'t_' || turn", "stage NOT IN ('again', 'cut', 'waiting', 'failed')"
    ),
    Promise(_PENDING, "candidates", "'t_' || turn", "NOT json_valid(body)"),
    Promise(_PENDING, "pages", "name", "NOT json_valid(basis)"),
    Promise(
        "a document that is not valid JSON",
        "documents",
        "namespace || key",
        "NOT json_valid(value)",
    ),
    Promise(
        "a memory that does not match its history",
        "memories",
        "id",
        "(version, version) <> (SELECT coalesce(max(version), 0), count(*) "
        "FROM memory_changes c WHERE c.memory = t.row)",
        of_row=False,
    ),
    Promise(
        "a memory with an unreadable history",
        "memory_changes",
        "(SELECT m.id FROM memories m WHERE m.row = t.memory)",
        "(version = 1) <> (before IS NULL) OR NOT json_valid(coalesce(before, '{}')) "
        "OR version > 1 AND coalesce(CAST(json_extract(before, '$.version') AS INTEGER), 0) "
        "<> version - 1",
    ),
)

RecordOf = Callable[[Row], Record]

Part = Callable[[], Iterable[Problem]]


def check(
    db: Database,
    text: FullText,
    before: Iterable[Part],
    vectors: Callable[[], tuple[int, int]],
    record_of: RecordOf,
    progress: Progress,
) -> list[Problem]:
    """Every problem of the records and the indexes, after those of `before`, which are a backend's
    own. Call within one view of the data.

    When a memory fades is left alone: each program reckons that by the settings it began with.
    """
    found: list[Problem] = []
    parts: tuple[Part, ...] = (
        *before,
        lambda: _promises(db),
        lambda: _counts(db, text),
        lambda: _entity_names(db),
        lambda: astray("vectors", *vectors()),
        lambda: _indexed(db, text, record_of, progress),
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
        found.append(of_truth(path, error.localized()[0]))
    # What no writer of ours put there: text that is none, a number or nothing where text should be.
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
        found.append(of_truth(path, str(error)))


def of_truth(where: str, what: str) -> Problem:
    """A finding about what cannot be made anew."""
    hint = t(
        "run `{command}`; it copies intact data from the text views or a backup", command=_REPAIR
    )
    return Problem(where, what, hint)


def derived(where: str, what: str) -> Problem:
    """A finding about what can."""
    return Problem(where, what, t("run `{command}`", command=_REPAIR), derived=True)


def astray(name: str, missing: int, stale: int) -> Iterator[Problem]:
    """Findings about rows that should be there, or should not."""
    if missing:
        yield derived(name, tn("{n} row is missing", "{n} rows are missing", missing))
    if stale:
        yield derived(name, tn("{n} row is stale", "{n} rows are stale", stale))


# The truth


def _promises(db: Database) -> Iterator[Problem]:
    for one in PROMISES:
        query = f"SELECT {one.id} FROM {one.table} t WHERE {one.broken} LIMIT {MOST}"
        for (id,) in db.all(query):
            yield of_truth(str(id), t(one.what))


# What is derived


def _counts(db: Database, text: FullText) -> Iterator[Problem]:
    """An index has the rows of its truth, no more and no fewer, and their number is known."""
    for index, table in TABLES.items():
        truth = f"SELECT {table.key} FROM {table.truth} WHERE {table.which}"
        try:
            yield from astray(table.name, *text.astray(index, truth))
        except StoreError as error:
            yield derived(table.name, error.localized()[0])
        ((counted, rows),) = db.all(
            "SELECT (SELECT coalesce(max(last), 0) FROM counters WHERE name = ?), "
            f"(SELECT count(*) FROM ({truth}) t)",
            (f"rows_{index}",),
        )
        yield from astray(f"rows_{index}", 0, abs(counted - rows))


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
    yield from astray("entity_names", missing, stale)
    yield from astray("rows_entities", 0, abs(counted[0] - len(entities)))


class _Words:
    """The words of one index as they should be, against those that it has.

    For each word, all places that it stands at go into one sum: a list that leads to another row or
    place, or is longer or shorter, has another one.
    """

    _ROW, _PLACE, _MASK, _ONE = 2_654_435_761, 40_503, 0xFFFF_FFFF, 1 << 44

    def __init__(self, text: FullText, index: Index) -> None:
        self._text, self._index, self._name = text, index, TABLES[index].name
        self._place = self._PLACE if text.places else 0
        self._sums: dict[str, int] = {}
        self._rows = self._words = 0

    def add(self, row: int, words: list[str]) -> None:
        sums, start = self._sums, row * self._ROW
        for place, word in enumerate(words):
            here = (start + place * self._place & self._MASK) + self._ONE
            sums[word] = sums.get(word, 0) + here
        self._rows += 1
        self._words += len(words)

    def wrong(self) -> Iterator[Problem]:
        try:
            wrong = self._wrong()
            size = self._text.size(self._index)
        except (StoreError, UnicodeDecodeError) as error:
            yield derived(self._name, str(error))
            return
        if wrong:
            yield derived(
                self._name,
                tn("{n} word points to the wrong rows", "{n} words point to the wrong rows", wrong),
            )
        if size not in ((self._rows, self._words), (0, 0)):
            yield derived(self._name, t("its number of words does not match its rows"))

    def _wrong(self) -> int:
        sums, wrong = self._sums, 0
        for word, count, total in self._text.sums(self._index, self._ROW, self._place, self._MASK):
            wrong += sums.pop(word, 0) != count * self._ONE + total
        return wrong + len(sums)


def _indexed(
    db: Database, text: FullText, record_of: RecordOf, progress: Progress
) -> Iterator[Problem]:
    """Rows that are found by other words or labels than theirs."""
    stale = dict.fromkeys((*INDEXES, "memory_labels"), 0)
    words = {index: _Words(text, index) for index in TABLES}
    done = 0
    for index, rows, total in batches(db):
        name, between = TABLES[index].name, (rows[0][0], rows[-1][0])
        sizes = text.sizes(index, between)
        of_memories = TABLES[index].truth == "memories"
        labels = _labels(db, between) if of_memories else {}
        for row, *rest in rows:
            said = rest[0]
            if of_memories:
                record = record_of(tuple(rest))
                said = record.searchable
                stale["memory_labels"] += labels.get(row, set()) != labels_of(record)
            found = index_words(said)
            words[index].add(row, found)
            if row in sizes and sizes[row] != len(found):
                stale[name] += 1
        done += len(rows)
        progress(done, total)
    for name, n in stale.items():
        yield from astray(name, 0, n)
    for one in words.values():
        yield from one.wrong()


def _labels(db: Database, between: tuple[int, int]) -> dict[int, set[tuple[str, str]]]:
    """The labels of some memories, as they are kept."""
    labels: dict[int, set[tuple[str, str]]] = {}
    for memory, label, named in db.all(
        "SELECT memory, label, name FROM memory_labels "
        "WHERE memory BETWEEN ? AND ? AND label <> 'keyword'",
        between,
    ):
        labels.setdefault(memory, set()).add((label, named))
    return labels
