"""The other rankings: scores worked out by hand, and recalls that they order."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import ConfigError, InputError
from tests.clock import NOW, Clock
from tests.models.toys import Toy
from tests.recall.talking import say, shown

PROFILES = ("default", "phase1", "openclaw", "tiered")


def scores(memory: Memory, query: str, profile: str) -> list[float]:
    return [item.score for item in memory.recall(query, profile=profile).items]


# Phase 1: 0.4 for tags, 0.3 for time (a half-life of 7 days), 0.3 for the kind


@pytest.mark.parametrize(
    ("tags", "days", "score"),
    [
        (["harbour"], 0, 1.0),  # 0.4 + 0.3 + 0.3
        (["harbour"], 7, 0.85),  # 0.4 + 0.3 / 2 + 0.3
        (["sea"], 14, 0.375),  # 0 + 0.3 / 4 + 0.3
        ([], 14, 0.775),  # its own words are the tags: 0.4 + 0.3 / 4 + 0.3
    ],
)
def test_phase1_score_of_a_fact(
    memory: Memory, clock: Clock, tags: list[str], days: int, score: float
) -> None:
    memory.capture("the harbour", tags=tags)
    clock.pass_days(days)
    assert scores(memory, "harbour", "phase1") == [score]


def test_phase1_score_of_a_turn(memory: Memory, clock: Clock) -> None:
    say(memory, "the harbour", at=NOW.isoformat())
    clock.pass_days(21)
    assert scores(memory, "harbour", "phase1") == [0.5275]  # 0.4 + 0.3 / 8 + 0.3 × 0.3


# OpenClaw: 0.7 for meaning and 0.3 for text by rank, a half-life of 30 days, then variety


def test_openclaw_score_is_by_rank_and_halves_in_thirty_days(memory: Memory, clock: Clock) -> None:
    memory.capture("harbour, harbour and harbour")
    clock.pass_days(90)
    memory.capture("the harbour, and many other words that make it a weaker match")
    found = memory.recall("harbour", profile="openclaw")
    # The older matches best, 1 × 1/8; the younger second, 1/2 × 1.
    assert [item.score for item in found.items] == [0.5, 0.125]
    assert found.items[1].why["factors"]["decay"] == 0.125


def test_openclaw_puts_what_is_new_before_what_repeats(memory: Memory) -> None:
    say(memory, "the harbour walk was long and windy today", "harbour seals ate our lunch")
    say(memory, "the harbour walk was long and windy today!", session="t")
    first, second = shown(memory.recall("harbour walk", profile="openclaw", top=2))
    assert first.startswith("the harbour walk")
    assert second == "harbour seals ate our lunch"


def test_openclaw_counts_meaning_with_an_embedder(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, config={"timezone": "UTC"}, clock=clock, embedder=Toy()) as memory:
        for n in range(12):
            memory.capture(f"number {n} of the list is {chr(97 + n) * 5}")
        memory.capture("green tea in the morning")
        memory.capture("茶 every day, and tea again")
        alone = memory.recall("green tea", profile="openclaw")
        assert {item.why["routes"]["vector"] for item in alone.items} == {0.0}
        assert [item.score for item in alone.items] == [1.0, 0.5]
        memory.embed()
        first, *others = memory.recall("green tea", profile="openclaw").items
        assert first.content == "green tea in the morning"
        assert first.why["routes"]["vector"] == 0.7  # the closest: 0.7 × 1
        assert first.score == 1.0  # + 0.3 × 1 for the best match
        assert all(item.score < 1.0 for item in others)


# Tiered: importance times what the category keeps, within the partition of the project


@pytest.mark.parametrize(
    ("category", "importance", "idle", "score"),
    [
        ("identity", 0.9, 900, 0.9),  # does not fade
        ("decision", 0.8, 100, 0.6154),  # 0.8 × (0.3 + 0.7 × e^-0.4)
        ("solution", 0.8, 9_000, 0.24),  # 0.8 × 0.3: the floor
        ("event", 0.5, 30, 0.2757),  # 0.5 × (0.1 + 0.9 × e^-0.69)
        ("conversation", 0.6, 9_000, 0.06),  # 0.6 × 0.1: the floor
        ("temp", 0.4, 7, 0.2),  # 0.4 × e^-0.693
        ("debug", 0.4, 9_000, 0.0),  # nothing stays
        ("preference", 0.7, 400, 0.7),  # not named: as important as it is
    ],
)
def test_tiered_score_is_importance_times_what_the_category_keeps(
    memory: Memory, clock: Clock, category: str, importance: float, idle: int, score: float
) -> None:
    memory.capture("locker", category=category, importance=importance)
    clock.pass_days(idle)
    assert scores(memory, "locker", "tiered") == [score]


def test_tiered_puts_the_named_project_first_and_fills_up(memory: Memory) -> None:
    memory.capture("stellar deploys with Docker", project="stellar", importance=1.0)
    memory.capture("记忆引擎用Docker部署", project="记忆引擎", importance=0.2)
    ask = "记忆引擎的Docker怎么部署"
    # The partition has too little: the best matches fill it up, and importance orders them.
    assert shown(memory.recall(ask, profile="tiered"))[0] == "stellar deploys with Docker"
    for n in range(4):  # with which it has five
        memory.capture(f"Docker is installed on host {n}", importance=0.1)
    found = shown(memory.recall(ask, profile="tiered"))
    assert (found[0], found[5]) == ("记忆引擎用Docker部署", "stellar deploys with Docker")
    other = shown(memory.recall("does stellar deploy with Docker?", profile="tiered"))
    assert (other[0], other[5]) == ("stellar deploys with Docker", "记忆引擎用Docker部署")


def test_tiered_puts_turns_after_memories_and_leaves_out_archived_ones(memory: Memory) -> None:
    say(memory, "the harbour is large", "no such word")
    low, high = (memory.capture(f"harbour {i}", importance=i) for i in (0.1, 0.2))
    memory.archive(memory.capture("harbour of old", importance=0.9).id)
    items = memory.recall("harbour", profile="tiered").items
    assert [item.id for item in items[:2]] == [high.id, low.id]
    assert [item.content for item in items[2:]] == ["the harbour is large"]


# All of them


@pytest.mark.parametrize("profile", PROFILES)
def test_any_profile_links_turns_and_puts_what_holds_first(
    memory: Memory, clock: Clock, profile: str
) -> None:
    say(memory, "I live in Leeds.", at=NOW.isoformat())
    memory.consolidate(force=True)
    assert {item.kind for item in memory.recall("live in Leeds", profile=profile).items} == {"fact"}
    clock.pass_days(40)
    say(memory, "I moved, I live in Porto now.", at=clock().isoformat())
    memory.consolidate(force=True)
    assert "Porto" in shown(memory.recall("where do I live?", profile=profile))[0]


def test_profile_comes_from_the_settings(tmp_path: Path, clock: Clock) -> None:
    given = {"recall.profile": "tiered", "timezone": "UTC"}
    with Memory.open(tmp_path / "home", config=given, clock=clock) as memory:
        memory.capture("locker code is on the desk", category="fact", importance=0.5)
        clock.pass_days(30)
        assert memory.recall("locker").items[0].score == 0.5  # what is no event does not fade
        (item,) = memory.recall("locker", profile="phase1").items
        assert set(item.why["routes"]) == {"tags", "time", "file"}
        with pytest.raises(InputError, match="profile cannot be 'phase2'") as caught:
            memory.recall("tea", profile="phase2")
    assert caught.value.hint == "choose one of default, phase1, openclaw, tiered"
    with pytest.raises(ConfigError, match="cannot be"):
        Memory.open(tmp_path / "other", config={"recall.profile": "x"})
