"""The results of `status` and `stats`, and how they are put together."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon.consolidate.schedule import MOST_ATTEMPTS, next_time
from loxodon.guard.quarantine import requests
from loxodon.language.statements import Fragment
from loxodon.store import Counts, Coverage, Filter, PoolSizes, Spent, Work
from loxodon.store.clock_check import doubted_until
from loxodon.types import Pause

if TYPE_CHECKING:
    from loxodon.memory import Memory
    from loxodon.store.store import Store

EXPECTED = {"active": 200, "total": 5_000}  # what the memories of one person should settle at
_NAMED = 5  # failed messages that are named
_LEDGER_DAYS = 30
_REMINDERS = 100  # that are counted


class Status(NamedTuple):
    home: str
    space: str
    turns: int = 0
    sessions: int = 0
    active: int = 0
    archived: int = 0
    bytes: int = 0
    last_turn_at: datetime | None = None
    last_consolidation: datetime | None = None
    next_consolidation: datetime | None = None
    pending: int = 0  # turns that are not consolidated yet; while the engine is off, those in files
    due: str = ""  # why a consolidation is due; empty if none is
    phase: int = 0  # at which a run was cut short, or is now; 0 for none
    attempts: int = 0  # runs that failed since the last success
    stopped: bool = False  # after three failures no run starts by itself
    error: str = ""  # of the last run
    waiting: int = 0  # fragments that wait for a model
    failed: int = 0  # messages that the rules failed on
    reviews: int = 0  # beliefs that wait to be confirmed or rejected
    embedding: tuple[Coverage, ...] = ()  # by embedder
    views: str = ""  # why the text views could not be written the last time
    reminders: int = 0  # plans that are due and not done; 100 for more
    failing: tuple[str, ...] = ()  # background jobs whose last run failed
    enabled: bool = True  # whether the engine is on
    paused: Pause | None = None
    aside: tuple[str, ...] = ()  # names of the first failed messages; `validate` says why
    clock_doubted_until: datetime | None = None  # it has jumped: nothing fades or expires
    store: str = ""  # the database, without a password; empty for a file in the home
    crowded: tuple[str, ...] = ()  # `active` or `total`, where there are more than `EXPECTED`


class Stats(NamedTuple):
    total: int
    active: int
    archived: int
    kinds: Mapping[str, int]
    importance: Mapping[str, int]
    turns: int
    sessions: int
    entities: int
    events: int
    last_consolidation: datetime | None
    next_consolidation: datetime | None
    expected: Mapping[str, int]  # `EXPECTED`
    ledger: tuple[Spent, ...]  # tokens of the model by day and phase, newest first


def _same(kind: type[Status | Stats], *rows: Counts | Work) -> dict[str, Any]:
    """The fields that rows have under the same name as `kind`."""
    return {n: getattr(row, n) for row in rows for n in row._fields if n in kind._fields}


def status(memory: Memory, store: Store, coverage: tuple[Coverage, ...]) -> Status:
    """The state of `memory`. Call within one view of the store."""
    counts, work, now = store.counts(), store.worklog.work(), memory.now()
    last = store.journal(Filter(), 1)
    aside = store.query_as(Fragment, "fragments", "failed", _NAMED)
    if store.wall.stands:  # what went wrong may have words of what cannot be seen
        work = work._replace(error="")
    held = {"active": counts.active, "total": counts.active + counts.archived}
    return Status(
        **_same(Status, counts, work),
        home=memory.home,
        space=memory.space,
        bytes=store.size(),
        last_turn_at=last[-1].at if last else None,
        last_consolidation=work.last_success,
        next_consolidation=next_time(memory.config.schedule.daily, now, memory.zone),
        pending=store.scalar("count_pending", work.done_to),
        due=memory.consolidation_due(),
        stopped=work.attempts >= MOST_ATTEMPTS,
        waiting=store.scalar("count_fragments", "waiting"),
        failed=store.scalar("count_fragments", "failed"),
        reviews=len(store.page("reviews", 0)[0]) + requests(store),
        embedding=coverage,
        views=memory.workspace.trouble,
        reminders=len(store.query_records("past_due", now, _REMINDERS)),
        failing=memory.schedule.failing(),
        paused=memory.paused,
        aside=tuple(f"t_{one.turn}" for one in aside),
        clock_doubted_until=doubted_until(store, now),
        store="" if memory.root == memory.home or store.wall.stands else memory.root,
        crowded=tuple(name for name, n in held.items() if n > EXPECTED[name]),
    )


def stats(memory: Memory, store: Store) -> Stats:
    """What a memory holds. Call within one view of the store."""
    counts = store.counts()
    ledger = () if store.wall.stands else store.query("ledger", _LEDGER_DAYS)
    return Stats(
        **_same(Stats, counts),
        total=counts.active + counts.archived,
        entities=store.query_as(PoolSizes, "pool_sizes")[0].entities,
        events=store.scalar("count_events"),
        last_consolidation=store.worklog.work().last_success,
        next_consolidation=next_time(memory.config.schedule.daily, memory.now(), memory.zone),
        expected=EXPECTED,
        ledger=tuple(Spent(*row) for row in ledger),
    )
