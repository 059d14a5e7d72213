"""The indexes (HNSW) of large pools of vectors, each of one space, model and pool.

They are made and dropped beside any transaction, so that others read and write meanwhile. A name
says whose an index is: what is left of a space or a model that is gone is found by it, also after a
run that was killed.
"""

from __future__ import annotations

from contextlib import closing, suppress

import psycopg

from loxodon.errors import StoreError
from loxodon.store.postgres.pool import Session, connect

_LOCK_SECONDS = 10.0
"""How long an index that is left waits for whoever reads the table."""
_LEFT = """
SELECT name FROM (
  SELECT relname::text AS name, split_part(relname, '_', 2)::bigint AS space,
         split_part(relname, '_', 3)::bigint AS model
  FROM pg_class WHERE relnamespace = 'loxodon'::regnamespace AND starts_with(relname, 'nearest_')
) AS found
WHERE NOT EXISTS (SELECT 1 FROM loxodon.spaces s WHERE s.id = found.space)
   OR found.space = $1 AND NOT EXISTS (
     SELECT 1 FROM loxodon.vector_models m WHERE m.space_id = $1 AND m.no = found.model)
"""


def name(space: int, model: int, pool: str) -> str:
    return f"nearest_{space}_{model}_{pool}"


def make(url: str, space: int, model: int, pool: str, size: int) -> None:
    """Make the index of a pool. A login that may not do so goes without."""
    index = name(space, model, pool)
    with closing(connect(url)) as connection, suppress(psycopg.errors.InsufficientPrivilege):
        _drop(connection, index)  # one that was cut short
        connection.execute(
            f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON loxodon.vectors "
            f"USING hnsw ((half::halfvec({size})) halfvec_cosine_ops) "
            f"WHERE space_id = {space} AND model = {model} AND pool = '{pool}'"
        )
    sweep(url, space)  # it may have been deleted meanwhile


def sweep(url: str, space: int) -> None:
    """Drop the indexes of spaces that are gone, and those of models that `space` has no more.

    They hold nothing. So one that cannot be dropped now is no error, and goes with the next sweep.
    """
    with suppress(psycopg.Error, StoreError), closing(connect(url)) as connection:
        connection.execute(
            f"SET loxodon.space = '{space:d}'; SET lock_timeout = {int(_LOCK_SECONDS * 1000)}"
        )
        for (index,) in connection.execute(_LEFT, [space]).fetchall():
            _drop(connection, index)


def _drop(connection: Session, index: str) -> None:
    connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS loxodon.{index}")
