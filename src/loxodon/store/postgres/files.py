"""The small state of a home as rows of a database (`loxodon.files`): every server sees the same.

Connections are our own, and of no pool: a line of the audit log is written while a store's
transaction waits for it. It must not wait for one that waits for a connection, and not for a server
that is away: that transaction is gone by the time it is back.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import errors, sql

from loxodon import files
from loxodon.config import without_password
from loxodon.errors import StoreError
from loxodon.filelock import Lock, at_fork
from loxodon.layout import SPACES
from loxodon.spaces import folder_name
from loxodon.store.postgres import migrations, spaces
from loxodon.store.postgres.errors import is_lost, shown, translated
from loxodon.store.postgres.pool import Session, connect, role_of

if TYPE_CHECKING:
    from loxodon.files import Stamp

_MOST_IDLE = 4
"""Connections that are kept for the next who needs one."""
_LONGEST_MS = 10_000
"""Milliseconds after which the server lets go of what a process holds that is not heard of."""

_OF_SPACE = "space_id = %(space)s AND "
_READ = """
SELECT data FROM {table} WHERE {of} name = %(name)s ORDER BY start
"""
_STAMP = """
SELECT made, start + octet_length(data) FROM {table} WHERE {of} name = %(name)s
ORDER BY start DESC LIMIT 1
"""
_DROP = "DELETE FROM {table} WHERE {of} name = %(name)s"
_PUT = """
WITH rest AS (DELETE FROM {table} WHERE {of} name = %(name)s AND start > 0)
INSERT INTO {table} ({column} name, start, data, made)
VALUES ({value} %(name)s, 0, %(data)s, {made})
ON CONFLICT ({column} name, start) DO UPDATE SET data = excluded.data, made = excluded.made
"""
_ADD = """
INSERT INTO {table} ({column} name, start, data, made)
SELECT {value} %(name)s, coalesce(last.stop, 0), %(data)s,
       coalesce(last.made, {made})
