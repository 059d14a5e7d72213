"""The connections of a process to a PostgreSQL server, shared by all spaces, and how they begin.

A connection is in autocommit. A transaction is begun with everything that it needs in one message:
the role that row-level security binds, its space, and its wall.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from errno import ENOSPC
from time import monotonic
from typing import Any, TypeVar

from loxodon import errors
from loxodon.config import StoreConfig, without_password
from loxodon.store.driver import unusable
from loxodon.store.walls import Wall, documents_of, path_of

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
    raise errors.ConfigError(
        "PostgreSQL needs packages that are not installed", hint=errors.INSTALL, extra="postgres"
    ) from None

Session = Connection[tuple[Any, ...]]
_Result = TypeVar("_Result")

ROLE = "loxodon_spaces"  # what a login becomes that would see through row-level security
_WAIT_SECONDS = 10.0  # for a connection that is free
_SOON = 3.0  # seconds without an answer after which it is asked whether the server is there at all
REST_SECONDS = 10.0  # how often the pool closes one of those that nobody needed meanwhile
_PATIENCE = 5.0  # seconds in which another connection is looked for where one was lost
_PAUSE = 0.5
_OWN = 2  # connections of a process for the state of a home
_PREPARED = 500  # statements that stay prepared: more than there are
# What holds where a URL says nothing of it: a dead server is noticed within a minute
_DEFAULTS: dict[str, Any] = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "application_name": "loxodon",
}

# Serialization failure, deadlock, lock not available, statement timeout: undone, try again
_AGAIN = frozenset({"40001", "40P01", "55P03", "57014"})
# The server goes down, comes up, has given up on us, or is a standby now
_GONE = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "25P04", "25006"})
_FULL = "53100"
_DAMAGED = frozenset({"XX001", "XX002"})

# Its warnings are for programs with a log; here the error says it.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_pools: dict[tuple[int, str, bool], ConnectionPool[Session]] = {}
_configured: dict[str, StoreConfig] = {}
_guard = threading.Lock()


def configure(config: StoreConfig) -> None:
    """Use these settings for connections to the servers that they name, from the next one on."""
    _configured[config.url] = config


def settings(url: str) -> StoreConfig:
    return _configured.get(url) or StoreConfig(url=url)


class _Watched(Connection[tuple[Any, ...]]):
    """A connection that notices when its server stops to answer, which the server's own timeouts
    cannot: after a while another connection is tried; a server that answers it is waited for."""

    def wait(self, gen: Generator[Any, Any, Any], *args: Any, **more: Any) -> Any:
        return super().wait(self._heeding(gen), *args, **more)

    def _heeding(self, gen: Generator[Any, Any, _Result]) -> Generator[Any, Any, _Result]:
        silence, heard = _SOON, monotonic()
        try:
            wanted = next(gen)
            while True:
                if ready := (yield wanted):
                    silence, heard = _SOON, monotonic()
                elif monotonic() - heard > silence:
                    self._try_another()
                    silence *= 2
                wanted = gen.send(ready)
        except StopIteration as end:
            found: _Result = end.value
            return found

    def _try_another(self) -> None:
        try:
            psycopg.connect(self.info.dsn, password=self.info.password or None).close()
        except psycopg.OperationalError as error:
            if error.sqlstate is None:  # else the server says why not, and so is there
                self.close()
                raise psycopg.OperationalError("the server does not answer") from None


class _Whole(NumericBinaryLoader):
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
    with telling(url):
        found = _Watched.connect(**_options(url))
        _prepare(found)
    return found


def _pool_of(url: str, own: bool) -> ConnectionPool[Session]:
    key = (os.getpid(), url, own)

    def prepared(connection: Session) -> None:
        _prepare(connection, settings(url))

    with _guard:
        if key not in _pools:
            if not _pools:
                atexit.register(close_pools)
            _pools[key] = ConnectionPool(
                "",
                connection_class=_Watched,
                kwargs=_options(url),
                configure=prepared,
                check=ConnectionPool.check_connection,
                min_size=0,
                max_size=_OWN if own else settings(url).pool,
                max_idle=REST_SECONDS,
                reconnect_timeout=_SOON,  # else it tries less and less often, and nobody else does
                open=True,
            )
        return _pools[key]


def close_pools() -> None:
    """Close every connection of this process that is at rest; the next use opens new ones."""
    with _guard:
        found = [pool for (process, *_), pool in _pools.items() if process == os.getpid()]
        _pools.clear()
    for pool in found:
        pool.close()


def taken(url: str, own: bool = False) -> Session:
    """A connection of the pool, or with `own` of that for the state of a home; see `returned`."""
    for seconds in (min(_SOON, _WAIT_SECONDS), _WAIT_SECONDS):
        try:
            return _pool_of(url, own).getconn(seconds)
        except PoolTimeout:
            connect(url).close()  # it says so where the server is away
        except psycopg.Error as error:
            raise translated(error, without_password(url)) from None
    raise errors.BusyStoreError(
        "all {n} connections to {path} are in use",
        hint="try again later, or raise store.pool",
        n=settings(url).pool,
        path=without_password(url),
    )


def returned(url: str, connection: Session, own: bool = False) -> None:
    _pool_of(url, own).putconn(connection)


def begun(url: str, sql: str, own: bool = False) -> tuple[Session, tuple[Any, ...] | None]:
    """A connection in a transaction, and the first row of the last statement that begins it."""

    def attempt() -> tuple[Session, tuple[Any, ...] | None]:
        connection = taken(url, own)
        try:
            cursor = connection.execute(sql)
            while cursor.nextset():
                pass
            return connection, cursor.fetchone() if cursor.description else None
        except BaseException as error:
            end(connection, undo=True)
            returned(url, connection, own)
            if isinstance(error, psycopg.Error):
                raise translated(error, without_password(url)) from None
            raise

    return patiently(url, attempt)


def patiently(url: str, attempt: Callable[[], _Result]) -> _Result:
    """What `attempt` gives, made again where its connection was lost. It may be done twice."""
    end = monotonic() + _PATIENCE
    while True:
        try:
            return attempt()
        except errors.UnreachableStoreError:
            if monotonic() > end:
                raise
        threading.Event().wait(_PAUSE)  # some time for the server to come back


def asked(url: str, ask: Callable[[Session], _Result]) -> _Result:
    """What `ask` finds out with a connection of its own. It may be asked twice."""

    def attempt() -> _Result:
        connection = taken(url)
        try:
            with telling(url):
                return ask(connection)
        finally:
            returned(url, connection)

    return patiently(url, attempt)


def _options(url: str) -> dict[str, Any]:
    limits = {"connect_timeout": max(2, round(settings(url).connect_timeout))}
    always = {"autocommit": True, "cursor_factory": RawCursor}
    return {**_DEFAULTS, **limits, **conninfo_to_dict(url), **always}


_KEEPALIVES = (
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
)
# What a URL says of it in its `options`, or the login has, stands
_TIMEOUT = "SELECT set_config('{0}', '{1}', false) WHERE current_setting('{0}') = '0'"


def _prepare(connection: Session, limits: StoreConfig | None = None) -> None:
    """Plain values in and out; timeouts, so that a machine that is cut off holds no lock for long;
    and no plan that reads a table from end to end, which would be everybody's rows."""
    timeouts = {"idle_in_transaction_session": 60.0}
    if limits is not None:
        timeouts |= {"statement": limits.statement_timeout, "lock": limits.lock_timeout}
    lines = [_TIMEOUT.format(f"{of}_timeout", int(n * 1000)) for of, n in timeouts.items()]
    connection.execute(
        "SET search_path = loxodon, public; SET synchronous_commit = on; SET enable_seqscan = off; "
        f"SET client_encoding = utf8; {_KEEPALIVES}; {'; '.join(lines)}"
    )
    connection.prepared_max = _PREPARED
    adapters = connection.adapters
    adapters.register_dumper(int, Int8BinaryDumper)
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_loader("numeric", _Whole)
    if half := TypeInfo.fetch(connection, "halfvec"):
        adapters.register_loader(half.oid, _HalfLoader)
        adapters.register_dumper(Half, type("HalfDumper", (_HalfDumper,), {"oid": half.oid}))


