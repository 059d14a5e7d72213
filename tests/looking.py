"""Looking for words in every byte below a folder, in the forms in which bytes can have them.

And in every column of every table, where the homes below that folder are in databases.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tests import on_postgres

if TYPE_CHECKING:
    from tests.store.postgres.server import At


def forms(word: str) -> set[bytes]:
    """A word as UTF-8 and UTF-16, as JSON escapes it, and as indexes fold it."""
    spelled = {word, word.lower(), word.upper()}
    found = set[bytes]()
    for one in spelled:
        found |= {one.encode(), one.encode("utf-16-le"), one.encode("utf-16-be")}
        found.add(json.dumps(one).strip('"').encode())
    return found


def files_with(words: Iterable[str], home: Path) -> dict[str, list[str]]:
    """The files below `home` that have any of these words, by word; tables, of a database."""
    found: dict[str, list[str]] = {}
    wanted = {word: {one.lower() for one in forms(word)} for word in words}
    for name, data in _all(home):
        data = data.lower()
        for word, spelled in wanted.items():
            if name not in found.get(word, ()) and any(one in data for one in spelled):
                found.setdefault(word, []).append(name)
    return found


def _all(home: Path) -> Iterator[tuple[str, bytes]]:
    for folder, _, names in os.walk(home):
        for name in names:
            path = os.path.join(folder, name)
            yield os.path.relpath(path, home), Path(path).read_bytes()
    for server, url in on_postgres.databases(home):
        for table, _, data in rows_of(server, url):
            yield table, data


def rows_of(server: At, url: str) -> Iterator[tuple[str, object, bytes]]:
    """(table, number of its space, bytes) of every row of a database, whatever stands before it."""
    import psycopg

    with psycopg.connect(server.url(url.rpartition("/")[2], "postgres")) as connection:
        tables = connection.execute(
            "SELECT c.relname, string_agg(a.attname, ', ' ORDER BY a.attname = 'space_id' DESC), "
            "bool_or(a.attname = 'space_id') "
            "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 "
            "WHERE c.relnamespace = 'loxodon'::regnamespace AND c.relkind = 'r' "
            "AND NOT a.attisdropped GROUP BY c.relname"
        ).fetchall()
        for table, columns, of_space in tables:
            for row in connection.execute(f"SELECT {columns} FROM loxodon.{table}".encode()):
                held = (one if isinstance(one, bytes) else str(one).encode() for one in row)
                yield str(table), row[0] if of_space else None, b"\0".join(held)
