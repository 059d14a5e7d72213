"""Rows that are not as they were written are reported as damage, whatever is asked."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from loxodon import Memory
from loxodon.errors import DamagedStoreError


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("memory_changes", "before", '{ "id"'),
        ("memories", "tags", '["a'),
        ("memories", "state", "actife"),
    ],
)
def test_spoilt_row_is_damage(tmp_path: Path, table: str, column: str, value: object) -> None:
    config = {"audit.enabled": False}
    with Memory.open(tmp_path, config=config) as memory:
        memory.add([{"role": "user", "content": "Hello there", "id": "1"}], session="one")
        id = memory.capture("The user likes tea").id
        memory.edit(id, content="The user likes oolong tea")
        memory.documents.put(("app",), "k", {"x": 1})
    connection = apsw.Connection(str(tmp_path / "spaces" / "main" / "loxodon.db"))
    connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} IS NOT NULL", (value,))
    connection.close()
    damaged = 0
    with Memory.open(tmp_path, config=config) as memory:
        for read in (
            lambda: memory.journal(),
            lambda: memory.list(state="all"),
            lambda: memory.history(id),
            lambda: memory.status(),
            lambda: memory.documents.get(("app",), "k"),
            lambda: memory.inspect(id),
            lambda: memory.forget(entity="tea", dry_run=True),
        ):
            try:
                read()
            except DamagedStoreError:
                damaged += 1
        assert damaged
        assert memory.validate()
