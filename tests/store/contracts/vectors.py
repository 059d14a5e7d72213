"""What every backend promises of `Vectors`."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from loxodon.store import Filter, Index, QuestionVector, TextToEmbed, Vector
from loxodon.store.store import Store
from loxodon.store.vector_math import Frame, unit
from loxodon.store.vectors import Near
from tests.clock import NOW
from tests.store.contracts import Contract, OpenStore, key, record, turn

AnyStore = Any  # with the database in it, which a test looks into
Floats = NDArray[np.float32]
SIZE = 80  # not a multiple of 64
MODEL = "m"


def some(count: int, seed: int = 0) -> Floats:
    rng = np.random.default_rng(seed)
    return unit(rng.standard_normal((count, SIZE)).astype(np.float32) + 0.4)[0]


def kept(pool: Index, row: int, vector: Floats, text: str = "") -> Vector:
    return Vector(pool, row, sha256(text.encode()).digest(), vector.astype(np.float16).tobytes())


def fill(store: AnyStore, vectors: Floats, pool: Index = "turns", first: int = 1) -> None:
    with store.writing():
        store.vectors.put(MODEL, [kept(pool, first + n, one) for n, one in enumerate(vectors)])


def talk(store: AnyStore, count: int) -> None:
    said = [(turn(f"turn {n}", at=NOW + timedelta(hours=n)), key(f"{n}")) for n in range(count)]
    with store.writing():
        store.append(said)


def near(
    store: AnyStore, vector: Floats, limit: int = 5, pool: Index = "turns", **where: Any
) -> list[Near]:
    asked = QuestionVector(MODEL, vector)
    found: list[Near] = store.vectors.similar(pool, asked, limit, Filter(**where))
    return found


def rows_of(store: AnyStore, pool: Index, vector: Floats, limit: int = 5) -> list[int]:
    return [one.row for one in near(store, vector, limit, pool)]


def exact(store: AnyStore, vectors: Floats, asked: Floats) -> list[float]:
    """The cosine of each of `vectors`, without any short cut."""
    halves = vectors.astype(np.float16).astype(np.float32)
    ((data, spread),) = store._db.all("SELECT frame, spread FROM vector_models")
    frame = Frame.from_bytes(data, SIZE, spread)
    found: list[float] = (frame.centred(halves) @ frame.centred(asked)).tolist()
    return found


class VectorsContract(Contract):
    @pytest.fixture
    def embedded(self, store: Store) -> AnyStore:
        with store.writing():
            store.execute("put_vector_model", MODEL, b"")
        return store

    @pytest.fixture
    def facts(self, embedded: AnyStore) -> list[str]:
        """The ids of three memories; they have the vectors of `some(3)`."""
        with embedded.writing():
            records = [embedded.insert(record(f"fact {n}"), "captured") for n in range(3)]
        fill(embedded, some(3), "memories")
        return [one.id for one in records]

    def test_a_search_finds_what_is_closest(
        self, embedded: AnyStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        vectors = some(3_089)
        for start in range(0, len(vectors), 700):
            fill(embedded, vectors[start : start + 700], first=start + 1)
        monkeypatch.setattr("loxodon.store.vectors.HELD_BYTES", 4 * SIZE * 700)
        for n in range(0, 3_000, 300):
            asked = unit(vectors[n : n + 1] + np.float32(0.3) * vectors[n + 1 : n + 2])[0][0]
            found = near(embedded, asked)
            right = exact(embedded, vectors, asked)
            assert found[0].row == n + 1
            assert found[0].cosine == pytest.approx(max(right), abs=1e-4)
            assert all(one.cosine == pytest.approx(right[one.row - 1], abs=1e-4) for one in found)
            assert found == sorted(found, key=lambda one: (-one.score, -one.row))
        assert rows_of(embedded, "turns", vectors[5]) == rows_of(embedded, "turns", vectors[5])

    def test_without_vectors_there_is_nothing_to_find(self, embedded: AnyStore) -> None:
        asked = some(1)[0]
        assert rows_of(embedded, "turns", asked) == []
        fill(embedded, some(3))
        assert rows_of(embedded, "memories", asked) == []
        assert rows_of(embedded, "turns", asked, limit=0) == []
        for question in (QuestionVector("other", asked), QuestionVector(MODEL, asked[:5])):
            assert embedded.vectors.similar("turns", question, 5) == []
            assert embedded.vectors.similarities("turns", question, [1]) == {}
        question = QuestionVector(MODEL, asked)
        assert embedded.vectors.similarities("turns", question, [99, 0, -1]) == {}

    def test_what_another_writes_is_seen(self, embedded: AnyStore, open_store: OpenStore) -> None:
        vectors = some(40)
        fill(embedded, vectors[:20])
        assert rows_of(embedded, "turns", vectors[30], 1) != [31]
        other: AnyStore = open_store("main")
        fill(other, vectors[20:], first=21)
        assert rows_of(embedded, "turns", vectors[30], 1) == [31]
        with other.writing():
            other.vectors._gone([31], "turns")
        assert 31 not in rows_of(embedded, "turns", vectors[30], 40)
        other.close()

    def test_a_write_that_is_undone_is_not_remembered(self, embedded: AnyStore) -> None:
        vectors = some(10)
        fill(embedded, vectors[:5])

        def undone() -> None:
            with embedded.writing():
                fill(embedded, vectors[5:], first=6)
                assert rows_of(embedded, "turns", vectors[7], 1) == [8]
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            undone()
        assert 8 not in rows_of(embedded, "turns", vectors[7])
        fill(embedded, vectors[5:6], first=60)
        assert rows_of(embedded, "turns", vectors[5], 1) == [60]

    def test_archived_memories_are_a_pool_of_their_own(
        self, embedded: AnyStore, facts: list[str]
    ) -> None:
        asked = some(3)[1]
        with embedded.writing():
            embedded.update(facts[1], None, "archived", NOW, {"state": "archived"})
        assert 2 not in rows_of(embedded, "memories", asked)
        assert rows_of(embedded, "archive", asked) == [2]
        assert self.sound(embedded)
        with embedded.writing():
            embedded.update(facts[1], None, "unarchived", NOW, {"state": "active"})
        assert rows_of(embedded, "archive", asked) == []
        assert rows_of(embedded, "memories", asked, 1) == [2]
        fill(embedded, some(3)[1:2], "archive", first=2)  # as if it were there
        assert 2 not in rows_of(embedded, "memories", asked)

    def test_a_changed_text_is_embedded_again(self, embedded: AnyStore, facts: list[str]) -> None:
        with embedded.writing():
            embedded.execute("advance_memories", 3, MODEL)
            embedded.update(facts[0], None, "edited", NOW, {"tags": ("a",)})
            embedded.update(facts[1], None, "edited", NOW, {"content": "something else"})
        assert sorted(rows_of(embedded, "memories", some(3)[1])) == [1, 3]
        assert embedded.query_as(TextToEmbed, "vector_todo", MODEL, 3) == [
            TextToEmbed("memories", 2)
        ]
        assert embedded.vectors.coverage(MODEL) == (MODEL, 2, 1, 0, "")

    def test_nothing_of_an_erased_vector_is_left(self, embedded: AnyStore) -> None:
        fill(embedded, some(5))
        signs = "SELECT rows, bits FROM vector_signs"
        assert all(bits for _, bits in embedded._db.all(signs))
        with embedded.writing():
            embedded.vectors._gone([2], "turns")
        assert embedded._db.all(signs) == [(b"", b"")]
        assert embedded._db.all("SELECT row FROM vectors WHERE row = 2") == []
        assert sorted(rows_of(embedded, "turns", some(5)[1])) == [1, 3, 4, 5]
        with embedded.writing():
            embedded.vectors._gone([1, 3, 4, 5], "turns")
            embedded.vectors.stop(MODEL, "")
        assert embedded._db.all(signs) == []

    def test_a_filter_is_kept_however_few_it_admits(self, embedded: AnyStore) -> None:
        talk(embedded, 3_000)
        asked = (vectors := some(3_000))[10]
        fill(embedded, vectors)
        late = near(embedded, asked, 5, since=NOW + timedelta(hours=2_990))
        assert len(late) == 5
        assert all(one.row > 2_990 for one in late)
        early = near(embedded, asked, 1, until=NOW + timedelta(hours=1_500))
        assert [one.row for one in early] == [11]
        assert near(embedded, asked, session="nowhere") == []

    def test_models_are_apart_and_old_ones_can_go(self, embedded: AnyStore) -> None:
        talk(embedded, 5)
        vectors = some(5)
        fill(embedded, vectors)
        with embedded.writing():
            embedded.execute("put_vector_model", "new", b"")
            embedded.vectors.put("new", [kept("turns", 1, vectors[0])])
            embedded.execute("fail_vector", "new", "turns", 2, "bad")
            embedded.vectors.stop("new", "")
        assert embedded.vectors.coverage(MODEL) == (MODEL, 0, 5, 0, "")
        assert embedded.vectors.coverage("new")[1:] == (1, 4, 1, "bad")
        assert rows_of(embedded, "turns", vectors[0]) == []
        assert embedded._db.all("SELECT count(*) FROM vector_signs") == [(1,)]

    @pytest.mark.parametrize("damage", ["", "DELETE FROM vector_signs"])
    def test_a_rebuild_mends_what_a_check_finds(self, embedded: AnyStore, damage: str) -> None:
        talk(embedded, 30)
        fill(embedded, vectors := some(30))
        assert self.sound(embedded)
        with embedded.writing():
            if damage:
                embedded._db.run(damage)
            else:
                embedded.vectors.put(MODEL, [kept("turns", 31, vectors[0])])  # of no turn
        problems = embedded.check(lambda done, total: None)
        assert [one.where for one in problems if one.where == "vectors"] == ["vectors"]
        embedded.rebuild(lambda done, total: None)
        assert self.sound(embedded)
        assert rows_of(embedded, "turns", vectors[4], 1) == [5]
        assert 31 not in rows_of(embedded, "turns", vectors[0], 40)

    def test_what_questions_share_is_taken_from_a_question(self, embedded: AnyStore) -> None:
        said = [f"text {n}" + ("?" if n % 4 == 0 else "") for n in range(400)]
        with embedded.writing():
            embedded.append([(turn(text), key(f"{n}")) for n, text in enumerate(said)])
        vectors = some(400)
        vectors[::4, 0] += 2  # what every question has
        fill(embedded, unit(vectors)[0])
        asked = vectors[9].copy()  # the answer, put as a question
        asked[0] += 2
        asked = unit(asked[None])[0][0]
        plain, english, chinese = (
            embedded.vectors.similar("turns", QuestionVector(MODEL, asked, asks), 1)
            for asks in ("", "en", "zh")
        )
        assert plain[0].row % 4 == 1  # some question
        assert english[0].row == 10
        assert chinese == plain  # nothing known of it