def begin(space: int, wall: Wall, role: str, *, lock_seconds: float) -> str:
    """The statements that begin a transaction; a read where it does not wait for writers."""
    level = "" if lock_seconds else "ISOLATION LEVEL REPEATABLE READ READ ONLY"
    lines = [f"BEGIN {level}", *([f"SET LOCAL ROLE {role}"] if role else [])]
    lines.append(f"SET LOCAL loxodon.space = '{space:d}'")
    lines += walled(wall) if wall.stands else []
    if lock_seconds:
        lines += writers_turn(space, lock_seconds)
    lines.append(f"SELECT version FROM loxodon.spaces WHERE id = {space:d}")
    return "; ".join(lines)


_WRITERS = 0x4C58  # half of the key of the lock that the writers of a space take turns with


def writers_turn(space: int, seconds: float) -> list[str]:
    """The statements that wait until no other transaction writes to a space, for so long."""
    return [
        f"SET LOCAL lock_timeout = {max(1, int(seconds * 1000))}",
        f"SELECT pg_advisory_xact_lock({_WRITERS}, {space:d})",
    ]


def walled(wall: Wall) -> list[str]:
    """The statements that put a wall up in place of another, or take that down."""
    from psycopg.sql import Literal

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
    """End a transaction that has nothing to keep, or is undone. A ROLLBACK makes psycopg forget
    what it has prepared, so the connection goes with it; a read ends in a COMMIT."""
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


