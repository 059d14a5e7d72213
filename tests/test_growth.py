"""The measure of growth can fail: by a clock that only the work moves, and by a real one."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain, repeat
from math import log
from pathlib import Path

import pytest

from tests.growth import level, linear

SIZE = 4_096


class Work:
    """Takes as long as `cost` says, and as many times as long as the next of `noise` says."""

    def __init__(self, cost: Callable[[int], float], noise: list[float] | None = None) -> None:
        self.now = 0.0
        self._cost = cost
        self._noise = chain(noise or [], repeat(1.0))

    def __call__(self, size: int) -> int:
        self.now += self._cost(size) * next(self._noise)
        return size

    def clock(self) -> float:
        return self.now


@pytest.mark.parametrize("cost", [lambda n: 1, lambda n: n, lambda n: n * log(n), lambda n: 9 + n])
def test_what_is_linear_passes(cost: Callable[[int], float]) -> None:
    work = Work(cost)
    assert linear(work, int, SIZE, work.clock) == SIZE


@pytest.mark.parametrize("cost", [lambda n: n**2, lambda n: 500 * n + n**2, lambda n: n**3])
def test_what_is_quadratic_fails(cost: Callable[[int], float]) -> None:
    work = Work(cost)
    with pytest.raises(AssertionError, match="16 times the size"):
        linear(work, int, SIZE, work.clock)


def test_what_is_level_passes_and_what_is_linear_is_not_level() -> None:
    work = Work(lambda n: 1 + n / SIZE)
    assert level(work, int, SIZE, work.clock) == SIZE
    work = Work(lambda n: n)
    with pytest.raises(AssertionError, match="takes 16 and 16 times as long; 4 is allowed"):
        level(work, int, SIZE, work.clock)


@pytest.mark.parametrize("slow", [1, 2, 3, 5])
def test_what_was_slow_by_chance_is_tried_again(slow: int) -> None:
    """Each try does the small one three times and then the large one."""
    work = Work(lambda n: n, [1, 1, 1, 9] * slow)
    assert linear(work, int, SIZE, work.clock) == SIZE


def test_what_takes_a_moment_is_done_over_and_over() -> None:
    work = Work(lambda n: n * 1e-9)
    assert linear(work, int, SIZE, work.clock) == SIZE
    work = Work(lambda n: n**2 * 1e-9)
    with pytest.raises(AssertionError):
        linear(work, int, SIZE, work.clock)


def test_a_real_quadratic_fails_and_a_real_line_passes() -> None:
    def pairs(items: range) -> int:
        return sum(1 for one in items for other in items if one < other)

    with pytest.raises(AssertionError):
        linear(pairs, range, 800)
    assert linear(lambda items: sum(items), range, 100_000)


def test_no_other_test_has_a_stopwatch() -> None:
    """But for those that fill in figures or have a minute's patience."""
    found = _having(r"process_time|perf_counter|thread_time|monotonic\(\) - ")
    assert found == {
        "growth.py",
        "faults/test_failure_modes.py",
        "faults/writer.py",
        "fuzz/made.py",
        "models/weights.py",
    }


def test_no_test_waits_for_a_time() -> None:
    """But for conditions (`waiting.until`), and for what comes on a terminal."""
    assert _having(r"\bsleep\((?!0\))|time\.time\(") == set()
    assert _having(r"monotonic\(\) [+<-]") == {"waiting.py", "serve/chat/terminal.py"}


def _having(pattern: str) -> set[str]:
    """The files of the tests in which a pattern is found, but for this one."""
    tests = Path(__file__).parent
    return {
        path.relative_to(tests).as_posix()
        for path in tests.rglob("*.py")
        if path != Path(__file__) and re.search(pattern, path.read_text("utf-8"))
    }
