"""How much is done for one message, counted: characters that were read, however often.

Counted and not timed, so that the same message is read or put aside on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_CALL = 16  # What reading costs beside its characters


class TooManyStepsError(Exception):
    """More was to be done for a message than any message may take."""


class Steps:
    """What was done so far, and the most that may be."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.done = 0


_STEPS: ContextVar[Steps | None] = ContextVar("steps", default=None)


@contextmanager
def counted(most: int) -> Iterator[Steps]:
    """Count what is done inside; who counts around it counts that too."""
    around, steps = _STEPS.get(), Steps(most)
    token = _STEPS.set(steps)
    try:
        yield steps
    finally:
        _STEPS.reset(token)
        if around:
            around.done += steps.done


def charge(characters: int) -> None:
    """So many characters are about to be read; TooManyStepsError where that is too much."""
    if steps := _STEPS.get():
        steps.done += characters + _CALL
        if steps.done > steps.most:
            raise TooManyStepsError(f"it takes more than {steps.most} steps")
