"""Phase 7: when the snapshot is written anew, and that it is made of few memories."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loxodon import Memory
from loxodon.types import Record
from loxodon.write.pages import gather
from tests.clock import NOW, Clock
from tests.write.talks import said


def rewritten(memory: Memory) -> int:
    """How many snapshots phase 7 writes now, of the two languages."""
    return memory.consolidate(phase=7).counts.get("snapshots", 0)


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.add(said("I live in Leeds", "I'm allergic to peanuts"))
    memory.consolidate()
    return memory


def test_a_snapshot_is_written_once_for_each_language(told: Memory) -> None:
    assert rewritten(told) == 0
    assert "Leeds" in told.snapshot("en")
    assert "Leeds" in told.snapshot("zh")
    page = told._store.worklog.page(gather.SNAPSHOT, "en")
    assert page is not None
    assert told.snapshot("en") == page[0]


def test_what_is_not_so_any_more_is_not_told(told: Memory) -> None:
    (home,) = [one for one in told.list() if "Leeds" in one.content and one.kind == "fact"]
    told.archive(home.id)
    assert home.content not in told.snapshot("en")
    assert rewritten(told) == 2
    assert rewritten(told) == 0


def test_other_words_for_a_memory_are_told_at_once(told: Memory) -> None:
    (home,) = [one for one in told.list() if "Leeds" in one.content and one.kind == "fact"]
    told.edit(home.id, content="The user lives in York")
    assert "York" in told.snapshot("en")
    assert rewritten(told) == 2


def test_something_important_moves_the_ranking(told: Memory) -> None:
    told.capture("The user has a pacemaker", importance=1.0, category="health")
    assert rewritten(told) == 2
    assert "pacemaker" in told.snapshot("en")


def test_an_empty_memory_has_a_snapshot(memory: Memory) -> None:
    assert rewritten(memory) == 2
    assert rewritten(memory) == 0
    assert memory.snapshot("en")


def test_however_many_there_are_a_few_hundred_are_read(memory: Memory, clock: Clock) -> None:
    with memory._store.writing():
        for n in range(3_000):
            at = NOW - timedelta(minutes=n)
            fact = Record(
                "",
                "",
                "fact",
                f"thing {n}",
                at,
                at,
                0.5,
                subject="user",
                category=("health", "identity", "fact")[n % 3],
            )
            memory._store.insert(fact, "learned")
    found = gather.material(memory._store, memory.config, NOW)
    assert len(found.records) <= 600
    assert len({one.id for one in found.records}) == len(found.records)
    assert found.totals.active == 3_000
    assert len(found.related(found.records[0])) <= 20
