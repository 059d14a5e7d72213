"""Phase 5: what was used is lifted, what faded or expired leaves the active pool.

None of it is done while the clock is doubted (`store/clock_check.py`); what a wrong clock did is
mended here.

Strength is computed when read, so a day that passes costs nothing. The store knows when each memory
will have faded; a run looks only at those whose time has come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from loxodon.store.clock_check import BACK, FLOOR
from loxodon.store.store import Store
from loxodon.types import Record
from loxodon.write.decay import LIFT

RETURNED_STRENGTH = 0.3  # What an archived memory comes back with
AGED = ("faded", "expired")  # How a memory leaves for its age
_AT_A_TIME = 500
# How far from when a memory was made times are that were reckoned by the same clock
_SAID_THEN = timedelta(days=366)


def lift(store: Store, now: datetime) -> Counter[str]:
    """Lift what was used since the last run; bring back what was asked for from the archive."""
    counts: Counter[str] = Counter()
    for used in store.worklog.used():
        record = store.get(used.id)
        if record is None:
            continue
        values = {
            "accessed_at": min(used.last_at, now),
            "access_count": record.access_count + used.times,
        }
        if record.state == "active":
            values["strength"] = min(1.0, record.strength + LIFT * used.days)
            store.update(record.id, None, "used", now, values)
            counts["lifted"] += 1
        elif _may_return(store, record, now):
            values |= {"state": "active", "strength": max(record.strength, RETURNED_STRENGTH)}
            store.update(record.id, None, "returned", now, values)
            counts["returned"] += 1
    store.worklog.clear_uses()
    return counts


def _may_return(store: Store, record: Record, now: datetime) -> bool:
    """What is over, has expired or was settled does not become true again by being asked for."""
    ends = [at for at in (record.valid_until, record.expires_at) if at is not None]
    return all(at > now for at in ends) and _left_by(store, record) not in _SETTLED


# What takes a memory out for good: something else stands in its place, or a person put it away
_SETTLED = frozenset(
    {
        "archived",
        "superseded",
        "corrected",
        "retracted",
        "merged",
        "confirmed",
        "denied",
        "rejected",
        "outdated",
        "late",
    }
)


def _left_by(store: Store, record: Record) -> str:
    """What was done to a memory when it left the active pool."""
    change = ""
    for version in reversed(store.history(record.id)):
        if version.record.id != record.id or version.record.state == "active":
            break
        change = version.change
    return change


def mend(store: Store, now: datetime) -> Counter[str]:
    """Date anew what a clock dated that was wrong: in the future, or before all clocks.

    Else what was made or used then would not fade for years, or would all at once. What such a
    clock archived comes back as it was.
    """
    counts: Counter[str] = Counter()
    for id, base, since in store.worklog.misdated(FLOOR, now + BACK):
        record = store.get(id)
        if record is None:
            continue
        values: dict[str, Any] = dict(_redated(record, now))
        if _is_wrong(since, now):
            values["strength"] = base
        if (
            record.state == "archived"
            and _is_wrong(record.updated_at, now)
            and _left_by(store, record) in AGED
        ):
            values["state"] = "active"
        if values:
            store.update(id, None, "redated", now, values)
            counts["redated"] += 1
    return counts


def _redated(record: Record, now: datetime) -> Iterator[tuple[str, datetime]]:
    """The times of a memory that a wrong clock gave it, as the right one would have."""
    if _is_wrong(record.created_at, now):
        off = now - record.created_at
        for name in ("created_at", "valid_from", "valid_until", "expires_at", "due_at"):
            at = getattr(record, name)
            if at is not None and abs(at - record.created_at) <= _SAID_THEN:
                yield name, at + off
    for name in ("accessed_at", "confirmed_at"):
        at = getattr(record, name)
        if at is not None and _is_wrong(at, now):
            yield name, now


def _is_wrong(at: datetime, now: datetime) -> bool:
    return at < FLOOR or at > now + BACK


def let_go(store: Store, now: datetime) -> Counter[str]:
    """Archive what has faded or expired."""
    counts: Counter[str] = Counter()
    store.worklog.reckon_ends()
    while ids := store.worklog.ended(now, _AT_A_TIME):
        for record in filter(None, map(store.get, ids)):
            expired = record.expires_at is not None and record.expires_at <= now
            change = "expired" if expired else "faded"
            store.update(record.id, None, change, now, {"state": "archived"})
            counts[change] += 1
    return counts
