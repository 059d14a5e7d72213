"""What must not take longer than somebody is willing to wait."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises; TimeoutError where it takes longer than `seconds`.

    It cannot be ended then: it goes on by itself, and nobody looks at what becomes of it.
    """
    done: list[T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # handed on to whoever waits, whatever it is
            raised.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0]
    if not done:
        raise TimeoutError
    return done[0]
