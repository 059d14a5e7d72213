"""One SQLite file: opening it safely, transactions that wait in turn, errors that say what to do.

WAL with synchronous=FULL, because an acknowledged turn must survive the power going off. Every
write begins IMMEDIATE behind a lock between processes. A file that is not ours, or that a newer
Loxodon wrote, is refused before anything in it is touched.

Walls are views (`sql/sqlite/walls.sql`). A view has the name of a table and stands in the
connection's own `temp` schema, where SQLite looks first: every query meets it, and what is not to
be seen is as if it were not there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from errno import ENOSPC
from functools import cache
from threading import RLock
from typing import Any

import apsw

from loxodon.errors import (
    DamagedStoreError,
    LoxodonError,
    StoreError,
    busy,
    disk_errors,
    unwritable,
)
from loxodon.filelock import FileLock, at_fork
from loxodon.messages import t
from loxodon.store import driver
from loxodon.store.driver import Driver, Part, Row
from loxodon.store.search import TABLES
from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.fulltext import SqliteFullText
from loxodon.store.walls import Wall, documents_of, path_of

APPLICATION_ID = 0x4C4F5844  # "LOXD"
BUSY_MS = 30_000
_LITTLE_ROOM = 1 << 18  # bytes; SQLite takes 32 KiB at a time for what processes share
_PRAGMAS = (
    "synchronous=FULL",
    "fullfsync=ON",
    "foreign_keys=ON",
    "cache_size=-65536",
    "secure_delete=ON",
    f"journal_size_limit={64 << 20}",
)
_INDEXES = tuple(table.name for table in TABLES.values())
_NAMED = re.compile(r"(?:index|table) (?:main\.)?(\w+)$")
_TREE = re.compile(r"^Tree (\d+) ")
_SEALS = "SELECT name FROM sqlite_schema WHERE type = 'index' AND name GLOB '*_sealed'"

# Files that this process must not open: it was forked while its parent was at them
_CUT_OFF: set[tuple[int, int]] = set()


class Database(Driver):
    """A connection to the file of a space for one process; its threads take turns."""

    def __init__(self, path: str, keys: cipher.Keys = ()) -> None:
        """`keys` open a file that is encrypted, and the first of them encrypts a new one."""
        super().__init__(path, "sqlite")
        self.text = SqliteFullText(self)
        self._keys = keys
        self._views: Mapping[str, str] = {}
        with disk_errors(path):
            self._lock = FileLock(os.path.splitext(path)[0] + ".lock")
        try:
            self._handle: apsw.Connection | None = self._connect()
        except BaseException:
            self._lock.close()
            raise
        at_fork(self)

    def another(self) -> Database:
        return Database(self.path, self._keys)

    def after_fork(self) -> None:
        """Give the connection up; the child gets one of its own when it needs it.

        SQLite keeps one list of locks for all connections of a process to a file, and would take
        the parent's for ours. One that is not at rest must never be touched, nor its file
        opened."""
        if self._handle is not None:
            if not self._mode and self._turn.acquire(blocking=False):  # no thread was at it
                self._handle.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                let_go(self._handle)
            else:
                import ctypes  # so that it is never destroyed: that would act on the parent's

                ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._handle))
                _CUT_OFF.add(self._inode)
        self._handle = None
        self._turn = RLock()
        self._mode = ""

    @property
    def _connection(self) -> apsw.Connection:
        if self._handle is None:
            self._check_usable()
            self._handle = self._connect()
            self.generation += 1
        return self._handle

    def _connect(self) -> apsw.Connection:
        connection = None
        try:
            if not os.path.exists(self.path):
                # SQLite would let everybody read what it makes.
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._inode = _inode(self.path)
            self._check_usable()
            connection = cipher.connect(self.path, self._keys)
            if self._keys and not os.path.exists(f"{self.path}.check"):
                cipher.put_check(self.path, self._keys[:1])
            connection.set_busy_timeout(BUSY_MS)
            if self._recognise(connection) < len(driver.migrations("sqlite")):
                self._migrate(connection)
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}").fetchall()
            _put_up(connection, {}, self._views)
            for index in _INDEXES:  # its words with the rows that have them
                made = f"CREATE VIRTUAL TABLE temp.{index}_words "
                connection.execute(f"{made} USING fts5vocab(main, {index}, instance)")
        except apsw.Error as error:
            if connection is not None:
                let_go(connection)
            raise self._translated(error) from None
        except OSError as error:
            raise unwritable(self.path, error) from None
        return connection

    def _recognise(self, connection: apsw.Connection) -> int:
        """The schema version of the file, 0 for an empty one; refuses what is not ours."""
        # One statement, so one view: another process may be making the schema right now.
        ((application, version, tables),) = connection.execute(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) "
            "FROM pragma_application_id, pragma_user_version"
        )
        if application != APPLICATION_ID:
            ours = "SELECT 1 FROM sqlite_schema WHERE name = 'memory_sources'"
            if connection.execute(ours).fetchone():
                raise cipher.damaged(self.path, StoreError("its application id was changed"))
            if application or tables:
                raise DamagedStoreError(
                    "{path} is an SQLite database, but not a Loxodon one",
                    hint="choose another home with --home; nothing was changed here",
                    path=self.path,
                )
            return 0
        if version > len(driver.migrations("sqlite")):
            raise driver.newer(self.path, version, len(driver.migrations("sqlite")))
        return int(version)

    def _migrate(self, connection: apsw.Connection) -> None:
        """Bring the schema up to date, each step in a transaction of its own."""
        lock = self._wait_for_turn()
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchall()
            # The row checksums of earlier versions need a function that is gone.
            for (name,) in connection.execute(_SEALS).fetchall():
                connection.execute(f'DROP INDEX "{name}"')
            with suppress(OSError):  # how many writes there were, beside the file
                os.unlink(f"{os.path.splitext(self.path)[0]}.mark")
            known = driver.migrations("sqlite")
            for number in range(self._recognise(connection) + 1, len(known) + 1):
                with open(known[number - 1], encoding="utf-8") as file:
                    script = file.read()
                connection.execute(
                    f"BEGIN IMMEDIATE; {script}; PRAGMA application_id={APPLICATION_ID};"
                    f"PRAGMA user_version={number}"
                ).fetchall()
                connection.execute("COMMIT")
        except BaseException:
            _undo(connection)
            raise
        finally:
            lock.release()

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._turn:
            if self._mode:
                yield
                return
            self._check_usable()
            self.run("BEGIN")
            self._mode, self._memo = "reading", {}
            try:
                yield
            finally:
                self._mode, self._memo = "", {}
                _undo(self._handle)

    @contextmanager
    def writing(self, seconds: float = driver.LOCK_SECONDS) -> Iterator[None]:
        with self._turn:
            if self._mode == "reading":
                raise RuntimeError("a write cannot begin within a read: it would be undone with it")
            if self._mode:
                try:
                    with self._connection:  # a savepoint
                        yield
                except apsw.Error as error:  # it is gone: the whole was undone by an I/O error
                    raise self._translated(error) from None
                return
            self._check_usable()
            lock = self._wait_for_turn(seconds)
            try:
                self.run("BEGIN IMMEDIATE")
                self._mode = "writing"
                self.changed.clear()
                changes = self._connection.total_changes()
                try:
                    yield
                    if self.before_commit and changes != self._connection.total_changes():
                        self.before_commit()
                    self.run("COMMIT")
                except BaseException:
                    _undo(self._handle)
                    raise
                finally:
                    self._mode = ""
            finally:
                lock.release()

    @contextmanager
    def alone(self) -> Iterator[apsw.Connection]:
        """The connection, while nobody else writes and no transaction is open."""
        with self._turn, self._translating():
            self._check_usable()
            lock = self._wait_for_turn()
            try:
                self._follow()
                yield self._connection
            finally:
                lock.release()

    def _follow(self) -> None:
        """Open the file anew where another was put in its place in the moment it was opened."""
        if self._closed or self._connection.in_transaction:
            return
        found = _inode(self.path)
        if any(found) and found != self._inode:
            self._connection.close()
            self._handle = self._connect()
            self.generation += 1

    def _wait_for_turn(self, seconds: float = driver.LOCK_SECONDS) -> FileLock:
        if not self._lock.acquire(min(seconds, self.patience)):
            raise busy(self.path)
        return self._lock

    def _check_usable(self) -> None:
        super()._check_usable()
        if self._inode in _CUT_OFF:
            raise StoreError(
                "this process was forked while {path} was in use",
                hint="fork before or after that, or start a new process (spawn)",
                path=self.path,
            )

    def all(self, statement: str, values: Sequence[Any] = (), **parts: Part) -> list[Row]:
        with self._turn, self._translating():
            if not self._mode:
                self._follow()
            return self._connection.execute(self.statement(statement, parts), values).fetchall()

    def many(self, statement: str, values: Iterable[Sequence[Any]], **parts: str) -> None:
        with self._turn, self._translating():
            self._connection.executemany(self.statement(statement, parts), values).fetchall()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except (apsw.Error, UnicodeError) as error:
            raise self._translated(error) from None

    def _variant(self, name: str) -> str:
        walled = f"{name}/walled"
        return walled if self._views and walled in self.sql else name

    def stand_behind(self, wall: Wall) -> None:
        views = views_of(wall)
        with self._turn:
            _put_up(self._connection, self._views, views)
            self._views = views
            self.wall = wall
            self._memo = {}

    def size(self) -> int:
        paths = (self.path, f"{self.path}-wal")
        return sum(os.path.getsize(path) for path in paths if os.path.exists(path))

    def integrity(self, most: int) -> Iterator[tuple[str, str]]:
        from loxodon.store.sqlite.copying import expected_schema

        schema = set(self.all("SELECT type, name, sql FROM sqlite_schema"))
        for _, name, _ in sorted(expected_schema() - schema, key=str)[:most]:
            yield name, t("its definition is wrong")
        broken = False
        for name in _INDEXES:
            # Asked first, so that this connection knows what others have changed in it.
            try:
                self.run(f"SELECT 1 FROM {name} WHERE {name} MATCH 'a' LIMIT 1")
            except StoreError as error:
                broken = True
                yield name, error.localized()[0]
        if broken:  # the check would give up there
            return
        read = self.all("SELECT rootpage, name FROM sqlite_schema WHERE rootpage")
        roots: dict[int, str] = dict(read)
        for (lines,) in self.all(f"PRAGMA integrity_check({most * 5})"):
            for line in lines.splitlines():
                if line not in ("ok", "*** in database main ***"):
                    tree, named = _TREE.match(line), _NAMED.search(line)
                    yield roots.get(int(tree[1]), "") if tree else named[1] if named else "", line
        for table, row, parent, _ in self.all("PRAGMA foreign_key_check")[:most]:
            yield table, t("row {row} refers to a missing row of {parent}", row=row, parent=parent)

    def compact(self) -> bool:
        # `secure_delete` writes zeros over most of what a table lets go of. What a page of the file
        # moved aside when it was split or filled is not: only a file that is written anew has
        # nothing of it, once the log is cut too.
        self.run("VACUUM")
        ((busy, *_),) = self.all("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy

    def close(self) -> None:
        with self._turn:
            if not self._closed:
                self._closed = True
                if self._handle is not None:
                    let_go(self._handle)
                    self._handle = None
                self._lock.close()

    def _translated(self, error: apsw.Error | UnicodeError) -> LoxodonError:
        if isinstance(error, UnicodeEncodeError):
            return driver.half_character()
        if isinstance(error, UnicodeError):
            return cipher.damaged(self.path, str(error))
        if isinstance(error, apsw.ConnectionClosedError):
            self._check_usable()
        if isinstance(error, apsw.NotADBError):
            return cipher.explained(self.path, self._keys)
        return store_error(error, self.path)


def store_error(error: apsw.Error, path: str, reason: str = "") -> StoreError:
    """An error of SQLite as one of ours; `reason` stands for what SQLite says of it."""
    reason = reason or str(error).removeprefix(f"{type(error).__name__}: ")
    if isinstance(error, apsw.CorruptError):
        return cipher.damaged(path, reason)
    if isinstance(error, apsw.FullError) or (isinstance(error, apsw.IOError) and _is_full(path)):
        return unwritable(path, OSError(ENOSPC, reason))
    if isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError):
        return unwritable(path, reason)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return busy(path)
    return driver.unusable(path, reason)


def _is_full(path: str) -> bool:
    """Whether there is no room beside a file: of its shared memory SQLite says `disk I/O error`."""
    from shutil import disk_usage  # takes a while, and is seldom asked

    return os.path.exists(path) and disk_usage(os.path.dirname(path)).free < _LITTLE_ROOM


def _undo(connection: apsw.Connection | None) -> None:
    """End a transaction without keeping it, where SQLite has not done so at an I/O error."""
    if connection is not None and connection.in_transaction:
        with suppress(apsw.Error):  # one that says why is on its way already
            connection.execute("ROLLBACK")


def let_go(connection: apsw.Connection) -> None:
    with suppress(apsw.Error):  # what could not be taken out of the log is safe there
        connection.close()


def _put_up(
    connection: apsw.Connection, before: Mapping[str, str], views: Mapping[str, str]
) -> None:
    for name in {**before, **views}:  # those too that an undone transaction brought back
        connection.execute(f"DROP VIEW IF EXISTS temp.{name}")
    if views and not connection.in_transaction:  # nothing of it in other files
        connection.execute("PRAGMA temp_store=MEMORY").fetchall()
    for name, select in views.items():
        connection.execute(f"CREATE TEMP VIEW {name} AS {select}")


def views_of(wall: Wall) -> Mapping[str, str]:
    kinds = {"alone"} if wall.alone else {"any", "group" if wall.group else "agent"}
    path = path_of(documents_of(wall.agent))
    # '0' comes right after the '/' at the end of a path.
    texts = {"agent": wall.agent, "mark": wall.mark, "path": path, "path_end": f"{path[:-1]}0"}

    def quoted(hole: re.Match[str]) -> str:
        return "'" + texts[hole[1]].replace("'", "''") + "'"

    found = {}
    for one in _walls() if wall.stands else ():
        kind, _, table = one.name.partition("/")
        if one.kind == "name" and kind in kinds:
            found[table] = driver.HOLE.sub(quoted, one.text)
    return found


@cache
def _walls() -> list[driver.Entry]:
    return driver.entries([os.path.join(driver.SQL, "sqlite", "walls.sql")])


def _inode(path: str) -> tuple[int, int]:
    """Which file it is that has this name; nothing where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)