def role_of(url: str) -> str:
    """The role that a transaction takes on: none for a login that row-level security binds."""
    if url not in _roles:
        sql = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
        row = asked(url, lambda one: one.execute(sql).fetchone())
        _roles[url] = ROLE if row is None or row[0] else ""
    return _roles[url]


# Errors


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection is gone, or the server does not take writes any more."""
    state = error.sqlstate
    if state is None:  # made by the client: nothing came back
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return state.startswith("08") or state in _GONE


@contextmanager
def telling(url: str) -> Iterator[None]:
    """Let an error of PostgreSQL within be one of ours."""
    try:
        yield
    except psycopg.Error as error:
        raise translated(error, without_password(url)) from None


def translated(error: psycopg.Error, path: str) -> errors.StoreError:
    state = error.sqlstate or ""
    words = (without_password(it) if "://" in it else it for it in str(error).split())
    reason = " ".join(words) or type(error).__name__
    if is_lost(error):
        return errors.UnreachableStoreError(
            "the connection to {path} was lost: {reason}",
            hint="nothing of this call was stored; try again when the server is back",
            path=path,
            reason=reason,
        )
    if state in _AGAIN:
        return errors.BusyStoreError(
            "{path} did not finish in time: {reason}",
            hint="nothing of this call was stored; try again later",
            path=path,
            reason=reason,
        )
    if state == _FULL:
        return errors.unwritable(path, OSError(ENOSPC, reason))
    if state in _DAMAGED:
        return errors.DamagedStoreError(
            "{path} is damaged: {reason}",
            hint="restore the database from a backup of PostgreSQL",
            path=path,
            reason=reason,
        )
    if state == "42501":
        return errors.UnwritableStoreError(
            "{path} does not let this user in: {reason}",
            hint="run `loxodon migrate` as the owner of the schema, which grants what is needed",
            path=path,
            reason=reason,
        )
    return unusable(path, reason)
