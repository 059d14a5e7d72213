"""A clock that jumps: nothing goes for its age by it."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.types import Turn
from tests.clock import NOW, Clock
from tests.long import count

WRONG = datetime(2036, 3, 1, 12, tzinfo=UTC)
LOST = datetime(1970, 1, 1, 0, 5, tzinfo=UTC)
EMPTY_BATTERY = datetime(2000, 1, 1, tzinfo=UTC)


def fill(memory: Memory) -> None:
    for n in range(20):
        memory.capture(f"thing number {n}", importance=0.1 + n / 40)
    memory.capture("parked on level 3", expires_at=memory.now() + timedelta(days=40))
    memory.capture("The user may like tea", "belief", confidence=0.9, category="preference")
    memory.consolidate(force=True)


def say(memory: Memory, text: str) -> Turn:
    added = memory.add([{"role": "user", "content": text, "at": memory.now().isoformat()}], "talk")
    (turn,) = memory.journal(limit=1)
    assert added.added == 1
    return turn


def standing(memory: Memory) -> dict[str, tuple[str, float]]:
    return {one.content: (one.state, round(one.strength, 9)) for one in memory.list(state="all")}


# Nothing goes by a clock that has jumped


@pytest.mark.parametrize("wrong", [WRONG, NOW + timedelta(days=120), LOST, EMPTY_BATTERY])
def test_nothing_is_archived_by_a_clock_that_has_jumped(
    memory: Memory, clock: Clock, wrong: datetime
) -> None:
    fill(memory)
    before = standing(memory)
    memory.touch([memory.list()[0].id])
    clock.now = wrong
    done = memory.consolidate(force=True)
    assert done.clock_doubted_until == wrong + timedelta(days=1)
    assert memory.status().clock_doubted_until == done.clock_doubted_until
    say(memory, "I'm allergic to peanuts")  # what is said meanwhile is learned
    assert memory.consolidate().counts["added"] == 1
    before["The user is allergic to peanuts"] = ("active", 0.0)
    memory.schedule.run_due()
    memory.schedule.run("weekly")
    memory.schedule.run("heartbeat")
    assert memory.schedule.due() == []
    clock.now = NOW + timedelta(hours=1)
    assert memory.status().clock_doubted_until is None
    assert {what: state for what, (state, _) in standing(memory).items()} == {
        what: state for what, (state, _) in before.items()
    }
    assert memory.consolidate(phase=5).counts["lifted"] == 1  # the use was not lost


@pytest.mark.parametrize("hours", [-14, -1, 1, 14, 26])
def test_clock_in_another_zone_is_believed(memory: Memory, clock: Clock, hours: int) -> None:
    fill(memory)
    clock.now += timedelta(hours=hours)
    assert memory.consolidate(force=True).clock_doubted_until is None
    assert memory.status().clock_doubted_until is None


def test_laptop_that_was_off_for_three_months(memory: Memory, clock: Clock) -> None:
    fill(memory)
    clock.pass_days(90)
    assert memory.consolidate(force=True).clock_doubted_until is not None
    clock.pass_days(0.5)
    assert memory.consolidate(force=True).clock_doubted_until is not None
    clock.pass_days(0.5)
    done = memory.consolidate(force=True)
    assert done.clock_doubted_until is None
    assert done.counts["expired"] == 1
    assert done.counts["faded"] > 0


# Any jumps


@pytest.mark.parametrize("seed", range(count(1, 12)))
def test_any_jumps_that_are_put_right_change_nothing(tmp_path: Path, seed: int) -> None:
    """A true timeline, and the same with a clock that is wrong for a while now and then."""
    rng = random.Random(seed)
    steps = [(rng.uniform(0.1, 25), rng.random() < 0.4, rng.random()) for _ in range(count(8, 25))]
    found = []
    for jumping in (False, True):
        true, clock = NOW, Clock()
        home = tmp_path / str(jumping)
        with Memory.open(home, config={"schedule.daily": ""}, clock=clock) as memory:
            states = []
            for n, (days, jumps, what) in enumerate(steps):
                true += timedelta(days=days)
                if jumping and jumps:
                    for _ in range(2):
                        clock.now = _wrong(rng, true)
                        memory.consolidate(force=True)
                        memory.schedule.run_due()
                clock.now = true
                memory.consolidate(force=True)
                memory.schedule.run("heartbeat")
                memory.capture(f"thing number {n}", importance=round(what, 2))
                states.append({one.content: one.state for one in memory.list(state="all")})
            found.append((states, standing(memory)))
            assert memory.validate() == []
            assert memory.status().clock_doubted_until is None
    assert found[0] == found[1]


def _wrong(rng: random.Random, true: datetime) -> datetime:
    kind = rng.random()
    if kind < 0.2:
        return LOST + timedelta(hours=rng.uniform(0, 5))
    days = rng.uniform(60, 6000)
    return true + timedelta(days=days if kind < 0.7 else -rng.uniform(3, 2000))
