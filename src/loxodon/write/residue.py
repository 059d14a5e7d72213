"""What the rules left undecided, and who decides it.

Without a model nobody does: it waits on the desk, and the journal has it. With one, it is asked in
one call, within the day's tokens; what it does not answer waits too, so that no talk counts as
done because a model failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from loxodon.language.statements import Fragment, Said
from loxodon.types import Event, Record, Turn
from loxodon.write.extract import Candidate
from loxodon.write.pages.profile import Change

Left = Sequence[tuple[Said, Fragment]]


class Asked(NamedTuple):
    """What became of what was left."""

    found: Sequence[tuple[int, Candidate]] = ()
    """Statements, with the number of the turn each is from."""
    settled: Sequence[tuple[int, int]] = ()
    """Fragments (turn, n) that are decided now; the others wait on."""
    instead_of: frozenset[int] = frozenset()
    """Turns in which a model has read something: what the rules read there is not needed."""


class Residue:
    """No model: all that is left waits."""

    tokens = 0
    """That a model took so far."""
    thorough = False
    """Whether all that was said goes to a model, not only what the rules left."""
    problem = ""
    """Why a model could not be asked."""

    def read(self, left: Left, turns: Sequence[Turn]) -> Asked:
        """Decide what the rules left of `turns`."""
        return Asked()

    def compress_day(self, events: Sequence[Event]) -> Sequence[tuple[Candidate, Event]] | None:
        """What a day's events tell that the rules could not; None if it is to be asked again."""
        return ()

    def portrait(self, core: Sequence[Record], changes: Sequence[Change]) -> str:
        """A model's few words on the user and the week; empty for the changes' own."""
        return ""

    def afterwards(self, changed: Iterable[Record], now: datetime) -> None:
        """What a model can better about what a run has changed; each thing by itself."""
