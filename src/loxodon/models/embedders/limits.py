"""What must not take longer than somebody is willing to wait."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises; TimeoutError where it takes longer than `seconds`.

    It cannot be ended then: it goes on by itself, and nobody looks at what becomes of it.
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # handed on to whoever waits, whatever it is
            done.set_exception(error)

    Thread(target=run, daemon=True).start()
    return done.result(seconds)