FROM (VALUES (1)) AS one LEFT JOIN LATERAL (
    SELECT made, start + octet_length(data) AS stop FROM {table}
    WHERE {of} name = %(name)s ORDER BY start DESC LIMIT 1
) AS last ON true
ON CONFLICT ({column} name, start) DO UPDATE SET data = excluded.data -- the row there is empty
RETURNING start
"""
_NAMES = """
SELECT DISTINCT split_part(substr(name, length(%(name)s) + 1), '/', 1) FROM {table}
WHERE {of} name >= %(name)s AND name < %(name)s || %(last)s ORDER BY 1
"""
_NOW = "(extract(epoch FROM clock_timestamp()) * 1e6)::bigint"
"""What no other writing of a file has: there are as many as there are microseconds."""
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
_sharing = threading.Lock()


def share(url: str) -> str:
    """Have the files of the home in a database at hand; the path of that home."""
    root = files.SCHEME + without_password(url).partition("://")[2]
    with _sharing:  # else what another thread has begun to use would be replaced
        try:
            files.shared(root)
        except FileNotFoundError:
            migrations.ensure(url)
            files.share(root, PostgresFiles(url))
    return root


class PostgresFiles:
    """`files.Shared` in a database."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: list[Session] = []
        self._spaces: dict[str, int] = {}
        """The ids of spaces by the names of their folders."""
        self._here = threading.local()
        """The transaction that a thread is in while it holds a brief lock."""
        at_fork(self)

    def after_fork(self) -> None:
        """Leave the parent's connections alone, which are closed only by who opened them."""
        self._idle = []
        self._here = threading.local()

    # Files

    def read(self, name: str) -> bytes:
        with self._at(name) as (run, _):
            rows = run(_READ, {}).fetchall()
        if not rows:
            raise _missing(name)
        return b"".join(data for (data,) in rows)

    def stamp(self, name: str) -> Stamp | None:
        """Asked before every write, and so in one message."""
        folder, rest = _split(name)
        space = self._id(folder) if folder else None
        if folder and space is None:
            return None
        query = _for(_STAMP, bool(folder))
        if self._held is not None:
            with self.transaction(space) as connection:
                row = connection.execute(query, {"space": space, "name": rest}).fetchone()
        else:
            asked = query.as_string() % {"space": space, "name": sql.Literal(rest).as_string()}
            cursor = self.begin(space, durable=False, then=f"; {asked}; COMMIT")
            try:
                while cursor.description is None:
                    cursor.nextset()
                row = cursor.fetchone()
            finally:
                self.keep(cursor.connection)
        return (row[0], row[1], 0) if row else None

    def replace(self, name: str, data: bytes, durable: bool) -> None:
        with self._at(name, durable) as (run, lock):
            lock()
            run(_PUT, {"data": data})

    def append(self, name: str, data: bytes) -> int:
        if not data:  # a file begins with its first byte
            return (self.stamp(name) or (0, 0, 0))[1]
        with self._at(name, durable=True) as (run, lock):
            lock()
            ((start,),) = run(_ADD, {"data": data}).fetchall()
        return int(start) + len(data)

    def remove(self, name: str) -> None:
        with self._at(name, durable=True) as (run, lock):
            lock()
            if not run(_DROP, {}).rowcount:
                raise _missing(name)

    # Folders

    def names(self, folder: str) -> list[str]:
        if folder == SPACES:
            return sorted(self._known())
        try:
            with self._at(f"{folder}/" if folder else "") as (run, _):
                rows = run(_NAMES, {"last": chr(0x10FFFF)}).fetchall()
        except FileNotFoundError:
            return []
        return [name for (name,) in rows]

    def has_folder(self, name: str) -> bool:
        space, _ = _split(name)
        return not space or self._is_there(space)

    def spaces(self) -> dict[str, int]:
        return spaces.versions(self._url)

    def counts(self, name: str) -> dict[str, int]:
        id = self._id(folder_name(name))
        if id is None:
            return {}
        with self.transaction(id) as connection:
            return spaces.counts(connection)

    def drop_space(self, name: str) -> None:
        folder = folder_name(name)
        if self._is_there(folder):
            id = self._spaces.pop(folder)
            with self.transaction(id, durable=True) as connection:
                spaces.drop(connection, id)

    def _is_there(self, folder: str) -> bool:
        """Whether there is such a space now. One that another server deleted, or made anew, has
        not the number any more by which it was known here."""
        if (id := self._spaces.get(folder)) is not None:
            with self.transaction(None) as connection:
                find = "SELECT 1 FROM loxodon.spaces WHERE id = %s"
                if connection.execute(find, (id,)).fetchone():
                    return True
        return folder in self._known()

    def _known(self) -> dict[str, int]:
        with self.transaction(None) as connection:
            rows = connection.execute("SELECT name, id FROM loxodon.spaces").fetchall()
        self._spaces = {folder_name(name): id for name, id in rows}
        return self._spaces

    def _id(self, folder: str) -> int | None:
        found = self._spaces.get(folder)
        return found if found is not None else self._known().get(folder)

    # Transactions

    @contextmanager
    def _at(self, name: str, durable: bool = False) -> Iterator[tuple[Any, Any]]:
        """What runs a statement on a file, and what keeps others from writing it meanwhile."""
        folder, rest = _split(name)
        space = self._id(folder) if folder else None
        if folder and space is None:
            raise _missing(name)
        given = {"space": space, "name": rest}
        with self.transaction(space, durable) as connection:

            def run(statement: str, more: dict[str, Any]) -> Any:
                return connection.execute(_for(statement, bool(folder)), given | more)

            def lock() -> None:
                if self._held is None:  # else others are kept from it already
                    connection.execute(_LOCK, (name,))

            yield run, lock

    @contextmanager
    def transaction(self, space: int | None, durable: bool = False) -> Iterator[Session]:
        """A transaction in which a space is seen, or none; that of a brief lock, within one."""
        if self._held is not None:
            try:
                yield self._held.seeing(space, durable)
            except psycopg.Error as error:
                raise self.told(error) from None
            return
        connection = self.begin(space, durable).connection
        try:
            yield connection
        except BaseException as error:
            self.end(connection, "ROLLBACK")
            raise self.told(error) from None
        self.end(connection, "COMMIT")

    @property
    def _held(self) -> _Brief | None:
        return getattr(self._here, "held", None)

    def begin(self, space: int | None, durable: bool, then: str = "") -> psycopg.Cursor[Any]:
        """Begin a transaction on a connection, in one message with what comes `then`; on another
        where it was cut since it was last used."""
        while True:
            kept = self._idle.pop() if self._idle else None
            connection = kept or self.connection()
            try:
                return connection.execute(self._begin(connection, space, durable) + then)
            except BaseException as error:
                connection.close()
                if kept is None or not isinstance(error, psycopg.Error) or not is_lost(error):
                    raise self.told(error) from error

    def _begin(self, connection: Session, space: int | None, durable: bool) -> str:
        role = role_of(self._url, connection)
        lines = ["BEGIN", *([f"SET LOCAL ROLE {role}"] if role else [])]
        lines += [f"SET LOCAL loxodon.space = '{space:d}'"] if space is not None else []
        lines += [] if durable else ["SET LOCAL synchronous_commit = off"]
        lines.append(f"SET LOCAL idle_in_transaction_session_timeout = {_LONGEST_MS}")
        return "; ".join(lines)

    def connection(self) -> Session:
        """A new one, in no transaction. The caller closes it."""
        found = connect(self._url)
        found.cursor_factory = psycopg.Cursor
        return found

    def told(self, error: BaseException) -> BaseException:
        """An error as we tell it."""
        return translated(error, shown(self._url)) if isinstance(error, psycopg.Error) else error

    def end(self, connection: Session, how: str) -> None:
        """End the transaction of a connection, and keep that for the next."""
        try:
            connection.execute(how)
        except psycopg.Error as error:
            connection.close()
            if how == "COMMIT":
                raise self.told(error) from None
        finally:
            self.keep(connection)

    def keep(self, connection: Session) -> None:
        """Give a connection back that is in no transaction, or closed."""
        if connection.closed:
            return
        if len(self._idle) < _MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    # Locks

    def lock(self, name: str, brief: bool) -> Lock:
        return _Brief(self, name) if brief else _Long(self, name)

    def hold(self, lock: _Brief | None) -> None:
        """Have all that this thread does be done in the transaction of a lock."""
        self._here.held = lock


