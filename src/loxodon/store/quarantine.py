"""The quarantine: stretches of text that are kept but told to nobody.

What is held, released and dropped is decided elsewhere
(`trust/origin/quarantine.py`). All writes are called inside `Store.writing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol


class QuarantinedText(NamedTuple):
    """One stretch as the store has it."""

    no: int
    turn: int | None
    """The number of the turn that has it."""
    memory: str
    """The id of the memory that lacks it; empty for none."""
    start: int
    stop: int
    """Where it stands in the turn, in characters."""
    text: str
    """The words, where no turn has them."""
    reason: str
    origin: str
    at: datetime
    state: str
    decided_at: datetime | None


class Quarantine(Protocol):
    def put(self, kept: Sequence[QuarantinedText]) -> list[QuarantinedText]:
        """Keep stretches; each gets a number, which is never given again."""
        ...

    def of_memory(self, no: int, memory: str) -> None:
        """Note which memory lacks a stretch."""
        ...

    def in_turns(self, turns: Iterable[int]) -> dict[int, list[QuarantinedText]]:
        """What is not released of these turns, by turn, in the order of the text."""
        ...

    def get(self, no: int) -> QuarantinedText | None: ...

    def find(self, state: str | None, limit: int = 0) -> list[QuarantinedText]:
        """Stretches of a state, or all; newest first."""
        ...

    def decide(self, no: int, state: str, at: datetime, text: str) -> None:
        """Release a stretch or drop it; `text` is what is kept of its words here."""
        ...

    def unscreened(self, limit: int) -> list[int]:
        """The numbers of the next turns that were journalled before anything was held."""
        ...

    def screened(self, upto: int | None) -> None:
        """Note that those up to a number, from the last, were looked through; None for all."""
        ...
