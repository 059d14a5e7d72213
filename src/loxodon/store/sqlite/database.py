"""One SQLite file: opening it safely, transactions that wait in turn, errors that say what to do.

WAL with synchronous=FULL, because an acknowledged turn must survive the power going off. Every
write begins IMMEDIATE behind a lock between processes. A file that is not ours, or that a newer
Loxodon wrote, is refused before anything in it is touched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import RLock
from time import monotonic
from typing import Any

import apsw

from loxodon.errors import (
    BusyStoreError,
    ForeignStoreError,
    FullStoreError,
    LockedStoreError,
    StoreError,
    unwritable,
)
from loxodon.filelock import FileLock, leave_behind, quiet_at_fork
from loxodon.files import sync_folder
from loxodon.messages import t
from loxodon.store.driver import LOCK_SECONDS, Driver, Part, Row, half_character, newer
from loxodon.store.driver import migrations as all_migrations
from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.cipher import Keys, damaged
from loxodon.store.walls import Wall

APPLICATION_ID = 0x4C4F5844  # "LOXD"

BACKEND = "sqlite"
_BUSY_MS = 30_000
_MOVE_SECONDS = 10.0
_FOLD_MS = 2_000
_FORK_SECONDS = 5.0  # how long a fork waits for other threads that read or write
_WAL_LIMIT = 64 << 20

_PRAGMAS = (
    "synchronous=FULL",
    "fullfsync=ON",
    "foreign_keys=ON",
    "cache_size=-65536",
    "secure_delete=ON",
    f"journal_size_limit={_WAL_LIMIT}",
)

_INDEXES = (
    "turn_index",
    "memory_index",
    "archive_index",
    "segment_index",
    "chunk_index",
    "document_index",
)
"""The full-text indexes. Beside each stands `…_words`: its words with the rows that have them."""

_NAMED = re.compile(r"(?:index|table) (?:main\.)?(\w+)$")
_TREE = re.compile(r"^Tree (\d+) ")

WRITES = "writes"
"""The counter that each write adds one to."""
_OUR_TABLES = """
SELECT count(*) = 3 FROM sqlite_schema WHERE name IN ('turns', 'memories', 'counters')
"""

_CUT_OFF: set[tuple[int, int]] = set()
"""Files that this process must not open: it was forked while its parent was at them."""


class Database(Driver):
    """A connection to the file of a space for one process; its threads take turns."""

    def __init__(self, path: str, keys: Keys = ()) -> None:
        """`keys` open a file that is encrypted, and the first of them encrypts a new one."""
        super().__init__(path, BACKEND)
        self._keys = keys
        self._views: Mapping[str, str] = {}
        self._lock: FileLock | None = None
        # Whether it, or the folder that its log would be in, cannot be written.
        needed = (path, os.path.dirname(path)) if os.path.exists(path) else ()
        self.read_only = not all(os.access(one, os.W_OK) for one in needed)
        try:
            if not self.read_only:
                self._lock = FileLock(os.path.splitext(path)[0] + ".lock")
            self._handle: apsw.Connection | None = self._connect()
        except BaseException as error:
            if self._lock is not None:
                self._lock.close()
            if isinstance(error, OSError):
                raise unwritable(path, error) from None
            raise
        quiet_at_fork(self)

    def before_fork(self) -> bool:
        return self._turn.acquire(timeout=_FORK_SECONDS)

    def go_on(self) -> None:
        self._turn.release()

    def after_fork(self) -> None:
        """Give the connection up without a trace; we get one of our own when we need it.

        SQLite must forget it: it keeps one list of locks for all connections of a process to a
        file, would take the parent's for ours, and our log would be removed under us. That can be
        done to a connection at rest. One that is not must never be touched, nor its file opened.
        """
        if self._handle is not None:
            if not self._mode and self._turn._is_owned():  # type: ignore[attr-defined]
                self._handle.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                let_go(self._handle)
            else:
                leave_behind(self._handle)
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
            if not self.read_only and not os.path.exists(self.path):
                # SQLite would let everybody read what it makes.
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._inode = _inode(self.path)
            self._check_usable()
            connection = self._open_file()
            connection.set_busy_timeout(_BUSY_MS)
            version = self._recognise(connection)
            known = migrations()
            if version < len(known):
                if self.read_only:
                    raise unwritable(self.path, "an older Loxodon wrote it, and it is read-only")
                self._migrate(connection, known)
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}").fetchall()
            _put_up(connection, {}, self._views)
            for index in _INDEXES:
                made = f"CREATE VIRTUAL TABLE temp.{index}_words "
                connection.execute(f"{made} USING fts5vocab(main, {index}, instance)")
        except apsw.Error as error:
            if connection is not None:
                let_go(connection)
            raise self._translated(error) from None
        return connection

    def _open_file(self) -> apsw.Connection:
        if not self.read_only:
            connection = cipher.connect(self.path, self._keys)
            if self._keys and not os.path.exists(f"{self.path}.check"):
                cipher.put_check(self.path, self._keys[:1])
            return connection
        from urllib.parse import quote

        # A copy on a read-only disk can be read, but SQLite must be told not to look for writers.
        uri, flags = f"file:{quote(self.path)}", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        try:
            connection = cipher.connect(f"{uri}?mode=ro", self._keys, flags)
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            connection = cipher.connect(f"{uri}?immutable=1", self._keys, flags)
        return connection

    def _recognise(self, connection: apsw.Connection) -> int:
        """The schema version of the file, 0 for an empty one; refuses what is not ours."""
        # One statement, so one view: another process may be making the schema right now.
        ((application, version, tables),) = connection.execute(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) "
            "FROM pragma_application_id, pragma_user_version"
        )
        if application != APPLICATION_ID:
            (ours,) = connection.execute(_OUR_TABLES).fetchone() or (0,)
            if ours:
                raise damaged(self.path, StoreError("its application id was changed"))
            if application or tables:
                raise ForeignStoreError(
                    "{path} is an SQLite database, but not a Loxodon one",
                    hint="choose another home with --home; nothing was changed here",
                    path=self.path,
                )
            return 0
        if version > len(migrations()):
            raise newer(self.path, version, len(migrations()))
        return int(version)

    def _migrate(self, connection: apsw.Connection, known: Sequence[str]) -> None:
        """Bring the schema up to date, each step in a transaction of its own."""
        lock = self._wait_for_turn()
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchall()
            _unseal(connection, self.path)
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
    def writing(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
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
                    if changes != self._connection.total_changes():
                        self.run(self.sql["take_numbers"], (WRITES, 1))
                        if self.before_commit is not None:
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
        with self._turn:
            self._check_usable()
            lock = self._wait_for_turn()
            try:
                self._follow()
                yield self._connection
            except apsw.Error as error:
                raise self._translated(error) from None
            finally:
                lock.release()

    def _follow(self) -> None:
        """Open the file anew where another was put in its place in the moment it was opened."""
        if self._closed or self.read_only or self._connection.in_transaction:
            return
        found = _inode(self.path)
        if any(found) and found != self._inode:
            self._connection.close()
            self._handle = self._connect()
            self.generation += 1

    def _wait_for_turn(self, seconds: float = LOCK_SECONDS) -> FileLock:
        if self._lock is None:
            raise unwritable(self.path, "it is read-only")
        began = monotonic()
        most = seconds if self.patience is None else min(seconds, self.patience)
        held = self._lock.acquire(most)
        if self.patience is not None:
            self.patience = max(0.0, self.patience - (monotonic() - began))
        if not held:
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
        except apsw.Error as error:
            raise self._translated(error) from None
        except UnicodeEncodeError:
            raise half_character() from None
        except UnicodeDecodeError as error:
            raise damaged(self.path, str(error)) from None

    def _variant(self, name: str) -> str:
        walled = f"{name}/walled"
        return walled if self._views and walled in self.sql else name

    def stand_behind(self, wall: Wall) -> None:
        views: Mapping[str, str] = {}
        if wall.stands:  # imported here: the owner has no use for it
            from loxodon.store.sqlite.views import views_of

            views = views_of(wall)
        with self._turn:
            _put_up(self._connection, self._views, views)
            self._views = views
            self.wall = wall
            self._memo = {}

    def integrity(self, most: int) -> Iterator[tuple[str, str]]:
        from loxodon.store.sqlite.schema import expected_schema

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

    def compact(self) -> None:
        # `secure_delete` writes zeros over most of what a table lets go of. What a page of the file
        # moved aside when it was split or filled is not: only a file that is written anew has
        # nothing of it. A contentless full-text index keeps a deleted row's words until its parts
        # are merged, which was done before (`FullText.scrub`).
        self.run("VACUUM")

    def settle(self) -> bool:
        """What the log still has is gone once it has been taken into the file and cut."""
        ((busy, *_),) = self.all("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy

    def close(self) -> None:
        with self._turn:
            if not self._closed:
                self._closed = True
                if self._handle is not None:
                    let_go(self._handle)
                    self._handle = None
                if self._lock is not None:
                    self._lock.close()

    def _translated(self, error: apsw.Error) -> StoreError:
        if isinstance(error, apsw.ConnectionClosedError):
            self._check_usable()
        if isinstance(error, apsw.NotADBError):
            return cipher.explained(self.path, self._keys)
        return store_error(error, self.path)


def store_error(error: apsw.Error, path: str, reason: str = "") -> StoreError:
    """An error of SQLite as one of ours; `reason` stands for what SQLite says of it."""
    reason = reason or str(error).removeprefix(f"{type(error).__name__}: ")
    if isinstance(error, apsw.CorruptError):
        return damaged(path, reason)
    if isinstance(error, apsw.FullError):
        return FullStoreError(
            "cannot write {path}: the disk is full",
            hint="free some disk space and try again; everything acknowledged is safe",
            path=path,
        )
    if isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError):
        return unwritable(path, reason)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return busy(path)
    return StoreError(
        "cannot use {path}: {reason}",
        hint="run `loxodon validate`; if the error persists, report it with this message",
        path=path,
        reason=reason,
    )


def _undo(connection: apsw.Connection | None) -> None:
    """End a transaction without keeping it, where SQLite has not done so at an I/O error."""
    if connection is not None and connection.in_transaction:
        with suppress(apsw.Error):  # one that says why is on its way already
            connection.execute("ROLLBACK")


def let_go(connection: apsw.Connection) -> None:
    """Close a connection, whatever the disk says to that."""
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


def _unseal(connection: apsw.Connection, path: str) -> None:
    """Drop the row checksums of earlier versions: they need a function that is gone."""
    find = (
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE '%\\_sealed' ESCAPE '\\'"
    )
    for (name,) in connection.execute(find).fetchall():
        connection.execute(f'DROP INDEX "{name}"')
    with suppress(OSError):  # how many writes there were, beside the file
        os.unlink(f"{os.path.splitext(path)[0]}.mark")


def _inode(path: str) -> tuple[int, int]:
    """Which file it is that has this name; nothing where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def busy(path: str) -> BusyStoreError:
    """The error for what another program holds."""
    return BusyStoreError(
        "{path} is locked by another program",
        hint="close that program, or try again later",
        path=path,
    )


