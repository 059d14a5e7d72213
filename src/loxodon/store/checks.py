"""What is wrong with a store (`loxodon validate`), and whether `repair` can make it anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from loxodon.errors import LoxodonError, StoreError
from loxodon.messages import t, tn
from loxodon.store import Progress
from loxodon.store.driver import Driver
from loxodon.store.indexes import indexed_rows
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.rows import labels_of
from loxodon.store.search import TABLES
from loxodon.types import Problem

if TYPE_CHECKING:
    from loxodon.store.store import Store

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
            yield from _astray(table.name, *text.astray(index, truth))
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
