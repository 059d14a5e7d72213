"""The daily and the weekly work without a model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest

from loxodon import Memory
from tests.cases import cases
from tests.clock import Clock, trust
from tests.consolidate.said import contents, learn, one_about

Say = Callable[..., None]


@pytest.fixture
def say(memory: Memory, clock: Clock) -> Say:
    """Say things now, a minute apart."""

    def one(*texts: str, session: str = "talk", role: str = "user") -> None:
        for n, text in enumerate(texts):
            at = clock.now + timedelta(minutes=n)
            memory.add([{"role": role, "content": text, "at": at.isoformat()}], session=session)

    return one


def week(memory: Memory) -> Mapping[str, int]:
    return defaultdict(int, memory.schedule.run("weekly").counts)


# Daily


def test_a_day_that_is_over_is_compressed_once(memory: Memory, say: Say, clock: Clock) -> None:
    say("我对花生过敏", "我住在北京")
    memory.consolidate()
    (event,) = [one for one in memory.events() if one.sender != "assistant"]
    assert (event.date, event.compressed) == ("2026-02-04", False)
    clock.pass_days(1)
    say("I live in Leeds")
    memory.consolidate()
    marks = {one.date: one.compressed for one in memory.events()}
    assert marks == {"2026-02-04": True, "2026-02-05": False}
    clock.pass_days(1)
    memory.consolidate(force=True)
    assert all(one.compressed for one in memory.events())
    before = memory.list(state="all")
    memory.consolidate(force=True)
    assert memory.list(state="all") == before


# Weekly


def crowd(memory: Memory, n: int = 10, topic: str = "diet") -> None:
    for word in "ABCDEFGHIJKLMNOPQRST"[:n]:
        memory.capture(f"The user eats {word * 6} for lunch", topic=topic)


def test_crowded_partitions_are_cleared_of_what_is_said_twice(memory: Memory) -> None:
    crowd(memory)
    one = learn(memory, "The user drinks coffee at breakfast", importance=0.4)
    two = learn(memory, "The user drinks coffee at breakfast now", importance=0.9)
    three = learn(memory, "The user drinks coffee, at breakfast", importance=0.3)
    assert week(memory)["merged"] == 2
    kept = one_about(memory, "breakfast")
    assert kept.id in (one.id, two.id, three.id)
    assert kept.importance == 0.9
    gone = memory.list(state="archived")
    assert len(gone) == 2
    assert {memory.history(r.id)[-1].change for r in gone} == {"merged"}
    assert memory.validate() == []
    assert week(memory)["merged"] == 0


def test_a_partition_with_room_is_left_alone(memory: Memory) -> None:
    crowd(memory, 7)
    for _ in range(2):
        learn(memory, "The user drinks coffee at breakfast")
    assert week(memory)["merged"] == 0
    memory.capture("The user eats nothing for dinner", topic="diet")
    assert week(memory)["merged"] == 1


def test_what_a_person_wrote_stays(memory: Memory) -> None:
    crowd(memory)
    written = [memory.capture("用户早饭喝咖啡", topic="diet") for _ in range(2)]
    learned = learn(memory, "用户早饭喝咖啡。", importance=0.9)
    assert week(memory)["merged"] == 2
    kept, other = (memory.get(one.id) for one in written)
    assert sorted((kept.state, other.state)) == ["active", "archived"]  # they are word for word one
    assert max(kept.importance, other.importance) == 0.9
    assert memory.get(learned.id).state == "archived"
    edited = learn(memory, "The user drinks tea at noon")
    memory.edit(edited.id, content="The user drinks tea at one")
    longer = learn(memory, "The user drinks the tea at one")
    assert week(memory)["merged"] == 1
    assert memory.get(edited.id).content == "The user drinks tea at one"
    assert memory.get(longer.id).state == "archived"


def test_two_appointments_in_the_same_words_are_two(memory: Memory, clock: Clock) -> None:
    crowd(memory)
    for days in (1, 8):
        learn(memory, "The user sees the dentist", due_at=clock.now + timedelta(days=days))
    assert week(memory)["merged"] == 0


@pytest.mark.parametrize("two", cases(__file__, "two"), ids=lambda two: str(two["other"]))
def test_only_what_says_the_same_is_merged(memory: Memory, two: dict[str, object]) -> None:
    crowd(memory)
    for content in (two["one"], two["other"]):
        learn(memory, str(content))
    assert week(memory)["merged"] == two.get("merged", 0)


def test_what_was_for_the_moment_goes_when_it_has_faded(memory: Memory, clock: Clock) -> None:
    for category in ("temp", "debug", "fact"):
        memory.capture(f"the build of {category} is red", category=category, importance=0.2)
    assert week(memory)["cleared"] == 0
    clock.pass_days(60)
    trust(memory)
    week(memory)
    assert contents(memory) == ["the build of fact is red"]
    assert {memory.history(one.id)[-1].change for one in memory.list(state="archived")} == {"faded"}
