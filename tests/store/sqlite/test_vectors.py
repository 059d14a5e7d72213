"""Vectors in the embedded store: what only blocks in a file have."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from loxodon.errors import DamagedStoreError
from loxodon.store import QuestionVector
from loxodon.store.sqlite.store import SqliteStore
from tests.clock import NOW
from tests.store.contracts import record
from tests.store.contracts.vectors import MODEL, SIZE, fill, rows_of, some, talk
from tests.store.sqlite.test_store import opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    one = opened(tmp_path / "x.db")
    with one.writing():
        one.vectors.begin(MODEL)
    yield one
    one.close()


def test_nothing_of_a_dropped_vector_is_left_in_its_block(store: SqliteStore) -> None:
    with store.writing():
        one = store.insert(record("secret"), "captured")
    fill(store, some(1), "memories")
    with store.writing():
        store.update(one.id, None, "edited", NOW, {"content": "plain"})
    for rows, bits in store._db.all("SELECT rows, bits FROM vector_bits"):
        assert not any(rows)
        assert not any(bits)


def test_lost_vectors_are_reported(store: SqliteStore) -> None:
    fill(store, vectors := some(5))
    with store.writing():
        store._db.run("DELETE FROM vectors WHERE row = 3")
    with pytest.raises(DamagedStoreError, match="lost vectors"):
        rows_of(store, "turns", vectors[0])


def test_the_whole_vectors_held_in_memory_are_bounded(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loxodon.store.sqlite.matrix._HELD", 300 * SIZE * 4)
    vectors = some(2_000)
    fill(store, vectors)
    for n in (3, 700, 1_999, 3):
        rows = [n + 1, *range(1, 250)]
        found = store.vectors.similarities("turns", [QuestionVector(MODEL, vectors[n])], rows)
        assert max(found, key=lambda row: found[row]) == n + 1


def test_moving_a_vector_does_not_load_numpy(store: SqliteStore, tmp_path: Path) -> None:
    import subprocess
    import sys

    with store.writing():
        one = store.insert(record("fact"), "captured")
    fill(store, some(1), "memories")
    store.close()
    code = (
        "import sys; from tests.clock import NOW\n"
        "from tests.store.lasting import SHANGHAI, Lasting\n"
        "from loxodon.store.sqlite.store import SqliteStore\n"
        f"store = SqliteStore({str(tmp_path / 'x.db')!r}, 'main', SHANGHAI, Lasting())\n"
        "with store.writing():\n"
        f"    store.update({one.id!r}, None, 'archived', NOW, {{'state': 'archived'}})\n"
        "assert 'numpy' not in sys.modules, sorted(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((".", *sys.path))},
    )
    assert done.returncode == 0, done.stderr.decode()


def test_a_check_finds_places_that_are_wrong(store: SqliteStore) -> None:
    talk(store, 20)
    fill(store, some(20))
    with store.writing():
        store._db.run("UPDATE vector_bits SET rows = zeroblob(length(rows))")
    (problem,) = store.check(lambda done, total: None)
    assert "20" in problem.what
