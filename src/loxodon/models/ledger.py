"""What the model costs: tokens by phase and day, and the cap of a day."""

from __future__ import annotations

from threading import Lock
from typing import Protocol


class Book(Protocol):
    """What keeps the figures: the store."""

    def spend(self, day: str, phase: str, tokens_in: int, tokens_out: int) -> None:
        """Add to what `phase` used on `day`. It was used, whatever becomes of the run."""
        ...

    def spent(self, day: str) -> int:
        """All tokens, in and out, of all phases on `day`."""
        ...


class Ledger:
    """One day of a book, with a cap; `cap` 0 is none."""

    def __init__(self, book: Book, day: str, cap: int) -> None:
        self._book = book
        self._day = day
        self._cap = cap
        self._lock = Lock()
        self._held = 0

    def room(self) -> int | None:
        """Tokens left today; None where there is no cap."""
        return max(0, self._cap - self._held - self._book.spent(self._day)) if self._cap else None

    def hold(self, estimate: int) -> bool:
        """Keep `estimate` tokens for a question that is on its way, if that stays within the cap;
        `release` gives them back once it is paid for."""
        with self._lock:  # several questions may be on their way at once
            room = self.room()
            allowed = room is None or estimate <= room
            self._held += estimate if allowed else 0
        return allowed

    def release(self, estimate: int) -> None:
        """Give back what was held."""
        with self._lock:
            self._held -= estimate

    def record(self, phase: str, tokens_in: int, tokens_out: int) -> None:
        """Note what was used."""
        self._book.spend(self._day, phase, tokens_in, tokens_out)
