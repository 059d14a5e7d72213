"""What is derived, made anew from what is not."""

from __future__ import annotations

from collections.abc import Iterator

from loxodon.store import Index
from loxodon.store.driver import Driver, Row
from loxodon.store.fulltext import FullText
from loxodon.store.rows import loaded
from loxodon.store.search import TABLES
from loxodon.text.words import fold

BATCH = 2_000
INDEXES = tuple(table.name for table in TABLES.values())


def clear_indexes(db: Driver, text: FullText) -> None:
    """Make everything that is derived anew, and empty; call within a transaction."""
    text.make_anew()
    for statement in (
        "clear_common_words",
        "clear_labels",
        "unindex_all",
        "clear_samples",
        "clear_row_counts",
    ):
        db.run(statement)


def batches(db: Driver) -> Iterator[tuple[Index, list[Row], int]]:
    """All that is indexed: (index, rows, how many there are in all).

    A row of the memories is (row, *COLUMNS), any other (row, text).
    """
    tables = {table.truth for table in TABLES.values()}
    total = sum(db.value("count_rows", table=name) for name in tables)
    for index, table in TABLES.items():
        if table.truth != "memories":
            last = 0
            while rows := db.all("texts_after", (last, BATCH), rows=f"rows_of_{index}"):
                last = rows[-1][0]
                yield index, rows, total
    states: tuple[tuple[Index, str], ...] = (("memories", "active"), ("archive", "archived"))
    for index, state in states:
        for rows in memories(db, state):
            yield index, rows, total


def memories(db: Driver, state: str) -> Iterator[list[Row]]:
    """All memories of a state, a batch at a time, as (row, *COLUMNS)."""
    last = 0
    while rows := db.all("memories_after", (last, state, BATCH)):
        last = rows[-1][0]
        yield rows


def name_entities(db: Driver) -> None:
    """Let every name lead to its entity anew, and count them; call within a transaction.

    A name that two have leads to the one that is called so, else to the one known longer.
    """
    entities = db.all("entity_aliases")
    names = [(agent, fold(name), no) for no, name, _, agent in entities]
    names += [
        (agent, fold(alias), no) for no, _, aliases, agent in entities for alias in loaded(aliases)
    ]
    db.run("clear_entity_names")
    db.many("put_entity_name", names)
    db.take("rows_entities", len(entities))
