"""Ctrl-C, and being told to end, heard only where that does no harm.

A reply and a prompt may be broken off at any moment; what is being written to disk may not. Outside
`allowed` an interrupt waits for the next such place, unless it is repeated.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

_ENDING = ("SIGTERM", "SIGHUP")


class Interrupts:
    """Turns signals into a KeyboardInterrupt at places that allow one."""

    def __init__(self) -> None:
        self.ending = False
        """Whether somebody wants the whole program to end."""
        self._open = False
        self._waiting = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        if current_thread() is main_thread():
            known = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
            for number in (signal.SIGINT, *known):
                self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        self.ending = self.ending or number != signal.SIGINT
        self._waiting += 1
        if self._open or self._waiting > 1:
            self._waiting = 0
            raise KeyboardInterrupt

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Where an interrupt is raised at once, also one that came before."""
        if current_thread() is not main_thread():  # signals are for the main thread
            yield
            return
        self._open = True
        try:
            if self._waiting:
                self._waiting = 0
                raise KeyboardInterrupt
            yield
        finally:
            self._open = False
