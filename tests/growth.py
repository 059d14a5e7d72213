"""How work grows with what it is given, and never how long it takes.

A bound in seconds tells a slow machine from a quick one. Growth is the same on both: work is done
at a size and at a sixteenth of it, and the times are compared. What should be linear fails where it
is nearer to quadratic, what should be level where it is nearer to linear. Between what is right and
the limit lies a factor of four, which no other work on the machine makes up.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import thread_time
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

TIMES = 16
_TRIES = 3
_ROUNDS = 2
# What takes less is done over and over: of a moment, the clock and its reading are too much
_SHORTEST = 0.002


def linear(
    work: Callable[[T], R],
    make: Callable[[int], T],
    size: int,
    clock: Callable[[], float] = thread_time,
) -> R:
    """Fail where `work` on `make(size)` grows worse than its size does; what it returned."""
    return _growth(work, make, size, TIMES**1.5, clock)


def level(
    work: Callable[[T], R],
    make: Callable[[int], T],
    size: int,
    clock: Callable[[], float] = thread_time,
) -> R:
    """Fail where `work` on `make(size)` takes longer for its size; what it returned."""
    return _growth(work, make, size, TIMES**0.5, clock)


def _growth(
    work: Callable[[T], R],
    make: Callable[[int], T],
    size: int,
    most: float,
    clock: Callable[[], float],
) -> R:
    few, many = make(size // TIMES), make(size)
    ratios = []
    for _ in range(_ROUNDS):
        little = much = float("inf")
        for _ in range(_TRIES):
            # The small one is cheap: it has its least before the large one is judged by it.
            little = min(little, *(_time(work, few, clock)[0] for _ in range(_TRIES)))
            took, result = _time(work, many, clock)
            much = min(much, took)
            if much <= most * little:
                return result
        ratios.append(much / little)
    told = " and ".join(f"{ratio:.0f}" for ratio in ratios)
    raise AssertionError(
        f"{TIMES} times the size takes {told} times as long; {most:.0f} is allowed"
    )


def _time(work: Callable[[T], R], given: T, clock: Callable[[], float]) -> tuple[float, R]:
    """How long `work` takes of the processor, and what it returns."""
    collects = gc.isenabled()
    gc.disable()  # a collection goes through what all the tests before have left
    try:
        done, started = 0, clock()
        while True:
            result = work(given)
            done += 1
            if (took := clock() - started) >= _SHORTEST:
                return took / done, result
    finally:
        if collects:
            gc.enable()
