"""SQL of SQLite as PostgreSQL takes it."""

from __future__ import annotations

from loxodon.store.postgres.dialect import repeated


def test_an_insert_of_one_row_becomes_one_of_several() -> None:
    sql = "INSERT INTO t (a, b) VALUES ($1, (SELECT n FROM u WHERE c = $2)) ON CONFLICT DO NOTHING"
    rows = "($1, (SELECT n FROM u WHERE c = $2)), ($3, (SELECT n FROM u WHERE c = $4))"
    assert repeated(sql, 2, 2) == f"INSERT INTO t (a, b) VALUES {rows} ON CONFLICT DO NOTHING"


def test_what_a_conflict_changes_is_of_one_row() -> None:
    sql = "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO UPDATE SET b = max(t.b, $2)"
    assert repeated(sql, 2, 2) == ""
