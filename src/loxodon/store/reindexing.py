"""Looking after a store: how to feed its indexes anew."""

from __future__ import annotations

from collections.abc import Iterator

from loxodon.store import Index
from loxodon.store.database import Database, Row
from loxodon.store.fulltext import FullText
from loxodon.store.rows import MEMORY, loaded
from loxodon.store.search import TABLES
from loxodon.text.words import fold

BATCH = 2_000
INDEXES = tuple(table.name for table in TABLES.values())


def clear_indexes(db: Database, text: FullText) -> None:
    """Make everything that is derived anew, and empty; call within a transaction."""
    text.make_anew()
    db.run("DELETE FROM common_words")
    db.run("DELETE FROM memory_labels")
    db.run(
        "INSERT INTO unindexed (memory) SELECT row FROM memories WHERE true ON CONFLICT DO NOTHING"
    )
    db.run("DELETE FROM meta WHERE name LIKE 'sampled\\_%' ESCAPE '\\'")
    db.run("DELETE FROM counters WHERE name LIKE 'rows\\_%' ESCAPE '\\'")


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
    db.take("rows_entities", len(entities))
