"""Phase 5: what was used is lifted, what faded or expired goes, and only that is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from loxodon import Memory
from loxodon.config import DecayConfig
from loxodon.store.store import Store
from loxodon.types import Record
from loxodon.write import fading
from loxodon.write.decay import fades_at
from tests.clock import NOW, Clock
from tests.long import count
from tests.write.talks import CONFIG, said


def faded(memory: Memory) -> dict[str, int]:
    """What phase 5 does now, by a clock that is right."""
    memory.trust_clock()
    counts = memory.consolidate(phase=5).counts
    return {name: n for name, n in counts.items() if name not in ("waiting", "failed")}


def end_of(memory: Memory, record: Record) -> datetime:
    end = fades_at(record.strength, NOW, record.kind, record.importance, memory.config.decay)
    assert end is not None
    return end


# What fades


@pytest.mark.parametrize("kind", ["fact", "belief", "summary"])
def test_a_memory_is_archived_when_it_has_faded_and_not_before(
    memory: Memory, clock: Clock, kind: Any
) -> None:
    kept = memory.capture("one", kind, importance=0.3)
    clock.now = end_of(memory, kept) - timedelta(milliseconds=1)
    assert memory.get(kept.id).strength >= DecayConfig().archive
    assert faded(memory) == {}
    clock.now += timedelta(milliseconds=1)
    assert faded(memory) == {"faded": 1}
    assert memory.get(kept.id).state == "archived"
    assert [one.change for one in memory.history(kept.id)] == ["captured", "faded"]
    assert memory.get(kept.id).strength == pytest.approx(DecayConfig().archive, rel=1e-5)
    assert faded(memory) == {}


def test_what_expires_goes_however_strong_it_is(memory: Memory, clock: Clock) -> None:
    tomorrow = NOW + timedelta(days=1)
    kept = memory.capture("parked on level 3", importance=1.0, expires_at=tomorrow)
    clock.now = tomorrow - timedelta(milliseconds=1)
    assert faded(memory) == {}
    clock.now = tomorrow
    assert faded(memory) == {"expired": 1}
    assert memory.history(kept.id)[-1].change == "expired"


def test_an_edit_moves_the_end(memory: Memory, clock: Clock) -> None:
    kept = memory.capture("one", "belief", importance=0.3)
    clock.pass_days(10)
    memory.edit(kept.id, importance=1.0)
    brief = memory.capture("two", expires_at=NOW + timedelta(days=20))
    memory.edit(brief.id, expires_at=None)
    clock.now = end_of(memory, kept) + timedelta(seconds=1)
    assert faded(memory) == {}
    assert memory.validate() == []


def test_more_go_than_are_looked_at_at_a_time(memory: Memory, clock: Clock) -> None:
    tomorrow = NOW + timedelta(days=1)
    for n in range(3):
        memory.capture(f"n{n}", expires_at=tomorrow)
    clock.now = tomorrow
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fading, "_AT_A_TIME", 2)
        assert faded(memory) == {"expired": 3}


def test_the_clock_on_the_wall_makes_no_difference(tmp_path: Path) -> None:
    """A day of 25 hours lets nothing stay longer, and what is derived is derived the same way."""
    born = datetime(2026, 10, 20, 12, 0, 0, 123_456, ZoneInfo("Europe/Berlin"))
    clock = Clock(born)
    config = {"timezone": "Europe/Berlin"}
    with Memory.open(tmp_path, config=config, clock=clock) as memory:
        kept = memory.capture("one", "belief", importance=0.1)
        end = fades_at(kept.strength, kept.created_at, "belief", 0.1, memory.config.decay)
        assert end is not None
        with memory._store.writing():  # a moment as another part may hand it in
            memory._store.insert(kept._replace(created_at=born.astimezone(UTC)), "learned")
        assert memory.validate() == []
        clock.now = end - timedelta(milliseconds=1)
        assert faded(memory) == {}
        clock.now = end
        assert faded(memory) == {"faded": 2}


# What is used


def test_a_days_use_lifts_by_a_tenth(memory: Memory, clock: Clock) -> None:
    kept = memory.capture("one", importance=0.5)
    memory.touch([kept.id])
    memory.touch([kept.id])
    assert memory.get(kept.id).strength == 0.5
    assert faded(memory) == {"lifted": 1}
    now = memory.get(kept.id)
    assert now.strength == pytest.approx(0.6)
    assert (now.access_count, now.accessed_at) == (2, NOW)
    assert faded(memory) == {}


def test_three_days_of_use_lift_three_times(memory: Memory, clock: Clock) -> None:
    kept = memory.capture("one", importance=0.5)
    other = memory.capture("two", importance=0.95)
    for _ in range(3):
        clock.pass_days(1)
        memory.touch([kept.id, other.id])
    used = memory.get(kept.id).strength
    assert faded(memory) == {"lifted": 2}
    assert memory.get(kept.id).strength == pytest.approx(used + 0.3)
    assert memory.get(other.id).strength == 1.0


def test_a_lift_moves_the_end(memory: Memory, clock: Clock) -> None:
    kept = memory.capture("one", "belief", importance=0.3)
    clock.now = end_of(memory, kept)
    memory.touch([kept.id])
    assert faded(memory) == {"lifted": 1}
    assert memory.get(kept.id).strength == pytest.approx(DecayConfig().archive + 0.1)
    assert memory.validate() == []


# What comes back


def test_what_had_faded_comes_back_when_it_is_asked_for(memory: Memory, clock: Clock) -> None:
    kept = memory.capture("one", "belief", importance=0.3)
    clock.now = end_of(memory, kept)
    assert faded(memory) == {"faded": 1}
    memory.touch([kept.id])
    assert memory.get(kept.id).state == "archived"
    assert faded(memory) == {"returned": 1}
    back = memory.get(kept.id)
    assert back.state == "active"
    assert back.strength == pytest.approx(0.3)
    assert memory.validate() == []
    clock.pass_days(1)
    assert faded(memory) == {}


def test_what_was_archived_by_hand_does_not_come_back_by_use(memory: Memory) -> None:
    kept = memory.capture("one", importance=0.9)
    memory.touch([kept.id])
    memory.archive(kept.id)
    memory.touch([kept.id])
    assert faded(memory) == {}
    assert memory.get(kept.id).state == "archived"
    assert memory.unarchive(kept.id).strength == pytest.approx(kept.strength)


@pytest.mark.parametrize(
    "change",
    [
        "superseded",
        "corrected",
        "retracted",
        "merged",
        "confirmed",
        "denied",
        "rejected",
        "outdated",
    ],
)
def test_what_was_settled_stays_away(memory: Memory, change: str) -> None:
    kept = memory.capture("one")
    with memory._store.writing():
        memory._store.update(kept.id, None, change, NOW, {"state": "archived"})
    memory.edit(kept.id, tags=("looked at",))
    memory.touch([kept.id])
    assert faded(memory) == {}
    assert memory.get(kept.id).state == "archived"
    assert memory._store.worklog.used() == []


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


# Other rates


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Memory.open(tmp_path, config=CONFIG, clock=Clock()) as memory:
        memory.capture("one", importance=0.5)
        memory.consolidate(phase=5)
    return tmp_path


def opened(home: Path, rate: float, days: float) -> Memory:
    config = {**CONFIG, "decay.fact": rate}
    return Memory.open(home, config=config, clock=Clock(NOW + timedelta(days=days)))


def test_a_faster_decay_holds_for_what_is_known_already(home: Path) -> None:
    with opened(home, 0.5, 4) as memory:
        assert memory.list()[0].strength < 0.1
        assert (faded(memory), memory.validate()) == ({}, [])
    with opened(home, 0.5, 5) as memory:
        assert faded(memory) == {"faded": 1}


def test_a_slower_decay_too(home: Path) -> None:
    with opened(home, 0.0, 40_000) as memory:
        assert (faded(memory), memory.validate()) == ({}, [])
        assert memory.list()[0].strength == 0.5
    with opened(home, 0.008, 40_000) as memory:
        assert faded(memory) == {"faded": 1}


def test_the_fastest_decay_there_is(home: Path) -> None:
    with opened(home, 1.0, 0) as memory:
        memory.capture("two", importance=0.0)
        assert faded(memory) == {"faded": 1}  # of importance 0: all of it in a day


def test_nothing_is_reckoned_twice(home: Path) -> None:
    with opened(home, 0.5, 1) as memory:
        before = memory.list()[0].version
        faded(memory)
        faded(memory)
        assert memory.list()[0].version == before


# What it costs


class Steps:
    """Steps of SQLite's virtual machine, by which work is told without a stopwatch."""

    def __init__(self, store: Store) -> None:
        self._connection = store._db._connection  # type: ignore[attr-defined]
        self.done = 0

    def __enter__(self) -> Steps:
        def count() -> bool:
            self.done += 1
            return False

        self._connection.set_progress_handler(count, 10)
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.set_progress_handler(None)


