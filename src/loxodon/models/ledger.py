"""What the model costs: tokens by phase and day, and the cap of a day."""

from __future__ import annotations

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

    def room(self) -> int | None:
        """Tokens left today; None where there is no cap."""
        return max(0, self._cap - self._book.spent(self._day)) if self._cap else None

    def allowed(self, estimate: int) -> bool:
        """Whether `estimate` more tokens stay within the cap."""
        room = self.room()
        return room is None or estimate <= room

    def record(self, phase: str, tokens_in: int, tokens_out: int) -> None:
        """Note what was used."""
        self._book.spend(self._day, phase, tokens_in, tokens_out)
