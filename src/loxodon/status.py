"""Where a memory stands, and what it holds: what `status` and `stats` tell."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from loxodon.errors import KeyProblemError
from loxodon.store import Filter
from loxodon.types import Belief, Coverage, Doubted, Pause, Timekeeping

if TYPE_CHECKING:
    from loxodon.memory import Memory
    from loxodon.store import Spent
    from loxodon.store.store import Store


class Status(NamedTuple):
    """Where a memory stands."""

    home: str
    space: str
    turns: int
    sessions: int
    active: int
    archived: int
    bytes: int
    last_turn_at: datetime | None
    last_consolidation: datetime | None
    next_consolidation: datetime | None
    pending: int
    """Turns that were not consolidated yet."""
    due: str
    """Why a consolidation is due; empty where none is."""
    phase: int
    """The phase at which a run was cut short, or is now; 0 for none."""
    attempts: int
    """Runs that did not finish since the last that did."""
    stopped: bool
    """Three did not: none is begun by itself any more."""
    error: str
    """Why the last one failed."""
    waiting: int
    """Fragments that wait until a model can tell what they say."""
    failed: int
    """Messages that the rules stumbled over."""
    reviews: int
    """Beliefs that wait to be confirmed or rejected."""
    embedding: tuple[Coverage, ...] = ()
    """How far each embedder has come; none where none is set."""
    views: str = ""
    """Why the text views could not be written the last time; empty where they could."""
    reminders: int = 0
    """Plans whose time has come and that are not done; 100 for more."""
    failing: tuple[str, ...] = ()
    """Jobs of the background whose last run failed (`loxodon schedule`)."""
    enabled: bool = True
    """Whether the engine is on; off, `pending` is what waits in files."""
    audited: int = 0
    """The number of the last entry of the audit log; 0 where nothing is on record."""
    audit_trouble: str = ""
    """Why nothing can be put on record, or the head of the log cannot be believed."""
    paused: Pause | None = None
    """The pause that is on: nothing is journalled or learned."""
    aside: tuple[str, ...] = ()
    """Names of the messages that the rules stumbled over, the first few; `validate` says why."""
    clock: Doubted | None = None
    """What is doubted of the clock: nothing goes for its age until it is believed."""
    turns_ahead: int = 0
    """Turns that are dated later than now, by a clock that was wrong or by whoever sent them."""
    store: str = ""
    """The database that it is in, without a password; empty for a file in the home."""


class Stats(NamedTuple):
    """What a memory holds, counted."""

    total: int
    active: int
    archived: int
    kinds: Mapping[str, int]
    importance: Mapping[str, int]
    """critical (0.9 and up), high (0.7), medium (0.4), low."""
    turns: int
    sessions: int
    entities: int
    events: int
    last_consolidation: datetime | None
    next_consolidation: datetime | None
    expected: Mapping[str, int]
    """The sizes at which the pools are meant to settle: `active`, `total`."""
    ledger: tuple[Spent, ...]
    """Tokens that a model took, by day and phase, newest first."""
    embedding: tuple[Coverage, ...] = ()
    """How far each embedder has come; none where none is set."""


_NAMED = 5
_RUNS = 20
EXPECTED = {"active": 200, "total": 5_000}
"""What the pools of one person are meant to settle at."""


def status(memory: Memory, store: Store, coverage: tuple[Coverage, ...]) -> Status:
    """Where `memory` stands. Call within one view of the store."""
    from loxodon.store.clock_check import doubted, looked
    from loxodon.trust.origin.quarantine import requests
    from loxodon.write.schedule import MOST_ATTEMPTS

    counts, worklog, now = store.counts(), store.worklog, memory.now()
    belief = looked(worklog, now)
    last, work = store.journal(Filter(), 1), worklog.work()
    if store.wall.stands:  # what went wrong may have words of what cannot be seen
        work = work._replace(error="")
    return Status(
        memory.home,
        memory.space,
        counts.turns,
        counts.sessions,
        counts.active,
        counts.archived,
        store.size(),
        last[-1].at if last else None,
        work.last_success,
        memory.next_consolidation(),
        worklog.pending(work.done_to),
        memory.consolidation_due(),
        work.phase,
        work.attempts,
        work.attempts >= MOST_ATTEMPTS,
        work.error,
        worklog.count_fragments("waiting"),
        worklog.count_fragments("failed"),
        len(worklog.reviews()) + requests(store),
        coverage,
        memory.workspace.trouble,
        len(worklog.past_due(now, 100)),
        memory.schedule.failing(),
        True,
        *_on_record(store),
        paused=memory.paused,
        aside=tuple(f"t_{one.turn}" for one in worklog.fragments("failed", _NAMED)),
        clock=doubted(belief, now),
        turns_ahead=_ahead(store, belief, now),
        store="" if memory.root == memory.home or store.wall.stands else memory.root,
    )


def timekeeping(memory: Memory, store: Store) -> Timekeeping:
    """What the clock says and what is made of it. Call within one view of the store."""
    from loxodon.store.clock_check import doubted, looked

    now = memory.now()
    belief = looked(store.worklog, now)
    return Timekeeping(
        now,
        belief.at,
        doubted(belief, now),
        _ahead(store, belief, now),
        tuple(store.worklog.aged_runs(_RUNS)),
    )


def _ahead(store: Store, belief: Belief, now: datetime) -> int:
    """Turns that are dated later than now, and later than it ever was."""
    from loxodon.store.clock_check import BACK

    return store.worklog.turns_ahead(max(now, belief.at or now) + BACK)


def _on_record(store: Store) -> tuple[int, str]:
    """How far the audit log goes, and what is wrong with it."""
    if store.audit is None or store.wall.stands:
        return 0, ""
    try:
        head = store.audit.head()
    except KeyProblemError as error:
        return 0, str(error)
    if head is None and store.audit_rows.head:
        return 0, "the head of the audit log was changed; see `loxodon audit verify`"
    return (head.n if head else 0) + store.audit.waiting, store.audit.trouble


def stats(memory: Memory, store: Store, coverage: tuple[Coverage, ...]) -> Stats:
    """What `memory` holds. Call within one view of the store."""
    counts, worklog = store.counts(), store.worklog
    return Stats(
        counts.active + counts.archived,
        counts.active,
        counts.archived,
        counts.kinds,
        counts.bands,
        counts.turns,
        counts.sessions,
        worklog.pool().entities,
        len(worklog.events()),
        worklog.work().last_success,
        memory.next_consolidation(),
        EXPECTED,
        () if store.wall.stands else tuple(worklog.ledger()),
        coverage,
    )
