"""The daily and the weekly work: days get a summary; what is said twice, and what was only for the
moment, goes, and the profile is renewed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from loxodon.consolidate import themes
from loxodon.consolidate.keep import tags_of
from loxodon.consolidate.pages import renew_profile
from loxodon.consolidate.phrases import rewritten
from loxodon.consolidate.reconcile import said_at
from loxodon.guard.provenance import is_own, least
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.similarity import sense
from loxodon.types import Event, Record

if TYPE_CHECKING:
    from loxodon.consolidate.model_reading import ModelReader

PARTITION = 10  # Memories from which on a partition (project and topic) is looked through
FADED = 0.15  # Strength below which what was only for the moment goes
_FLEETING = ("temp", "debug")
_TOGETHER = 40  # Facts of one partition that a model is asked to merge at a time


def daily(store: Store, now: datetime) -> Counter[str]:
    """Sum up every day that is over and on which much happened."""
    counts: Counter[str] = Counter()
    pending = store.query_as(Event, "pending_events", f"{now:%Y-%m-%d}")
    for agent, day in dict.fromkeys((one.agent, one.date) for one in pending):
        with store.writing_as(agent):
            counts["days"] += themes.renew_theme(store, themes.DAY + day, now) is not None
            store.execute("mark_compressed", day, agent)
    return counts


def weekly(store: Store, now: datetime, model: ModelReader | None) -> Counter[str]:
    """Clear crowded partitions, let the fleeting go, renew the profile."""
    counts: Counter[str] = Counter()
    for project, topic, _ in store.query("partitions", PARTITION):
        where = Filter(kind="fact", state="active", project=project, topic=topic)
        with store.writing():
            counts["merged"] += merged(store, store.find(where), now)
        if model is None or not model.thorough:
            continue
        for facts in _mergeable(store, store.find(where)):
            for told, content in model.merge(facts):  # outside a transaction
                with store.writing():
                    counts["merged"] += _put_together(store, told, content, now)
    with store.writing():  # what was only for the moment and has faded goes
        fleeting = [one for name in _FLEETING for one in store.query_records("of_category", name)]
        since = ((one, now - (one.accessed_at or said_at(one))) for one in fleeting)
        # Of its strength a week without use leaves half
        faded = (one.id for one, idle in since if one.strength * 0.5 ** (idle.days / 7) < FADED)
        cleared = [store.update(id, None, "faded", now, {"state": "archived"}) for id in faded]
        themes.renew(store, cleared, now)
        counts["cleared"] += len(cleared)
    renew_profile(store, now, model)
    with store.writing():
        store.worklog.set_work(store.worklog.work()._replace(weekly_at=now))
    return counts


def merged(store: Store, records: Iterable[Record], now: datetime) -> int:
    """Make one of memories that say the same; how many went. Call inside `writing`."""
    groups: dict[tuple[object, ...], list[Record]] = {}
    for one in records:
        said = sense(rewritten("alike", one.content))
        trusted = is_own(one.trust)
        key = (one.subject, one.attribute, said, one.agent, trusted, one.due_at, one.expires_at)
        if said:
            groups.setdefault(key, []).append(one)
    changed: list[Record] = []
    gone = 0
    for alike in (some for some in groups.values() if len(some) > 1):
        # What a person wrote stays in their words, else the longest
        kept = max(alike, key=lambda one: (_by_hand(store, one), len(one.content), said_at(one)))
        others = [one for one in alike if one is not kept]
        trust = kept.trust if _by_hand(store, kept) else least(one.trust for one in alike)
        changed += _as_one(store, kept, others, now, trust=trust)
        gone += len(others)
    themes.renew(store, changed, now)
    return gone


def _mergeable(store: Store, facts: Iterable[Record]) -> list[list[Record]]:
    """Facts that one sentence may tell: of one subject, trusted alike, not written by a person."""
    groups: dict[tuple[object, ...], list[Record]] = {}
    for one in facts:
        if one.due_at is None and one.expires_at is None and not _by_hand(store, one):
            key = (one.agent, one.subject, one.trust, one.audience, one.category, one.positive)
            groups.setdefault(key, []).append(one)
    return [one[:_TOGETHER] for one in groups.values() if len(one) > 1]


def _put_together(store: Store, told: Sequence[Record], content: str, now: datetime) -> int:
    """Let the newest of some facts tell them all; how many went."""
    kept = [store.get(one.id) for one in told]
    if [one and one.version for one in kept] != [one.version for one in told]:
        return 0  # one changed while the model was thinking
    newest, *others = sorted(told, key=said_at, reverse=True)
    entities = tuple(dict.fromkeys(name for one in told for name in one.entities))
    values = {"content": content, "tags": tags_of(content), "entities": entities}
    themes.renew(store, _as_one(store, newest, others, now, **values), now)
    return len(others)


def _as_one(
    store: Store, kept: Record, others: Sequence[Record], now: datetime, **values: Any
) -> list[Record]:
    """Let a memory stand for others too, which go; all that changed."""
    told = (kept, *others)
    values |= {
        "sources": tuple(dict.fromkeys(source for one in told for source in one.sources)),
        "importance": max(one.importance for one in told),
        "strength": max(one.strength for one in told),
        "confirmed_at": max(map(said_at, told)),
    }
    gone = {"state": "archived"}
    changed = [(kept.id, values), *((one.id, gone) for one in others)]
    return [store.update(id, None, "merged", now, new) for id, new in changed]


def _by_hand(store: Store, record: Record) -> bool:
    """Whether a person wrote a memory: captured it, or put it into other words."""
    return is_own(record.trust) and any(
        step.record.id == record.id and step.change in ("captured", "edited")
        for step in store.history(record.id)
    )
