"""What can be read of a damaged file, put together with intact copies of the rest.

A table is read from its first row on until a page is damaged, then from its last row back. Rows
that cannot be read are taken from copies; what refers to a row that nobody has goes with it. Each
such step is told.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import apsw

from loxodon.store.checks import PROMISES
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.cipher import Keys
from loxodon.types import Mended

_UNREADABLE = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.SQLError)

Key = tuple[Any, ...]


def merge(new: str, damaged: str, keys: Keys, copies: Iterable[tuple[str, str]]) -> list[Mended]:
    """Fill the tables of an empty database with all rows of a damaged one that can be read, and
    with missing ones of `copies`: (name, path), the best first. Returns what was missing.

    All are of this version. Derived tables stay empty.
    """
    with _connected(new, keys) as connection:
        return _Merge(connection).run(damaged, keys, copies)


@contextmanager
def _connected(path: str, keys: Keys) -> Iterator[apsw.Connection]:
    """A connection on which references are not enforced."""
    connection = cipher.connect(path, keys, apsw.SQLITE_OPEN_READWRITE)
    try:
        yield connection
    finally:
        connection.close()


class _Merge:
    """Fills an empty database with what can be read of a damaged one, and with copies."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._new = connection
        self._columns: dict[str, dict[str, tuple[str, bool]]] = {}
        """Of each table: the type of a column, and whether it must have a value."""
        self._keys: dict[str, tuple[str, ...]] = {}
        self._unreadable: dict[str, set[Key]] = {}
        self._whole: set[str] = set()
        """Tables that were read to their end: what is not in them was not there."""
        self._mended: list[Mended] = []
        for table in PRIMARY_TABLES:
            about: list[Any] = connection.execute(
                'SELECT name, type, "notnull" OR pk, pk FROM pragma_table_info(?)', (table,)
            ).fetchall()
            self._columns[table] = {name: (type, bool(need)) for name, type, need, _ in about}
            key = sorted((pk, name) for name, _, _, pk in about if pk)
            self._keys[table] = tuple(name for _, name in key)
            self._unreadable[table] = set()

    def run(self, damaged: str, keys: Keys, copies: Iterable[tuple[str, str]]) -> list[Mended]:
        with self._new:
            for table in ("counters", "meta"):  # a new database has some of its own
                self._new.execute(f"DELETE FROM {table} WHERE {PRIMARY_TABLES[table].which}")
            with suppress(*_UNREADABLE), _connected(damaged, keys) as connection:
                for table in PRIMARY_TABLES:
                    self._read(connection, table)
            for name, path in copies:
                with _connected(path, keys) as connection:
                    for table in PRIMARY_TABLES:
                        self._fill(connection, table, name)
            for table, missing in self._unreadable.items():
                for key in sorted(missing, key=repr):
                    if not self._has(table, key) and not self._from_history(table, key):
                        self._mended.append(_mended(table, key))
            self._make_consistent()
        return self._mended

    def _read(self, damaged: apsw.Connection, table: str) -> None:
        """Take the rows of a table from its first on; where that breaks off, from its last back."""
        # As bytes everything can be read, whatever has become of it. A REAL would lose digits.
        given = ", ".join(
            name if self._columns[table][name][0] == "REAL" else f"CAST({name} AS BLOB)"
            for name in PRIMARY_TABLES[table].columns
        )
        for order in ("ASC", "DESC"):
            ordered = ", ".join(f"{name} {order}" for name in self._keys[table])
            try:
                for row in damaged.execute(
                    f"SELECT {given} FROM {table} NOT INDEXED ORDER BY {ordered}"
                ):
                    self._take(table, row)
            except _UNREADABLE:
                continue
            self._whole.add(table)
            break
        key = ", ".join(self._keys[table])
        for promise in PROMISES:
            if promise.table == table and promise.of_row:
                cut = f"DELETE FROM {table} AS t WHERE {promise.broken} RETURNING {key}"
                self._unreadable[table] |= {*self._new.execute(cut).fetchall()}

    def _take(self, table: str, read: Row) -> None:
        values, readable = {}, True
        for name, value in zip(PRIMARY_TABLES[table].columns, read, strict=True):
            try:
                values[name] = _value(*self._columns[table][name], value)
            except ValueError:
                values[name], readable = value, False
        if not readable or not self._put(table, tuple(values.values())):
            key = tuple(values[name] for name in self._keys[table])
            if not self._has(table, key):
                self._unreadable[table].add(key)

    def _put(self, table: str, row: Row) -> bool:
        """Put a row where there is none with its key; whether it was."""
        columns = PRIMARY_TABLES[table].columns
        marks = ", ".join("?" * len(columns))
        put = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks}) RETURNING 1"
        return bool(self._new.execute(put, row).fetchall())

    def _has(self, table: str, key: Key) -> bool:
        where = " AND ".join(f"{name} = ?" for name in self._keys[table])
        return bool(self._new.execute(f"SELECT 1 FROM {table} WHERE {where}", key).fetchall())

    def _fill(self, copy: apsw.Connection, table: str, name: str) -> None:
        """Take rows of a copy that are missing, but not those that were deleted since."""
        if table in self._whole and not self._unreadable[table]:
            return
        columns = PRIMARY_TABLES[table].columns
        places = [columns.index(one) for one in self._keys[table]]
        select = f"SELECT {', '.join(columns)} FROM {table} WHERE {PRIMARY_TABLES[table].which}"
        for row in copy.execute(select):
            key = tuple(row[place] for place in places)
            if table in self._whole and key not in self._unreadable[table]:
                continue
            if self._put(table, row):
                self._mended.append(_mended(table, key, name))

    def _from_history(self, table: str, key: Key) -> bool:
        """A memory that nobody has a copy of becomes what its history says it was before."""
        if table != "memories":
            return False
        find = (
            "SELECT before FROM memory_changes WHERE memory = ? AND before IS NOT NULL "
            "ORDER BY version DESC LIMIT 1"
        )
        for (text,) in self._new.execute(find, key).fetchall():
            before = json.loads(str(text))
            columns = PRIMARY_TABLES["memories"].columns
            self._put("memories", (*key, *(before[name] for name in columns[1:])))
            self._new.execute("DELETE FROM memory_sources WHERE memory = ?", key)
            for n, (session, turn, file, line) in enumerate(before["sources"]):
                self._put("memory_sources", (*key, n, session, turn, None, file, line))
            self._mended.append(_mended(table, key, "history"))
            return True
        return False

    def _make_consistent(self) -> None:
        """Take out what refers to rows that are gone."""
        self._new.execute(_NAME_LOST_SESSIONS)
        references = [*self._references()]
        lost = True
        while lost:
            lost = False
            for table, column, parent, needed in references:
                astray = f"{column} NOT IN (SELECT {self._keys[parent][0]} FROM {parent})"
                if not needed:
                    self._new.execute(f"UPDATE {table} SET {column} = NULL WHERE {astray}")
                    continue
                key = ", ".join(self._keys[table])
                cut = f"DELETE FROM {table} WHERE {astray} RETURNING {key}"
                for gone in self._new.execute(cut).fetchall():
                    self._mended.append(_mended(table, gone))
                    lost = True
        self._new.execute(_FORGET_REPLACED)
        self._complete_histories()

    def _references(self) -> Iterator[tuple[str, str, str, bool]]:
        for table in PRIMARY_TABLES:
            find = 'SELECT "table", "from" FROM pragma_foreign_key_list(?)'
            for parent, column in self._new.execute(find, (table,)).fetchall():
                if parent in PRIMARY_TABLES and column in self._columns[table]:
                    yield table, str(column), str(parent), self._columns[table][str(column)][1]

    def _complete_histories(self) -> None:
        """Each memory has one change for each version: later ones go, and a missing one keeps its
        place in the history, as what stood there afterwards."""
        self._new.execute(_CUT_HISTORIES)
        columns = PRIMARY_TABLES["memories"].columns
        select = f"SELECT {', '.join(columns)} FROM memories WHERE {_INCOMPLETE}"
        for memory in self._new.execute(select).fetchall():
            later: dict[str, Any] = {**dict(zip(columns, memory, strict=True)), "sources": []}
            number = later.pop("row")
            find = "SELECT version, before FROM memory_changes WHERE memory = ?"
            changes: list[Any] = self._new.execute(find, (number,)).fetchall()
            before: dict[Any, Any] = dict(changes)
            for version in range(later["version"], 0, -1):
                if version not in before:
                    text = json.dumps({**later, "version": version - 1}, ensure_ascii=False)
                    at = later["updated_at"] if version > 1 else later["created_at"]
                    change = (number, version, at, "lost", text if version > 1 else None)
                    self._put("memory_changes", change)
                    self._mended.append(_mended("memory_changes", (number, version)))
                elif version > 1:
                    later = json.loads(before[version])