def migrations() -> list[str]:
    """The files that make the schema, in order."""
    return all_migrations(BACKEND)


def move_in(new: str, path: str, aside: str, keys: Keys = ()) -> None:
    """Put the database file `new` in the place of `path`; what is there is kept as `aside`.

    Without `aside` it is not kept. Both must be closed: a BusyStoreError where somebody has the
    old one open, and nothing is moved. `keys` are those of the old one.
    """
    from shutil import copyfile

    lock = FileLock(os.path.splitext(path)[0] + ".lock")
    try:
        if not lock.acquire(_MOVE_SECONDS):
            raise busy(path)
        with held(path, keys):
            for end in ("", "-wal", ".check") if aside else ():
                if os.path.exists(path + end):
                    copyfile(path + end, aside + end)
                    os.chmod(aside + end, 0o600)
            for end in ("-wal", "-shm", ".check"):  # those of the old one
                with suppress(FileNotFoundError):
                    os.unlink(path + end)
            if os.path.exists(f"{new}.check"):
                os.replace(f"{new}.check", f"{path}.check")
            os.replace(new, path)
            sync_folder(os.path.dirname(path))
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        lock.close()


@contextmanager
def held(path: str, keys: Keys = ()) -> Iterator[apsw.Connection | None]:
    """Have a database to oneself, its log taken into it; a BusyStoreError where others have it.

    Whoever opens it meanwhile waits. None where there is none, or it cannot be read: then nobody
    can use it.
    """
    connection = _folded(path, keys) if os.path.exists(path) else None
    try:
        yield connection
    finally:
        if connection is not None:
            connection.close()


