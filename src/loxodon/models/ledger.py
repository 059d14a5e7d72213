"""What the model costs: tokens by phase and day, and the cap of a day."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from loxodon.errors import SpentModelError


class Ledger:
    """One day of a `write.model_reading.StoreBook`, with a cap; `cap` 0 is none."""

    def __init__(self, book: Any, day: str, cap: int) -> None:
        self._book = book
        self._day = day
        self._cap = cap
        self._lock = Lock()  # several questions may be on their way at once
        self._held = 0

    def room(self) -> int | None:
        """Tokens left today; None where there is no cap."""
        return max(0, self._cap - self._held - self._book.spent(self._day)) if self._cap else None

    @contextmanager
    def holding(self, tokens: int) -> Iterator[None]:
        """While a question is on its way that takes so many at most; SpentModelError where there
        are not that many left."""
        with self._lock:
            room = self.room()
            if room is not None and tokens > room:
                raise SpentModelError(
                    "the daily token limit of the model is used up",
                    hint="the rest continues tomorrow; change the limits with model.daily_tokens "
                    "and model.daily_tokens_full",
                )
            self._held += tokens
        try:
            yield
        finally:
            with self._lock:
                self._held -= tokens

    def record(self, phase: str, tokens_in: int, tokens_out: int) -> None:
        self._book.spend(self._day, phase, tokens_in, tokens_out)
