"""Strength: how present a memory is now. It starts at the importance and falls every day, the more
slowly the more important. It is computed when read, so that a day passing writes nothing."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime, timedelta

from loxodon.clock import Clock
from loxodon.config import Config
from loxodon.store import MemoryUse
from loxodon.store.store import Store
from loxodon.types import Kind, Record

LEAST_AT_BIRTH = 0.2
LIFT = 0.1  # What a day's use adds


def initial_strength(kind: Kind, importance: float, confidence: float) -> float:
    """What a new memory starts with: its importance, for a belief times how sure we are of it."""
    return max(LEAST_AT_BIRTH, importance * confidence if kind == "belief" else importance)


class Decay:
    """How strength falls by these rates, seen from the present of this clock."""

    def __init__(self, config: Config, clock: Clock) -> None:
        self.config, self._rates = config, config.decay
        self.now = clock

    def rate(self, kind: Kind, importance: float) -> float:
        """The share that a day takes: the rate of the kind, halved for what matters most."""
        return float(getattr(self._rates, kind)) * (1 - importance * 0.5)

    def strength(
        self, base: float, since: datetime, kind: Kind, weight: float, at: datetime | None = None
    ) -> float:
        """The strength at a time, or now, of what had `base` at `since`; time never runs back."""
        days = max(0.0, ((at or self.now()) - since).total_seconds() / 86_400)
        return float(base * (1 - self.rate(kind, weight)) ** days)

    def end(self, base: float, since: datetime, kind: Kind, importance: float) -> datetime | None:
        """When what had `base` at `since` falls below the least; None for never."""
        rate = self.rate(kind, importance)
        if base < self._rates.archive or rate >= 1:
            return since
        if rate <= 0:
            return None
        days = math.log(self._rates.archive / base) / math.log1p(-rate)
        try:
            # In UTC: a day of 25 hours on the wall is one of 24 here.
            return since.astimezone(UTC) + timedelta(days=days)
        except OverflowError:  # in a thousand years
            return None


RETURNED_STRENGTH = 0.3  # What an archived memory comes back with
_AT_A_TIME = 500
# What takes a memory out for good: something else stands in its place, or a person put it away
_SETTLED = "archived superseded corrected retracted merged confirmed denied rejected outdated late"


def lift(store: Store, now: datetime) -> Counter[str]:
    """Lift what was used since the last run; bring back what was asked for from the archive."""
    counts: Counter[str] = Counter()
    for used in store.query_as(MemoryUse, "used"):
        if (record := store.get(used.id)) is None:
            continue
        at = min(used.last_at, now)
        values = {"accessed_at": at, "access_count": record.access_count + used.times}
        if record.state == "active":
            values["strength"] = min(1.0, record.strength + LIFT * used.days)
            store.update(record.id, None, "used", now, values)
            counts["lifted"] += 1
        elif _may_return(store, record, now):
            values |= {"state": "active", "strength": max(record.strength, RETURNED_STRENGTH)}
            store.update(record.id, None, "returned", now, values)
            counts["returned"] += 1
    store.execute("clear_uses")
    return counts


def _may_return(store: Store, record: Record, now: datetime) -> bool:
    """What is over, has expired or was settled does not become true again by being asked for."""
    if any(at is not None and at <= now for at in (record.valid_until, record.expires_at)):
        return False
    left_by = ""  # what was done to it when it left the active pool
    for version in reversed(store.history(record.id)):
        if version.record.id != record.id or version.record.state == "active":
            break
        left_by = version.change
    return left_by not in _SETTLED.split()


def let_go(store: Store, now: datetime) -> Counter[str]:
    counts: Counter[str] = Counter()
    store.reckon_ends()
    while ids := store.column("ended", now, _AT_A_TIME):
        for record in filter(None, map(store.get, ids)):
            expired = record.expires_at is not None and record.expires_at <= now
            change = "expired" if expired else "faded"
            store.update(record.id, None, change, now, {"state": "archived"})
            counts[change] += 1
    return counts
