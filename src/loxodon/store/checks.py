"""What is wrong with a store: `loxodon validate`.

A finding says whether it is of the truth or of something derived: `repair` makes the latter anew,
and looks for an intact copy of the former.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from loxodon.errors import LoxodonError, StoreError
from loxodon.messages import t, tn
from loxodon.store import Progress
from loxodon.store.driver import Driver, Row
from loxodon.store.indexes import indexed_rows
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.rows import labels_of
from loxodon.store.search import TABLES
from loxodon.types import Problem, Record

if TYPE_CHECKING:
    from loxodon.store.fulltext import FullText

_REPAIR = "loxodon repair"
MOST = 20  # findings of one kind that are told one by one
_LISTS = "an entity, segment or note whose lists are not valid JSON"
_PENDING = "unreadable pending work"


class Rule(NamedTuple):
    """What holds for every row of a table `t`."""

    what: str
    table: str
    id: str
    broken: str


RULES = (
    Rule(
        "a turn with an invalid time",
        "turns",
        "'t_' || seq",
        "NOT at BETWEEN -62135596800000 AND 253402300799999 "  # the years 1 to 9999
        "OR NOT utc_offset BETWEEN -1439 AND 1439",
    ),
    Rule(
        "a memory with an invalid kind, state or number",
        "memories",
        "id",
        "kind NOT IN ('fact', 'belief', 'summary') OR state NOT IN ('active', 'archived') "
        "OR NOT importance BETWEEN 0 AND 1 OR NOT confidence BETWEEN 0 AND 1 OR strength < 0",
    ),
    Rule(
        "a memory whose lists are not valid JSON",
        "memories",
        "id",
        "NOT (json_valid(tags) AND json_valid(entities) AND json_valid(derived_from))",
    ),
    Rule(
        "a memory that replaces a missing one",
        "memories",
        "id",
        "replaces <> '' AND NOT EXISTS (SELECT 1 FROM memories o WHERE o.id = t.replaces)",
    ),
    Rule(
        "a memory that does not match its history",
        "memories",
        "id",
        "(version, version) <> (SELECT coalesce(max(version), 0), count(*) "
        "FROM memory_changes c WHERE c.memory = t.row)",
    ),
    Rule(
        "a memory with an unreadable history",
        "memory_changes",
        "(SELECT m.id FROM memories m WHERE m.row = t.memory)",
        "(version = 1) <> (before IS NULL) OR NOT json_valid(coalesce(before, '{}')) "
        "OR version > 1 AND coalesce(CAST(json_extract(before, '$.version') AS INTEGER), 0) "
        "<> version - 1",
    ),
    Rule(
        "a document that is not valid JSON",
        "documents",
        "namespace || key",
        "NOT json_valid(value)",
    ),
    Rule(_LISTS, "entities", "'e_' || no", "NOT json_valid(aliases)"),
    Rule(_LISTS, "segments", "topic", "NOT json_valid(tags)"),
    Rule(_LISTS, "chunk_places", "'n_' || chunk", "NOT json_valid(triggers)"),
    Rule(_PENDING, "candidates", "'t_' || turn", "NOT json_valid(body)"),
    Rule(_PENDING, "pages", "name", "NOT json_valid(basis)"),
)


def check(
    db: Driver,
    text: FullText,
    vectors: Callable[[], tuple[int, int]],
    record_of: Callable[[Row], Record],
    progress: Progress,
) -> list[Problem]:
    """Every problem of the file, the records and the indexes. Call within one view of the data.

    A part that cannot be looked at is a finding, and the others are looked at all the same.
    """
    found: list[Problem] = []
    for part in (
        _file(db),
        _rules(db),
        _indexes(db, text, vectors),
        _rows(db, record_of, progress),
    ):
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
    """What the database itself finds wrong."""
    for name, what in db.integrity(MOST):
        of_truth = not name or name in PRIMARY_TABLES
        yield _problem(name or db.path, what) if of_truth else _derived(name, what)


def _rules(db: Driver) -> Iterator[Problem]:
    for one in RULES:
        query = f"SELECT {one.id} FROM {one.table} t WHERE {one.broken} LIMIT {MOST}"
        for (id,) in db.all(query):
            yield _problem(str(id), t(one.what))


def _indexes(
    db: Driver, text: FullText, vectors: Callable[[], tuple[int, int]]
) -> Iterator[Problem]:
    """An index has the rows of its table, no more and no fewer, and their number is known."""
    for index, table in TABLES.items():
        truth = f"SELECT {table.key} FROM {table.truth} WHERE {table.which}"
        try:
            yield from _astray(table.name, *text.astray(index, truth))
        except StoreError as error:
            yield _derived(table.name, error.localized()[0])
        counted = db.value("counter", (f"rows_{index}",)) or 0
        rows = db.value(f"SELECT count(*) FROM ({truth}) t")
        yield from _astray(f"rows_{index}", 0, abs(counted - rows))
    yield from _astray("vectors", *vectors())


def _rows(db: Driver, record_of: Callable[[Row], Record], progress: Progress) -> Iterator[Problem]:
    """Read everything that is indexed; memories that are found by other labels than theirs."""
    stale = done = 0
    for index, rows, total in indexed_rows(db):
        if TABLES[index].truth == "memories":
            labels: dict[int, set[tuple[str, str]]] = {}
            for memory, label, name in db.all("labels_between", (rows[0][0], rows[-1][0])):
                labels.setdefault(memory, set()).add((label, name))
            for row, *rest in rows:
                stale += labels.get(row, set()) != labels_of(record_of(tuple(rest)))
        done += len(rows)
        progress(done, total)
    yield from _astray("memory_labels", 0, stale)
