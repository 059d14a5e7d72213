"""What is wrong with the file of a store, beside its content (`store/checks.py`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loxodon.errors import StoreError
from loxodon.messages import t
from loxodon.store.checks import MOST, Part, derived, of_truth
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.reindexing import INDEXES
from loxodon.store.sqlite.database import Database
from loxodon.store.sqlite.schema import expected_schema
from loxodon.types import Problem

_NOTES = ("chunk_places", "chunks", "source_files")
_VECTORS = ("vector_todo", "vector_signs", "vectors", "vector_models")


def parts(db: Database) -> tuple[Part, ...]:
    """What to look at."""
    return (lambda: _schema(db), lambda: _unusable(db), lambda: _file(db), lambda: _references(db))


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
    """What SQLite itself finds wrong."""
    roots: dict[int, str] = dict(db.all("SELECT rootpage, name FROM sqlite_schema WHERE rootpage"))
    try:
        answer = db.all(f"PRAGMA integrity_check({MOST * 5})")
        said = [("", line) for (message,) in answer for line in message.splitlines()]
    except StoreError:  # it gives up where a full-text index, or the worst damage, is met
        said = [*_one_by_one(db)]
    for at, message in said:
        if message in _NO_FINDING:
            continue
        name = _name_in(message, roots) or at
        if name and name not in PRIMARY_TABLES:
            yield derived(name, message)
        else:
            yield of_truth(name or db.path, message)


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


def _references(db: Database) -> Iterator[Problem]:
    for table, rowid, parent, _ in db.all("PRAGMA foreign_key_check")[:MOST]:
        what = t("row {row} refers to a missing row of {parent}", row=rowid, parent=parent)
        yield of_truth(table, what) if table in PRIMARY_TABLES else derived(table, what)


def drop_damaged(db: Database) -> None:
    """Empty damaged tables that are derived from something outside: notes are read and texts
    embedded again. The plain indexes are made anew. Call within a transaction."""
    for group in (_NOTES, _VECTORS):
        if any(db.all(f"PRAGMA integrity_check('{table}')") != [("ok",)] for table in group):
            for table in group:
                db.run(f"DELETE FROM {table}")
            if group is _NOTES:
                db.run("DELETE FROM vectors WHERE pool = 'chunks'")
    for (name,) in db.all("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql <> ''"):
        db.run(f"REINDEX {name}")
