"""Embedding what a memory holds: in batches, again where it failed, on where it stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from loxodon import Memory
from loxodon.errors import BadReplyError, ModelError, UnreachableModelError
from loxodon.store import Coverage
from tests.clock import Clock
from tests.models.toys import Toy, raising, vector_of

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


def found(memory: Memory, text: str) -> list[str]:
    return [one.content for one in memory.recall(text).items]


def test_turns_and_memories_get_vectors(memory: Memory, toy: Toy) -> None:
    say(memory, *TEXTS)
    record = memory.capture("The user likes tea")
    assert coverage(memory) == ("toy", 0, 6, 0, "")
    outcome = memory.embed()
    assert outcome.embedded == 6
    assert outcome.models == (Coverage("toy", 6, 0, 0, ""),)
    assert memory.status().embedding == outcome.models
    assert record.content in found(memory, "likes tea")
    assert memory.validate() == []


def test_adding_embeds_nothing_and_consolidating_does(memory: Memory, toy: Toy) -> None:
    say(memory, *TEXTS)
    assert toy.batches == []
    counts = memory.consolidate().counts
    assert counts["embedded"] == len(TEXTS) + memory.status().active
    assert coverage(memory).pending == 0


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


@pytest.mark.parametrize("error", [UnreachableModelError("it is down"), ModelError("wrong key")])
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


def test_an_edit_is_embedded_again_and_an_archived_memory_stays_findable(
    memory: Memory, toy: Toy
) -> None:
    tea, rain = memory.capture("The user likes tea"), memory.capture("It rains in Leeds")
    memory.embed()
    memory.edit(tea.id, content="The user prefers coffee")
    memory.archive(rain.id)
    assert memory.embed().embedded == 1
    assert "The user prefers coffee" in found(memory, "coffee")
    assert "The user likes tea" not in found(memory, "likes tea")
    assert memory.validate() == []


def test_what_is_changed_while_it_is_embedded_is_done_again(memory: Memory, toy: Toy) -> None:
    tea = memory.capture("The user likes tea")

    def meanwhile(texts: Sequence[str]) -> object:
        toy.instead = None
        memory.edit(tea.id, content="The user prefers coffee")
        return [vector_of(one) for one in texts]

    toy.instead = meanwhile
    memory.embed()
    memory.embed()
    assert "The user prefers coffee" in found(memory, "coffee")
    assert coverage(memory).pending == 0


def test_any_text_is_embedded(memory: Memory, toy: Toy) -> None:
    say(memory, "a", "🦜" * 10_000, "\x1b[2J", "שלום עולם", "x" * 1_000_000, "\u200b")
    assert memory.embed().embedded >= 5
    assert coverage(memory).pending == 0
    assert max(map(len, toy.texts)) < 100_000


def test_settings_that_make_no_embedder_stop_no_consolidation(tmp_path: Path, clock: Clock) -> None:
    config = {"embedder.kind": "openai"}
    with Memory.open(tmp_path / "home", config=config, clock=clock) as memory:
        say(memory, *TEXTS)
        assert memory.consolidate().ran
        assert "base URL" in coverage(memory).error
        assert memory.recall("Osaka").items


def test_another_model_embeds_everything_anew(tmp_path: Path, clock: Clock, toy: Toy) -> None:
    with opened(tmp_path, clock, toy) as memory:
        say(memory, *TEXTS)
        memory.embed()
    other = Toy("other")
    other.instead = raising(UnreachableModelError("not yet"))
    with opened(tmp_path, clock, other) as memory:
        memory.embed()
        assert coverage(memory)[:3] == ("other", 0, 4)
        other.instead = None
        memory.embed()
        assert coverage(memory)[:3] == ("other", 4, 0)
        assert TEXTS[0] in found(memory, TEXTS[0])
