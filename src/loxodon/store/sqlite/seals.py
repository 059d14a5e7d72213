"""Seals: a checksum of every row. One that was damaged, lost or changed from outside shows.

A seal is 8 bytes of BLAKE2b over a row. It is kept in an index of its own for each table, on the
key of the row and `seal(…)` of its columns. So SQLite itself writes it with every insert, update
and delete, in the same transaction: no code can forget one, an erased row takes its seal with it,
and a table that is filled anew is sealed by being filled. Row and seal lie in different pages, and
`PRAGMA integrity_check` holds one against the other: a row with another seal, without one, or a
seal without a row is found.

`seal` is a function of ours: a program without it can read the tables and cannot write to them.

A seal is no signature. Whoever has this code can make one; what must be safe from people is signed
with a key (`trust/`), by `digest` as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from struct import pack
from typing import Any, NamedTuple

import apsw

Ask = Callable[..., list[tuple[Any, ...]]]
"""A query with its values; all rows of the answer."""

FUNCTION = "seal"
_SUFFIX = "_sealed"
SIZE = 8
_BETWEEN = b"\xff"  # in no text
_NOTHING = b"\xfe"
_NEAR = 8
"""Bits in which a seal may differ and still be one that was hit itself: of two that have nothing to
do with each other, so few differ once in three thousand million."""

_DERIVED = ("common_words", "source_files", "chunks", "chunk_places", "vector_models", "vectors")
"""Tables that can be made anew, and that nothing else would show to be wrong."""


class Sealed(NamedTuple):
    """A table, and how its rows are sealed."""

    table: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    """Those that are under the seal; the key is, as it stands beside it."""
    given: str
    """What the seal of a row is made of, in SQL."""

    @property
    def name(self) -> str:
        """What the index is called."""
        return self.table + _SUFFIX

    @property
    def call(self) -> str:
        """The key and the seal of a row, in SQL."""
        return f"{', '.join(self.key)}, {FUNCTION}({self.given})"

    @property
    def definition(self) -> str:
        return f"CREATE INDEX {self.name} ON {self.table} ({self.call})"


class Broken(NamedTuple):
    """A row whose seal is not the one that it was written with."""

    key: tuple[Any, ...]
    row: bool
    """Whether the row is there; where it is not, only its seal is left."""
    unsealed: bool
    """Whether it has no seal at all, or one that was hit itself: the row may well be sound."""


def digest(values: Sequence[Any], size: int = SIZE) -> bytes:
    """The checksum of plain values: text, numbers, bytes and None."""
    return blake2b(_BETWEEN.join(map(_plain, values)), digest_size=size).digest()


def _plain(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if value is None:
        return _NOTHING
    if isinstance(value, float):
        return pack(">d", value)
    return str(value).encode("utf-8", "surrogatepass")


def _seal(*values: Any) -> bytes:
    """What `digest` gives, quickly where all values are bytes, as SQL hands over most."""
    try:
        return blake2b(_BETWEEN.join(values), digest_size=SIZE).digest()
    except TypeError:
        return digest(values)


def register(connection: apsw.Connection) -> None:
    """Let a connection write to sealed tables."""
    connection.create_scalar_function(
        FUNCTION, _seal, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
    )


def make(connection: apsw.Connection) -> None:
    """Seal every table as it is now; one whose columns are the same keeps its seals.

    Call within a transaction, after the tables were changed.
    """
    kept = dict(
        connection.execute(
            f"SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND name LIKE '%{_SUFFIX}'"
        )
    )
    for sealed in tables(asking(connection)):
        if kept.get(sealed.name) != sealed.definition:
            connection.execute(f"DROP INDEX IF EXISTS {sealed.name}")
            connection.execute(sealed.definition)


def asking(connection: apsw.Connection) -> Ask:
    """How to ask a connection."""
    return lambda sql, values=(): connection.execute(sql, values).fetchall()


def tables(ask: Ask) -> Iterator[Sealed]:
    """The tables that are sealed: all of the truth, and those that are derived but not seen through
    otherwise."""
    from loxodon.store.primary import PRIMARY_TABLES

    for table in (*PRIMARY_TABLES, *_DERIVED):
        columns = ask("SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", (table,))
        if not columns:  # of a later version than this file is at
            continue
        types = {name: type for name, type, _ in columns}
        wanted = PRIMARY_TABLES[table].columns if table in PRIMARY_TABLES else types
        key = tuple(name for name, _, pk in sorted(columns, key=lambda one: one[2]) if pk)
        under = tuple(name for name in wanted if name in types and name not in key)
        # As bytes, damaged text can be read, and nothing is decoded. A REAL would lose digits.
        given = [
            name if types[name] == "REAL" else f"CAST({name} AS BLOB)" for name in under or key
        ]
        yield Sealed(table, key, under, ", ".join(given))


def broken(ask: Ask, sealed: Sealed) -> Iterator[Broken]:
    """The rows of a table that their seals do not fit."""
    size = len(sealed.key)
    seals = {
        tuple(row[:-1]): row[-1]
        for row in ask(f"SELECT {sealed.call} FROM {sealed.table} INDEXED BY {sealed.name}")
    }
    # Not `seal(…)`: SQLite would look that up in the index rather than make it of the row.
    rows = ask(f"SELECT {', '.join(sealed.key)}, {sealed.given} FROM {sealed.table} NOT INDEXED")
    for row in rows:
        key, seal = tuple(row[:size]), _seal(*row[size:])
        wanted = seals.pop(key, None)
        if wanted != seal:
            yield Broken(key, True, wanted is None or is_near(wanted, seal))
    for key in seals:
        yield Broken(key, False, False)


def is_near(one: bytes, other: bytes) -> bool:
    """Whether two seals are of one row: the same, or one of them was hit."""
    bits = int.from_bytes(one) ^ int.from_bytes(other)
    return len(one) == len(other) and bits.bit_count() <= _NEAR
