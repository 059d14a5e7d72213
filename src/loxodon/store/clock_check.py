"""Whether the clock can be trusted by what acts on age.

A clock that has jumped since the last run, forward by more than a month or back by more than two
days, is doubted for a day: nothing is archived because of its age. Then it is trusted from where it
is, or at once when it returns to where it was.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from loxodon.clock import to_stored
from loxodon.store.rows import loaded

if TYPE_CHECKING:
    from loxodon.store.store import Store

STEP = timedelta(days=31)  # how long nothing may be heard before a clock is doubted
BACK = timedelta(days=2)  # more than zones and summer time put a clock back
_WAIT = timedelta(days=1)
_VALUE = "clock"


def doubted_until(store: Store, now: datetime) -> datetime | None:
    """When a clock that has jumped is trusted again; None if it has not."""
    since = _seen(store, now)[1]
    return since and since + _WAIT


def look(store: Store, now: datetime) -> datetime | None:
    """The same, and keep what the clock says."""
    with store.writing():
        seen = _seen(store, now)
        kept = [None if at is None else to_stored(at)[0] for at in seen]
        store.set_value(_VALUE, json.dumps(kept))
        return doubted_until(store, now)


def _seen(store: Store, now: datetime) -> tuple[datetime | None, datetime | None]:
    """The latest moment that was believed, and since when the clock does not follow from it."""
    kept = loaded(store.value(_VALUE) or "[null, null]")
    at, since = (None if one is None else store.moment(one) for one in kept[:2])
    if at is None or -BACK <= now - at <= STEP:
        return now if at is None else max(at, now), None
    if since is None or not -BACK <= now - since <= STEP:
        return at, now
    return (now, None) if now >= since + _WAIT else (at, since)
