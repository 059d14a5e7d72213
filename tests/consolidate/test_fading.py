"""Phase 5: what was used is lifted, what faded or expired goes, and only that is looked at."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from tests.clock import NOW, Clock, trust
from tests.consolidate.talks import CONFIG, said


def faded(memory: Memory) -> dict[str, int]:
    """What phase 5 does now, by a clock that is right."""
    trust(memory)
    counts = memory.consolidate(phase=5).counts
    return {name: n for name, n in counts.items() if name not in ("waiting", "failed")}


# What fades


@pytest.mark.parametrize(
    ("kind", "importance", "rate"),
    [
        *(("fact", 0.0, 0.008), ("fact", 0.5, 0.006), ("fact", 1.0, 0.004)),
        *(("belief", 0.0, 0.07), ("belief", 1.0, 0.035), ("summary", 0.4, 0.02)),
    ],
)
def test_strength_falls_by_its_rate_each_day(
    memory: Memory, clock: Clock, kind: Any, importance: float, rate: float
) -> None:
    sure = 0.9 if kind == "belief" else None
    kept = memory.capture("one", kind, importance=importance, confidence=sure)
    assert kept.strength == pytest.approx(max(importance * (sure or 1), 0.2))
    for days in (1, 100):
        clock.now = NOW + timedelta(days=days)
        now = memory.get(kept.id).strength
        assert now == pytest.approx(kept.strength * (1 - rate) ** days)
    clock.now = NOW - timedelta(days=500)
    assert memory.get(kept.id).strength == pytest.approx(kept.strength)  # no time runs backwards


@pytest.mark.parametrize(("kind", "days"), [("fact", 747), ("belief", 81)])
def test_memory_is_archived_when_it_has_faded_and_comes_back_by_use(
    memory: Memory, clock: Clock, kind: Any, days: int
) -> None:
    """Below 0.05, after two years or a few weeks; lifted in time, it stays."""
    sure = 0.9 if kind == "belief" else None
    kept, lifted = (memory.capture(one, kind, importance=1.0, confidence=sure) for one in "ab")
    clock.pass_days(days)
    assert faded(memory) == {}
    memory.touch([lifted.id])
    clock.pass_days(1)
    assert faded(memory) == {"faded": 1, "lifted": 1}
    assert (memory.get(kept.id).state, memory.get(lifted.id).state) == ("archived", "active")
    assert memory.history(kept.id)[-1].change == "faded"
    assert memory.get(lifted.id).strength == pytest.approx(0.15, abs=0.01)
    memory.touch([kept.id])
    assert faded(memory) == {"returned": 1}
    assert memory.get(kept.id).state == "active"
    memory.edit(kept.id, importance=0.9)
    assert memory.validate() == []


def test_what_expires_goes_however_strong_it_is(memory: Memory, clock: Clock) -> None:
    tomorrow = NOW + timedelta(days=1)
    kept = memory.capture("parked on level 3", importance=1.0, expires_at=tomorrow)
    clock.now = tomorrow - timedelta(milliseconds=1)
    assert faded(memory) == {}
    clock.now = tomorrow
    assert faded(memory) == {"expired": 1}
    assert memory.history(kept.id)[-1].change == "expired"


# What is used


def test_each_day_of_use_lifts_by_a_tenth(memory: Memory, clock: Clock) -> None:
    kept, other = (memory.capture(one, importance=n) for one, n in (("one", 0.5), ("two", 0.95)))
    memory.touch([kept.id])
    memory.touch([kept.id])
    assert memory.get(kept.id).strength == 0.5
    assert faded(memory) == {"lifted": 1}
    now = memory.get(kept.id)
    assert now.strength == pytest.approx(0.6)
    assert (now.access_count, now.accessed_at) == (2, NOW)
    for _ in range(3):
        clock.pass_days(1)
        memory.touch([kept.id, other.id])
    used = memory.get(kept.id).strength
    assert faded(memory) == {"lifted": 2}
    assert memory.get(kept.id).strength == pytest.approx(used + 0.3)
    assert memory.get(other.id).strength == 1.0
    assert faded(memory) == {}


# What comes back


def test_what_was_archived_by_hand_does_not_come_back_by_use(memory: Memory) -> None:
    kept = memory.capture("one", importance=0.9)
    memory.touch([kept.id])
    memory.archive(kept.id)
    memory.touch([kept.id])
    assert faded(memory) == {}
    assert memory.get(kept.id).state == "archived"
    assert memory.unarchive(kept.id).strength == pytest.approx(kept.strength)


def test_what_is_over_or_has_expired_stays_away(memory: Memory, clock: Clock) -> None:
    over = memory.capture("I lived in Leeds")
    memory.edit(over.id, valid_until=NOW)
    memory.archive(over.id)
    brief = memory.capture("parked on level 3", expires_at=NOW + timedelta(days=1))
    clock.pass_days(1)
    assert faded(memory) == {"expired": 1}
    memory.touch([over.id, brief.id])
    assert faded(memory) == {}


def test_a_home_that_was_left_does_not_come_back(memory: Memory, clock: Clock) -> None:
    memory.add(said("I live in Leeds"))
    memory.consolidate()
    memory.add(said("I moved to York, I live in York now", session="t", at=NOW + timedelta(days=1)))
    clock.pass_days(2)
    memory.consolidate()
    gone = [one for one in memory.list(state="archived") if "Leeds" in one.content]
    assert gone
    memory.touch([one.id for one in gone])
    memory.consolidate(force=True)
    assert [one for one in memory.list() if one.kind == "fact" and "Leeds" in one.content] == []


@pytest.mark.parametrize(
    ("rate", "days", "counts"),
    [
        (0.5, 4, {}),
        (0.5, 5, {"faded": 1}),
        (0.0, 40_000, {}),
        (0.008, 40_000, {"faded": 1}),
        (1.0, 2, {"faded": 1}),
    ],
)
def test_another_rate_holds_for_what_is_known_already(
    tmp_path: Path, rate: float, days: int, counts: dict[str, int]
) -> None:
    with Memory.open(tmp_path, config=CONFIG, clock=Clock()) as memory:
        memory.capture("one", importance=0.5)
        memory.consolidate(phase=5)
    config, later = {**CONFIG, "decay.fact": rate}, Clock(NOW + timedelta(days=days))
    with Memory.open(tmp_path, config=config, clock=later) as memory:
        assert (faded(memory), memory.validate()) == (counts, [])
