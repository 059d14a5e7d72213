"""Vectors in a file, as an earlier version stored them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from loxodon.store.driver import migrations
from loxodon.store.sqlite.database import APPLICATION_ID
from tests.store.contracts.vectors import MODEL, SIZE, kept, rows_of, some
from tests.store.sqlite.test_store import opened

BEFORE_SIGNS = 9


def _before_signs(path: Path) -> None:
    """A file of the version before, with 1,100 vectors in blocks."""
    connection = apsw.Connection(str(path))
    for script in migrations("sqlite")[:BEFORE_SIGNS]:
        connection.execute(Path(script).read_text(encoding="utf-8"))
    connection.execute(
        f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={BEFORE_SIGNS};"
        "INSERT INTO vector_models (name, size, turns_to, memories_to, sampled, frame, spread, "
        f"error) VALUES ('{MODEL}', {SIZE}, 1100, 0, 1100, x'', 0.1, '');"
        "INSERT INTO vector_blocks VALUES (1, 1, 'turns', 1024, 1), (2, 1, 'turns', 76, 2);"
        "INSERT INTO vector_bits VALUES (1, zeroblob(8192), zeroblob(16384)), (2, x'00', x'00')"
    )
    for n, vector in enumerate(some(1_100)):
        values = (1_024 + n, kept("turns", n + 1, vector))
        connection.execute("INSERT INTO vectors VALUES (?, 1, ?, ?, ?, ?)", (values[0], *values[1]))
    connection.close()


@pytest.mark.parametrize("killed", [False, True])
def test_a_file_of_the_version_before_keeps_its_vectors(tmp_path: Path, killed: bool) -> None:
    _before_signs(tmp_path / "x.db")
    if killed:
        connection = apsw.Connection(str(tmp_path / "x.db"))
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(Path(migrations("sqlite")[BEFORE_SIGNS]).read_text(encoding="utf-8"))
        connection.close()  # without COMMIT
    with closing(opened(tmp_path / "x.db")) as store:
        for n in (3, 1_050):
            assert rows_of(store, "turns", some(1_100)[n], 1) == [n + 1]
        with store.writing():
            store.vectors.stop(MODEL, "")
        assert store._db.all("SELECT block FROM vector_signs WHERE length(bits) = 0") == []
        assert rows_of(store, "turns", some(1_100)[3], 1) == [4]
        store.rebuild(lambda done, total: None)  # there are no such turns
        assert store.check(lambda done, total: None) == []
