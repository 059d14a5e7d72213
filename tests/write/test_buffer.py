"""What waits to be made known, and when it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from loxodon import Memory
from loxodon.write.buffer import Buffered, flush_due
from tests.each import each

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@each(
    ("turns", "tokens", "ago", "reason"),
    [
        (0, 0, 0, ""),
        (1, 20, 10, ""),
        (1, 20, 179, ""),
        (1, 20, 180, "quiet"),
        (40, 6_000, 1, "tokens"),
        (1, 20, -365 * 86_400, "quiet"),  # the clock went back by a year
        (1, 20, 365 * 86_400, "quiet"),
        (1, 20, -10, ""),
    ],
)
def test_a_flush_is_due_after_quiet_or_much_talk(
    turns: int, tokens: int, ago: int, reason: str
) -> None:
    waiting = Buffered(turns, tokens, NOW - timedelta(seconds=ago) if turns else None)
    assert flush_due(waiting, NOW, 180, 6_000) == reason


def test_what_was_said_before_one_began_does_not_wait() -> None:
    ago = [NOW - timedelta(seconds=seconds) for seconds in (20, 10)]
    waiting = Buffered(2, 20, ago[1], ago[0])
    assert flush_due(waiting, NOW, 180, 6_000, began=ago[1]) == "over"
    assert flush_due(waiting, NOW, 180, 6_000, began=ago[0]) == ""
    assert flush_due(Buffered(0, 0, None), NOW, 180, 6_000, began=NOW) == ""


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
    with Memory.open(tmp_path, config={"buffer.tokens": 50}, clock=Clock()) as memory:
        memory.add([{"role": "user", "content": "今天聊了很多关于花园的事情。" * 20}])
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
