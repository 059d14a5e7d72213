"""Decides whether the clock can be trusted. Everything that acts on age asks here first.

A clock can be set wrongly, or lose its battery. What fades or expires by such a clock disappears
from recall. So the clock must be consistent with what was seen before: the last run, and the days
on which something was said since. A step of up to a month is trusted. After a longer step, or a
step back, nothing is archived because of its age until time has moved on from there for a
thirtieth of the step, at least a day (three months off: three days; ten years: four months), or
until the user confirms the clock. A clock that returns to where it was is trusted at once.

A clock before `FLOOR` is never trusted by itself: clocks that have lost the time start at 1970 or
2000.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from loxodon.types import Belief, Doubted

if TYPE_CHECKING:
    from loxodon.store.store import Store
    from loxodon.store.worklog import WorkLog

STEP = timedelta(days=31)
"""How long nothing may be heard before a clock that goes forward is doubted."""
BACK = timedelta(days=2)  # more than zones and summer time put a clock back
FLOOR = datetime(2020, 1, 1, tzinfo=UTC)
_WAIT = timedelta(days=1)
_SHARE = 30


def seen(belief: Belief, moment: datetime) -> Belief:
    """What is believed once the clock, or somebody who spoke, has told this moment."""
    if _may_follow(belief.at, moment):
        return belief._replace(at=_later(belief.at, moment), since=None, last=None)
    if belief.since is None or not _may_follow(belief.last, moment):
        return belief._replace(since=moment, last=moment)
    belief = belief._replace(last=_later(belief.last, moment))
    until = believed_at(belief)
    if until is not None and belief.last is not None and belief.last >= until:
        return belief._replace(at=belief.last, since=None, last=None)
    return belief


def believed_at(belief: Belief) -> datetime | None:
    """When a doubted clock is believed if it goes on; None where it is not doubted, or never."""
    if belief.since is None or _is_lost(belief.at, belief.since):
        return None
    jump = abs(belief.since - belief.at) if belief.at is not None else timedelta()
    return belief.since + max(_WAIT, jump / _SHARE)


def _may_follow(last: datetime | None, moment: datetime) -> bool:
    if _is_lost(last, moment):
        return False
    return last is None or -BACK <= moment - last <= STEP


def _is_lost(last: datetime | None, moment: datetime) -> bool:
    """Whether a moment is before all that can be; unless the user has said that it is so."""
    return moment < FLOOR and (last is None or last >= FLOOR)


def _later(one: datetime | None, other: datetime) -> datetime:
    return other if one is None else max(one, other)


def looked(worklog: WorkLog, now: datetime) -> Belief:
    """What is believed now; nothing is kept of it."""
    belief = worklog.belief()
    if belief.at is not None:
        for said in worklog.said_at(belief.turn, belief.at, now):
            belief = seen(belief, said)
    return seen(belief, now)._replace(turn=worklog.last_turn())


def look(store: Store, now: datetime) -> Doubted | None:
    """See what time it is, and keep it; what is doubted of the clock, None where it is believed."""
    with store.writing():
        belief = looked(store.worklog, now)
        store.worklog.set_belief(belief)
    return doubted(belief, now)


def doubted(belief: Belief, now: datetime) -> Doubted | None:
    """What to tell of a clock; None where it is believed."""
    if belief.since is None:
        return None
    return Doubted(now, belief.at, believed_at(belief))
