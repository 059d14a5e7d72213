"""Whole database files: what one says of itself, copies of it, and one in the place of another."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from shutil import copyfile
from urllib.parse import quote

import apsw

from loxodon import errors
from loxodon.filelock import FileLock
from loxodon.files import read, sync_folder
from loxodon.store.driver import Row, migrations
from loxodon.store.primary import COUNTED
from loxodon.store.sqlite import cipher, database
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.store import Store

_HOLD_MS = 2_000
_MOVE_SECONDS = 10.0
_SHOWN = 10
_COUNTS = "SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in COUNTED)
_INTERNAL = ("sqlite_sequence", "sqlite_stat1", "sqlite_stat4")  # which SQLite makes by itself
# An index with checksums of rows, as earlier versions made them
_SEAL = re.compile(r"CREATE INDEX (\w+)_sealed ON \1 \([\w, ]+seal\([\w, ()]+\)\)")


@contextmanager
def telling(path: str) -> Iterator[None]:
    """Let an error of SQLite within be one of ours, about the file at `path`."""
    try:
        yield
    except apsw.Error as error:
        raise database.store_error(error, path) from None


# What a file says of itself, read without opening it as a store


def value_of(path: str, name: str, keys: Keys = ()) -> str:
    """A value of the space in the file at `path`; empty where there is none that can be read."""
    rows = _asked(path, keys, "SELECT value FROM meta WHERE name = ?", (name,))
    return str(rows[0][0]) if rows else ""


def space_of(path: str, keys: Keys = ()) -> str:
    """The name of the space in the file at `path`; empty where it has none that can be read."""
    return value_of(path, "space", keys)


def forget_as_in(path: str, keys: Keys, store: Store) -> None:
    """Have what was forgotten in the file at `path` be forgotten in a store too."""
    tombstones = _asked(path, keys, "SELECT kind, mark, until, size FROM tombstones")
    receipts = _asked(path, keys, "SELECT id, at, actor, what, erased, files FROM receipts")
    with store.writing():
        store.execute_many("put_tombstone", tombstones)
        store.execute_many("put_receipt", receipts)


def counts_and_schema(path: str, keys: Keys) -> Row:
    """How much is in the file at `path`, of each of `COUNTED`, and the version of its schema."""
    with telling(path), closing(cipher.connect(path, keys)) as connection:
        return connection.execute(f"{_COUNTS}, user_version FROM pragma_user_version").fetchall()[0]


def counts_of(path: str, keys: Keys = ()) -> dict[str, int]:
    """How much is in the file at `path`, by table; nothing where it cannot be read."""
    rows = _asked(path, keys, _COUNTS)
    return dict(zip(COUNTED, rows[0], strict=True)) if rows else {}


def _asked(path: str, keys: Keys, sql: str, values: Row = ()) -> list[Row]:
    # Writable where it can be, so that no log is left beside it.
    flags = apsw.SQLITE_OPEN_READWRITE if os.access(path, os.W_OK) else apsw.SQLITE_OPEN_READONLY
    try:
        with closing(cipher.connect(path, keys, flags)) as connection:
            ours = connection.pragma("application_id") == database.APPLICATION_ID
            return connection.execute(sql, values).fetchall() if ours else []
    except apsw.Error as error:
        if isinstance(full := database.store_error(error, path), errors.FullStoreError):
            raise full from None
        return []


@cache
def expected_schema(version: int | None = None) -> frozenset[Row]:
    """(type, name, definition) of all that a file of this version, or of an earlier one, has."""
    with closing(apsw.Connection(":memory:")) as connection:
        for path in migrations("sqlite")[:version]:
            connection.execute(read(path).decode())
        return frozenset(connection.execute("SELECT type, name, sql FROM sqlite_schema"))


def check_schema(path: str, keys: Keys) -> None:
    """Refuse a file whose schema has anything that is not ours, such as a trigger or a view in the
    place of a table, which would run as soon as it is used."""
    try:
        with closing(cipher.connect(path, keys, apsw.SQLITE_OPEN_READONLY)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON").fetchall()
            version = int(str(connection.pragma("user_version")))
            found = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    except apsw.NotADBError:
        raise cipher.explained(path, keys) from None
    except (apsw.CorruptError, apsw.SQLError) as error:
        raise database.store_error(error, path) from None
    ours = expected_schema(min(version, len(migrations("sqlite"))))
    strangers = [f"{one[0]} {one[1]}" for one in found if one not in ours and not _is_ours(*one)]
    if strangers:
        raise errors.DamagedStoreError(
            "{path} contains objects that Loxodon does not create: {names}",
            hint="it was tampered with: use another backup; nothing in it was run or restored",
            path=path,
            names=", ".join(repr(name[:60]) for name in strangers[:_SHOWN]),
        )


def _is_ours(type: object, name: object, sql: object) -> bool:
    if type == "table":
        return name in _INTERNAL
    return type == "index" and isinstance(sql, str) and _SEAL.fullmatch(sql) is not None


def checked(path: str, keys: Keys) -> apsw.Connection:
    connection = cipher.connect(path, keys, apsw.SQLITE_OPEN_READWRITE)
    try:
        if connection.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
            raise errors.DamagedStoreError(
                "{path} was not written correctly; nothing was changed",
                hint="run `loxodon validate`, and check the disk",
                path=path,
            )
    except BaseException:
        connection.close()
        raise
    return connection


# Copies


def recode(connection: apsw.Connection, new: str, key: bytes | None) -> None:
    """Write a database to the file `new` under a key, or as plain text; checked, and on disk."""
    how = f"cipher={cipher.CIPHER}&key=raw:{key.hex()}" if key else "key="
    connection.execute("PRAGMA temp_store=MEMORY").fetchall()
    try:
        connection.execute("VACUUM INTO ?", (f"file:{quote(new)}?{how}",)).fetchall()
    except apsw.Error as error:  # whose own words may have the key in them
        raise database.store_error(error, new, type(error).__name__) from None
    os.chmod(new, 0o600)
    with closing(checked(new, (key,) if key else ())) as made:
        made.execute("PRAGMA journal_mode=WAL").fetchall()
    with open(new, "rb+") as file:
        os.fsync(file.fileno())


def snapshot(path: str, keys: Keys, new: str) -> None:
    """Write a database as it is in this moment to a new file, under its own key; writers go on."""
    key, source = cipher.connect_with(path, keys, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    with closing(source):
        source.set_busy_timeout(database.BUSY_MS)
        recode(source, new, key or None)


# One in the place of another


def put_in_place(new: str, path: str, before: str, keys: Keys) -> None:
    """Put a database in the place of another, which is kept as `before` where that is named: into
    the file that others may have open; where that is damaged or not there, the file is replaced."""
    if os.path.exists(path):
        try:
            with closing(database.Database(path, keys)) as live, live.alone() as connection:
                if before:
                    snapshot(path, keys, before)
                    if keys:
                        cipher.put_check(before, keys[:1])
                with closing(checked(new, keys)) as fresh:
                    _continue(fresh, connection)
                    with connection.backup("main", fresh, "main") as copying:
                        while not copying.done:
                            copying.step(-1)
            return
        except errors.DamagedStoreError:
            with suppress(FileNotFoundError):
                os.unlink(before)  # of a damaged file there is no copy but the file itself
    with closing(checked(new, keys)) as connection:
        _continue(connection, None)
    if keys:
        cipher.put_check(new, keys[:1])
    _move_in(new, path, before, keys)


_AT_LEAST = (
    "INSERT INTO counters (name, last) VALUES (?, ?) "
    "ON CONFLICT (name) DO UPDATE SET last = max(last, excluded.last)"
)
_SAMPLED = "UPDATE meta SET value = max(CAST(value AS INTEGER) + 1, ?) WHERE name = 'sampled'"
_PUT_SESSION = (
    "INSERT INTO working_sessions (owner, key, entry) VALUES (?, ?, ?) "
    "ON CONFLICT (owner, key) DO UPDATE SET entry = excluded.entry"
)


def _continue(new: apsw.Connection, live: apsw.Connection | None) -> None:
    """Let a database go on from the one that it takes the place of: numbers, the audit log, and
    working sessions (of a transcript that both have, the one in use is further)."""

    def rows(sql: str) -> list[Row]:
        return live.execute(sql).fetchall() if live is not None else []

    values: dict[str, str] = dict(rows("SELECT name, value FROM meta"))
    with new:
        counted = [row for row in rows("SELECT name, last FROM counters") if row[0][:5] != "rows_"]
        new.executemany(_AT_LEAST, counted)  # the others are of the content
        new.execute("UPDATE counters SET last = last + 1 WHERE name GLOB 'changed_*'")
        new.execute(_SAMPLED, (int(values.get("sampled", "0")) + 1,))
        if live is None:
            return
        new.execute("DELETE FROM audit; DELETE FROM meta WHERE name = 'audit'")
        log = rows("SELECT n, entry, mac FROM audit")
        new.executemany("INSERT INTO audit (n, entry, mac) VALUES (?, ?, ?)", log)
        if "audit" in values:
            new.execute("INSERT INTO meta (name, value) VALUES ('audit', ?)", (values["audit"],))
        lines = rows("SELECT session, n, owner, line FROM transcript_lines")
        known = {(session,) for session, *_ in lines}
        new.executemany("DELETE FROM transcript_lines WHERE session = ?", known)
        put = "INSERT INTO transcript_lines (session, n, owner, line) VALUES (?, ?, ?, ?)"
        new.executemany(put, lines)
        new.executemany(_PUT_SESSION, rows("SELECT owner, key, entry FROM working_sessions"))


def _move_in(new: str, path: str, aside: str, keys: Keys) -> None:
    """Put the file `new` in the place of `path`; what is there is kept as `aside`, if named."""
    lock = FileLock(os.path.splitext(path)[0] + ".lock")
    try:
        if not lock.acquire(_MOVE_SECONDS):
            raise errors.busy(path)
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
        raise errors.unwritable(path, error) from None
    finally:
        lock.close()


@contextmanager
def held(path: str, keys: Keys = ()) -> Iterator[apsw.Connection | None]:
    """Have a database to oneself, its log taken into it; a BusyStoreError where others have it.
    None where there is none, or it cannot be read: then nobody can use it."""
    connection = None
    try:
        if os.path.exists(path):
            flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI  # to be copied under a key
            connection = cipher.connect(path, keys, flags)
            connection.set_busy_timeout(_HOLD_MS)
            # Only in this mode does a lock keep everybody out, and is there no log that goes by
            # name. It is kept after the transaction, so that the file can be copied.
            for pragma in ("PRAGMA locking_mode=EXCLUSIVE", "PRAGMA journal_mode=DELETE"):
                connection.execute(pragma).fetchall()
            connection.execute("BEGIN EXCLUSIVE; COMMIT").fetchall()
    except apsw.Error as error:
        if connection is not None:
            database.let_go(connection)
            connection = None
        if isinstance(error, apsw.BusyError | apsw.LockedError):
            raise errors.busy(path) from None
        why = cipher.explained(path, keys) if isinstance(error, apsw.NotADBError) else None
        if isinstance(why, errors.LockedStoreError):  # others may have the key
            raise why from None
    try:
        yield connection
    finally:
        if connection is not None:
            connection.close()


def leave(connection: apsw.Connection) -> None:
    """Let a database that was `held` have its log again, for others to open."""
    for pragma in ("locking_mode=NORMAL", "journal_mode=WAL"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
