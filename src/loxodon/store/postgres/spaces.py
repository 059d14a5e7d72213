"""The directory of a database: which spaces there are."""

from __future__ import annotations

from typing import Any

import psycopg

from loxodon.store.postgres import migrations, pool
from loxodon.store.postgres.errors import shown, translated
from loxodon.store.primary import COUNTED

_TABLES = (
    "SELECT table_name FROM information_schema.columns WHERE table_schema = 'loxodon' "
    "AND column_name = 'space_id' AND table_name IN "
    "(SELECT tablename FROM pg_tables WHERE schemaname = 'loxodon')"
)


def versions(url: str) -> dict[str, int]:
    """A number for each space that grows whenever something was written there."""
    return dict(_ask(url, "SELECT name, version FROM loxodon.spaces"))


def space_id(url: str, name: str) -> int | None:
    """The number of a space, if it is there."""
    rows = _ask(url, "SELECT id FROM loxodon.spaces WHERE name = $1", [name])
    return int(rows[0][0]) if rows else None


def counts(url: str, name: str) -> dict[str, int]:
    """How much is in a space, by table; nothing where it is not there."""
    number = space_id(url, name)
    if number is None:
        return {}
    each = ", ".join(f"(SELECT count(*) FROM loxodon.{table})" for table in COUNTED)
    kept = "(SELECT count(DISTINCT name) FROM loxodon.files)"
    with pool.within(url, number) as connection:
        row = connection.execute(f"SELECT {each}, {kept}").fetchone()
    return dict(zip((*COUNTED, "files"), row or (), strict=True))


def drop_space(url: str, name: str) -> bool:
    """Delete a space and everything in it, at once or not at all; whether it was there."""
    number = space_id(url, name)
    if number is None:
        return False
    with pool.within(url, number) as connection:
        # A reference is checked at the end of each statement: all tables go in one.
        tables = [table for (table,) in connection.execute(_TABLES).fetchall()]
        parts = [f"d{n} AS (DELETE FROM loxodon.{table})" for n, table in enumerate(tables)]
        connection.execute(f"WITH {', '.join(parts)} SELECT 1")
        connection.execute("DELETE FROM loxodon.spaces WHERE id = $1", [number])
    return True


def _ask(url: str, sql: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
    migrations.ensure(url)
    connection = pool.taken(url)
    try:
        return connection.execute(sql, values).fetchall()
    except psycopg.Error as error:
        raise translated(error, shown(url)) from None
    finally:
        pool.returned(url, connection)
