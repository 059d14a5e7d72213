"""The schema as this version makes it, and what a file has that is not of it.

A file that somebody hands over may have a trigger in it, or a view in the place of a table, which
would run as soon as the file is used. So its schema is held against ours before anything else is
asked of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from loxodon.errors import DamagedStoreError, ForeignStoreError
from loxodon.store.driver import Row
from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.database import migrations

_SHOWN = 10
_INTERNAL = ("sqlite_sequence", "sqlite_stat1", "sqlite_stat4")
"""Tables that SQLite makes by itself."""
_COLUMN = r"(?:CAST\(\w+ AS BLOB\)|\w+)"
_SEAL = re.compile(
    rf"CREATE INDEX (\w+)_sealed ON \1 \(\w+(?:, \w+)*, seal\({_COLUMN}(?:, {_COLUMN})*\)\)"
)
"""An index with checksums of rows, as earlier versions made them."""


@contextmanager
def blueprint(version: int | None = None) -> Iterator[apsw.Connection]:
    """All tables and indexes, and nothing in them; as this version has them, or an earlier one."""
    connection = apsw.Connection(":memory:")
    try:
        for path in migrations()[:version]:
            with open(path, encoding="utf-8") as file:
                connection.execute(file.read())
        yield connection
    finally:
        connection.close()


def expected_schema(version: int | None = None) -> set[Row]:
    """(type, name, definition) of all that a file of this version, or of an earlier one, has."""
    with blueprint(version) as connection:
        return set(connection.execute("SELECT type, name, sql FROM sqlite_schema"))


def check_schema(path: str, keys: Keys) -> None:
    """Refuse a file whose schema has anything that is not ours; nothing of it is run."""
    try:
        connection = cipher.connect(path, keys, apsw.SQLITE_OPEN_READONLY)
    except apsw.NotADBError:
        raise cipher.explained(path, keys) from None
    try:
        connection.execute("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON").fetchall()
        ((version,),) = connection.execute("PRAGMA user_version")
        found = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError) as error:
        raise DamagedStoreError(
            "{path} is damaged: {reason}",
            hint="use another copy; nothing was changed",
            path=path,
            reason=str(error),
        ) from None
    finally:
        connection.close()
    ours = expected_schema(min(int(str(version)), len(migrations())))
    strangers = [f"{one[0]} {one[1]}" for one in found if one not in ours and not _is_ours(*one)]
    if strangers:
        names = ", ".join(map(_shown, strangers[:_SHOWN]))
        raise ForeignStoreError(
            "{path} contains objects that Loxodon does not create: {names}",
            hint="it was tampered with: use another backup; nothing in it was run or restored",
            path=path,
            names=names + (" …" if len(strangers) > _SHOWN else ""),
        )


def _is_ours(type: object, name: object, sql: object) -> bool:
    if type == "table":
        return name in _INTERNAL
    return type == "index" and isinstance(sql, str) and _SEAL.fullmatch(sql) is not None


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "�" for c in text[:60])
