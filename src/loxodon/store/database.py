"""One SQLite file: opening it safely, transactions that wait in turn, errors that say what to do.

WAL with synchronous=FULL, because an acknowledged turn must survive the power going off. Every
write begins IMMEDIATE behind a lock between processes. A file that is not ours, or that a newer
Loxodon wrote, is refused before anything in it is touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

import apsw

from loxodon.errors import (
    BusyStoreError,
    DamagedStoreError,
    ForeignStoreError,
    FullStoreError,
    InputError,
    NewerStoreError,
    StoreError,
    UnwritableStoreError,
)
from loxodon.filelock import FileLock
from loxodon.files import sync_folder

APPLICATION_ID = 0x4C4F5844  # "LOXD"

_FOLDER = os.path.join(os.path.dirname(__file__), "sql", "sqlite")
_BUSY_MS = 30_000
_LOCK_SECONDS = 120.0
_MOVE_SECONDS = 10.0
_FOLD_MS = 2_000
_WAL_LIMIT = 64 << 20

_PRAGMAS = (
    "synchronous=FULL", "fullfsync=ON", "foreign_keys=ON", "cache_size=-65536",
    "secure_delete=ON", f"journal_size_limit={_WAL_LIMIT}",
)  # fmt: skip

Row = tuple[Any, ...]


class Database:
    """A connection for one process; its threads take turns."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._turn = RLock()
        self._mode = ""  # or "reading", "writing"
        self._closed = False
        self._pid = os.getpid()
        self._lock: FileLock | None = None
        self.read_only = _only_readable(path)
        self.sql = _named_queries()
        try:
            if not self.read_only:
                self._lock = FileLock(os.path.splitext(path)[0] + ".lock")
            self._connection = self._connect()
        except BaseException as error:
            if self._lock is not None:
                self._lock.close()
            if isinstance(error, OSError):
                raise _unwritable(path, error.strerror or str(error)) from None
            raise

    def _connect(self) -> apsw.Connection:
        connection = None
        try:
            connection = self._open_file()
            connection.set_busy_timeout(_BUSY_MS)
            version = self._recognise(connection)
            known = _migrations()
            if version < len(known):
                if self.read_only:
                    raise _unwritable(self.path, "an older Loxodon wrote it, and it is read-only")
                self._migrate(connection, known)
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}").fetchall()
        except apsw.Error as error:
            if connection is not None:
                connection.close()
            raise self._translated(error) from None
        except StoreError:
            if connection is not None:
                connection.close()
            raise
        return connection

    def _open_file(self) -> apsw.Connection:
        if not self.read_only:
            _make_private(self.path)
            return apsw.Connection(self.path)
        from urllib.parse import quote

        # A copy on a read-only disk can be read, but SQLite must be told not to look for writers.
        uri, flags = f"file:{quote(self.path)}", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        try:
            connection = apsw.Connection(f"{uri}?mode=ro", flags=flags)
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            connection = apsw.Connection(f"{uri}?immutable=1", flags=flags)
        return connection

    def _recognise(self, connection: apsw.Connection) -> int:
        """The schema version of the file, 0 for an empty one; refuses what is not ours."""
        # One statement, so one view: another process may be making the schema right now.
        ((application, version, tables),) = connection.execute(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) "
            "FROM pragma_application_id, pragma_user_version"
        )
        if application != APPLICATION_ID:
            if application or tables:
                raise ForeignStoreError(
                    "{path} is an SQLite database, but not one of Loxodon's",
                    hint="choose another home with --home; nothing in this one was touched",
                    path=self.path,
                )
            return 0
        if version > len(_migrations()):
            raise NewerStoreError(
                "{path} was written by a newer Loxodon "
                "(its schema is {found}, this one knows {known})",
                hint="install that version of Loxodon or a later one; nothing was touched",
                path=self.path,
                found=version,
                known=len(_migrations()),
            )
        return int(version)

    def _migrate(self, connection: apsw.Connection, known: Sequence[str]) -> None:
        """Bring the schema up to date, each step in a transaction of its own."""
        lock = self._wait_for_turn()
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchall()
            for number in range(self._recognise(connection) + 1, len(known) + 1):
                with open(known[number - 1], encoding="utf-8") as file:
                    script = file.read()
                connection.execute(
                    f"BEGIN IMMEDIATE; {script}; PRAGMA application_id={APPLICATION_ID};"
                    f"PRAGMA user_version={number}; COMMIT"
                ).fetchall()
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        finally:
            lock.release()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One view of the data for several reads, whatever others write meanwhile."""
        with self._turn:
            if self._mode:
                yield
                return
            self._check_usable()
            self.run("BEGIN")
            self._mode = "reading"
            try:
                yield
            finally:
                self._mode = ""
                self._connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction; one inside another is undone by itself, and kept for good with it."""
        with self._turn:
            if self._mode == "reading":
                raise RuntimeError("a write cannot begin within a read: it would be undone with it")
            if self._mode:
                with self._connection:  # a savepoint
                    yield
                return
            self._check_usable()
            lock = self._wait_for_turn()
            try:
                self.run("BEGIN IMMEDIATE")
                self._mode = "writing"
                try:
                    yield
                    self.run("COMMIT")
                except BaseException:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise
                finally:
                    self._mode = ""
            finally:
                lock.release()

    def _wait_for_turn(self) -> FileLock:
        if self._lock is None:
            raise _unwritable(self.path, "it is read-only")
        if self._lock.acquire(_LOCK_SECONDS):
            return self._lock
        raise _busy(self.path)

    def _check_usable(self) -> None:
        if self._closed:
            raise StoreError(
                "{path} is closed", hint="open the memory again before using it", path=self.path
            )
        if os.getpid() != self._pid:
            raise StoreError(
                "{path} was opened by the process that this one was forked from",
                hint="open the memory anew in each process",
                path=self.path,
            )

    def all(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Every row of the answer."""
        with self._turn:
            if os.getpid() != self._pid:
                self._check_usable()
            try:
                return self._connection.execute(sql, values).fetchall()
            except apsw.Error as error:
                raise self._translated(error) from None
            except UnicodeEncodeError:
                raise _half_character() from None

    def one(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """The first row of the answer, if there is one."""
        rows = self.all(sql, values)
        return rows[0] if rows else None

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        """A statement whose answer does not matter."""
        self.all(sql, values)

    def many(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        """A statement for each of many rows."""
        with self._turn:
            try:
                self._connection.executemany(sql, values).fetchall()
            except apsw.Error as error:
                raise self._translated(error) from None
            except UnicodeEncodeError:
                raise _half_character() from None

    def blob(self, table: str, column: str, row: int, writable: bool = False) -> apsw.Blob:
        """A blob to be read or written in part. Call within a transaction, and close it there."""
        try:
            return self._connection.blob_open("main", table, column, row, writable)
        except apsw.Error as error:
            raise self._translated(error) from None

    @property
    def is_writing(self) -> bool:
        """Whether this is within a write, which may still be undone."""
        return self._mode == "writing"

    def close(self) -> None:
        """Closing twice is fine."""
        with self._turn:
            if not self._closed:
                self._closed = True
                self._connection.close()
                if self._lock is not None:
                    self._lock.close()

    def _translated(self, error: apsw.Error) -> StoreError:
        if isinstance(error, apsw.ConnectionClosedError):
            self._check_usable()
        reason = str(error).removeprefix(f"{type(error).__name__}: ")
        if isinstance(error, apsw.NotADBError):
            return ForeignStoreError(
                "{path} is not an SQLite database",
                hint="choose another home with --home, or restore the file from a backup",
                path=self.path,
            )
        if isinstance(error, apsw.CorruptError):
            return DamagedStoreError(
                "{path} is damaged: {reason}",
                hint="copy the file away first; then restore a backup, or add the conversations "
                "to a new home",
                path=self.path,
                reason=reason,
            )
        if isinstance(error, apsw.FullError):
            return FullStoreError(
                "cannot write {path}: the disk is full",
                hint="free some space and run it again; what was acknowledged is safe",
                path=self.path,
            )
        if isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError):
            return _unwritable(self.path, reason)
        if isinstance(error, apsw.BusyError | apsw.LockedError):
            return _busy(self.path)
        return StoreError(
            "{path} cannot be used: {reason}",
            hint="run `loxodon validate`; if it goes on, report it with this message",
            path=self.path,
            reason=reason,
        )


def _only_readable(path: str) -> bool:
    """Whether a file that is there, or the folder that its log would be in, cannot be written."""
    folder = os.path.dirname(path)
    return os.path.exists(path) and not (os.access(path, os.W_OK) and os.access(folder, os.W_OK))


def _make_private(path: str) -> None:
    """SQLite would let everybody read what it makes."""
    if not os.path.exists(path):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _busy(path: str) -> BusyStoreError:
    return BusyStoreError(
        "{path} is held by another program",
        hint="end that program, or try again later",
        path=path,
    )


def _half_character() -> InputError:
    return InputError(
        "the text has half of a character (a lone surrogate)",
        hint="it was cut or decoded wrongly; give it again as UTF-8",
    )


def _unwritable(path: str, reason: str) -> UnwritableStoreError:
    return UnwritableStoreError(
        "cannot open {path} for writing: {reason}",
        hint="check who owns the folder and its permissions, or choose another with --home",
        path=path,
        reason=reason,
    )


def _migrations() -> list[str]:
    folder = os.path.join(_FOLDER, "migrations")
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def _named_queries() -> dict[str, str]:
    """The statements of queries.sql by the name that stands above each."""
    with open(os.path.join(_FOLDER, "queries.sql"), encoding="utf-8") as file:
        parts = file.read().split("-- name: ")[1:]
    found = {}
    for part in parts:
        name, _, body = part.partition("\n")
        found[name.strip()] = body.strip()
    return found


def move_in(new: str, path: str, aside: str) -> None:
    """Put the database file `new` in the place of `path`; what is there is kept as `aside`.

    Without `aside` it is not kept. Both must be closed: a BusyStoreError where somebody has the
    old one open, and nothing is moved.
    """
    lock = FileLock(os.path.splitext(path)[0] + ".lock")
    try:
        if not lock.acquire(_MOVE_SECONDS):
            raise _busy(path)
        if os.path.exists(path):
            _fold(path)
        moved = []
        try:
            for end in ("", "-wal", "-shm") if aside else ():  # the last two of one that is damaged
                if os.path.exists(path + end):
                    os.rename(path + end, aside + end)
                    moved.append(end)
            os.replace(new, path)
            sync_folder(os.path.dirname(path))
        except BaseException:
            for end in moved:
                os.replace(aside + end, path + end)
            raise
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from None
    finally:
        lock.close()


def _fold(path: str) -> None:
    """Take the log of a database into it, which only works where nobody else has it open."""
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error:
        return  # it cannot be opened, so nobody has it open
    try:
        connection.set_busy_timeout(_FOLD_MS)
        for mode in ("DELETE", "WAL"):
            connection.execute(f"PRAGMA journal_mode={mode}").fetchall()
    except (apsw.BusyError, apsw.LockedError):
        raise _busy(path) from None
    except apsw.Error:
        return  # it is damaged, or no database
    finally:
        connection.close()