SIZES = (count(300, 1_000), count(3_000, 20_000))


@pytest.fixture(scope="module")
def crowds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Memory]]:
    """Memories with few and with many times as many that last, and some that do not."""
    found = {}
    for size in SIZES:
        memory = Memory.open(tmp_path_factory.mktemp(f"n{size}"), config=CONFIG, clock=Clock())
        with memory._store.writing():
            for n in range(size):
                fact = Record(
                    "",
                    "",
                    "fact",
                    f"thing number {n} of {size}",
                    NOW,
                    NOW,
                    0.9,
                    subject=f"person {n % 500}",
                    topic=f"t{n % 20}",
                )
                memory._store.insert(fact, "learned")
        memory.consolidate(force=True)
        found[size] = memory
    yield found
    for memory in found.values():
        memory.close()


def test_the_cost_follows_what_changes(crowds: dict[int, Memory]) -> None:
    """Ten used, ten that end: the same steps in a pool many times as large."""
    steps = {}
    for size, memory in crowds.items():
        some = memory.list(limit=20)
        memory.touch([one.id for one in some[:10]])
        for one in some[10:]:
            memory.edit(one.id, expires_at=NOW)
        with Steps(memory._store) as counted:
            outcome = memory.consolidate(phase=5)
        assert (outcome.counts["lifted"], outcome.counts["expired"]) == (10, 10)
        steps[size] = counted.done
    assert steps[SIZES[1]] <= 1.25 * steps[SIZES[0]]


@pytest.mark.parametrize("phase", [5, 6, 7])
def test_a_phase_without_changes_costs_the_same(crowds: dict[int, Memory], phase: int) -> None:
    steps = {}
    for size, memory in crowds.items():
        memory.consolidate(phase=phase)
        with Steps(memory._store) as counted:
            memory.consolidate(phase=phase)
        steps[size] = counted.done
    assert steps[SIZES[1]] <= 1.25 * steps[SIZES[0]]


def test_a_run_with_one_thing_said_costs_about_the_same(crowds: dict[int, Memory]) -> None:
    steps = {}
    for size, memory in crowds.items():
        memory.add(said("I'm allergic to peanuts", session="one"))
        with Steps(memory._store) as counted:
            assert memory.consolidate().counts["added"] == 1
        steps[size] = counted.done
    assert steps[SIZES[1]] <= 2 * steps[SIZES[0]]
