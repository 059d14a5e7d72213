"""All that can still be read of a damaged file, row by row, and which rows are sound.

Nothing here writes. Each table is read from its first row on until something stops it, then from
its last row back, then row by row by the keys that its seals still know. A row counts as sound
where its seal fits; where the seal itself is gone, the row is taken at its word.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.sqlite import seals
from loxodon.store.sqlite.seals import Sealed

Key = tuple[Any, ...]

# What SQLite raises where a page is not what it should be; the second and third of encrypted files.
UNREADABLE = (apsw.CorruptError, apsw.NotADBError, apsw.IOError)


class Salvaged(NamedTuple):
    """A table of a damaged file."""

    sealed: Sealed
    rows: dict[Key, Row]
    """Those that are sound: the columns of `PRIMARY_TABLES`, as they are kept."""
    damaged: dict[Key, tuple[object, ...]]
    """Those that are not, as far as they could be read; empty for what is gone."""
    seals: dict[Key, bytes]
    whole: bool
    """Whether every key is known: where it is not, rows may be gone without a trace."""

    def fits(self, key: Key, row: Row) -> bool:
        """Whether a row is the very one that was written under this key."""
        return self.seals.get(key) == self.seal_of(row)

    def seal_of(self, row: Row) -> bytes:
        given = dict(zip(PRIMARY_TABLES[self.sealed.table].columns, row, strict=True))
        return seals.digest([given[name] for name in self.sealed.columns or self.sealed.key])


def salvage(connection: apsw.Connection) -> dict[str, Salvaged]:
    """Every table of the truth, as far as it can be read."""
    asking = seals.asking(connection)
    return {
        sealed.table: _table(connection, sealed)
        for sealed in seals.tables(asking)
        if sealed.table in PRIMARY_TABLES
    }


def _table(connection: apsw.Connection, sealed: Sealed) -> Salvaged:
    reading = _Reading(connection, sealed)
    seals_end = reading.read_seals()
    rows_end = reading.read_rows("ASC") or reading.read_rows("DESC")
    reading.read_by_seals()
    known = not rows_end or not seals_end or reading.found.keys() <= reading.seals.keys()
    whole = (rows_end or seals_end) and known and not reading.garbage
    return Salvaged(sealed, reading.found, reading.damaged, reading.seals, whole)


class _Reading:
    """One table as it is read."""

    def __init__(self, connection: apsw.Connection, sealed: Sealed) -> None:
        self._connection, self._sealed = connection, sealed
        self._columns = {
            name: (type, bool(needed))
            for name, type, needed in connection.execute(
                'SELECT name, type, "notnull" OR pk FROM pragma_table_info(?)', (sealed.table,)
            )
        }
        key = ", ".join(
            name if self._columns[name][0] == "REAL" else f"CAST({name} AS BLOB)"
            for name in sealed.key
        )
        # As bytes, everything can be read, whatever has become of it.
        self._query = f"SELECT {key}, {sealed.given} FROM {sealed.table} NOT INDEXED"
        self.seals: dict[Key, bytes] = {}
        self.found: dict[Key, Row] = {}
        self.damaged: dict[Key, tuple[object, ...]] = {}
        self.garbage = False
        """Whether there is something in the place of rows that never was one of this table."""

    def read_seals(self) -> bool:
        """Read the seals; whether these are all."""
        sealed = self._sealed
        for order in ("ASC", "DESC"):
            rows = _Rows(
                self._connection,
                f"SELECT {sealed.call} FROM {sealed.table} INDEXED BY {sealed.name} "
                f"ORDER BY {self._ordered(order)}",
            )
            for *key, seal in rows:
                if isinstance(seal, bytes) and len(seal) == seals.SIZE:
                    self.seals[tuple(key)] = seal
                else:
                    self.garbage = True
            if rows.ended:
                return True
        return False

    def read_rows(self, order: str) -> bool:
        rows = _Rows(self._connection, f"{self._query} ORDER BY {self._ordered(order)}")
        for row in rows:
            self._sort(row)
        return rows.ended

    def read_by_seals(self) -> None:
        where = " AND ".join(f"{name} = ?" for name in self._sealed.key)
        for key in self.seals.keys() - self.found.keys() - self.damaged.keys():
            for row in _Rows(self._connection, f"{self._query} WHERE {where}", key):
                self._sort(row)
            if key not in self.found:
                self.damaged.setdefault(key, ())

    def _ordered(self, order: str) -> str:
        return ", ".join(f"{name} {order}" for name in self._sealed.key)

    def _sort(self, read: Row) -> None:
        """Put a row where it belongs: to the sound or to the damaged."""
        sealed, size = self._sealed, len(self._sealed.key)
        seal = seals.digest(read[size:] if sealed.columns else read[:size])
        key = tuple(read[:size])
        try:
            key = tuple(map(self._value, sealed.key, key))
            values = dict(zip(sealed.key, key, strict=True))
            for name, value in zip(sealed.columns, read[size:], strict=False):
                values[name] = self._value(name, value)
        except ValueError:
            self.garbage |= key not in self.seals
            self.damaged.setdefault(key, tuple(read))
            return
        wanted = self.seals.get(key)
        if wanted is None or seals.is_near(wanted, seal):
            self.found[key] = tuple(values[name] for name in PRIMARY_TABLES[sealed.table].columns)
            self.damaged.pop(key, None)
        else:
            self.damaged[key] = tuple(values.values())

    def _value(self, name: str, value: object) -> Any:
        """A value as its column keeps it; ValueError where it is none."""
        type, needed = self._columns[name]
        if value is None:
            if needed:
                raise ValueError(name)
            return None
        if not isinstance(value, bytes):
            return value
        if type == "INTEGER":
            return int(value)
        return value.decode() if type == "TEXT" else value


class _Rows:
    """The rows of a query up to where it breaks off; `ended` says that it did not."""

    def __init__(self, connection: apsw.Connection, query: str, values: Key = ()) -> None:
        self._connection, self._query, self._values = connection, query, values
        self.ended = False

    def __iter__(self) -> Iterator[Row]:
        try:
            yield from self._connection.execute(self._query, self._values)
            self.ended = True
        except (*UNREADABLE, UnicodeDecodeError, apsw.SQLError):
            return


def of_truth(table: str, names: Sequence[str]) -> set[str]:
    """Those of these names, of a table that has some that are derived, that are not."""
    connection = apsw.Connection(":memory:")
    try:
        which = PRIMARY_TABLES[table].which
        query = f"SELECT name FROM (SELECT value AS name FROM json_each(?)) WHERE {which}"
        return {name for (name,) in connection.execute(query, (json.dumps(names),))}
    finally:
        connection.close()
