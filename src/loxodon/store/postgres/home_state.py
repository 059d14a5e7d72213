"""The small state of a home (tokens, policy, master key, receipts of deleted spaces) as rows.

It has a connection of its own: whoever asks may hold all of the pool already.
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
from loxodon.filelock import Lock, at_fork
from loxodon.layout import SPACES
from loxodon.spaces import folder_name
from loxodon.store.driver import statements
from loxodon.store.postgres import migrations
from loxodon.store.postgres.pool import (
    Session,
    asked,
    connect,
    is_lost,
    role_of,
    shown,
    translated,
    writers_turn,
)
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
_LOCK_SECONDS = 10.0
"""How long a deletion waits for whoever writes: a transaction, not all of a job."""
_SQL = statements("postgres")
_sharing = threading.Lock()


def share(url: str) -> str:
    """Register the state in a database (`files.share`); the path that stands for this home."""
    root = files.SCHEME + without_password(url).partition("://")[2]
    with _sharing:
        try:
            files.shared(root)
        except FileNotFoundError:
            migrations.ensure(url)
            files.share(root, PostgresState(url))
    return root


class PostgresState:
    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Session | None = None
        self._using = threading.RLock()
        at_fork(self)

    def after_fork(self) -> None:
        self._connection, self._using = None, threading.RLock()  # the parent closes its own

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

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

    def replace(self, name: str, data: bytes, durable: bool) -> None:
        self._ask(f"{_REPLACE} RETURNING 1", name, data, durable=durable)

    def append(self, name: str, data: bytes) -> int:
        return int(self._ask(f"{_APPEND} RETURNING octet_length(value)", name, data)[0][0])

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

    # Spaces

    def spaces(self) -> dict[str, int]:
        migrations.ensure(self._url)
        return dict(asked(self._url, lambda one: one.execute(_SQL["space_versions"]).fetchall()))

    def counts(self, space: str) -> dict[str, int]:
        with self._space(space) as (connection, id):
            return _counts(connection) if id else {}

    def drop_space(
        self, space: str, replaced: Mapping[str, bytes], appended: Mapping[str, bytes]
    ) -> bool:
        with self._space(space, _ONE_AT_A_TIME) as (connection, id):
            if not id:
                return False
            # First: it waits for writers, who may need what is taken away after it.
            _drop(connection, id)
            below = f"{SPACES}/{folder_name(space)}/"
            connection.execute(f"DELETE FROM loxodon.home_state WHERE {_BELOW}", [below])
            for statement, changes in ((_REPLACE, replaced), (_APPEND, appended)):
                for name, value in changes.items():
                    connection.execute(statement, [name, value])
        return True

    @contextmanager
    def _space(self, space: str, first: str = "") -> Iterator[tuple[Session, int]]:
        """A transaction that sees a space, on a connection of its own; 0 where there is none."""
        connection = self.connect()
        try:
            connection.execute(f"BEGIN; {first}")
            find = "SELECT id FROM loxodon.spaces WHERE name = $1"
            row = connection.execute(find, [space]).fetchone()
            id = int(row[0]) if row else 0
            connection.execute(f"SET LOCAL loxodon.space = '{id:d}'")
            yield connection, id
            connection.execute("COMMIT")
        except psycopg.Error as error:
            raise self.told(error) from None
        finally:
            connection.close()

    def lock(self, name: str) -> Lock:
        return _AdvisoryLock(self, name)

    # Connections

    def connect(self) -> Session:
        """A new connection that row-level security binds."""
        found = connect(self._url)
        try:
            if role := role_of(self._url, found):
                found.execute(f"SET ROLE {role}")
        except psycopg.Error as error:
            found.close()
            raise self.told(error) from None
        return found

    def told(self, error: psycopg.Error) -> BaseException:
        return translated(error, shown(self._url))

    def _ask(self, statement: str, *values: Any, durable: bool = True) -> list[tuple[Any, ...]]:
        """The rows of one statement, in a transaction of its own."""
        with self._using:
            connection = self._begun(durable)
            try:
                rows = connection.execute(statement, values).fetchall()
                connection.execute("COMMIT")
            except BaseException as error:
                self.close()
                raise self.told(error) if isinstance(error, psycopg.Error) else error from None
            return rows

    def _begun(self, durable: bool) -> Session:
        begin = "BEGIN" if durable else "BEGIN; SET LOCAL synchronous_commit = off"
        while True:
            kept = self._connection
            connection = self._connection = kept or self.connect()
            try:
                connection.execute(begin)
                return connection
            except psycopg.Error as error:
                self.close()
                if kept is None or not is_lost(error):  # one kept may have been cut meanwhile
                    raise self.told(error) from None


class _AdvisoryLock:
    """A lock that lasts as long as a connection of its own: the server frees it when we die."""

    def __init__(self, state: PostgresState, name: str) -> None:
        self._state = state
        self._name = name
        self._connection: Session | None = None
        self._held = False
        at_fork(self)

    def after_fork(self) -> None:
        self._connection, self._held = None, False

    def acquire(self, seconds: float) -> bool:
        try:
            self._connection = connection = self._connection or self._state.connect()
            connection.execute(f"SET lock_timeout = {max(1, int(seconds * 1000))}")
            connection.execute("SELECT pg_advisory_lock(hashtextextended($1, 0))", [self._name])
            self._held = True
        except errors.LockNotAvailable:
            return False
        except psycopg.Error as error:
            self.close()
            raise self._state.told(error) from None
        return True

    def release(self) -> None:
        if self._held and self._connection is not None:
            self._held = False
            with suppress(psycopg.Error):  # a connection that is lost holds nothing
                self._connection.execute("SELECT pg_advisory_unlock_all()")

    def close(self) -> None:
        connection, self._connection, self._held = self._connection, None, False
        if connection is not None:
            connection.close()


def _missing(name: str) -> FileNotFoundError:
    return FileNotFoundError(2, "no such state in the database", name)


def _counts(connection: Session) -> dict[str, int]:
    """How much there is in the space that a transaction sees, by table."""
    each = ", ".join(f"(SELECT count(*) FROM loxodon.{table})" for table in COUNTED)
    (row,) = connection.execute(f"SELECT {each}").fetchall()
    return dict(zip(COUNTED, row, strict=True))


def _drop(connection: Session, id: int) -> None:
    """Delete the space that a transaction sees, in the turn of a writer."""
    for line in ("SET LOCAL statement_timeout = 0", *writers_turn(id, _LOCK_SECONDS)):
        connection.execute(line)
    # A reference is checked at the end of each statement: all tables go in one.
    tables = [table for (table,) in connection.execute(_SQL["tables_of_spaces"]).fetchall()]
    parts = [f"d{n} AS (DELETE FROM loxodon.{table})" for n, table in enumerate(tables)]
    connection.execute(f"WITH {', '.join(parts)} SELECT 1")
    connection.execute(f"DELETE FROM loxodon.spaces WHERE id = {id:d}")
