"""The work log: what consolidation has in hand, and what it keeps besides memories.

`WorkLog` is the second half of a store, for the write side only; a recall never loads it. All
writes are called inside `Store.writing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from loxodon.language.statements import Fragment
from loxodon.types import Aged, Belief, Entity, Event, Record, Review, Segment, Turn
from loxodon.values import NamedTuple


class Work(NamedTuple):
    """Where consolidation stands."""

    done_to: int = 0
    """Every turn of the journal up to this number is consolidated."""
    upto: int = 0
    """The turns in hand go up to this one."""
    phase: int = 0
    """The phase that is next for what is in hand; 0 where nothing is."""
    attempts: int = 0
    """Runs begun since the last that succeeded."""
    last_run: datetime | None = None
    last_success: datetime | None = None
    error: str = ""
    """Why the last run failed."""
    daily_to: str = ""
    """The last day whose events were compressed."""
    weekly_at: datetime | None = None


class MemoryUse(NamedTuple):
    """A memory that was used since the last run."""

    id: str
    days: int
    times: int
    last_at: datetime


class Spent(NamedTuple):
    """Tokens that a model took, for one phase of one day."""

    day: str
    phase: str
    calls: int
    tokens_in: int
    tokens_out: int


class JobRuns(NamedTuple):
    """What is known of the runs of a job of the background."""

    name: str
    last_at: datetime
    seconds: float
    """What the last run took."""
    counts: Mapping[str, int]
    """What the last that succeeded did."""
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    error: str = ""
    """Why it failed then."""
    failures: int = 0
    """Runs that failed since the last that succeeded."""
    runs: int = 1


class PoolSizes(NamedTuple):
    """How much there is, counted without looking at each."""

    active: int
    archived: int
    entities: int
    topics: int
    turns: int


class WorkLog(Protocol):
    # Where the work stands

    def work(self) -> Work: ...

    def set_work(self, work: Work) -> None: ...

    def pool(self) -> PoolSizes: ...

    # The clock

    def belief(self) -> Belief: ...

    def set_belief(self, belief: Belief) -> None: ...

    def said_at(self, after: int, since: datetime, until: datetime) -> list[datetime]:
        """The times in (since, until] at which turns above number `after` were said, the last of
        each day, in order."""
        ...

    def turns_ahead(self, now: datetime) -> int:
        """How many turns are dated later than now."""
        ...

    def misdated(self, before: datetime, after: datetime) -> list[tuple[str, float, datetime]]:
        """(id, base of its strength, when it had that) of memories that were changed by a clock
        that said a time before the one or after the other."""
        ...

    def aged_runs(self, limit: int) -> list[Aged]:
        """What was archived for its age, by the moment of the run, the latest first."""
        ...

    def aged_in(self, at: datetime) -> list[str]:
        """What the run at that moment archived for its age, and nobody has changed since."""
        ...

    # Turns

    def last_turn(self) -> int:
        """The number of the newest turn, 0 where there is none."""
        ...

    def pending(self, after: int) -> int:
        """How many turns have a number above `after`, or are to be read again; what was captured
        does not count."""
        ...

    def turns_after(self, after: int, upto: int, limit: int = 0) -> list[Turn]:
        """Turns with numbers in (after, upto], in order."""
        ...

    def turns_before(self, session: str, turn: int, limit: int) -> list[Turn]:
        """The last `limit` turns of a session before the one numbered `turn`, in order."""
        ...

    def turns_from(self, session: str, first: int, upto: int) -> list[Turn]:
        """The turns of a session with numbers in [first, upto], in order."""
        ...

    # Segments

    def last_segment(self, session: str) -> Segment | None: ...

    def put_segments(self, segments: Iterable[Segment], instead_of: Iterable[int] = ()) -> None:
        """Keep segments; those numbered in `instead_of` go."""
        ...

    def segments(self, since: datetime | None = None) -> list[Segment]: ...

    # Work in hand

    def put_fragments(self, fragments: Iterable[Fragment]) -> None: ...

    def fail_turn(self, turn: int, text: str, reason: str) -> None:
        """Put a turn aside that the rules stumbled over; `validate` and `status` tell of it."""
        ...

    def let_go(self, turns: Iterable[int]) -> None:
        """Let go of what is in hand of turns, whatever its stage."""
        ...

    def read_again(self, turns: Iterable[int]) -> None:
        """Have turns read that a run has passed already: the next takes them up."""
        ...

    def again(self, limit: int) -> list[Turn]:
        """The first of those turns."""
        ...

    def anew(self, upto: int) -> list[Turn]:
        """Turns up to a number that are in hand because they are read again."""
        ...

    def fragments(self, stage: str, limit: int = 0) -> list[Fragment]:
        """Fragments at a stage, in the order of the journal."""
        ...

    def settle(self, waiting: Iterable[tuple[int, int, float]]) -> None:
        """Let go of what was read; those (turn, n, worth) in `waiting` stay until a model
        decides."""
        ...

    def waiting(self) -> list[tuple[Fragment, float]]:
        """What waits for a model, in the order of the journal, each with its worth."""
        ...

    def put_off(self, pieces: Iterable[tuple[int, int]]) -> None:
        """Count that a model was asked about these and said nothing that can be believed; those
        that were asked about three times are let go."""
        ...

    def drop_waiting(self, pieces: Iterable[tuple[int, int]]) -> None: ...

    def count_fragments(self, stage: str) -> int: ...

    def put_candidates(self, candidates: Iterable[tuple[int, str]]) -> None: ...

    def candidates(self) -> list[tuple[int, int, str]]:
        """(number, turn, body) of what was read and not yet compared with what is known."""
        ...

    def drop_candidates(self, numbers: Iterable[int] | None = None) -> None:
        """Drop some by their numbers, or all."""
        ...

    # Events

    def put_event(self, event: Event) -> None: ...

    def events(self, since: str = "", until: str = "", pending: bool = False) -> list[Event]:
        """Events of the days from `since` on, before `until`, in order of time."""
        ...

    def mark_compressed(self, date: str, agent: str = "") -> None:
        """The events of an agent on a day need not be looked at again."""
        ...

    # Entities

    def entities(self) -> list[Entity]: ...

    def entities_named(self, names: Iterable[str]) -> dict[str, Entity]:
        """Entities by the names asked for (as given), those that there are."""
        ...

    def put_entity(self, entity: Entity) -> Entity:
        """Keep a new entity (number 0), or what it is now; its names lead to it."""
        ...

    def drop_entity(self, no: int) -> None: ...

    def aliases(self, agent: str = "") -> dict[str, str]:
        """Every name of someone who has another, and who that is, for an agent; empty for a name
        that two people have."""
        ...

    # Reviews

    def put_review(self, belief: str, against: str, at: datetime) -> None: ...

    def reviews(self) -> list[Review]:
        """What waits for an answer, oldest first."""
        ...

    def answer_review(self, belief: str, answer: str, at: datetime) -> None: ...

    # Strength

    def reckon_ends(self) -> int:
        """Where the rates of decay have changed, find anew when every active memory will have
        faded; how many there are."""
        ...

    def ended(self, now: datetime, limit: int) -> list[str]:
        """Active memories that have faded or expired by `now`, the first to end first."""
        ...

    def use(self, ids: Iterable[str], day: str, at: datetime) -> int:
        """Note that memories were used; how many there are of those names."""
        ...

    def used(self) -> list[MemoryUse]: ...

    def clear_uses(self) -> None: ...

    # Indexes, pages and the ledger

    def changed(self, limit: int) -> list[Record]:
        """Memories that changed since they were last indexed, the latest `limit`."""
        ...

    def index(self, limit: int) -> int:
        """Make the keywords of memories that changed, of `limit` at most; of how many it did.

        After the last of them, the parts that small writes leave of an index are brought together.
        """
        ...

    def changes_since(self, at: datetime, limit: int = 2_000) -> list[tuple[str, str, datetime]]:
        """(memory, what was done, when) of the last changes since `at`, in order."""
        ...

    def partitions(self, least: int) -> list[tuple[str, str, int]]:
        """(project, topic, number of active facts) of those that have `least` or more."""
        ...

    def of_category(self, category: str) -> list[Record]:
        """The active memories of a category."""
        ...

    def page(self, name: str, language: str) -> tuple[str, str, datetime] | None:
        """(text, basis, when it was made)."""
        ...

    def put_page(self, name: str, language: str, text: str, basis: str, at: datetime) -> None: ...

    def spend(self, day: str, phase: str, tokens_in: int, tokens_out: int) -> None: ...

    def spent(self, day: str) -> int:
        """Tokens in and out of one day."""
        ...

    def ledger(self, days: int = 30) -> list[Spent]: ...

    # The background

    def jobs(self) -> dict[str, JobRuns]:
        """What ran by itself, by name."""
        ...

    def put_job(self, runs: JobRuns) -> None: ...

    def past_due(self, now: datetime, limit: int) -> list[Record]:
        """Active memories whose time has come and that are not done, the first due first."""
        ...

    def supposed(self, category: str, before: datetime, limit: int) -> list[Record]:
        """Active beliefs of a category that nothing has touched since then, the oldest first."""
        ...

    def mattering(self, categories: Sequence[str], before: datetime, limit: int) -> list[Record]:
        """Active facts of importance 0.7 and more that nobody has confirmed since `before`, nor
        was asked to since; what matters most first."""
        ...
