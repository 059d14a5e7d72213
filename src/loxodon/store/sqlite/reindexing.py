"""Looking after a store: how to feed its indexes anew."""

from __future__ import annotations

from collections.abc import Iterator

from loxodon.store import Index
from loxodon.store.rows import MEMORY, loaded
from loxodon.store.sqlite import seals
from loxodon.store.sqlite.database import Database, Row
from loxodon.store.sqlite.search import TABLES
from loxodon.text.words import fold

BATCH = 2_000
_NOTES = frozenset({"source_files", "chunks", "chunk_places"})
_VECTORS = frozenset({"vector_models", "vector_blocks", "vectors"})

INDEXES = tuple(table.name for table in TABLES.values())


def clear_indexes(db: Database) -> None:
    """Make everything that is derived anew, and empty; call within a transaction.

    A damaged index can be neither emptied nor dropped, so each is taken apart: its tables first,
    then its entry in the schema, then it is made again as it was defined.
    """
    for name in INDEXES:
        ((definition,),) = db.all("SELECT sql FROM sqlite_schema WHERE name = ?", (name,))
        for part in ("data", "idx", "docsize", "config"):
            db.run(f"DROP TABLE IF EXISTS {name}_{part}")
        db.run("PRAGMA writable_schema=ON")
        db.run("DELETE FROM sqlite_schema WHERE name = ?", (name,))
        db.run("PRAGMA writable_schema=RESET")
        db.run(definition)
        db.run(f"INSERT INTO {name} ({name}, rank) VALUES ('automerge', 16), ('secure-delete', 1)")
    db.run("DELETE FROM common_words")
    db.run("DELETE FROM memory_labels")
    db.run("INSERT OR IGNORE INTO unindexed SELECT row FROM memories")
    db.run("DELETE FROM meta WHERE name LIKE 'sampled\\_%' ESCAPE '\\'")
    db.run("DELETE FROM counters WHERE name LIKE 'rows\\_%' ESCAPE '\\'")


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
        for table in ("vector_todo", "vector_bits", "vectors", "vector_blocks", "vector_models"):
            db.run(f"DELETE FROM {table}")
    for (name,) in db.all("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql <> ''"):
        db.run(f"REINDEX {name}")


def batches(db: Database) -> Iterator[tuple[Index, list[Row], int]]:
    """All that is indexed: (index, rows, how many there are in all).

    A row of the memories is (row, *MEMORY), any other (row, text).
    """
    tables = {table.truth for table in TABLES.values()}
    total = sum(db.all(f"SELECT count(*) FROM {name}")[0][0] for name in tables)
    for index, table in TABLES.items():
        last = 0
        while table.truth != "memories" and (
            rows := db.all(
                f"SELECT {table.key}, {table.text} FROM {table.truth} WHERE {table.key} > ? "
                f"ORDER BY {table.key} LIMIT ?",
                (last, BATCH),
            )
        ):
            last = rows[-1][0]
            yield index, rows, total
    states: tuple[tuple[Index, str], ...] = (("memories", "active"), ("archive", "archived"))
    for index, state in states:
        for rows in memories(db, state):
            yield index, rows, total


def memories(db: Database, state: str) -> Iterator[list[Row]]:
    """All memories of a state, a batch at a time, as (row, *MEMORY)."""
    last = 0
    while rows := db.all(
        f"SELECT t.row, {MEMORY} FROM memories t WHERE t.row > ? AND +t.state = ? "
        "ORDER BY t.row LIMIT ?",
        (last, state, BATCH),
    ):
        last = rows[-1][0]
        yield rows


def name_entities(db: Database) -> None:
    """Let every name lead to its entity anew, and count them; call within a transaction.

    A name that two have leads to the one that is called so, else to the one known longer.
    """
    entities = db.all("SELECT no, name, aliases, agent FROM entities ORDER BY no")
    names = [(agent, fold(name), no) for no, name, _, agent in entities]
    names += [
        (agent, fold(alias), no) for no, _, aliases, agent in entities for alias in loaded(aliases)
    ]
    db.run("DELETE FROM entity_names")
    db.many(db.sql["put_entity_name"], names)
    db.run(db.sql["take_numbers"], ("rows_entities", len(entities)))
