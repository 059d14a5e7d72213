"""Whose a database is: the name of its space, read without opening it as one."""

from __future__ import annotations

import os
from urllib.parse import quote

import apsw

from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.database import APPLICATION_ID


def space_of(path: str, keys: Keys = ()) -> str:
    """The name of the space in the file at `path`; empty where it has none that can be read."""
    if not os.path.exists(path):
        return ""
    try:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = cipher.connect(f"file:{quote(path)}?mode=ro", keys, flags)
    except apsw.Error:
        return ""
    try:
        ((application,),) = connection.execute("PRAGMA application_id")
        if application != APPLICATION_ID:
            return ""
        rows = connection.execute("SELECT value FROM meta WHERE name = 'space'").fetchall()
    except apsw.Error:
        return ""
    finally:
        connection.close()
    return str(rows[0][0]) if rows else ""
