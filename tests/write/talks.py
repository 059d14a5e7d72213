"""Conversations for the tests of consolidation, and everything that a home holds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

from loxodon import Memory
from tests import on_postgres
from tests.clock import NOW

CONFIG = {"timezone": "Asia/Shanghai", "workspace.views": "off"}
"""Without views: what they cost is not part of a run, and grows with the memory."""
ZH = "我叫张三", "我住在北京", "我对花生过敏"
EN = "I live in Leeds", "I'm allergic to shellfish"


def said(
    *contents: str, session: str = "s", at: datetime = NOW, role: str = "user", id: str = ""
) -> list[dict[str, Any]]:
    """Turns a minute apart, each with an id of its own."""
    return [
        {
            "role": role,
            "content": content,
            "session": session,
            "id": f"{id or session}-{n}",
            "at": (at + timedelta(minutes=n)).isoformat(),
        }
        for n, content in enumerate(contents)
    ]


def known(memory: Memory, *words: str) -> list[str]:
    """The active facts and beliefs that have all of `words`."""
    records = [one for one in memory.list() if one.kind != "summary"]
    return [one.content for one in records if all(word in one.content for word in words)]


def rows(home: Path, space: str = "main") -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of a home, but for the full text and what tells of the work itself:
    where it stands, and how many writes it took."""
    tables = _of_database(home, space) if on_postgres.ON else _of_file(home, space)
    found = {name: sorted(rows, key=repr) for name, rows in tables}
    found["meta"] = [row for row in found["meta"] if row[0] not in ("consolidation", "audit")]
    del found["audit"]  # what the log of both says differs
    found["counters"] = [row for row in found["counters"] if row[0] != "writes"]
    return found


def _of_file(home: Path, space: str) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    connection = apsw.Connection(str(home / "spaces" / space / "loxodon.db"))
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"):
        if "_index" not in name and not name.startswith("sqlite_"):
            yield name, list(connection.execute(f"SELECT * FROM {name}"))
    connection.close()


def _of_database(home: Path, space: str) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    ((server, url),) = on_postgres.databases(home)
    database = url.rpartition("/")[2]
    ((id,),) = server.ask(f"SELECT id FROM loxodon.spaces WHERE name = '{space}'", database)
    tables = server.ask(
        "SELECT table_name FROM information_schema.columns WHERE table_schema = 'loxodon' "
        "AND column_name = 'space_id' AND table_name NOT IN ('words', 'indexed', 'files')",
        database,
    )
    for (name,) in tables:
        rows = server.ask(f"SELECT * FROM loxodon.{name} WHERE space_id = {id}", database)
        yield str(name), [row[1:] for row in rows]
