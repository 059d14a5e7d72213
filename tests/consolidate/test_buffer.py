"""What waits to be made known, and when it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from loxodon import Memory

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def test_a_flush_makes_known_what_was_said_and_leaves_the_night_its_work(tmp_path: Path) -> None:
    clock = Clock()
    with Memory.open(tmp_path, clock=clock) as memory:
        memory.add([{"role": "user", "content": "I live in Leeds", "at": NOW.isoformat()}])
        assert memory.flush_due() == ""
        clock.now += timedelta(minutes=3)
        assert memory.flush_due() == "quiet"
        done = memory.flush()
        assert done.ran
        assert done.counts["added"] == 1
        assert set(done.seconds) == {1, 2, 3, 4, 6}
        assert [one.content for one in memory.list()] == ["The user lives in Leeds"]
        assert memory.flush_due() == ""
        assert not memory.flush().ran
        assert memory.status().last_consolidation is None
        clock.now += timedelta(hours=20)
        memory.add([{"role": "user", "content": "My name is Ada Holm", "at": NOW.isoformat()}])
        assert memory.consolidate(if_due=True).ran
        assert memory.status().last_consolidation is not None


def test_much_talk_does_not_wait_for_quiet(tmp_path: Path) -> None:
    with Memory.open(tmp_path, clock=Clock()) as memory:
        memory.add([{"role": "user", "content": "今天聊了很多关于花园的事情。" * 600}])
        assert memory.flush_due() == "tokens"


def test_a_flush_brings_a_run_that_was_cut_short_to_its_end(tmp_path: Path) -> None:
    with Memory.open(tmp_path, clock=Clock()) as memory:
        memory.add([{"role": "user", "content": "I live in Leeds"}])
        for phase in (1, 2, 3, 4):
            memory.consolidate(phase=phase)
        assert memory.status().phase == 5
        assert memory.flush().ran
        assert memory.status().phase == 0
        assert memory.status().last_consolidation is not None
