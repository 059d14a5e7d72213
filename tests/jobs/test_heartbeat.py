"""The heartbeat: cheap looks at what should not be left as it is."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import InputError
from tests.clock import NOW, Clock, trust
from tests.consolidate.test_asking import GOOD, HANDLES, ZEPHYR, knowing
from tests.models.server import stage

HEALTH = "The user is allergic to peanuts"
ASKED = 3  # questions that are open at a time, at most


def beat(memory: Memory) -> dict[str, int]:
    trust(memory)
    return dict(memory.schedule.run("heartbeat").counts)


def test_plans_past_due_are_reminded_of_until_done(memory: Memory, clock: Clock) -> None:
    plan = memory.capture("The user wants to call the bank", category="plan")
    memory.edit(plan.id, due_at=NOW + timedelta(hours=1))
    assert beat(memory) == {}
    clock.now += timedelta(hours=2)
    assert beat(memory) == {"reminders": 1}
    assert [one.id for one in memory.due_reminders()] == [plan.id]
    assert memory.status().reminders == 1
    memory.edit(plan.id, done=True)
    assert beat(memory) == {}
    assert memory.due_reminders() == []


def test_supposed_preference_loses_confidence(memory: Memory, clock: Clock) -> None:
    tea = memory.capture(
        "The user may like tea", "belief", confidence=0.4, category="preference", importance=1.0
    )
    other = memory.capture("The user may live in Leeds", "belief", confidence=0.4, importance=1.0)
    clock.pass_days(13)
    assert beat(memory) == {}
    clock.pass_days(2)
    assert beat(memory) == {"doubted": 1}
    assert beat(memory) == {}
    assert memory.get(tea.id).confidence == pytest.approx(0.3)
    assert [one.change for one in memory.history(tea.id)] == ["captured", "doubted"]
    clock.pass_days(15)
    beat(memory)
    clock.pass_days(15)
    beat(memory)
    assert memory.get(tea.id).state == "archived"
    assert memory.get(other.id).confidence == 0.4


def test_important_facts_are_asked_about_again(memory: Memory, clock: Clock) -> None:
    fact = memory.capture(HEALTH, category="health", importance=0.9)
    memory.capture("The user likes tea", category="preference", importance=0.9)
    clock.pass_days(91)
    assert beat(memory) == {"asked": 1}
    (review,) = memory.reviews()
    assert review.belief.id == review.against.id == fact.id
    assert beat(memory) == {}  # once
    clock.now += timedelta(hours=1)
    assert memory.confirm(fact.id).confirmed_at == clock.now
    assert memory.reviews() == []
    clock.pass_days(89)
    assert beat(memory) == {}
    clock.pass_days(2)
    assert beat(memory) == {"asked": 1}
    gone = memory.reject(fact.id)
    assert (gone.state, gone.valid_until) == ("archived", clock.now)
    assert memory.reviews() == []
    with pytest.raises(InputError):
        memory.confirm(fact.id)


def test_question_answered_in_talk_is_closed(memory: Memory, clock: Clock) -> None:
    memory.add([{"role": "user", "content": "I am allergic to peanuts"}])
    memory.consolidate()
    (fact,) = memory.list(kind="fact")
    memory.edit(fact.id, importance=0.9)
    clock.pass_days(91)
    assert beat(memory) == {"asked": 1}
    clock.now += timedelta(hours=1)
    memory.add([{"role": "user", "content": "I am allergic to peanuts", "id": "again"}])
    memory.consolidate()
    assert len(memory.reviews()) == 1
    beat(memory)
    assert memory.reviews() == []


def test_few_questions_are_open_at_a_time(memory: Memory, clock: Clock) -> None:
    for n in range(ASKED + 2):
        memory.capture(f"The user takes medicine {n}", category="health", importance=0.8 + n / 100)
    clock.pass_days(91)
    assert beat(memory) == {"asked": ASKED}
    assert beat(memory) == {}
    memory.confirm(memory.reviews()[0].belief.id)
    assert beat(memory) == {"asked": 1}


def test_model_is_asked_only_about_what_waits(clock: Clock, tmp_path: Path) -> None:
    """And only where one is set; what it does not answer goes on waiting."""
    with stage() as server:
        server.play(knowing(server, GOOD))
        address = {
            "model.base_url": f"http://127.0.0.1:{server.port}/v1",
            "model.name": "test",
            "model.check": False,
        }
        with Memory.open(tmp_path, clock=clock) as memory:
            memory.add([{"role": "user", "content": ZEPHYR}])
            memory.consolidate()
            assert beat(memory) == {"waiting": 1}
        with Memory.open(tmp_path, config=address, clock=clock) as memory:
            assert beat(memory) == {"decided": 1}
            assert [one.content for one in memory.list(kind="fact")] == [HANDLES]
            asked = len(server.requests)
            assert asked >= 1
            assert beat(memory) == {}
            assert len(server.requests) == asked


def test_clock_that_jumps_by_a_year_changes_no_confidence(memory: Memory, clock: Clock) -> None:
    memory.capture(
        "The user may like tea", "belief", confidence=0.9, category="preference", importance=1.0
    )
    beat(memory)
    for jump in (365, -365, 365, -365):
        clock.pass_days(jump)
        assert "heartbeat" in memory.schedule.due()
        memory.schedule.run_due()
        assert "heartbeat" not in memory.schedule.due()
    assert memory.list(kind="belief")[0].confidence == 0.9
