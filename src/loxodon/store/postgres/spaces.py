"""The directory of a database: which spaces there are, and deleting one."""

from __future__ import annotations

from loxodon.store.driver import statements
from loxodon.store.postgres import migrations, pool
from loxodon.store.postgres.pool import Session

_LOCK_SECONDS = 10.0
"""How long a deletion waits for whoever writes: a transaction, not all of a job."""
_SQL = statements("postgres")
_COUNTED = ("turns", "memories", "documents")


def versions(url: str) -> dict[str, int]:
    """A number for each space that grows whenever something was written there."""
    migrations.ensure(url)
    return dict(pool.asked(url, lambda one: one.execute(_SQL["space_versions"]).fetchall()))


def counts(connection: Session) -> dict[str, int]:
    """How much there is in the space that a transaction sees, by table."""
    each = ", ".join(f"(SELECT count(*) FROM loxodon.{table})" for table in _COUNTED)
    (row,) = connection.execute(f"SELECT {each}").fetchall()
    return dict(zip(_COUNTED, row, strict=True))


def drop(connection: Session, id: int) -> None:
    """Delete the space that a transaction sees, with everything in it.

    In the turn of a writer: whoever comes next finds no such space and is told so.
    """
    for line in ("SET LOCAL statement_timeout = 0", *pool.writers_turn(id, _LOCK_SECONDS)):
        connection.execute(line)
    # A reference is checked at the end of each statement: all tables go in one.
    tables = [table for (table,) in connection.execute(_SQL["tables_of_spaces"]).fetchall()]
    parts = [f"d{n} AS (DELETE FROM loxodon.{table})" for n, table in enumerate(tables)]
    connection.execute(f"WITH {', '.join(parts)} SELECT 1")
    connection.execute(f"DELETE FROM loxodon.spaces WHERE id = {id:d}")
