"""The connections of a process to a PostgreSQL server, shared by all spaces, and how they begin.

A connection is in autocommit. A transaction is begun with everything that it needs in one message:
the role that row-level security binds, its space, and its wall.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any, TypeVar

from loxodon.errors import BusyStoreError, ConfigError, UnreachableStoreError, install_hint
from loxodon.store.postgres.errors import shown, translated
from loxodon.store.walls import Wall

try:
    import psycopg
    from psycopg import Connection, RawCursor
    from psycopg.adapt import Dumper, Loader
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.pq import Format, TransactionStatus
    from psycopg.types import TypeInfo
    from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper, NumericBinaryLoader
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError:
    raise ConfigError(
        "PostgreSQL needs packages that are not installed", hint=install_hint(), extra="postgres"
    ) from None

Session = Connection[tuple[Any, ...]]
_Result = TypeVar("_Result")

ROLE = "loxodon_spaces"
"""What a login becomes that would see through row-level security."""
_SIZE = 20
_WAIT_SECONDS = 30.0
_SOON = 3.0
"""Seconds after which it is asked whether the server is there at all."""
REST_SECONDS = 10.0
"""How often the pool closes one of those that nobody needed meanwhile."""
_DOUBT_SECONDS = 60.0
"""How long each connection is tried before it is used, once one was lost."""
_PATIENCE = 5.0
"""Seconds in which another connection is looked for where one was lost: a failover takes some."""
_PAUSE = 0.5
_PREPARED = 500
"""Statements that stay prepared: more than there are."""
_DEFAULTS: dict[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "application_name": "loxodon",
}
"""What holds where a URL says nothing of it: a dead server is noticed within a minute."""

# Its warnings are for programs with a log; here the error says it.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_pools: dict[tuple[int, str], ConnectionPool[Session]] = {}
_doubted: dict[str, float] = {}
"""Until when the connections of a URL are tried before they are used."""
_guard = threading.Lock()


class _Whole(NumericBinaryLoader):
    """A sum of integers is an integer."""

    def load(self, data: Any) -> Any:
        return int(super().load(data))


class Half(bytes):
    """A vector to be written: float16, the lower byte first."""


class _HalfDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Any) -> bytes:
        return (len(obj) // 2).to_bytes(2) + b"\0\0" + _swapped(obj)


class _HalfLoader(Loader):
    format = Format.BINARY

    def load(self, data: Any) -> bytes:
        return _swapped(data[4:])


def _swapped(halves: bytes) -> bytes:
    """Numbers of two bytes with these the other way round."""
    found = bytearray(halves)
    found[0::2], found[1::2] = found[1::2], found[0::2]
    return bytes(found)


def connect(url: str) -> Session:
    """One connection, as those of the pool are."""
    try:
        found = psycopg.connect(**_options(url))
        _configure(found)
    except psycopg.Error as error:
        raise translated(error, shown(url)) from None
    return found


def _pool_of(url: str) -> ConnectionPool[Session]:
    """The pool of this process for a URL."""
    key = (os.getpid(), url)

    def tried(connection: Session) -> None:
        if monotonic() < _doubted.get(url, 0.0):
            ConnectionPool.check_connection(connection)

    with _guard:
        if key not in _pools:
            if not _pools:
                atexit.register(close_pools)
            _pools[key] = ConnectionPool(
                "",
                kwargs=_options(url),
                configure=_configure,
                check=tried,
                min_size=0,
                max_size=_SIZE,
                max_idle=REST_SECONDS,
                reconnect_timeout=_SOON,  # else it tries less and less often, and nobody else does
                open=True,
            )
        return _pools[key]


def close_pools() -> None:
    """Close every connection of this process that is at rest; the next use opens new ones."""
    with _guard:
        found = [pool for (process, _), pool in _pools.items() if process == os.getpid()]
        _pools.clear()
    for pool in found:
        pool.close()


def taken(url: str) -> Session:
    """A connection of the pool, for as long as one needs it; give it back with `returned`."""
    for seconds in (min(_SOON, _WAIT_SECONDS), _WAIT_SECONDS):
        try:
            return _pool_of(url).getconn(seconds)
        except PoolTimeout:
            connect(url).close()  # it says so where the server is away
        except psycopg.Error as error:
            raise translated(error, shown(url)) from None
    raise BusyStoreError(
        "all {n} connections to {path} are in use", hint="try again later", n=_SIZE, path=shown(url)
    )


def returned(url: str, connection: Session) -> None:
    _pool_of(url).putconn(connection)


def patiently(url: str, attempt: Callable[[], _Result]) -> _Result:
    """What `attempt` gives, made again where its connection was lost. It may be done twice."""
    end = monotonic() + _PATIENCE
    while True:
        try:
            return attempt()
        except UnreachableStoreError:
            if monotonic() > end:
                raise
        _doubted[url] = monotonic() + _DOUBT_SECONDS  # after a failover, all at rest are lost
        pause()


def pause() -> None:
    """Give a server that is gone some time to come back."""
    threading.Event().wait(_PAUSE)


def _options(url: str) -> dict[str, Any]:
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise ConfigError(
            "{url} is not a PostgreSQL URL: {reason}",
            hint="write it as postgresql://user@host/database",
            url=shown(url),
            reason=str(error).strip(),
        ) from None
    return {**_DEFAULTS, **given, "autocommit": True, "cursor_factory": RawCursor}


_LET_GO = """
SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;
SELECT set_config('idle_in_transaction_session_timeout', '60s', false)
WHERE current_setting('idle_in_transaction_session_timeout') = '0'
"""
"""How soon the server lets go of what a machine holds that is cut off: locks of jobs, and the
turn of a writer. What a URL says in `options` of transactions stands."""


def _configure(connection: Session) -> None:
    """A connection reads and writes plain values: integers, floats, text, bytes, lists of them.

    It never reads a table from end to end: that would be everybody's rows. A plan is kept, so one
    from when a table was small would do that later.
    """
    connection.execute(
        "SET search_path = loxodon, public; SET synchronous_commit = on; "
        f"SET enable_seqscan = off; SET client_encoding = utf8; {_LET_GO}"
    )
    connection.prepared_max = _PREPARED
    adapters = connection.adapters
    adapters.register_dumper(int, Int8BinaryDumper)
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_loader("numeric", _Whole)
    if half := TypeInfo.fetch(connection, "halfvec"):
        adapters.register_loader(half.oid, _HalfLoader)
        adapters.register_dumper(Half, type("HalfDumper", (_HalfDumper,), {"oid": half.oid}))


def begin(space: int, wall: Wall, role: str, *, reading: bool, lock_seconds: float = 0.0) -> str:
    """The statements that begin a transaction of a space; the last gives its version, and whether a
    text of it is escaped."""
    level = "ISOLATION LEVEL REPEATABLE READ READ ONLY" if reading else ""
    lines = [f"BEGIN {level}", *([f"SET LOCAL ROLE {role}"] if role else [])]
    lines.append(f"SET LOCAL loxodon.space = '{space:d}'")
    lines += walled(wall) if wall.stands else []
    if lock_seconds:
        lines += writers_turn(space, lock_seconds)
    lines.append(f"SELECT version, escaped FROM loxodon.spaces WHERE id = {space:d}")
    return "; ".join(lines)


_WRITERS = 0x4C58
"""The first half of the key of the lock that the writers of a space take turns with."""


def writers_turn(space: int, seconds: float) -> list[str]:
    """The statements that wait until no other transaction writes to a space, for so long."""
    return [
        f"SET LOCAL lock_timeout = {int(seconds * 1000)}",
        f"SELECT pg_advisory_xact_lock({_WRITERS}, {space:d})",
        "SET LOCAL lock_timeout TO DEFAULT",
    ]


def walled(wall: Wall) -> list[str]:
    """The statements that put a wall up in place of another, or take that down."""
    from psycopg.sql import Literal

    from loxodon.store.namespaces import path_of
    from loxodon.store.walls import documents_of

    views = "loxodon_wall, " if wall.stands and not wall.alone else ""
    path = path_of(documents_of(wall.agent)) or "/"
    return [
        f"SET LOCAL search_path = {views}loxodon, public",
        f"SET LOCAL loxodon.agent = {Literal(wall.agent).as_string()}",
        f"SET LOCAL loxodon.grouped = '{'on' if wall.group else ''}'",
        f"SET LOCAL loxodon.alone = '{'on' if wall.alone else ''}'",
        f"SET LOCAL loxodon.documents = {Literal(path).as_string()}",
    ]


def end(connection: Session, *, undo: bool = False) -> None:
    """End a transaction that has nothing to keep, or is undone.

    A ROLLBACK makes psycopg forget every statement that it has prepared, also those that it has
    still to send, so the connection goes with it. A read ends in a COMMIT.
    """
    status = connection.info.transaction_status
    if status == TransactionStatus.IDLE and not undo:
        return
    with suppress(psycopg.Error):
        if status == TransactionStatus.INTRANS and not undo:
            connection.execute("END")
            return
        connection.execute("ROLLBACK")  # now, and not when the server sees that we are gone
    connection.close()


_roles: dict[str, str] = {}


def role_of(url: str, connection: Session) -> str:
    """The role that a transaction takes on: none for a login that row-level security binds."""
    if url not in _roles:
        row = connection.execute(
            "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
        _roles[url] = ROLE if row is None or row[0] else ""
    return _roles[url]
