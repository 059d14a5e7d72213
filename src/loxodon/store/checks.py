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
        "a review with an invalid answer",
        "SELECT m.id FROM reviews r JOIN memories m ON m.row = r.belief "
        "WHERE r.answer NOT IN ('', 'confirmed', 'rejected')",
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
        "OR c.version > 1 "
        "AND CAST(json_extract(c.before, '$.version') AS INTEGER) <> c.version - 1",
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
    for what, query in BROKEN:
        for (id,) in db.all(f"{query} LIMIT {MOST}"):
            yield of_truth(str(id), t(what))


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
