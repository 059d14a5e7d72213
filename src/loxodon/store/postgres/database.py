"""One space of a PostgreSQL database: transactions bound to it, and what becomes of a lost one.

A read is one snapshot (REPEATABLE READ). The writers of a space take turns by an advisory lock that
a transaction holds, in the order in which they came. With it, each statement sees what is there
now, and no two writers of a space ever meet.

What is lost with its connection before COMMIT was sent is certainly undone, and the error says so.
Where COMMIT was sent and no answer came, the server is asked for the mark of the transaction; where
that cannot be known either, the error says that. What was acknowledged is on disk.

Statements of a write whose answer does not matter are sent without waiting for it (a pipeline). One
that fails is told of by the next that is waited for, at the latest before COMMIT. Numbers are taken
from counters here, since there is no other writer, and put down once.

The threads of a process read at once, each on a connection of its own, and write one by one.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from typing import Any, TypeVar

import psycopg

from loxodon.errors import BusyStoreError, StoreError, UnknownOutcomeError, UnreachableStoreError
from loxodon.store.driver import (
    LOCK_SECONDS,
    Driver,
    Part,
    Row,
    Statement,
    half_character,
    statements,
)
from loxodon.store.postgres import migrations, pool
from loxodon.store.postgres.errors import deleted, is_lost, shown
from loxodon.store.postgres.errors import translated as store_error
from loxodon.store.postgres.pool import Session
from loxodon.store.walls import Wall

_TRIES = 5  # how often a server is asked what became of a transaction that it may still be at
_AWAY_SECONDS = 10.0  # how long a standby that did not answer is left alone
_MARKS = 20  # how many of its last writes a space keeps the marks of
_MARK_LENGTH = 8
_UNCHANGING = 20_000
_PENDING = 500
_Result = TypeVar("_Result")


class _Thread(threading.local):
    """The transaction that a thread is in."""

    def __init__(self) -> None:
        self.end()

    def end(self) -> None:
        self.mode = ""
        self.connection: Session | None = None
        self.at = ""  # the URL of its server
        self.wall: Wall | None = None  # where another was put up within it
        self.memo: dict[Hashable, Any] = {}
        self.unchanging: tuple[int, dict[Hashable, Any]] = (-1, {})
        self.is_past = self.is_spoilt = False


def _of_thread(name: str) -> Any:
    return property(
        lambda self: getattr(self._thread, name),
        lambda self, value: setattr(self._thread, name, value),
    )


class PostgresDatabase(Driver):
    """A space for one process; its threads take turns to write."""

    _mode = _of_thread("mode")
    _memo = _of_thread("memo")
    _connection = _of_thread("connection")
    _at = _of_thread("at")
    _is_past = _of_thread("is_past")
    _is_spoilt = _of_thread("is_spoilt")
    """Whether a part of this transaction was undone (`pool.end`)."""

    def __init__(self, url: str, space: str, replica: str = "") -> None:
        """`replica` is the URL of a standby that reads may go to."""
        self._thread = _Thread()
        super().__init__(shown(url), "postgres")
        self.url = url
        self._replica = replica
        self._replica_from = 0.0
        self._unchanging: tuple[int, dict[Hashable, Any]] = (-1, {})
        """A version of the space, and what was read of it."""
        self._changes = 0
        self._depth = 0
        self._counted: dict[str, int] = {}
        """The counters as they are for this write, as far as it has asked."""
        self._owed: set[str] = set()  # those that are not put down yet
        self._pipelines = ExitStack()
        self._pipeline: psycopg.Pipeline
        self._pending: list[psycopg.RawCursor[Row]] = []
        migrations.ensure(url)
        self.id = self._asked(lambda one: _space_id(one, space))
        self._role = self._asked(lambda one: pool.role_of(url, one))

    def _asked(self, ask: Callable[[Session], _Result]) -> _Result:
        """What `ask` finds out beside any transaction."""
        return pool.asked(self.url, ask)

    def _directory(self, statement: str) -> Row | None:
        """What is known of the space, beside any transaction."""
        sql = self.sql[statement]
        return self._asked(lambda one: one.execute(sql, [self.id]).fetchone())

    # Transactions

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self._mode:
            yield
            return
        self._begin()
        self._mode, self._memo = "reading", {}
        try:
            yield
        finally:
            self._let_go()

    @contextmanager
    def writing(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        if self._mode == "reading":
            raise RuntimeError("a write cannot begin within a read: it would be undone with it")
        if self._mode:
            with self._nested():
                yield
            return
        # Not zero, which would be a read.
        seconds = min(max(seconds, 0.001), pool.settings(self.url).lock_timeout)
        if not self._turn.acquire(timeout=seconds):
            raise BusyStoreError(
                "{path} did not finish in time: {reason}",
                hint="nothing of this call was stored; try again later",
                path=self.path,
                reason="another call writes",
            )
        try:
            yield from self._write(seconds)
        finally:
            self._turn.release()

    def _write(self, seconds: float) -> Iterator[None]:
        """The turn of a writer."""
        self._begin(seconds)
        self._mode = "writing"
        self.changed.clear()
        self._changes, kept = 0, False
        try:
            yield
            if self._has_changed() and self.before_commit is not None:
                self.before_commit()
            self._commit()
            kept = True
        finally:
            self._counted, self._owed = {}, set()
            self._leave_pipeline()
            self._let_go(undo=not kept)

    @contextmanager
    def _nested(self) -> Iterator[None]:
        wall = self.wall
        counted, owed = dict(self._counted), set(self._owed)
        self._depth += 1
        name = f"inner_{self._depth}"
        self._send(f"SAVEPOINT {name}")
        try:
            yield
            self._send(f"RELEASE SAVEPOINT {name}")
            self._catch_up()
        except BaseException:
            self._leave_pipeline()
            self._is_spoilt = True
            connection = self._held()
            if not connection.closed:
                with self._translating():
                    connection.execute(f"ROLLBACK TO SAVEPOINT {name}; RELEASE SAVEPOINT {name}")
                    self._enter_pipeline()
            self.wall = wall  # whose settings went back with the rest
            self._counted, self._owed = counted, owed
            raise
        finally:
            self._depth -= 1

    def _begin(self, lock_seconds: float = 0.0) -> None:
        """Begin a transaction, on another connection where the first are lost; one that waits for
        the lock of writers writes."""
        self._check_usable()
        reading = not lock_seconds
        if reading and self._replica and self._begin_at_replica():
            return
        sql = pool.begin(self.id, self.wall, self._role, reading=reading, lock_seconds=lock_seconds)
        self._follow(pool.patiently(self.url, lambda: self._begin_at(self.url, sql)))
        if not reading:
            self._enter_pipeline()

    def _begin_at(self, url: str, sql: str) -> Row | None:
        """Begin a transaction at a server; what is known of the space there."""
        connection = pool.taken(url)
        try:
            cursor = connection.execute(sql)
            while cursor.nextset():
                pass
            row = cursor.fetchone()
        except BaseException as error:
            pool.end(connection, undo=True)
            pool.returned(url, connection)
            if isinstance(error, psycopg.Error):
                raise store_error(error, shown(url)) from None
            raise
        self._connection, self._at = connection, url
        return row

    def _begin_at_replica(self) -> bool:
        """Begin a read at the standby, unless it is away, or behind with this space.

        What the primary says of the space is one row of its index. So whoever has written reads
        their own writes, whichever server they were made through.
        """
        if time.monotonic() < self._replica_from:
            return False
        newest = self._directory("space_version")
        sql = pool.begin(self.id, self.wall, self._role, reading=True)
        try:
            row = self._begin_at(self._replica, sql)
        except StoreError:
            self._replica_from = time.monotonic() + _AWAY_SECONDS
            return False
        if row is None or newest is None or row[0] < newest[0]:
            self._let_go()
            return False
        self._follow(row)
        return True

    def _follow(self, row: Row | None) -> None:
        """What was read before is void where someone has written since."""
        if row is None:
            self._let_go()
            raise deleted(self.path)
        version = int(row[0])
        if version > self._unchanging[0]:
            self._unchanging = version, {}
        newest = self._unchanging  # a standby that is behind has its own
        self._thread.unchanging = newest if newest[0] == version else (version, {})

    def _has_changed(self) -> bool:
        """Whether this transaction has changed anything so far."""
        if not self._changes:
            self._catch_up()
        return self._changes > 0

    def _commit(self) -> None:
        """Commit; where the answer is lost, ask what became of it."""
        if not self._changes:
            return  # nothing to keep
        self._put_down()
        mark = os.urandom(_MARK_LENGTH // 2).hex()
        ((version, xid),) = self._execute(self.sql["count_write"], (mark, self.id))
        self.read_anew()
        try:
            self._cursor().execute("COMMIT")
            self._pipeline.sync()
        except psycopg.Error as error:
            if not is_lost(error) or not self._was_kept(mark, version, xid):
                raise store_error(error, self.path) from None

    def _was_kept(self, mark: str, version: int, xid: str) -> bool:
        """Whether a transaction was committed whose end nobody heard of."""
        for _ in range(_TRIES):
            try:
                if not self._asked(lambda one: _is_running(one, xid)):
                    found = self._directory("recent_writes")
                    if found is None:  # the space was deleted
                        return False
                    if mark in found[1].split():
                        return True
                    if found[0] < version + _MARKS:  # else it may have been there
                        return False
                    break
            except StoreError:
                break
            pool.pause()  # the server is about to notice that it lost us
        raise UnknownOutcomeError(
            "the connection to {path} was lost while this was being stored",
            hint="it may be stored or not: repeat it when the server is back; what has the same "
            "id is not stored twice",
            path=self.path,
        )

    def _let_go(self, *, undo: bool = False) -> None:
        connection, at, spoilt = self._connection, self._at, self._is_spoilt
        self._thread.end()
        if connection is not None:
            pool.end(connection, undo=undo or spoilt)
            pool.returned(at, connection)

    # The pipeline

    def _enter_pipeline(self) -> None:
        self._pipeline = self._pipelines.enter_context(self._held().pipeline())

    def _leave_pipeline(self) -> None:
        """What it still had to tell does not matter: the transaction is undone, or committed."""
        self._pending.clear()
        with suppress(psycopg.Error):
            self._pipelines.close()

    def _catch_up(self) -> None:
        """Hear of all that was sent, and count what it changed."""
        with self._translating():
            self._pipeline.sync()
        self._changes += sum(cursor.rowcount > 0 for cursor in self._pending)
        self._pending.clear()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise store_error(error, self.path) from None
        except UnicodeEncodeError:
            raise half_character() from None

    # Counters

    def take(self, counter: str, count: int) -> int:
        if self._mode != "writing":
            with self.writing():
                return self.take(counter, count)
        if counter not in self._counted:
            found: dict[str, int] = dict(self._execute(self.sql["counters_of"], (counter,)))
            self._counted = {counter: 0, **found, **self._counted}
        self._counted[counter] += count
        self._owed.add(counter)
        self._changes += 1
        return self._counted[counter]

    def _put_down(self) -> None:
        """Put the counters down, so that others find them."""
        owed = {name: self._counted[name] for name in sorted(self._owed)}
        self._owed, self._counted = set(), {}
        if owed:
            self._send(self.sql["put_numbers"], ([*owed], [*owed.values()]))

    def _settle_counters(self, sql: str) -> None:
        """A statement on the counters finds them as they are, and may change them."""
        if self._mode == "writing" and self._counted and "counters" in sql:
            self._put_down()

    # Statements

    def _marked(self, text: str) -> str:
        """A text with question marks, with numbers in their places; none of ours has one in it."""
        pieces = text.split("?")
        return "".join(f"${n}{piece}" if n else piece for n, piece in enumerate(pieces))

    def all(self, statement: str, values: Sequence[Any] = (), **parts: Part) -> list[Row]:
        sql = self.statement(statement, parts)
        self._settle_counters(sql)
        if not self._mode:
            return self._alone(sql, values)
        with self._as_meant(sql):
            return self._execute(sql, values)

    def run(self, statement: str, values: Sequence[Any] = (), **parts: Part) -> None:
        if self._mode != "writing":
            self.all(statement, values, **parts)
            return
        sql = self.statement(statement, parts)
        self._settle_counters(sql)
        with self._as_meant(sql):
            self._send(sql, values)
        if len(self._pending) > _PENDING:
            self._catch_up()

    def _send(self, sql: str, values: Sequence[Any] = ()) -> None:
        cursor = self._cursor()
        with self._translating():
            cursor.execute(sql, _storable(values))
        self._pending.append(cursor)

    def many(self, statement: str, values: Iterable[Sequence[Any]], **parts: str) -> None:
        rows = list(values)
        if not rows:
            return
        sql = self.statement(statement, parts)
        if not self._mode:
            with self.writing():
                self.many(sql, rows)
            return
        self._settle_counters(sql)
        cursor = self._cursor()
        with self._as_meant(sql), self._translating():
            cursor.executemany(sql, map(_storable, rows))
        self._pending.append(cursor)

    def _alone(self, sql: Statement, values: Sequence[Any]) -> list[Row]:
        """A statement outside a transaction: a read is repeated where its connection is lost."""
        if sql.writes:
            with self.writing():
                if "RETURNING" in sql:
                    return self.all(sql, values)
                self.run(sql, values)
                return []
        for left in (True, False):
            try:
                with self.reading():
                    return self.all(sql, values)
            except UnreachableStoreError:
                if not left:
                    raise
        raise AssertionError

    def _execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        cursor = self._cursor()
        with self._translating():
            rows = cursor.execute(sql, _storable(values)).fetchall()
        if cursor.rowcount > 0 and not (cursor.statusmessage or "").startswith("SELECT"):
            self._changes += 1
        return rows

    def _held(self) -> Session:
        connection: Session | None = self._connection
        if connection is None:
            self._check_usable()
            raise RuntimeError("no transaction")
        return connection

    def _cursor(self) -> psycopg.RawCursor[Row]:
        cursor = self._held().cursor(binary=True)
        assert isinstance(cursor, psycopg.RawCursor)  # noqa: S101
        return cursor

    # What is remembered

    @property
    def unchanging(self) -> dict[Hashable, Any]:
        """From one read to the next, until someone writes."""
        if self._mode != "reading":
            return {}
        version, known = self._thread.unchanging
        if len(known) > _UNCHANGING:
            self._unchanging = self._thread.unchanging = version, {}
        return self._thread.unchanging[1]

    def read_anew(self) -> None:
        """What was read is void, though nobody has written."""
        self._unchanging = self._thread.unchanging = -1, {}

    # Walls

    @property
    def wall(self) -> Wall:
        """That of the thread's transaction, or else the one that all begin with."""
        return self._thread.wall or self._wall

    @wall.setter
    def wall(self, wall: Wall) -> None:
        if self._mode:
            self._thread.wall = wall
        else:
            self._wall = wall

    def stand_behind(self, wall: Wall) -> None:
        if self._mode:
            for line in pool.walled(wall):
                self._cursor().execute(line)
        self.wall, self._memo = wall, {}
        self.read_anew()

    def past_wall(self) -> AbstractContextManager[None]:
        return self._past() if self.wall.stands and self._mode else nullcontext()

    def _as_meant(self, sql: Statement) -> AbstractContextManager[None]:
        """What a statement runs in: past the wall, where it says so."""
        return self.past_wall() if self.wall.stands and sql.past else nullcontext()

    @contextmanager
    def _past(self) -> Iterator[None]:
        before, self._is_past = self._is_past, True
        if not before:
            self._set_past("on")
        try:
            yield
        finally:
            self._is_past = before
            if not before:
                self._set_past("")

    def _set_past(self, value: str) -> None:
        """A transaction that has failed takes it back by itself."""
        with suppress(StoreError), self._translating():
            self._cursor().execute(f"SET LOCAL loxodon.past = '{value}'")

    def as_half(self, vector: bytes) -> bytes:
        return pool.Half(vector)

    def close(self) -> None:
        self._closed = True


def _is_running(connection: Session, xid: str) -> bool:
    """Whether a transaction has not ended yet; one that a crash took may be of the future."""
    try:
        row = connection.execute(statements("postgres")["transaction_status"], [xid]).fetchone()
    except psycopg.errors.InvalidParameterValue:
        return False
    return row is not None and row[0] == "in progress"


def _space_id(connection: Session, name: str) -> int:
    """The number of a space, which is made where it is not there."""
    sql = statements("postgres")
    row = connection.execute(sql["space_named"], [name]).fetchone()
    if row is None:
        connection.execute(sql["make_space"], [name])
        row = connection.execute(sql["space_named"], [name]).fetchone()
    assert row is not None  # noqa: S101
    return int(row[0])


def _storable(values: Iterable[Any]) -> list[Any]:
    """Values without NUL, which PostgreSQL has no room for; texts with one are refused before."""
    return [one.replace("\0", "\ufffd") if isinstance(one, str) else one for one in values]