def leave(connection: apsw.Connection) -> None:
    """Let a database that was `held` have its log again, for others to open."""
    for pragma in ("locking_mode=NORMAL", "journal_mode=WAL"):
        connection.execute(f"PRAGMA {pragma}").fetchall()


def _folded(path: str, keys: Keys) -> apsw.Connection | None:
    try:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI  # to be copied under a key
        connection = cipher.connect(path, keys, flags)
    except apsw.NotADBError:
        if isinstance(why := cipher.explained(path, keys), LockedStoreError):
            raise why from None  # others may have the key
        return None
    except apsw.Error:
        return None
    try:
        connection.set_busy_timeout(_FOLD_MS)
        # Only in this mode does a lock keep everybody out, and is there no log that goes by name.
        # It is kept after the transaction, so that the file can be copied.
        for statement in (
            "PRAGMA locking_mode=EXCLUSIVE",
            "PRAGMA journal_mode=DELETE",
            "BEGIN EXCLUSIVE",
            "COMMIT",
        ):
            connection.execute(statement).fetchall()
    except (apsw.BusyError, apsw.LockedError):
        connection.close()
        raise busy(path) from None
    except apsw.Error:  # it is damaged, or no database
        connection.close()
        return None
    except BaseException:
        connection.close()
        raise
    return connection
