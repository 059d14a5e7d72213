"""Copies of a whole database: under another key, of one moment, or in the place of another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import quote

import apsw

from loxodon.errors import DamagedStoreError, ForeignStoreError, StoreError
from loxodon.store import Progress
from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.database import WRITES, Database, let_go, move_in, store_error

_PAGES = 1_000
"""Pages that are copied between two signs of progress."""

Shape = list[tuple[str, int]]
"""Every table and how many rows it has."""


@contextmanager
def telling(path: str) -> Iterator[None]:
    """Let an error of SQLite within be one of ours, about the file at `path`."""
    try:
        yield
    except apsw.Error as error:
        raise store_error(error, path) from None


def recode(connection: apsw.Connection, new: str, key: bytes | None) -> None:
    """Write a database to the file `new` under a key, or as plain text; checked, and on disk."""
    how = f"cipher={cipher.CIPHER}&key=raw:{key.hex()}" if key else "key="
    connection.execute("PRAGMA temp_store=MEMORY").fetchall()
    try:
        connection.execute("VACUUM INTO ?", (f"file:{quote(new)}?{how}",)).fetchall()
    except apsw.Error as error:  # whose own words may have the key in them
        raise store_error(error, new, type(error).__name__) from None
    os.chmod(new, 0o600)
    made = checked(new, (key,) if key else ())
    try:
        if shape(made) != shape(connection):
            raise _spoilt(new)
        made.execute("PRAGMA journal_mode=WAL").fetchall()
    finally:
        made.close()
    _to_disk(new)


def snapshot(path: str, keys: Keys, new: str, progress: Progress) -> None:
    """Write the database at `path`, as it is in this moment, to the file `new`, under its own key.

    Whoever writes meanwhile is not kept waiting, and what they write is not in it.
    """
    source = cipher.connect(path, keys, apsw.SQLITE_OPEN_READONLY)
    target = None
    try:
        source.set_busy_timeout(30_000)
        source.execute("BEGIN; SELECT count(*) FROM sqlite_schema").fetchall()
        os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        target = apsw.Connection(new)
        if keys:
            cipher.unlock(target, _key_of(path, keys))
        with target.backup("main", source, "main") as copying:
            while not copying.done:
                copying.step(_PAGES)
                progress(copying.page_count - copying.remaining, copying.page_count)
        # One file, without a log that would have to come with it.
        target.execute("PRAGMA journal_mode=DELETE").fetchall()
    finally:
        let_go(source)
        if target is not None:
            let_go(target)
    _to_disk(new)


def _key_of(path: str, keys: Keys) -> bytes:
    """That of the keys which opens a file."""
    for key in keys:
        try:
            cipher.connect(path, (key,), apsw.SQLITE_OPEN_READONLY).close()
        except apsw.NotADBError:
            continue
        return key
    raise apsw.NotADBError


def _continue(new: apsw.Connection, live: apsw.Connection | None) -> None:
    """Let a database go on from the one that it takes the place of.

    No number is given out twice, what others have read of the old one is void, and the record of
    who did what goes on where it was, as do working sessions.
    """
    counters: dict[str, int] = {}
    values: dict[str, str] = {}
    if live is not None:
        counters = dict(live.execute("SELECT name, last FROM counters").fetchall())  # type: ignore[arg-type]
        values = dict(live.execute("SELECT name, value FROM meta").fetchall())  # type: ignore[arg-type]
    with new:
        for name, last in counters.items():
            if not name.startswith("rows_"):  # those are of the content
                new.execute(_AT_LEAST, (name, last))
        new.execute(_ONE_MORE, (WRITES,))
        if live is not None:
            _carry_log(live, new)
            _carry_sessions(live, new)
        sampled = int(values.get("sampled", "0")) + 1
        new.execute(
            "UPDATE meta SET value = max(CAST(value AS INTEGER) + 1, ?) WHERE name = 'sampled'",
            (sampled,),
        )


def put_in_place(new: str, path: str, before: str, keys: Keys, progress: Progress) -> None:
    """Put a database in the place of another, which is kept as `before` where that is named.

    Its content goes into the file that others may have open, in one step for all who read it. Where
    that is damaged or not there, the file itself is replaced.
    """
    if os.path.exists(path):
        try:
            with closing(Database(path, keys)) as live, live.alone() as connection:
                if before:
                    snapshot(path, keys, before, progress)
                    if keys:
                        cipher.put_check(before, keys[:1])
                with closing(checked(new, keys)) as fresh:
                    _continue(fresh, connection)
                    with connection.backup("main", fresh, "main") as copying:
                        while not copying.done:
                            copying.step(-1)
            return
        except (DamagedStoreError, ForeignStoreError):
            pass
    with closing(checked(new, keys)) as connection:
        _continue(connection, None)
    if keys:
        cipher.put_check(new, keys[:1])
    move_in(new, path, before, keys)


def _carry_log(old: apsw.Connection, new: apsw.Connection) -> None:
    rows = old.execute("SELECT n, entry, mac FROM audit").fetchall()
    head = old.execute("SELECT name, value FROM meta WHERE name = 'audit'").fetchall()
    new.execute("DELETE FROM audit; DELETE FROM meta WHERE name = 'audit'")
    new.executemany("INSERT INTO audit (n, entry, mac) VALUES (?, ?, ?)", rows)
    new.executemany("INSERT INTO meta (name, value) VALUES (?, ?)", head)


def _carry_sessions(old: apsw.Connection, new: apsw.Connection) -> None:
    """What is there goes on; of a transcript that both have, the one in use is further."""
    lines = old.execute("SELECT session, n, owner, line FROM transcript_lines").fetchall()
    entries = old.execute("SELECT owner, key, entry FROM working_sessions").fetchall()
    known = {(session,) for session, *_ in lines}
    new.executemany("DELETE FROM transcript_lines WHERE session = ?", known)
    new.executemany(
        "INSERT INTO transcript_lines (session, n, owner, line) VALUES (?, ?, ?, ?)", lines
    )
    new.executemany(
        "INSERT INTO working_sessions (owner, key, entry) VALUES (?, ?, ?) "
        "ON CONFLICT (owner, key) DO UPDATE SET entry = excluded.entry",
        entries,
    )


_AT_LEAST = (
    "INSERT INTO counters (name, last) VALUES (?, ?) "
    "ON CONFLICT (name) DO UPDATE SET last = max(last, excluded.last)"
)
_ONE_MORE = (
    "INSERT INTO counters (name, last) VALUES (?, 1) "
    "ON CONFLICT (name) DO UPDATE SET last = last + 1"
)


def checked(path: str, keys: Keys) -> apsw.Connection:
    """A connection to a database whose structure was checked."""
    connection = cipher.connect(path, keys, apsw.SQLITE_OPEN_READWRITE)
    try:
        if connection.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
            raise _spoilt(path)
    except BaseException:
        connection.close()
        raise
    return connection


def shape(connection: apsw.Connection) -> Shape:
    """Every table that has rows of its own, and how many."""
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' "
        "ORDER BY name"
    ).fetchall()
    found = []
    for (name,) in names:
        ((rows,),) = connection.execute(f'SELECT count(*) FROM "{name}"').fetchall()
        found.append((str(name), int(str(rows))))
    return found


def _to_disk(path: str) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _spoilt(path: str) -> StoreError:
    return StoreError(
        "{path} was not written correctly; nothing was changed",
        hint="run `loxodon validate`, and check the disk",
        path=path,
    )
