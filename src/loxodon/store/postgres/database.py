"""One space of a PostgreSQL database: transactions bound to it.

A read is one snapshot (REPEATABLE READ). The writers of a space take turns by an advisory lock.
What is lost with its connection before COMMIT was sent is certainly undone, and the error says
so; where COMMIT was sent and no answer came, it says that it may be stored or not. The threads
of a process read at once, each on a connection of its own, and write one by one.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import psycopg

from loxodon import errors
from loxodon.config import without_password
from loxodon.store import driver
from loxodon.store.driver import Driver, Part, Row
from loxodon.store.postgres import migrations, pool
from loxodon.store.postgres.fulltext import PostgresFullText
from loxodon.store.walls import Wall


class _Thread(threading.local):
    def __init__(self) -> None:
        self.end()

    def end(self) -> None:
        self.mode = ""
        self.connection: pool.Session | None = None
        self.wall: Wall | None = None  # where another was put up within it
        self.memo: dict[Hashable, Any] = {}
        self.is_past = False
        self.is_spoilt = False  # whether a part of it was undone (`pool.end`)
        self.changes = self.depth = 0


def _of_thread(name: str) -> Any:
    return property(
        lambda self: getattr(self._thread, name),
        lambda self, value: setattr(self._thread, name, value),
    )


class PostgresDatabase(Driver):
    """A space for one process; its threads take turns to write."""

    _mode = _of_thread("mode")
    _memo = _of_thread("memo")

    def __init__(self, url: str, space: str) -> None:
        self._thread = _Thread()
        super().__init__(without_password(url), "postgres")
        self.text = PostgresFullText(self)
        self.url, self._space = url, space
        migrations.ensure(url)
        self.id = pool.asked(url, lambda one: _space_id(one, space))
        self._role = pool.role_of(url)

    def another(self) -> PostgresDatabase:
        return PostgresDatabase(self.url, self._space)

    def size(self) -> int:
        """The bytes of its texts: what a space takes up of shared tables cannot be told apart."""
        return int(self.value("space_size"))

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
    def writing(self, seconds: float = driver.LOCK_SECONDS) -> Iterator[None]:
        if self._mode == "reading":
            raise RuntimeError("a write cannot begin within a read: it would be undone with it")
        if self._mode:
            with self._nested():
                yield
            return
        # Not zero, which would be a read.
        seconds = min(max(seconds, 0.001), pool.settings(self.url).lock_timeout)
        if not self._turn.acquire(timeout=seconds):
            raise errors.BusyStoreError(
                "{path} did not finish in time: {reason}",
                hint="nothing of this call was stored; try again later",
                path=self.path,
                reason="another call writes",
            )
        kept = False
        try:
            self._begin(seconds)
            self._mode = "writing"
            self.changed.clear()
            yield
            if self._thread.changes:
                if self.before_commit is not None:
                    self.before_commit()
                self._commit()
            kept = True
        finally:
            self._let_go(undo=not kept)
            self._turn.release()

    @contextmanager
    def _nested(self) -> Iterator[None]:
        wall, thread = self.wall, self._thread
        thread.depth += 1
        name = f"inner_{thread.depth}"
        self._execute(f"SAVEPOINT {name}")
        try:
            yield
            self._execute(f"RELEASE SAVEPOINT {name}")
        except BaseException:
            thread.is_spoilt = True
            if not self._held().closed:
                self._execute(f"ROLLBACK TO SAVEPOINT {name}")
                self._execute(f"RELEASE SAVEPOINT {name}")
            self.wall = wall  # whose settings went back with the rest
            raise
        finally:
            thread.depth -= 1

    def _begin(self, lock_seconds: float = 0.0) -> None:
        """Begin a transaction, on another connection where the first are lost."""
        self._check_usable()
        sql = pool.begin(self.id, self.wall, self._role, lock_seconds=lock_seconds)
        self._thread.connection, row = pool.begun(self.url, sql)
        if row is None:
            self._let_go()
            raise errors.DeletedSpaceError(
                "the space was deleted from {path}", hint="open it again", path=self.path
            )

    def _commit(self) -> None:
        self._execute(self.sql["count_write"], (self.id,))
        try:
            self._held().execute("COMMIT")
        except psycopg.Error as error:
            if not pool.is_lost(error):
                raise pool.translated(error, self.path) from None
            raise errors.UnknownOutcomeError(
                "the connection to {path} was lost while this was being stored",
                hint="it may be stored or not: repeat it when the server is back; what has the "
                "same id is not stored twice",
                path=self.path,
            ) from None

    def _let_go(self, *, undo: bool = False) -> None:
        connection, spoilt = self._thread.connection, self._thread.is_spoilt
        self._thread.end()
        if connection is not None:
            pool.end(connection, undo=undo or spoilt)
            pool.returned(self.url, connection)

    # Statements

    def _marked(self, text: str) -> str:
        """A text with question marks, with numbers in their places; none of ours has one in it."""
        pieces = text.split("?")
        return "".join(f"${n}{piece}" if n else piece for n, piece in enumerate(pieces))

    def all(self, statement: str, values: Sequence[Any] = (), **parts: Part) -> list[Row]:
        sql = self.statement(statement, parts)
        if not self._mode:
            with self.writing() if sql.writes else self.reading():
                return self.all(sql, values)
        with self.past_wall() if sql.past else nullcontext():
            return self._execute(sql, values)

    def many(self, statement: str, values: Iterable[Sequence[Any]], **parts: str) -> None:
        rows = [_storable(row) for row in values]
        if not rows:
            return
        sql = self.statement(statement, parts)
        with nullcontext() if self._mode else self.writing():
            with self.past_wall() if sql.past else nullcontext(), self._translating():
                cursor = self._cursor()
                cursor.executemany(sql, rows)
            self._thread.changes += cursor.rowcount > 0

    def _execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        with self._translating():
            cursor = self._cursor()
            cursor.execute(sql, _storable(values))
            rows = cursor.fetchall() if cursor.description else []
        if cursor.rowcount > 0 and not (cursor.statusmessage or "").startswith("SELECT"):
            self._thread.changes += 1
        return rows

    def _held(self) -> pool.Session:
        if self._thread.connection is None:
            self._check_usable()
            raise RuntimeError("no transaction")
        return self._thread.connection

    def _cursor(self) -> psycopg.Cursor[Row]:
        return self._held().cursor(binary=True)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise pool.translated(error, self.path) from None
        except UnicodeEncodeError:
            raise driver.half_character() from None

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
        for line in pool.walled(wall) if self._mode else ():
            self._execute(line)
        self.wall, self._memo = wall, {}

    @contextmanager
    def past_wall(self) -> Iterator[None]:
        if self._thread.is_past or not (self.wall.stands and self._mode):
            yield
            return
        self._thread.is_past = True
        self._execute("SET LOCAL loxodon.past = 'on'")
        try:
            yield
        finally:
            self._thread.is_past = False
            with suppress(
                errors.StoreError
            ):  # a transaction that has failed takes it back by itself
                self._execute("SET LOCAL loxodon.past = ''")

    def as_half(self, vector: bytes) -> bytes:
        return pool.Half(vector)

    def close(self) -> None:
        self._closed = True


def _space_id(connection: pool.Session, name: str) -> int:
    """The number of a space, which is made where it is not there."""
    sql = driver.statements("postgres")
    while not (rows := connection.execute(sql["space_named"], [name]).fetchall()):
        connection.execute(sql["make_space"], [name])
    return int(rows[0][0])


def _storable(values: Iterable[Any]) -> list[Any]:
    """Values without NUL, which PostgreSQL has no room for; texts with one are refused before."""
    return [one.replace("\0", "\ufffd") if isinstance(one, str) else one for one in values]
