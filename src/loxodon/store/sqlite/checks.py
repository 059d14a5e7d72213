"""What is wrong with the file of a store, beside its content (`store/checks.py`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loxodon.errors import StoreError
from loxodon.messages import t, tn
from loxodon.store.checks import MOST, Part, derived, of_truth
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.reindexing import INDEXES
from loxodon.store.sqlite import seals, write_counter
from loxodon.store.sqlite.database import Database
from loxodon.store.sqlite.schema import expected_schema
from loxodon.types import Problem

_NOTES = frozenset({"source_files", "chunks", "chunk_places"})
_VECTORS = frozenset({"vector_models", "vectors"})


def parts(db: Database) -> tuple[Part, ...]:
    """What to look at. Call before the view of the data begins: what is acknowledged by now is
    in it."""
    mark = write_counter.of(db.path)
    return (
        lambda: _schema(db),
        lambda: _unusable(db),
        lambda: _file(db),
        lambda: _references(db),
        lambda: _lost(db, mark),
    )


def _schema(db: Database) -> Iterator[Problem]:
    """Tables and indexes that are not as this version makes them."""
    found = set(db.all("SELECT type, name, sql FROM sqlite_schema"))
    wanted = expected_schema()
    for type, name, _ in sorted(wanted - found, key=str)[:MOST]:
        what = t("its definition is wrong")
        yield of_truth(name, what) if type == "table" else derived(name, what)


def _unusable(db: Database) -> Iterator[Problem]:
    """Indexes that cannot be asked at all.

    Asking also matters for the others: until then a connection may hold an old idea of an index
    that someone else has changed, and take it for damage.
    """
    for name in INDEXES:
        try:
            db.run(f"SELECT 1 FROM {name} WHERE {name} MATCH 'a' LIMIT 1")
        except StoreError as error:
            yield derived(name, error.localized()[0])


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
        answer = db.all(f"PRAGMA integrity_check({MOST * 5})")
        said = [("", line) for (message,) in answer for line in message.splitlines()]
        cut = len(answer) >= MOST * 5
    except StoreError:  # it gives up where a full-text index, or the worst damage, is met
        said, cut = [*_one_by_one(db)], True
    for at, message in said:
        if message in _NO_FINDING:
            continue
        name = _name_in(message, roots) or at
        if name in sealed:
            suspect.add(name)
        elif name and (name not in tables or name not in PRIMARY_TABLES):
            yield derived(name, message)
        else:
            yield of_truth(name or db.path, message)
    for index in sealed if cut else suspect:
        rows = [*_unsealed(db, sealed[index])]
        yield from rows
        if index in suspect and not rows:
            yield derived(index, t("it does not match its table"))


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
        yield of_truth(sealed.table, error.localized()[0])
        return
    for n, row in enumerate(rows):
        if n == MOST:
            yield of_truth(sealed.table, t("more rows are damaged"))
            return
        where = f"{sealed.table} {'.'.join(map(str, row.key))}"
        if row.unsealed and row.row:
            yield derived(where, t("its checksum is damaged"))
        elif sealed.table not in PRIMARY_TABLES:
            yield derived(where, t("it differs from what was written"))
        elif row.row:
            yield of_truth(where, t("it differs from what was written"))
        else:
            yield of_truth(where, t("it is missing"))


def _references(db: Database) -> Iterator[Problem]:
    for table, rowid, parent, _ in db.all("PRAGMA foreign_key_check")[:MOST]:
        what = t("row {row} refers to a missing row of {parent}", row=rowid, parent=parent)
        yield of_truth(table, what) if table in PRIMARY_TABLES else derived(table, what)


def _lost(db: Database, mark: int) -> Iterator[Problem]:
    """Writes that were acknowledged and are not there: the log was damaged, or the file is an old
    copy."""
    counted: dict[str, int] = dict(
        db.all("SELECT name, last FROM counters WHERE name LIKE 'writes%'")
    )
    lost = counted.get(write_counter.LOST, 0) + max(0, mark - counted.get(write_counter.WRITES, 0))
    if lost:
        yield of_truth(
            db.path,
            tn("{n} acknowledged write is missing", "{n} acknowledged writes are missing", lost),
        )


def drop_damaged(db: Database) -> None:
    """Let go of what is derived but not made of the truth, where its seals do not fit.

    Notes are read and texts embedded again. The plain indexes are made anew, the seals among them.
    Call within a transaction.
    """
    hurt = {one.table for one in seals.tables(db.all) if any(seals.broken(db.all, one))}
    if hurt & _NOTES:
        for table in ("chunk_places", "chunks", "source_files"):
            db.run(f"DELETE FROM {table}")
        db.run("DELETE FROM vectors WHERE pool = 'chunks'")
    if hurt & _VECTORS:
        for table in ("vector_todo", "vector_signs", "vectors", "vector_models"):
            db.run(f"DELETE FROM {table}")
    for (name,) in db.all("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql <> ''"):
        db.run(f"REINDEX {name}")
