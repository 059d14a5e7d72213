"""Each backend takes every statement of store/sql, and the generated ones are up to date."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg
import pytest
from tools.sql import TARGET, UnknownSqlError, generated, translated

from loxodon.store.driver import HOLE, Driver, Statement, statements
from loxodon.store.rows import COLUMNS
from loxodon.store.search import TABLES
from loxodon.store.sqlite.database import Database
from tests.store.postgres.test_store import opened

MEMORY = [
    "memory_kind",
    "memory_state",
    "memory_label",
    "memory_about",
    "memory_shared",
    "memory_audience",
    "memory_trust",
    "memory_since",
    "memory_until",
    "memory_projects",
]
FEW = ["memory_of_few", "memory_state_of_few"]
TURN = ["turn_session", "turn_shared", "turn_since", "turn_until"]
SEGMENT = ["turn_session", "segment_since", "segment_until"]
OF_TABLE = {
    "memories": MEMORY,
    "turns": TURN,
    "segments": SEGMENT,
    "chunks": ["chunk_place", "nothing"],
    "documents": ["document_under", "document_in", "document_before"],
}
CONDITIONS = {
    "find_strongest": MEMORY,
    "foremost": MEMORY,
    "newest_documents": OF_TABLE["documents"],
    "turn_rows": ["turn_rows_of"],
    "memory_rows": ["memory_rows_of"],
    "page_memories": [*MEMORY, "after_memories"],
    "page_few_memories": [*MEMORY, *FEW, "after_few_memories"],
    "page_due": ["due_by", "after_due"],
    "page_turns": [*TURN, "after_turns"],
    "page_sessions": ["session_since", "session_until", "after_sessions"],
    "page_entities": ["after_entities"],
    "page_segments": ["segments_since", "segments_until", "after_segments"],
    "page_events": ["events_since", "after_events"],
    "page_reviews": ["after_reviews"],
    "page_quarantine": ["quarantine_state", "after_quarantine"],
    "page_receipts": ["after_receipts"],
}


def composed(db: Driver) -> Iterator[Statement]:
    """Every statement, those with braces filled in each way that there is."""
    for name, text in db.sql.items():
        if text.split()[0] not in ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE"):
            continue  # a part of others
        holes = set(HOLE.findall(text))
        if not holes:
            if name != "entities_of_names":
                yield text
        elif holes == {"set"}:
            yield db.statement(name, {"set": COLUMNS})
        elif holes == {"rows"}:
            for index in TABLES:
                for kind in ("rows", "all"):
                    yield db.statement(name, {"rows": f"{kind}_of_{index}"})
        elif holes == {"where"}:
            yield from _narrowed(db, name, {}, CONDITIONS[name.removesuffix("/walled")])
        else:
            for table in TABLES.values():
                conditions = OF_TABLE[table.truth] if "table" in holes else []
                between = ["indexed_between"] if "index" in holes else []
                parts = table.parts
                if name in ("drop_other_models", "drop_rows_of"):
                    parts |= {"table": "memories", "key": "row"}
                yield from _narrowed(db, name, parts, [*conditions, *between])


def _narrowed(
    db: Driver, name: str, parts: Mapping[str, str], conditions: list[str]
) -> Iterator[Statement]:
    for where in [(), *((one,) for one in conditions), tuple(conditions)]:
        # The holes of the conditions are filled too.
        yield db.statement(name, {"where": where, **parts})


def test_sqlite_takes_every_statement(tmp_path: Path) -> None:
    db = Database(str(tmp_path / "x.db"))
    db.run("PRAGMA writable_schema=ON")
    every = set(composed(db))
    assert len(every) > 500
    for sql in every:
        numbers = [int(n) for n in re.findall(r"\?(\d+)", sql)]
        count = max([*numbers, len(re.findall(r"\?(?!\d)", sql))])
        db._connection.execute(f"EXPLAIN {sql}", (None,) * count).fetchall()
    db.close()


def test_postgres_takes_every_statement(postgres_url: str) -> None:
    store = opened(postgres_url)
    every = set(composed(store._db))
    assert len(every) > 400
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SET search_path = loxodon, public")
        for n, sql in enumerate(sorted(every)):
            connection.execute(f"PREPARE s{n} AS {sql}".encode())
    store.close()


def test_what_is_generated_is_up_to_date() -> None:
    assert TARGET.read_text("utf-8") == generated(), "run tools/sql.py"


def test_both_have_the_same_columns() -> None:
    for backend in ("sqlite", "postgres"):
        names = re.findall(r"t\.(\w+)", statements(backend)["memory"])
        assert tuple(names) == COLUMNS


def test_texts_stay_as_they_are() -> None:
    sql = "SELECT 'CROSS JOIN main. +a ?' FROM t CROSS JOIN u ON true WHERE +a = ? LIMIT ?"
    new = "SELECT 'CROSS JOIN main. +a ?' FROM t JOIN u ON true WHERE a = $1 LIMIT nullif($2, -1)"
    assert translated(sql) == new
    assert translated("SELECT a +b FROM t") == "SELECT a +b FROM t"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT group_concat(a) FROM t",
        "REPLACE INTO main.t (a) VALUES (?)",
        "SELECT a FROM t WHERE a GLOB ?",
        "WITH x AS (SELECT 1) UPDATE main.t SET a = 1",
        'SELECT "a" FROM t',
        "SELECT a FROM t WHERE a == 1; DROP",
    ],
)
def test_unknown_sql_is_refused(sql: str) -> None:
    with pytest.raises(UnknownSqlError):
        translated(sql)
