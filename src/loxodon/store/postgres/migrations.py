"""The schema of a PostgreSQL database, brought up to date under a lock, in one transaction.

A login that does not own the schema says that it is behind, and leaves it to `loxodon migrate`.
"""

from __future__ import annotations

import os
import threading
from contextlib import closing

from loxodon.config import without_password
from loxodon.errors import StoreError
from loxodon.store.driver import SQL, migrations, newer, statements
from loxodon.store.postgres.pool import Session, connect, telling

_SQL = statements("postgres")
_LOCK = 0x4C4F584F444F4E
_LEAST = 160_000  # the version of PostgreSQL from which on it has all that is used
_done: set[tuple[int, str]] = set()
_guard = threading.Lock()


def ensure(url: str) -> None:
    """Migrate, once for this process."""
    key = (os.getpid(), url)
    with _guard:
        if key not in _done:
            migrate(url)
            _done.add(key)


def migrate(url: str, *, grant: bool = False) -> int:
    """Bring the schema up to date; how many steps. With `grant`, the roles get what they need."""
    known = {int(os.path.basename(path)[:4]): path for path in migrations("postgres")}
    with closing(connect(url)) as connection, telling(url):
        _check_server(connection, url)
        due = _due(connection, url, known)
        if not due and not grant and not _lacks_role(connection):
            return 0
        _check_owner(connection, url, due)
        connection.execute(f"BEGIN; SELECT pg_advisory_xact_lock({_LOCK})")
        due = _due(connection, url, known)  # another server may have been at it
        for number in due:
            if number == min(known):
                connection.execute(_SQL["make_schema"])
            connection.execute(_file(known[number]))
            connection.execute(_SQL["put_migration"], [number, os.path.basename(known[number])])
        if _lacks_role(connection):
            connection.execute(_SQL["make_role"])
        connection.execute(_file("grants.sql"))
        connection.execute("COMMIT")
        return len(due)


def setup_sql() -> str:
    """What an administrator runs once: the roles for migrations, servers and backups."""
    return _file("setup.sql").decode()


def setup(url: str) -> None:
    with closing(connect(url)) as connection, telling(url):
        connection.execute(_file("setup.sql"))


def _file(path: str) -> bytes:
    with open(os.path.join(SQL, "postgres", path), "rb") as file:
        return file.read()


def _due(connection: Session, url: str, known: dict[int, str]) -> list[int]:
    if connection.execute(_SQL["is_made"]).fetchone() is None:
        return sorted(known)
    done = {n for (n,) in connection.execute(_SQL["migrations_done"]).fetchall()}
    if done - known.keys():
        raise newer(without_password(url), max(done), max(known))
    return sorted(known.keys() - done)


def _check_server(connection: Session, url: str) -> None:
    if connection.info.server_version < _LEAST:
        raise StoreError(
            "{path} is PostgreSQL {found}; Loxodon needs {least} or newer",
            hint="upgrade the server",
            path=without_password(url),
            found=connection.info.server_version // 10_000,
            least=_LEAST // 10_000,
        )
    row = connection.execute(_SQL["may_have_vectors"]).fetchone()
    if row is None or not row[0]:
        raise StoreError(
            "{path} lacks the extension pgvector",
            hint="have an administrator run `CREATE EXTENSION vector` in this database",
            path=without_password(url),
        )


def _check_owner(connection: Session, url: str, due: list[int]) -> None:
    if connection.execute(_SQL["owns_schema"]).fetchone() == (True,):
        return
    raise StoreError(
        "the schema of {path} lacks {n} migration, and this login does not own it",
        plural="the schema of {path} lacks {n} migrations, and this login does not own it",
        hint="run `loxodon --store URL migrate` with the address of the login that owns it",
        path=without_password(url),
        n=len(due),
    )


def _lacks_role(connection: Session) -> bool:
    """Whether this login sees through row-level security and cannot become a role that does not."""
    return connection.execute(_SQL["lacks_role"]).fetchone() is not None