class _Brief:
    """A lock that is a transaction: what is done while it is held is done with it."""

    def __init__(self, files: PostgresFiles, name: str) -> None:
        self._files = files
        self._name = name
        self._connection: Session | None = None
        self._pipeline: AbstractContextManager[psycopg.Pipeline] | None = None
        self._sees: int | None = None
        self._durable = False

    def acquire(self, seconds: float) -> bool:
        wait = f"; SET LOCAL lock_timeout = {max(1, int(seconds * 1000))}"
        lock = _LOCK % sql.Literal(self._name).as_string()
        try:
            connection = self._files.begin(None, durable=False, then=f"{wait}; {lock}").connection
        except StoreError as error:
            if isinstance(error.__cause__, errors.LockNotAvailable):
                return False
            raise
        # Statements whose results nobody waits for go to the server together.
        self._pipeline = connection.pipeline()
        self._pipeline.__enter__()
        self._connection = connection
        self._sees, self._durable = None, False
        self._files.hold(self)
        return True

    def seeing(self, space: int | None, durable: bool) -> Session:
        """The connection, with the rows of a space in sight."""
        if self._connection is None:
            raise RuntimeError("the lock is not held")
        if space is not None and space != self._sees:
            self._connection.execute(f"SET LOCAL loxodon.space = '{space}'")
            self._sees = space
        if durable and not self._durable:
            self._connection.execute("SET LOCAL synchronous_commit = on")
            self._durable = True
        return self._connection

    def release(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None or self._pipeline is None:
            return
        self._files.hold(None)
        try:
            self._pipeline.__exit__(None, None, None)
        except psycopg.Error as error:
            self._files.end(connection, "ROLLBACK")
            raise self._files.told(error) from None
        # By itself: what was cut before this was sent is certainly undone.
        self._files.end(connection, "COMMIT")

    def close(self) -> None:
        self.release()


class _Long:
    """A lock for as long as a connection of its own lasts: the server lets go of it when we die."""

    def __init__(self, files: PostgresFiles, name: str) -> None:
        self._files = files
        self._name = name
        self._connection: Session | None = None
        self._held = False
        at_fork(self)

    def after_fork(self) -> None:
        self._connection, self._held = None, False

    def acquire(self, seconds: float) -> bool:
        try:
            self._connection = connection = self._connection or self._files.connection()
            connection.execute(f"SET lock_timeout = {max(1, int(seconds * 1000))}")
            connection.execute(_LOCK.replace("_xact_", "_"), (self._name,))
            self._held = True
        except errors.LockNotAvailable:
            return False
        except psycopg.Error as error:
            self.close()
            raise self._files.told(error) from None
        return True

    def release(self) -> None:
        if self._held and self._connection is not None:
            self._held = False
            with suppress(psycopg.Error):  # a connection that is lost holds nothing
                self._connection.execute("SELECT pg_advisory_unlock_all()")

    def close(self) -> None:
        connection, self._connection, self._held = self._connection, None, False
        if connection is not None:
            connection.close()  # and the lock goes with it


@cache
def _for(statement: str, of_space: bool) -> sql.SQL:
    """A statement on the table of spaces, or on that of the home."""
    column, value, of = ("space_id,", "%(space)s,", _OF_SPACE) if of_space else ("", "", "")
    table = "loxodon.files" if of_space else "loxodon.home_files"
    text: Any = statement.format(table=table, column=column, value=value, of=of, made=_NOW)
    return sql.SQL(text)


def _split(name: str) -> tuple[str, str]:
    """The folder of the space that a file is in, empty for none, and the name in it."""
    spaces, _, rest = name.partition("/")
    if spaces != SPACES:
        return "", name
    folder, _, rest = rest.partition("/")
    return folder, rest


def _missing(name: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, "no such file in the database", name)
