"""The small state of a home (tokens, policy, master key, receipts of deleted spaces) as rows.

Its connections are a pool of their own: whoever asks may hold all of the other already.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import errors

from loxodon import files
from loxodon.config import without_password
from loxodon.filelock import at_fork
from loxodon.layout import SPACES
from loxodon.spaces import folder_name
from loxodon.store.driver import Row, statements
from loxodon.store.postgres import migrations, pool
from loxodon.store.primary import COUNTED

_CHANGED = "(extract(epoch FROM clock_timestamp()) * 1e6)::bigint"
_PUT = f"""
INSERT INTO loxodon.home_state (name, value, changed) VALUES ($1, $2, {_CHANGED})
ON CONFLICT (name) DO UPDATE SET changed = excluded.changed, value = """
_REPLACE = f"{_PUT} excluded.value"
_APPEND = f"{_PUT} home_state.value || excluded.value"
_BELOW = "name >= $1 AND name < $1 || chr(1114111)"  # the largest code point
_ONE_AT_A_TIME = (
    "SET LOCAL lock_timeout = '10s'; "
    "SELECT pg_advisory_xact_lock(hashtextextended('loxodon: deleting a space', 0))"
)
_LOCK_SECONDS = 10.0  # how long a deletion waits for whoever writes
_SQL = statements("postgres")
_sharing = threading.Lock()


def share(url: str) -> str:
    """Register the state in a database (`files.SHARED`); the path that stands for this home."""
    root = files.SCHEME + without_password(url).partition("://")[2]
    with _sharing:
        try:
            files.shared(root)
        except FileNotFoundError:
            migrations.ensure(url)
            files.SHARED[root] = PostgresState(url)
    return root


class PostgresState:
    def __init__(self, url: str) -> None:
        self._url = url

    # State

    def read(self, name: str) -> bytes:
        rows = self._ask("SELECT value FROM loxodon.home_state WHERE name = $1", name)
        if not rows:
            raise _missing(name)
        return bytes(rows[0][0])

    def stamp(self, name: str) -> files.Stamp | None:
        ask = "SELECT changed, octet_length(value) FROM loxodon.home_state WHERE name = $1"
        rows = self._ask(ask, name)
        return (rows[0][0], rows[0][1], 0) if rows else None

    def replace(self, name: str, data: bytes) -> None:
        self._ask(f"{_REPLACE} RETURNING 1", name, data)

    def append(self, name: str, data: bytes) -> None:
        self._ask(f"{_APPEND} RETURNING 1", name, data)

    def remove(self, name: str) -> None:
        if not self._ask("DELETE FROM loxodon.home_state WHERE name = $1 RETURNING 1", name):
            raise _missing(name)

    def names(self, folder: str) -> list[str]:
        if folder == SPACES:
            return sorted(map(folder_name, self.spaces()))
        ask = (
            "SELECT DISTINCT split_part(substr(name, length($1) + 1), '/', 1) "
            f"FROM loxodon.home_state WHERE {_BELOW} ORDER BY 1"
        )
        return [name for (name,) in self._ask(ask, f"{folder}/" if folder else "")]

    def _ask(self, statement: str, *values: Any) -> list[Row]:
        with self._transaction() as connection:
            return connection.execute(statement, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[pool.Session]:
        """A transaction that row-level security binds."""
        role = pool.role_of(self._url)
        begin = f"BEGIN; SET LOCAL ROLE {role}" if role else "BEGIN"
        connection = pool.begun(self._url, begin, own=True)[0]
        kept = False
        try:
            yield connection
            connection.execute("COMMIT")
            kept = True
        except psycopg.Error as error:
            raise pool.translated(error, without_password(self._url)) from None
        finally:
            pool.end(connection, undo=not kept)
            pool.returned(self._url, connection, own=True)

    # Spaces

    def spaces(self) -> dict[str, int]:
        migrations.ensure(self._url)
        ask = _SQL["space_versions"]
        return dict(pool.asked(self._url, lambda one: one.execute(ask).fetchall()))

    def counts(self, space: str) -> dict[str, int]:
        with self._transaction() as connection:
            if not _see(connection, space):
                return {}
            each = ", ".join(f"(SELECT count(*) FROM loxodon.{table})" for table in COUNTED)
            (row,) = connection.execute(f"SELECT {each}").fetchall()
            return dict(zip(COUNTED, row, strict=True))

    def drop_space(
        self, space: str, replaced: Mapping[str, bytes], appended: Mapping[str, bytes]
    ) -> bool:
        """Delete a space with its state, and change other state with it; whether it was there."""
        with self._transaction() as connection:
            connection.execute(_ONE_AT_A_TIME)
            if not (id := _see(connection, space)):
                return False
            # First: it waits for writers, who may need what is taken away after it.
            for line in ("SET LOCAL statement_timeout = 0", *pool.writers_turn(id, _LOCK_SECONDS)):
                connection.execute(line)
            # A reference is checked at the end of each statement: all tables go in one.
            tables = [table for (table,) in connection.execute(_SQL["tables_of_spaces"]).fetchall()]
            parts = [f"d{n} AS (DELETE FROM loxodon.{table})" for n, table in enumerate(tables)]
            connection.execute(f"WITH {', '.join(parts)} SELECT 1")
            connection.execute(f"DELETE FROM loxodon.spaces WHERE id = {id:d}")
            below = f"{SPACES}/{folder_name(space)}/"
            connection.execute(f"DELETE FROM loxodon.home_state WHERE {_BELOW}", [below])
            for statement, changes in ((_REPLACE, replaced), (_APPEND, appended)):
                for name, value in changes.items():
                    connection.execute(statement, [name, value])
        return True

    def lock(self, name: str) -> AdvisoryLock:
        return AdvisoryLock(self._url, name)


class AdvisoryLock:
    """A lock that lasts as long as a connection of its own: the server frees it when we die."""

    def __init__(self, url: str, name: str) -> None:
        self._url = url
        self._name = name
        self._connection: pool.Session | None = None
        at_fork(self)

    def after_fork(self) -> None:
        self._connection = None  # the parent closes its own

    def acquire(self, seconds: float) -> bool:
        self._connection = connection = self._connection or pool.connect(self._url)
        try:
            connection.execute(f"SET lock_timeout = {max(1, int(seconds * 1000))}")
            connection.execute("SELECT pg_advisory_lock(hashtextextended($1, 0))", [self._name])
        except errors.LockNotAvailable:
            return False
        except psycopg.Error as error:
            self.close()
            raise pool.translated(error, without_password(self._url)) from None
        return True

    def release(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):  # a connection that is lost holds nothing
                self._connection.execute("SELECT pg_advisory_unlock_all()")

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _missing(name: str) -> FileNotFoundError:
    return FileNotFoundError(2, "no such state in the database", name)


def _see(connection: pool.Session, space: str) -> int:
    """Let a transaction see a space; its number, 0 where there is none."""
    row = connection.execute(_SQL["space_named"], [space]).fetchone()
    id = int(row[0]) if row else 0
    connection.execute(f"SET LOCAL loxodon.space = '{id:d}'")
    return id
