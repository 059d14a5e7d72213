"""What a database says of itself, read without opening it as one: whose it is, how much it has."""

from __future__ import annotations

import os
from urllib.parse import quote

import apsw

from loxodon.store.driver import Row
from loxodon.store.primary import COUNTED
from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.database import APPLICATION_ID


def space_of(path: str, keys: Keys = ()) -> str:
    """The name of the space in the file at `path`; empty where it has none that can be read."""
    return value_of(path, "space", keys)


def value_of(path: str, name: str, keys: Keys = ()) -> str:
    """A value of the space in the file at `path`; empty where there is none that can be read."""
    rows = _asked(path, keys, "SELECT value FROM meta WHERE name = ?", (name,))
    return str(rows[0][0]) if rows else ""


def forgotten_of(path: str, keys: Keys = ()) -> tuple[list[Row], list[Row]]:
    """The tombstones and receipts in the file at `path`, as far as they can be read."""
    return (
        _asked(path, keys, "SELECT kind, mark, until, size FROM tombstones"),
        _asked(path, keys, "SELECT id, at, actor, what, erased, files FROM receipts"),
    )


def counts_of(path: str, keys: Keys = ()) -> dict[str, int]:
    """How much is in the file at `path`, by table; nothing where it cannot be read."""
    each = ", ".join(f"(SELECT count(*) FROM {table})" for table in COUNTED)
    rows = _asked(path, keys, f"SELECT {each}")
    return dict(zip(COUNTED, rows[0], strict=True)) if rows else {}


def _asked(path: str, keys: Keys, sql: str, values: Row = ()) -> list[Row]:
    if not os.path.exists(path):
        return []
    try:
        if os.access(path, os.W_OK):  # so that no log is left beside it
            connection = cipher.connect(path, keys, apsw.SQLITE_OPEN_READWRITE)
        else:
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            connection = cipher.connect(f"file:{quote(path)}?mode=ro", keys, flags)
    except apsw.Error:
        return []
    try:
        ((application,),) = connection.execute("PRAGMA application_id")
        return connection.execute(sql, values).fetchall() if application == APPLICATION_ID else []
    except apsw.Error:
        return []
    finally:
        connection.close()
