"""Whether the clock can be trusted by what acts on age.

A clock that has jumped since the last run, forward by more than a month or back by more than two
days, is doubted for a day: nothing is archived because of its age. Then it is trusted from where it
is, or at once when the user confirms it or when it returns to where it was. A clock before `FLOOR`
has lost the time, and is never trusted by itself.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from loxodon.clock import to_stored
from loxodon.store.rows import loaded

if TYPE_CHECKING:
    from loxodon.store.store import Store

STEP = timedelta(days=31)  # how long nothing may be heard before a clock is doubted
BACK = timedelta(days=2)  # more than zones and summer time put a clock back
FLOOR = datetime(2020, 1, 1, tzinfo=UTC)
_WAIT = timedelta(days=1)
_VALUE = "clock"


class Belief(NamedTuple):
    """What is believed of the clock (`store/clock_check.py`)."""

    at: datetime | None = None  # the latest moment that was believed
    since: datetime | None = None  # when a clock that does not follow from `at` was first seen


class Doubted(NamedTuple):
    """A clock that has jumped: nothing fades, expires or is summed up by it."""

    now: datetime  # what it says
    last: datetime | None  # the latest moment that was believed; None where none ever was
    until: datetime | None  # when it is believed if it goes on from here; None for never by itself


def looked(store: Store, now: datetime) -> Belief:
    """What is believed of the clock now; nothing is kept of it."""
    kept = loaded(store.value(_VALUE) or "[null, null]")
    at, since = (None if one is None else store.moment(one) for one in kept[:2])
    if now < FLOOR and (at is None or at >= FLOOR):
        return Belief(at, since or now)
    if at is None or -BACK <= now - at <= STEP:
        return Belief(now if at is None else max(at, now))
    if since is None or not -BACK <= now - since <= STEP:
        return Belief(at, now)
    return Belief(now) if now >= since + _WAIT else Belief(at, since)


def look(store: Store, now: datetime) -> Doubted | None:
    """See what time it is, and keep it; what is doubted of the clock, None where it is trusted."""
    with store.writing():
        belief = looked(store, now)
        trust(store, belief)
    return doubted(belief, now)


def trust(store: Store, belief: Belief) -> None:
    """Keep what is believed. Call inside `writing`."""
    kept = [None if at is None else to_stored(at)[0] for at in belief]
    store.set_value(_VALUE, json.dumps(kept))


def doubted(belief: Belief, now: datetime) -> Doubted | None:
    """What to tell of a clock; None where it is trusted."""
    if belief.since is None:
        return None
    return Doubted(now, belief.at, None if belief.since < FLOOR else belief.since + _WAIT)
