"""The heartbeat: every half hour a cheap look at what should not be left as it is.

    reminders    plans whose time has come and that are not done
    doubted      preferences that were only supposed, and that nothing has confirmed for long
    asked        what matters and may have changed since: is it still so? (`loxodon review`)
    merged       what was lately said in other words, kept twice
    waiting      what the rules could not decide, and a model may: the one case in which it is asked

Each look is at an index, and at a few memories at a time; the next beat goes on where this ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice

from loxodon.consolidate import themes
from loxodon.consolidate.compress import merged
from loxodon.consolidate.keep import DOUBTFUL
from loxodon.store import Change, clock_check
from loxodon.store.store import Store
from loxodon.types import Record

MOST = 100  # memories that one look is at
UNCONFIRMED = timedelta(days=14)  # how long a supposed preference stays as likely as it was
LESS_SURE = 0.1  # what it loses then, and every two weeks more
STILL_SO = timedelta(days=90)  # after which what matters is asked about again
ASKED = 3  # questions of this kind that are open at a time: nobody answers a long list
# Categories where an old answer does harm, and may well have become wrong
MATTERING = ("credential", "config", "status", "health")
_LATELY = timedelta(days=1)
_ALIKE = 20


def look(store: Store, now: datetime, since: datetime | None) -> Counter[str]:
    """One beat without a model; `since` is when the last one was.

    By a clock that is doubted nothing is old.
    """
    counts: Counter[str] = Counter()
    with store.writing():
        if not clock_check.look(store, now):
            counts["doubted"] += _doubt(store, now)
            counts["asked"] += _ask(store, now)
        counts["merged"] += sum(merged(store, one, now) for one in _said_twice(store, now, since))
    counts["reminders"] = len(store.query_records("past_due", now, MOST))
    counts["waiting"] = store.scalar("count_fragments", "waiting")
    return counts


# Preferences that were only supposed


def less_sure(confidence: float) -> float | None:
    """How sure one is of a preference that nothing confirmed; None where it is given up."""
    left = round(confidence - LESS_SURE, 6)
    return left if left >= DOUBTFUL else None


def _doubt(store: Store, now: datetime) -> int:
    changed = []
    for belief in store.query_records("supposed", "preference", now - UNCONFIRMED, MOST):
        left = less_sure(belief.confidence)
        if left is None:
            gone = store.update(belief.id, None, "faded", now, {"state": "archived"})
            store.execute("answer_review", belief.id, "rejected", now)
            changed.append(gone)
            continue
        values = {"confidence": left, "strength": belief.strength * left / belief.confidence}
        changed.append(store.update(belief.id, None, "doubted", now, values))
    themes.renew(store, changed, now)
    return len(changed)


# What matters


def _ask(store: Store, now: datetime) -> int:
    """Ask whether what matters is still so, a few at a time; how many were asked now."""
    still = [
        one
        for one in store.page("reviews", 0)[0]
        if one.belief.id == one.against.id and one.belief.kind == "fact"
    ]
    for one in still:
        told = one.belief.confirmed_at
        if told is not None and told > one.asked_at:  # said again since
            store.execute("answer_review", one.belief.id, "confirmed", now)
            still = [other for other in still if other is not one]
    room = max(0, ASKED - len(still))
    asking = store.query_records("mattering", MATTERING, now - STILL_SO, room) if room else []
    for record in asking:
        store.execute("put_review", record.id, record.id, now)
    return len(asking)


# What was kept twice


def _said_twice(store: Store, now: datetime, since: datetime | None) -> Iterator[Sequence[Record]]:
    """What was kept since the last beat, each with what else is known of the same."""
    floor = now - _LATELY
    since = since if since is not None and floor < since <= now else floor
    seen: set[tuple[str, str, str]] = set()
    changes = store.query_as(Change, "changes_since", since)
    new = (store.get(id) for id, change, _ in changes if change in ("learned", "captured"))
    for record in islice((one for one in new if one is not None), MOST):
        about = (record.subject, record.attribute)
        same = (record.agent, *about)
        if record.state != "active" or record.kind != "fact" or same in seen or not about[0]:
            continue
        seen.add(same)
        known = store.latest("about", tuple(filter(None, about)), _ALIKE)
        yield [
            one
            for one in known
            if one.kind == "fact"
            and one.attribute == record.attribute
            and one.agent == record.agent
            and (one.project, one.topic) == (record.project, record.topic)
        ]
