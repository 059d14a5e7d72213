"""What waits for a model, and who decides it.

What the rules kept in somebody's own words, found doubtful, or dropped as unclear waits in the work
log, the most promising first. Without a model what the rules read stands. With one, or with an
agent in its place, what it was asked about is as it decides; what it did not answer waits on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from loxodon.consolidate.extract import Candidate, ExtractedTurn
from loxodon.language.statements import Fragment
from loxodon.types import NOTHING, Event, Record, Turn

# Turns as they may be read: without what is in quarantine or another's
Hear = Callable[[Sequence[Turn]], Sequence[Turn]]


class Asking(NamedTuple):
    """What a run asked a model, and what that changed."""

    questions: int = 0
    asked: int = 0  # messages, or parts of them, that it was asked about
    decided: int = 0  # those of them that it answered in a way that can be believed
    did: Mapping[str, int] = NOTHING  # answers by kind: `add`, `update`, `end`, `same`, `drop`
    refused: Mapping[str, int] = NOTHING  # what was not believed, by the reason
    tokens: Mapping[str, int] = NOTHING  # by task


class ModelAnswer(NamedTuple):
    """What became of what a model was asked about."""

    found: Sequence[tuple[int, Candidate]] = ()  # what it read, by the number of the turn
    settled: Sequence[tuple[int, int]] = ()  # fragments (turn, n) that are decided now
    dropped: Sequence[int] = ()  # the numbers of candidates of the rules that it did not keep
    taken_back: Sequence[Record] = ()  # the same of what the rules had read in an earlier run
    in_vain: Sequence[tuple[int, int]] = ()  # fragments of which it said nothing believable


class Residue:
    """No model: all that is left waits, for one or for an agent."""

    tokens = 0  # That a model took so far
    problem = ""  # Why a model could not be asked
    most_turns = 0  # How many turns are taken in hand at a time; 0 for as many as the rules take
    report: Asking | None = None

    def __init__(self, *, thorough: bool = False) -> None:
        self.thorough = thorough  # Whether all that was said is to be read

    def wants(self, told: ExtractedTurn, fragments: Sequence[Fragment]) -> set[int]:
        """The numbers of the fragments of a turn that a model should decide."""
        if self.thorough:
            return {one.n for one in fragments}
        said = [one.statement for one in told.candidates]
        doubtful = [one for one in said if one.quoted or one.tentative or one.confidence < 1]
        return {*told.unclear, *(n for one in doubtful for n in one.fragments)}

    def read(self, turns: Sequence[Turn], hear: Hear, *, patient: bool = False) -> ModelAnswer:
        """Decide what waits; `turns` are those in hand. Who is patient waits for a whole batch."""
        return ModelAnswer()

    def compress_day(self, events: Sequence[Event]) -> Sequence[tuple[Candidate, Event]] | None:
        """What a day's events tell that the rules could not; None if it is to be asked again."""
        return ()

    def merge(self, facts: Sequence[Record]) -> Sequence[tuple[Sequence[Record], str]]:
        """Facts of a partition that one sentence can tell, and that sentence."""
        return ()

    def portrait(self, core: Sequence[Record], changed: Sequence[Record]) -> str:
        """A model's few words on the user and the week; empty for the changes' own."""
        return ""

    def afterwards(self, changed: Iterable[Record], now: datetime) -> None:
        """What a model can better about what a run has changed; each thing by itself."""
