"""A database as this version makes it, empty and in memory: what a file is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from loxodon.store.sqlite import seals
from loxodon.store.sqlite.database import Row, migrations


@contextmanager
def blueprint(version: int | None = None) -> Iterator[apsw.Connection]:
    """All tables and indexes, and nothing in them; as this version has them, or an earlier one."""
    connection = apsw.Connection(":memory:")
    try:
        seals.register(connection)
        for path in migrations()[:version]:
            with open(path, encoding="utf-8") as file:
                connection.execute(file.read())
        seals.make(connection)
        yield connection
    finally:
        connection.close()


def expected_schema(version: int | None = None) -> set[Row]:
    """(type, name, definition) of all that a file of this version, or of an earlier one, has."""
    with blueprint(version) as connection:
        return set(connection.execute("SELECT type, name, sql FROM sqlite_schema"))