_NAME_LOST_SESSIONS = """
INSERT INTO sessions (no, id, turns, first_at, last_at)
SELECT session, 'lost-' || session, count(*), min(at), max(at) FROM turns
WHERE session NOT IN (SELECT no FROM sessions) GROUP BY session
"""
_FORGET_REPLACED = """
UPDATE memories SET replaces = '' WHERE replaces <> '' AND replaces NOT IN (SELECT id FROM memories)
"""
_CUT_HISTORIES = """
DELETE FROM memory_changes WHERE version > (SELECT m.version FROM memories m WHERE m.row = memory)
"""
_INCOMPLETE = "version <> (SELECT count(*) FROM memory_changes WHERE memory = memories.row)"


def _value(type: str, needed: bool, value: Any) -> Any:
    """A value as its column keeps it; ValueError where it is none."""
    if value is None:
        if needed:
            raise ValueError
        return None
    if not isinstance(value, bytes):
        return value
    if type == "INTEGER":
        return int(value)
    return value.decode() if type == "TEXT" else value


def _mended(table: str, key: Key, source: str = "") -> Mended:
    shown = ".".join(
        part.decode("utf-8", "backslashreplace") if isinstance(part, bytes) else str(part)
        for part in key
    )
    return Mended(table, shown, "copied" if source else "lost", source)
