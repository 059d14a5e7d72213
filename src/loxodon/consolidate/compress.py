"""The daily and the weekly work: days get a summary; what is said twice, and what was only for the
moment, goes, and the profile is renewed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from loxodon.consolidate import themes
from loxodon.consolidate.profile import put_profiles
from loxodon.consolidate.reconcile import said_at
from loxodon.guard.provenance import is_own, least
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.similarity import sense
from loxodon.types import Event, Record

PARTITION = 10  # Memories from which on a partition (project and topic) is looked through
FADED = 0.15  # Strength below which what was only for the moment goes
_FLEETING = ("temp", "debug")


def daily(store: Store, now: datetime) -> Counter[str]:
    """Sum up every day that is over and on which much happened."""
    counts: Counter[str] = Counter()
    pending = store.query_as(Event, "pending_events", f"{now:%Y-%m-%d}")
    for agent, day in dict.fromkeys((one.agent, one.date) for one in pending):
        with store.writing_as(agent):
            counts["days"] += themes.renew_theme(store, themes.DAY + day, now) is not None
            store.execute("mark_compressed", day, agent)
    return counts


def weekly(store: Store, now: datetime) -> Counter[str]:
    """Clear crowded partitions, let the fleeting go, renew the profile."""
    counts: Counter[str] = Counter()
    for project, topic, _ in store.query("partitions", PARTITION):
        where = Filter(kind="fact", state="active", project=project, topic=topic)
        with store.writing():
            counts["merged"] += merged(store, store.find(where), now)
    with store.writing():  # what was only for the moment and has faded goes
        fleeting = [one for name in _FLEETING for one in store.query_records("of_category", name)]
        cleared = [_archived(store, one, "faded", now) for one in fleeting if one.strength < FADED]
        themes.renew(store, cleared, now)
        counts["cleared"] += len(cleared)
        put_profiles(store, now)
        store.worklog.set_work(store.worklog.work()._replace(weekly_at=now))
    return counts


def merged(store: Store, records: Iterable[Record], now: datetime) -> int:
    """Make one of memories that say the same; how many went. Call inside `writing`."""
    groups: dict[tuple[object, ...], list[Record]] = {}
    for one in records:
        said = sense(one.content)
        trusted = is_own(one.trust)
        key = (one.subject, one.attribute, said, one.agent, trusted, one.due_at, one.expires_at)
        if said:
            groups.setdefault(key, []).append(one)
    changed: list[Record] = []
    gone: list[Record] = []
    for alike in groups.values():
        if len(alike) < 2:
            continue
        written = [one for one in alike if _by_hand(store, one)]
        longest = max(alike, key=lambda one: (len(one.content), said_at(one)))
        kept = written[0] if written else longest
        others = [one for one in alike if one is not kept and one not in written]
        if not others:
            continue
        told = (kept, *others)
        values = {
            "sources": tuple(dict.fromkeys(source for one in told for source in one.sources)),
            "importance": max(one.importance for one in told),
            "strength": max(one.strength for one in told),
            "confirmed_at": max(map(said_at, told)),
            "trust": kept.trust if written else least(one.trust for one in alike),
        }
        changed.append(store.update(kept.id, None, "merged", now, values))
        gone += [_archived(store, one, "merged", now) for one in others]
    themes.renew(store, [*changed, *gone], now)
    return len(gone)


def _by_hand(store: Store, record: Record) -> bool:
    """Whether a person wrote a memory: captured it, or put it into other words."""
    return is_own(record.trust) and any(
        step.record.id == record.id and step.change in ("captured", "edited")
        for step in store.history(record.id)
    )


def _archived(store: Store, record: Record, change: str, now: datetime) -> Record:
    return store.update(record.id, None, change, now, {"state": "archived"})
