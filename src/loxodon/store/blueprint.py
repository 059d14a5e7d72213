"""A database as this version makes it, empty and in memory: what a file is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from loxodon.store import seals
from loxodon.store.database import Row, migrations


@contextmanager
def blueprint() -> Iterator[apsw.Connection]:
    """All tables and indexes, and nothing in them."""
    connection = apsw.Connection(":memory:")
    try:
        seals.register(connection)
        for path in migrations():
            with open(path, encoding="utf-8") as file:
                connection.execute(file.read())
        seals.make(connection)
        yield connection
    finally:
        connection.close()


def expected_schema() -> set[Row]:
    """(type, name, definition) of all that a file of this version has."""
    with blueprint() as connection:
        return set(connection.execute("SELECT type, name, sql FROM sqlite_schema"))
