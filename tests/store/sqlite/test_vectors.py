"""Vectors in the embedded store: kept, searched, moved with their rows, seen by other processes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from loxodon.errors import DamagedStoreError
from loxodon.store import Filter, Index, QuestionVector, TextToEmbed, Vector
from loxodon.store.sqlite.store import SqliteStore
from loxodon.store.sqlite.vectors import BLOCK
from loxodon.store.vector_math import from_bytes, unit
from tests.clock import NOW
from tests.store.contracts import key, record, turn
from tests.store.sqlite.test_store import opened

Floats = NDArray[np.float32]
SIZE = 80  # not a multiple of 64
MODEL = "m"


def some(count: int, seed: int = 0) -> Floats:
    rng = np.random.default_rng(seed)
    return unit(rng.standard_normal((count, SIZE)).astype(np.float32) + 0.4)[0]


def kept(pool: Index, row: int, vector: Floats, text: str = "") -> Vector:
    return Vector(pool, row, sha256(text.encode()).digest(), vector.astype(np.float16).tobytes())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    one = opened(tmp_path / "x.db")
    with one.writing():
        one.vectors.begin(MODEL)
    yield one
    one.close()


def fill(store: SqliteStore, vectors: Floats, pool: Index = "turns", first: int = 1) -> None:
    with store.writing():
        store.vectors.put(MODEL, [kept(pool, first + n, one) for n, one in enumerate(vectors)])


def talk(store: SqliteStore, count: int) -> None:
    said = [(turn(f"turn {n}", at=NOW + timedelta(hours=n)), key(f"{n}")) for n in range(count)]
    with store.writing():
        store.append(said)


def rows_of(store: SqliteStore, pool: Index, vector: Floats, limit: int = 5) -> list[int]:
    return [one.row for one in store.vectors.similar(pool, [QuestionVector(MODEL, vector)], limit)]


def exact(store: SqliteStore, vectors: Floats, asked: Floats) -> list[float]:
    """The cosine of each of `vectors`, without any short cut."""
    halves = vectors.astype(np.float16).astype(np.float32)
    ((kept, spread),) = store._db.all("SELECT frame, spread FROM vector_models")
    frame = from_bytes(kept, SIZE, spread)
    found: list[float] = (frame.seen(halves) @ frame.seen(asked)).tolist()
    return found


def test_a_search_finds_what_is_closest(store: SqliteStore) -> None:
    vectors = some(3 * BLOCK + 17)
    for start in range(0, len(vectors), 700):
        fill(store, vectors[start : start + 700], first=start + 1)
    for n in range(0, 3_000, 300):
        asked = unit(vectors[n : n + 1] + np.float32(0.3) * vectors[n + 1 : n + 2])[0][0]
        found = store.vectors.similar("turns", [QuestionVector(MODEL, asked)], 5)
        assert found[0].row == n + 1
        right = exact(store, vectors, asked)
        assert found[0].cosine == pytest.approx(max(right), abs=1e-4)
        assert all(one.cosine == pytest.approx(right[one.row - 1], abs=1e-4) for one in found)
        assert found == sorted(found, key=lambda one: (-one.score, -one.row))
        assert all(-1.001 <= one.cosine <= 1.001 for one in found)


def test_without_vectors_there_is_nothing_to_find(store: SqliteStore) -> None:
    asked = some(1)[0]
    assert rows_of(store, "turns", asked) == []
    fill(store, some(3))
    assert rows_of(store, "memories", asked) == []
    assert rows_of(store, "turns", asked, limit=0) == []
    assert store.vectors.similar("turns", [], 5) == []
    assert store.vectors.similar("turns", [QuestionVector("other", asked)], 5) == []
    assert store.vectors.similar("turns", [QuestionVector(MODEL, asked[:5])], 5) == []
    assert store.vectors.similarities("turns", [QuestionVector(MODEL, asked)], [99, 0, -1]) == {}


def test_similarities_are_those_of_the_search(store: SqliteStore) -> None:
    vectors = some(50)
    fill(store, vectors)
    view = QuestionVector(MODEL, vectors[3])
    found = store.vectors.similar("turns", [view], 50)
    again = store.vectors.similarities("turns", [view], [*range(1, 60)])
    assert again.keys() == {one.row for one in found}
    for one in found:
        assert again[one.row] == pytest.approx(one.score, abs=1e-4)


def test_a_score_says_how_much_closer_than_usual(store: SqliteStore) -> None:
    fill(store, vectors := some(400))
    found = store.vectors.similarities("turns", [QuestionVector(MODEL, vectors[0])], range(1, 401))
    others = [score for row, score in found.items() if row != 1]
    assert abs(float(np.mean(others))) < 0.3
    assert 0.7 < float(np.std(others)) < 1.3
    assert found[1] > 5


def test_a_row_has_one_vector_of_a_model(store: SqliteStore) -> None:
    vectors = some(4)
    fill(store, vectors[:2])
    fill(store, vectors[2:3])  # row 1 again
    assert store.vectors.coverage(MODEL).embedded == 2
    (best, *_) = store.vectors.similar("turns", [QuestionVector(MODEL, vectors[2])], 5)
    assert best.row == 1
    assert best.cosine == pytest.approx(1, abs=1e-3)


def test_what_another_process_writes_is_seen(store: SqliteStore, tmp_path: Path) -> None:
    vectors = some(40)
    fill(store, vectors[:20])
    assert rows_of(store, "turns", vectors[30], 1) != [31]
    other = opened(tmp_path / "x.db")
    fill(other, vectors[20:], first=21)
    assert rows_of(store, "turns", vectors[30], 1) == [31]
    other.close()


def test_a_write_that_is_undone_is_not_remembered(store: SqliteStore) -> None:
    vectors = some(10)
    fill(store, vectors[:5])

    def undone() -> None:
        with store.writing():
            fill(store, vectors[5:], first=6)
            assert rows_of(store, "turns", vectors[7], 1) == [8]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        undone()
    assert 8 not in rows_of(store, "turns", vectors[7])
    fill(store, vectors[5:6], first=60)
    assert rows_of(store, "turns", vectors[5], 1) == [60]


def test_archived_memories_are_a_pool_of_their_own(store: SqliteStore) -> None:
    vectors = some(3)
    with store.writing():
        records = [store.insert(record(f"fact {n}"), "captured") for n in range(3)]
    fill(store, vectors, "memories")
    with store.writing():
        store.update(records[1].id, None, "archived", NOW, {"state": "archived"})
    assert 2 not in rows_of(store, "memories", vectors[1])
    assert rows_of(store, "archive", vectors[1]) == [2]
    assert store.check(lambda done, total: None) == []
    with store.writing():
        store.update(records[1].id, None, "unarchived", NOW, {"state": "active"})
    assert rows_of(store, "archive", vectors[1]) == []
    assert rows_of(store, "memories", vectors[1], 1) == [2]


def test_other_words_want_another_vector(store: SqliteStore) -> None:
    vectors = some(3)
    with store.writing():
        records = [store.insert(record(f"fact {n}"), "captured") for n in range(3)]
    fill(store, vectors, "memories")
    with store.writing():
        store.vectors.advance(MODEL, "memories", 3)
        store.update(records[0].id, None, "edited", NOW, {"tags": ("a",)})
        store.update(records[1].id, None, "edited", NOW, {"content": "something else"})
    assert sorted(rows_of(store, "memories", vectors[1])) == [1, 3]
    assert store.vectors.failed(MODEL, 3) == [TextToEmbed("memories", 2)]
    found = store.vectors.coverage(MODEL)
    assert (found.embedded, found.pending, found.failing) == (2, 1, 0)


def test_nothing_of_a_dropped_vector_is_left_in_its_block(store: SqliteStore) -> None:
    with store.writing():
        one = store.insert(record("secret"), "captured")
    fill(store, some(1), "memories")
    with store.writing():
        store.update(one.id, None, "edited", NOW, {"content": "plain"})
    for rows, bits in store._db.all("SELECT rows, bits FROM vector_bits"):
        assert not any(rows)
        assert not any(bits)


def test_a_filter_is_kept_however_few_it_admits(store: SqliteStore) -> None:
    talk(store, 3_000)
    vectors = some(3_000)
    fill(store, vectors)
    view = [QuestionVector(MODEL, vectors[10])]
    late = Filter(since=NOW + timedelta(hours=2_990))
    found = store.vectors.similar("turns", view, 5, late)
    assert len(found) == 5
    assert all(one.row > 2_990 for one in found)
    early = Filter(until=NOW + timedelta(hours=1_500))
    assert [one.row for one in store.vectors.similar("turns", view, 1, early)] == [11]
    assert store.vectors.similar("turns", view, 5, Filter()) == store.vectors.similar(
        "turns", view, 5
    )
    assert store.vectors.similar("turns", view, 5, Filter(session="nowhere")) == []


def test_a_row_is_judged_by_the_first_model_that_has_it(store: SqliteStore) -> None:
    vectors, other = some(30), some(30, seed=9)
    fill(store, vectors)
    with store.writing():
        store.vectors.begin("en")
        store.vectors.put("en", [kept("turns", n, other[n - 1][:64]) for n in range(1, 11)])
    english = unit(other[4:5, :64])[0][0]
    views = [QuestionVector("en", english), QuestionVector(MODEL, vectors[20])]
    found = store.vectors.similar("turns", views, 30)
    assert len(found) == len({one.row for one in found}) == 30
    assert {found[0].row, found[1].row} == {5, 21}
    alone = store.vectors.similarities("turns", views[1:], range(1, 31))
    both = store.vectors.similarities("turns", views, range(1, 31))
    assert all((alone[row] == both[row]) == (row > 10) for row in both)


def test_models_are_apart_and_old_ones_can_go(store: SqliteStore) -> None:
    talk(store, 5)
    vectors = some(5)
    fill(store, vectors)
    with store.writing():
        store.vectors.begin("new")
        store.vectors.put("new", [kept("turns", 1, vectors[0])])
        store.vectors.fail("new", {TextToEmbed("turns", 2): "bad"})
        store.vectors.keep_only(["new"])
    assert store.vectors.coverage(MODEL) == (MODEL, 0, 5, 0, "")
    assert store.vectors.coverage("new")[1:] == (1, 4, 1, "bad")
    assert store._db.all("SELECT DISTINCT pool FROM vectors") == [("turns",)]
    assert store._db.one("SELECT count(*) FROM vector_bits") == (1,)


def test_known_texts_need_no_embedding(store: SqliteStore) -> None:
    vector = some(1)[0]
    with store.writing():
        store.vectors.put(MODEL, [kept("turns", 1, vector, "hello")])
    hashes = [sha256(text.encode()).digest() for text in ("hello", "goodbye")]
    found = store.vectors.known(MODEL, hashes * 700)
    assert found == {hashes[0]: vector.astype(np.float16).tobytes()}


def test_what_is_next_is_what_has_no_vector_yet(store: SqliteStore) -> None:
    talk(store, 6)
    fill(store, some(1), first=2)
    assert store.vectors.next(MODEL, "turns", 3) == [1, 3, 4]
    with store.writing():
        store.vectors.advance(MODEL, "turns", 4)
    assert store.vectors.next(MODEL, "turns", 9) == [5, 6]
    assert store.vectors.next(MODEL, "memories", 9) == []
    assert store.vectors.coverage(MODEL).pending == 2


def test_a_failure_is_counted_until_it_is_settled(store: SqliteStore) -> None:
    talk(store, 1)
    one = TextToEmbed("turns", 1)
    for _ in range(2):
        with store.writing():
            store.vectors.fail(MODEL, {one: "no vector"})
    assert store.vectors.failed(MODEL, 3) == [one]
    assert store.vectors.failed(MODEL, 2) == []
    assert store.vectors.coverage(MODEL)[2:] == (1, 1, "no vector")
    with store.writing():
        store.vectors.settle(MODEL, [one])
        store.vectors.advance(MODEL, "turns", 1)
        store.vectors.stop(MODEL, "it is down")
    assert store.vectors.coverage(MODEL)[2:] == (0, 0, "it is down")


def test_a_check_finds_vectors_astray_and_rebuilding_mends_them(store: SqliteStore) -> None:
    talk(store, 20)
    vectors = some(30)
    fill(store, vectors)  # ten of them of turns that are not there
    (problem,) = store.check(lambda done, total: None)
    assert problem.where == "vectors"
    store.rebuild(lambda done, total: None)
    assert store.check(lambda done, total: None) == []
    assert rows_of(store, "turns", vectors[4], 1) == [5]
    assert store.vectors.coverage(MODEL).embedded == 20
    with store.writing():
        store._db.run("UPDATE vector_bits SET rows = zeroblob(length(rows))")
    (problem,) = store.check(lambda done, total: None)
    assert "20" in problem.what


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
        "from tests.store.sqlite.test_store import opened\n"
        f"store = opened({str(tmp_path / 'x.db')!r})\n"
        "with store.writing():\n"
        f"    store.update({one.id!r}, None, 'archived', NOW, {{'state': 'archived'}})\n"
        "assert 'numpy' not in sys.modules, sorted(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": "."},
    )
    assert done.returncode == 0, done.stderr.decode()


def test_any_number_of_rows_can_be_asked_for(store: SqliteStore) -> None:
    fill(store, vectors := some(10))
    rows: Sequence[int] = range(1, 100_000, 7)
    assert store.vectors.similarities(
        "turns", [QuestionVector(MODEL, vectors[0])], rows
    ).keys() == {1, 8}


def test_what_questions_have_in_common_is_taken_from_a_question(store: SqliteStore) -> None:
    said = [f"text {n}" + ("?" if n % 4 == 0 else "") for n in range(400)]
    with store.writing():
        store.append([(turn(text), key(f"{n}")) for n, text in enumerate(said)])
    vectors = some(400)
    vectors[::4, 0] += 2  # what every question has
    fill(store, unit(vectors)[0])
    asked = vectors[9].copy()  # the answer, put as a question
    asked[0] += 2
    asked = unit(asked[None])[0][0]
    assert rows_of(store, "turns", asked, 1)[0] % 4 == 1  # some question
    (best, *_) = store.vectors.similar("turns", [QuestionVector(MODEL, asked, "en")], 5)
    assert best.row == 10
    chinese = store.vectors.similar("turns", [QuestionVector(MODEL, asked, "zh")], 1)
    assert chinese == store.vectors.similar(
        "turns", [QuestionVector(MODEL, asked)], 1
    )  # nothing known of it
