"""The daily and the weekly work: events become knowledge, and knowledge is kept small.

Daily, the events of every day that is over: what they tell becomes memories (by a model, where
there is one), and a day on which much happened gets a summary. Weekly, crowded partitions are
cleared of what is said twice, what was only for the moment goes, and the profile is renewed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, tzinfo

from loxodon.consolidate import themes
from loxodon.consolidate.keep import Keeper, tags_of
from loxodon.consolidate.pages.profile import ProfileChange, What, core, profile_text, week_summary
from loxodon.consolidate.reconcile import said_at
from loxodon.consolidate.residue import Residue
from loxodon.consolidate.schedule import has_come
from loxodon.guard.provenance import OWN, is_own, least, may_tell
from loxodon.guard.quarantine import HIDDEN
from loxodon.messages import LANGUAGES
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.similarity import sense
from loxodon.types import Event, Record, Turn

WEEK = timedelta(days=7)
PARTITION = 10  # Memories from which on a partition (project and topic) is looked through
FADED = 0.15  # Strength below which what was only for the moment goes
PROFILE = "profile"
_FLEETING = ("temp", "debug")
_TOGETHER = 40  # Facts of one partition that a model is asked to merge at a time
_CORE = 1_000
_CHANGES: dict[str, What] = {
    "learned": "added",
    "captured": "added",
    "updated": "updated",
    "edited": "updated",
    "unsettled": "updated",
    "superseded": "superseded",
    "corrected": "superseded",
    "retracted": "retracted",
    "rejected": "retracted",
    "faded": "archived",
    "expired": "archived",
    "archived": "archived",
}


def daily(store: Store, now: datetime, residue: Residue) -> Counter[str]:
    """Compress the events of every day that is over."""
    counts: Counter[str] = Counter()
    pending = store.worklog.events(until=f"{now:%Y-%m-%d}", pending=True)
    days: dict[tuple[str, str], list[Event]] = {}
    for event in pending:
        days.setdefault((event.agent, event.date), []).append(event)
    for (agent, day), events in days.items():
        told = residue.compress_day(events)  # asks a model: outside the transaction
        if told is None:
            continue  # it failed, and is asked again the next time
        with store.writing_as(agent):
            keeper = Keeper(store, now)
            for candidate, event in told:
                keeper.take(candidate, _turn(event))
            counts += keeper.counts
            themes.renew(store, keeper.changed.values(), now)
            counts["days"] += themes.renew_theme(store, themes.DAY + day, now)
            store.execute("mark_compressed", day, agent)
    return counts


def _turn(event: Event) -> Turn:
    """What an event tells came from its session, and is trusted as it is."""
    return Turn(
        event.session,
        "",
        "user",
        event.summary,
        event.at,
        channel=event.channel,
        origin=event.trust,
        agent=event.agent,
    )


def weekly_due(store: Store, now: datetime, cron: str, zone: tzinfo | None) -> bool:
    """Whether the weekly work is due."""
    return has_come(cron, store.worklog.work().weekly_at, now, zone)


def weekly(store: Store, now: datetime, residue: Residue) -> Counter[str]:
    """Clear crowded partitions, let the fleeting go, renew the profile."""
    counts: Counter[str] = Counter()
    for project, topic, _ in store.query("partitions", PARTITION):
        with store.writing():
            # Make one of memories in a partition that say the same; how many went
            where = Filter(kind="fact", state="active", project=project, topic=topic)
            buckets: dict[tuple[str, str], list[Record]] = {}
            for record in store.find(where):
                buckets.setdefault((record.subject, record.attribute), []).append(record)
            counts["merged"] += merged(store, buckets.values(), now)
        for facts in _alike(store, project, topic):
            for told, content in residue.merge(facts):  # asks a model: outside the transaction
                with store.writing():
                    counts["merged"] += _put_together(store, told, content, now)
    with store.writing():
        counts["cleared"] += _clear(store, now)
    pages = profiles(store, now, residue)
    with store.writing():
        put_profiles(store, pages, now)
        store.worklog.set_work(store.worklog.work()._replace(weekly_at=now))
    return counts


def _alike(store: Store, project: str, topic: str) -> list[list[Record]]:
    """The facts of a partition that may be told together: of one subject, trusted alike, and not
    written by a person."""
    where = Filter(kind="fact", state="active", project=project, topic=topic)
    groups: dict[tuple[object, ...], list[Record]] = {}
    for one in store.find(where):
        if one.due_at is None and one.expires_at is None and not by_hand(store, one):
            key = (one.agent, one.subject, one.trust, one.audience, one.category, one.positive)
            groups.setdefault(key, []).append(one)
    return [one[:_TOGETHER] for one in groups.values() if len(one) > 1]


def _put_together(store: Store, told: Sequence[Record], content: str, now: datetime) -> int:
    """Let the newest of some facts tell them all; how many went."""
    kept = [store.get(one.id) for one in told]
    still = [one for one in kept if one is not None]
    if [(one.id, one.version) for one in still] != [(one.id, one.version) for one in told]:
        return 0  # one changed while the model was thinking
    newest, *others = sorted(still, key=said_at, reverse=True)
    values = {
        "content": content,
        "tags": tags_of(content),
        "entities": tuple(dict.fromkeys(name for one in still for name in one.entities)),
        "sources": tuple(dict.fromkeys(source for one in still for source in one.sources)),
        "importance": max(one.importance for one in still),
        "strength": max(one.strength for one in still),
    }
    changed = [store.update(newest.id, None, "merged", now, values)]
    changed += [store.update(one.id, None, "merged", now, {"state": "archived"}) for one in others]
    themes.renew(store, changed, now)
    return len(others)


def merged(store: Store, buckets: Iterable[Sequence[Record]], now: datetime) -> int:
    """Make one of the memories in each bucket that say the same; how many went.

    Call inside `writing`. Who is in a bucket shares a subject and an attribute. What a person wrote
    stays as it is, next to another that says the same if need be.
    """
    gone: list[Record] = []
    changed: list[Record] = []
    for alike in (one for records in buckets for one in _said_alike(records)):
        written = [one for one in alike if by_hand(store, one)]
        kept, *_ = written or sorted(alike, key=lambda one: (len(one.content), said_at(one)))[::-1]
        others = [one for one in alike if one is not kept and one not in written]
        if not others:
            continue
        values = {
            "sources": tuple(dict.fromkeys(s for one in (kept, *others) for s in one.sources)),
            "importance": max(one.importance for one in (kept, *others)),
            "strength": max(one.strength for one in (kept, *others)),
            "confirmed_at": max(said_at(one) for one in (kept, *others)),
        }
        if kept not in written:
            values["trust"] = least(one.trust for one in alike)
        changed.append(store.update(kept.id, None, "merged", now, values))
        values = {"state": "archived"}
        gone += [store.update(one.id, None, "merged", now, values) for one in others]
    themes.renew(store, [*changed, *gone], now)
    return len(gone)


def by_hand(store: Store, record: Record) -> bool:
    """Whether a person wrote a memory: captured it, or put it into other words."""
    return is_own(record.trust) and any(
        step.record.id == record.id and step.change in ("captured", "edited")
        for step in store.history(record.id)
    )


def _said_alike(records: Sequence[Record]) -> list[list[Record]]:
    """Memories that say the same, of the same time, and are trusted alike; two or more each."""
    found: dict[tuple[object, ...], list[Record]] = {}
    for one in records:
        key = (sense(one.content), one.agent, is_own(one.trust), one.due_at, one.expires_at)
        found.setdefault(key, []).append(one)
    return [alike for key, alike in found.items() if key[0] and len(alike) > 1]


def _clear(store: Store, now: datetime) -> int:
    """Archive what was only for the moment and has faded."""
    cleared: list[Record] = []
    for category in _FLEETING:
        for record in store.query_records("of_category", category):
            if record.strength < FADED:
                values = {"state": "archived"}
                cleared.append(store.update(record.id, None, "faded", now, values))
    themes.renew(store, cleared, now)
    return len(cleared)


# The profile


def profile(store: Store, now: datetime, language: str, residue: Residue) -> str:
    """The profile as it was last written; made now where there is none that still holds.

    In English where the language is none of ours.
    """
    language = language if language in LANGUAGES else LANGUAGES[0]
    return kept_profile(store, language) or profiles(store, now, residue)[language]


# Changes after which a profile may tell what is no longer so
_UNTRUE = frozenset(
    """
    edited archived superseded retracted corrected unsettled rejected denied confirmed
    """.split()  # noqa: SIM905
)


def kept_profile(store: Store, language: str) -> str:
    """The profile as it was last written; empty where something in it may not hold any more."""
    page = store.worklog.page(PROFILE, language)
    if page is None:
        return ""
    changes = store.worklog.changes_since(page[2])
    return "" if any(change in _UNTRUE and at > page[2] for _, change, at in changes) else page[0]


def profiles(store: Store, now: datetime, residue: Residue) -> dict[str, str]:
    """The profile in each language, as of now."""
    with store.reading():
        chosen = core(store.find(Filter(state="active", trust=OWN), _CORE, strongest=True), now)
        changes = list(_changes(store, now - WEEK))
    portrait = residue.portrait(chosen, changes) or week_summary(changes)
    return {language: profile_text(chosen, changes, portrait, language) for language in LANGUAGES}


def put_profiles(store: Store, pages: dict[str, str], now: datetime) -> None:
    """Keep the profile as it was written; call inside `writing`."""
    for language, text in pages.items():
        store.worklog.put_page(PROFILE, language, text, "{}", now)


def _changes(store: Store, since: datetime) -> Iterable[ProfileChange]:
    held = {one.memory for state in HIDDEN for one in store.quarantine.find(state)}
    for id, change, at in store.worklog.changes_since(since):
        record = store.get(id)
        if change in _CHANGES and record is not None and may_tell(record) and id not in held:
            yield ProfileChange(record, _CHANGES[change], at)
