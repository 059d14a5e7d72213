"""Phase 5: what was used is lifted, what faded or expired leaves the active pool.

Strength is computed when read, so a day that passes costs nothing. The store knows when each memory
will have faded; a run looks only at those whose time has come.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from loxodon.store import Store
from loxodon.types import Record
from loxodon.write.decay import LIFT

RETURNED_STRENGTH = 0.3
"""What an archived memory comes back with."""
_AT_A_TIME = 500


def lift(store: Store, now: datetime) -> Counter[str]:
    """Lift what was used since the last run; bring back what was asked for from the archive."""
    counts: Counter[str] = Counter()
    for used in store.desk.used():
        record = store.get(used.id)
        if record is None:
            continue
        values = {
            "accessed_at": used.last_at,
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
    store.desk.clear_uses()
    return counts


def _may_return(store: Store, record: Record, now: datetime) -> bool:
    """What is over, has expired or was settled does not become true again by being asked for."""
    ends = [at for at in (record.valid_until, record.expires_at) if at is not None]
    return all(at > now for at in ends) and _left_by(store, record) not in _SETTLED


_SETTLED = frozenset(
    {"superseded", "corrected", "retracted", "merged", "confirmed", "denied", "rejected",
     "outdated", "late"}
)  # fmt: skip
"""What takes a memory out for good: something else stands in its place."""


def _left_by(store: Store, record: Record) -> str:
    """What was done to a memory when it left the active pool."""
    change = ""
    for version in reversed(store.history(record.id)):
        if version.record.id != record.id or version.record.state == "active":
            break
        change = version.change
    return change


def let_go(store: Store, now: datetime) -> Counter[str]:
    """Archive what has faded or expired."""
    counts: Counter[str] = Counter()
    store.desk.reckon_ends()
    while ids := store.desk.ended(now, _AT_A_TIME):
        for record in filter(None, map(store.get, ids)):
            expired = record.expires_at is not None and record.expires_at <= now
            change = "expired" if expired else "faded"
            store.update(record.id, None, change, now, {"state": "archived"})
            counts[change] += 1
    return counts
