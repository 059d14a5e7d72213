"""Databases of other programs: read, never written, and nothing of theirs is run: only plain tables
are read, on a connection that trusts nothing in the schema and limits each value.
"""

from __future__ import annotations

from urllib.parse import quote

import apsw

_BUSY_MS = 500
_COLUMNS = """
SELECT c.name, c.hidden FROM sqlite_schema s, pragma_table_xinfo(s.name) c
WHERE s.name = ? AND s.type = 'table' AND s.rootpage > 0 AND c.hidden <> 1 ORDER BY c.cid
"""


def connect(path: str, how: str, longest: int) -> apsw.Connection:
    """A connection to one moment of the file, `how` as in an URI; values have `longest` bytes."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"file:{quote(path)}?{how}", flags=flags)
    try:
        connection.set_busy_timeout(_BUSY_MS)
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, longest)
        for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        # One moment of it for all that is read, whatever is written meanwhile.
        connection.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        connection.close()
        if how == "mode=ro":  # a copy where nothing can be made beside it: nobody writes there
            return connect(path, "immutable=1", longest)
        raise
    except apsw.Error:
        connection.close()
        raise
    return connection


def columns(connection: apsw.Connection, table: str, *, computed: bool = False) -> list[str]:
    """The columns of a plain table; none for a view or virtual table, which could run anything."""
    found = connection.execute(_COLUMNS, (table,)).fetchall()
    return [str(name) for name, hidden in found if computed or not hidden]
