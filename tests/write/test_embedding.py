"""Embedding what a memory holds: in batches, again where it failed, on where it stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from loxodon import Memory
from loxodon.errors import BadReplyError, RejectedModelError, UnreachableModelError
from loxodon.models.embedders import ChosenEmbedder
from loxodon.store import QuestionVector
from loxodon.tokens import estimate
from loxodon.types import Coverage, Turn
from loxodon.write import embedding
from loxodon.write.embedding import BATCH_TOKENS, MOST_CHARACTERS, batches, text_of
from tests.clock import NOW, Clock
from tests.models.embedders.toys import Toy, raising, vector_of

TEXTS = ["我对花生过敏", "My sister moved to Osaka", "我每周二去健身房", "The rent went up again"]


@pytest.fixture
def toy() -> Toy:
    return Toy()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock, toy: Toy) -> Iterator[Memory]:
    with opened(tmp_path, clock, toy) as one:
        yield one


def opened(path: Path, clock: Clock, toy: Toy) -> Memory:
    return Memory.open(path / "home", config={}, clock=clock, embedder=toy)


def say(memory: Memory, *texts: str, **more: Any) -> None:
    memory.add(
        [
            {"role": "user", "content": text, "id": f"{crc32(text.encode())}-{n}", **more}
            for n, text in enumerate(texts)
        ]
    )


def coverage(memory: Memory) -> Coverage:
    (found,) = memory.status().embedding
    return found


def found(memory: Memory, text: str, pool: Any = "turns", model: str = "toy") -> list[str]:
    from loxodon.store.vector_math import unit, usable

    vectors = usable([vector_of(text)], 1)
    assert vectors is not None
    near = memory._store.vectors.similar(pool, [QuestionVector(model, unit(vectors)[0][0])], 10)
    rows = [one.row for one in near]
    if pool == "turns":
        return [memory._store.turns(rows)[row].content for row in rows]
    return [memory._store.records(rows)[row].content for row in rows]


def test_turns_and_memories_get_vectors(memory: Memory, toy: Toy) -> None:
    say(memory, *TEXTS)
    record = memory.capture("The user likes tea")
    assert coverage(memory) == ("toy", 0, 6, 0, "")
    outcome = memory.embed()
    assert outcome.embedded == 6
    assert outcome.models == (Coverage("toy", 6, 0, 0, ""),)
    assert memory.stats().embedding == outcome.models
    assert found(memory, TEXTS[1])[0] == TEXTS[1]
    assert found(memory, "likes tea", "memories") == [record.content]
    assert memory.validate() == []


def test_adding_embeds_nothing_and_consolidating_does(memory: Memory, toy: Toy) -> None:
    say(memory, *TEXTS)
    assert toy.batches == []
    counts = memory.consolidate().counts
    assert counts["embedded"] == len(TEXTS) + memory.status().active
    assert coverage(memory).pending == 0


def test_the_same_text_is_embedded_once(memory: Memory, toy: Toy) -> None:
    say(memory, "hello there", "hello there", "other")
    assert memory.embed().embedded == 3
    assert sorted(toy.texts) == ["hello there", "other"]
    memory.add([{"role": "user", "content": "hello there", "id": "later"}])
    assert memory.embed().embedded == 1
    assert len(toy.texts) == 2


def test_who_said_it_is_part_of_it() -> None:
    said = Turn("s", "1", "user", "I went home", NOW, speaker="Caroline")
    assert text_of(said) == "Caroline: I went home"
    assert text_of(said._replace(speaker="")) == "I went home"
    assert len(text_of(said._replace(content="x" * 1_000_000))) == MOST_CHARACTERS


def test_batches_keep_to_their_tokens() -> None:
    texts = ["词语 and words " * 60 for _ in range(50)] + ["a"] * 600 + ["字" * 20_000] + ["b"]
    places = list(batches(texts))
    assert [n for batch in places for n in batch] == list(range(len(texts)))
    for batch in places:
        tokens = sum(estimate(texts[n]) for n in batch)
        assert tokens <= BATCH_TOKENS or len(batch) == 1
        assert len(batch) <= 256
    assert list(batches([])) == []


def test_a_text_that_fails_stays_to_be_done(memory: Memory, toy: Toy) -> None:
    def picky(texts: Sequence[str]) -> object:
        return [[float("nan")] if "rent" in one else [1.0] for one in texts]

    say(memory, *TEXTS)
    toy.instead = picky
    assert memory.embed().embedded == 3
    assert coverage(memory)[1:4] == (3, 1, 1)
    assert "usable" in coverage(memory).error
    toy.instead = lambda texts: [[2.0] for _ in texts]
    assert memory.embed().embedded == 1
    assert coverage(memory)[1:] == (4, 0, 0, "")


@pytest.mark.parametrize(
    "bad",
    [
        lambda texts: [[1.0]] * (len(texts) + 1),
        lambda texts: [],
        lambda texts: [[0.0, 0.0]] * len(texts),
        lambda texts: None,
        raising(BadReplyError("nonsense")),
        raising(ValueError("oh")),
    ],
)
def test_an_answer_that_is_none_loses_nothing(memory: Memory, toy: Toy, bad: Any) -> None:
    say(memory, *TEXTS)
    toy.instead = bad
    assert memory.embed().embedded == 0
    assert memory.consolidate(force=True).ran
    assert coverage(memory).failing == 4 + memory.status().active
    assert coverage(memory).error
    assert memory.recall("Osaka").items
    toy.instead = None
    memory.embed()
    assert coverage(memory).pending == 0


def test_what_fails_is_tried_by_itself_and_not_forever(memory: Memory, toy: Toy) -> None:
    def refuses(texts: Sequence[str]) -> object:
        if any("rent" in one for one in texts):
            raise BadReplyError("too long")
        return [vector_of(one) for one in texts]

    say(memory, *TEXTS)
    toy.instead = refuses
    assert memory.embed().embedded == 0  # one spoils the batch
    memory.consolidate()
    assert coverage(memory)[2:4] == (1, 1)
    for _ in range(3):
        memory.consolidate(force=True)
    tried = len(toy.batches)
    memory.consolidate(force=True)
    assert len(toy.batches) == tried  # three times is enough, unless somebody asks
    memory.embed()
    assert len(toy.batches) == tried + 1


@pytest.mark.parametrize(
    "error", [UnreachableModelError("it is down"), RejectedModelError("wrong key")]
)
def test_an_embedder_that_is_down_stops_the_run_and_not_the_memory(
    memory: Memory, toy: Toy, error: Exception
) -> None:
    say(memory, *TEXTS)
    toy.instead = raising(error)
    outcome = memory.consolidate()
    assert outcome.ran
    assert "embedded" not in outcome.counts
    assert coverage(memory).error == str(error)
    assert coverage(memory).failing == 0
    assert len(toy.batches) == 1
    toy.instead = None
    memory.embed()
    assert coverage(memory)[2:] == (0, 0, "")


def test_one_that_is_unfit_is_given_up_after_three_batches(
    memory: Memory, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_BATCH_TEXTS", 2)
    say(memory, *(f"text {n}" for n in range(20)))
    toy.instead = lambda texts: [[0.0]] * len(texts)
    memory.embed()
    assert len(toy.batches) == 3
    assert coverage(memory)[1:4] == (0, 20, 4)


def test_a_run_that_is_cut_short_goes_on(
    memory: Memory, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_ROUND", 4)
    monkeypatch.setattr(embedding, "_BATCH_TEXTS", 2)
    say(memory, *(f"text {n}" for n in range(10)))

    def until_killed(texts: Sequence[str]) -> object:
        if len(toy.batches) == 4:
            raise KeyboardInterrupt
        return [vector_of(one) for one in texts]

    toy.instead = until_killed
    with pytest.raises(KeyboardInterrupt):
        memory.embed()
    assert coverage(memory).embedded == 6
    toy.instead = None
    seen: list[tuple[int, int]] = []
    outcome = memory.embed(progress=lambda done, total: seen.append((done, total)))
    assert outcome.embedded == 4
    assert coverage(memory)[1:4] == (10, 0, 0)
    assert seen[-1][0] == seen[-1][1]


def test_another_model_embeds_everything_anew(tmp_path: Path, clock: Clock, toy: Toy) -> None:
    with opened(tmp_path, clock, toy) as memory:
        say(memory, *TEXTS)
        memory.embed()
    other = Toy("other")
    other.instead = raising(UnreachableModelError("not yet"))
    with opened(tmp_path, clock, other) as memory:
        memory.embed()
        assert coverage(memory)[:3] == ("other", 0, 4)
        assert memory._store.vectors.coverage("toy").embedded == 4  # a way back, until it is done
        other.instead = None
        memory.embed()
        assert found(memory, TEXTS[0], model="other")[0] == TEXTS[0]
        assert memory._store.vectors.coverage("toy").embedded == 0


def test_vectors_of_another_size_are_refused(memory: Memory, toy: Toy) -> None:
    say(memory, "one")
    memory.embed()
    say(memory, "two")
    toy.size = 32
    assert memory.embed().embedded == 0
    assert "32 numbers" in coverage(memory).error
    assert coverage(memory)[1:4] == (1, 1, 0)


def test_an_edit_is_embedded_again_and_an_archived_memory_stays_findable(
    memory: Memory, toy: Toy
) -> None:
    tea, rain = memory.capture("The user likes tea"), memory.capture("It rains in Leeds")
    memory.embed()
    memory.edit(tea.id, content="The user prefers coffee")
    memory.archive(rain.id)
    assert found(memory, "likes tea", "memories") == []
    assert found(memory, "rains", "archive") == [rain.content]
    assert memory.embed().embedded == 1
    assert found(memory, "coffee", "memories") == ["The user prefers coffee"]
    assert memory.validate() == []


def test_what_is_changed_while_it_is_embedded_is_done_again(memory: Memory, toy: Toy) -> None:
    tea = memory.capture("The user likes tea")

    def meanwhile(texts: Sequence[str]) -> object:
        toy.instead = None
        memory.edit(tea.id, content="The user prefers coffee")
        return [vector_of(one) for one in texts]

    toy.instead = meanwhile
    memory.embed()
    assert found(memory, "likes tea", "memories") == []
    memory.embed()
    assert found(memory, "coffee", "memories") == ["The user prefers coffee"]
    assert coverage(memory).pending == 0


def test_english_gets_a_second_vector(memory: Memory, toy: Toy) -> None:
    english = Toy("english")
    memory._embedders.use((ChosenEmbedder(toy), ChosenEmbedder(english, "en")))
    say(memory, *TEXTS)
    assert memory.embed().embedded == 6
    assert sorted(english.texts) == [TEXTS[1], TEXTS[3]]
    assert [one[:3] for one in memory.status().embedding] == [("toy", 4, 0), ("english", 2, 0)]


def test_an_endpoint_is_given_four_batches_at_a_time(
    memory: Memory, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Barrier

    monkeypatch.setattr(embedding, "_BATCH_TEXTS", 5)
    together = Barrier(4, timeout=60)

    def meet(texts: Sequence[str]) -> object:
        together.wait()  # passes only when four are under way
        return [vector_of(one) for one in texts]

    toy.instead = meet
    memory._embedders.use((ChosenEmbedder(toy, at_once=4),))
    say(memory, *(f"text {n}" for n in range(40)))
    assert memory.embed().embedded == 40
    assert found(memory, "text 17")[0] == "text 17"


def test_any_text_is_embedded(memory: Memory, toy: Toy) -> None:
    say(memory, "a", "🦜" * 10_000, "\x1b[2J", "שלום עולם", "x" * 1_000_000, "\u200b")
    assert memory.embed().embedded >= 5
    assert coverage(memory).pending == 0
    assert max(map(len, toy.texts)) <= MOST_CHARACTERS


def test_settings_that_make_no_embedder_stop_no_consolidation(tmp_path: Path, clock: Clock) -> None:
    config = {"embedder.kind": "onnx", "embedder.path": str(tmp_path)}
    with Memory.open(tmp_path / "home", config=config, clock=clock) as memory:
        say(memory, *TEXTS)
        assert memory.consolidate().ran
        assert "model.onnx" in coverage(memory).error
        assert memory.recall("Osaka").items


def test_two_at_once_are_one(memory: Memory, toy: Toy) -> None:
    say(memory, *TEXTS)

    def both(texts: Sequence[str]) -> object:
        toy.instead = None
        assert memory._embedders.embedding(memory._space).run().embedded == 0
        return [vector_of(one) for one in texts]

    toy.instead = both
    assert memory.embed().embedded == 4
    assert len(toy.batches) == 1
