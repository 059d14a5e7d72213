"""Phase 7: what the snapshot and the profile are made of, gathered from the store.

However much there is, only a few hundred memories are read: the strongest, the newest, and those
that bind.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from loxodon.config import Config
from loxodon.consolidate.pages.ranking import moved, ranking
from loxodon.consolidate.pages.snapshot import ASSISTANT, RECENT_DAYS, Material, Totals, snapshot
from loxodon.guard.provenance import OWN, is_own, may_tell
from loxodon.language.statements import USER
from loxodon.messages import LANGUAGES
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text import quote
from loxodon.tokens import Counter
from loxodon.types import GLOBAL_PROJECT, IN_PROJECT, Record

SNAPSHOT = "snapshot"
_STRONGEST = 300
_NEWEST = 100
_BINDING = 60
_RELATED = 20
_RULES = ("rule", "reply_style", "reply_language", "avoids", "form_of_address", "units")


class RenderedPage(NamedTuple):
    """Something written for a person to read, and what it was made from."""

    name: str
    language: str
    text: str
    basis: str


def material(store: Store, config: Config, now: datetime, project: str = "") -> Material:
    """All that a snapshot is made of, from one moment of the store; of what belongs to projects
    only what is of this `project`, where one is given."""
    records = [one for one in _known(store) if _belongs(one.project, project)]
    pool = store.worklog.pool()
    since = f"{now - timedelta(days=RECENT_DAYS - 1):%Y-%m-%d}"
    events = [
        # What the user talked about; what the assistant says it did may be what a page told it
        (one.date, one.summary)
        for one in store.worklog.events(since=since)
        if is_own(one.trust) and _belongs(one.channel.partition(IN_PROJECT)[2], project)
    ]
    return Material(
        records,
        Totals(pool.active, pool.archived, pool.entities, pool.topics),
        now,
        events,
        config.snapshot,
        # asked for each language
        cache(lambda one: [r for r in related(store, one) if _belongs(r.project, project)]),
    )


def _belongs(to: str, project: str) -> bool:
    return not project or to in ("", GLOBAL_PROJECT) or to.casefold() == project.casefold()


def told_in(store: Store, text: str) -> list[str]:
    """The ids of the memories that a snapshot tells."""
    return [one.id for one in _known(store) if quote.line(one.content) in text]


def _known(store: Store) -> list[Record]:
    """The memories that a snapshot chooses from."""
    active = Filter(state="active", trust=OWN)  # however much others said
    records = store.find(active, _STRONGEST, strongest=True) + store.find(active, _NEWEST)
    records += store.latest("about", (USER, "", "health"), _BINDING)
    records += store.latest("about", (USER, "", "identity"), _BINDING)
    records += store.latest("about", (ASSISTANT,), _BINDING)
    for attribute in _RULES:
        records += store.latest("about", (USER, attribute), _BINDING)
    return _once(one for one in records if may_tell(one))


def related(store: Store, record: Record) -> Sequence[Record]:
    """More on one memory: what it was drawn from, what held before it, others on the same."""
    ids = (record.replaces, *record.derived_from[:_RELATED])
    found = [one for id in ids if id and (one := store.get(id))]
    if record.subject == USER:
        found += store.latest("about", (USER, "", record.category), _RELATED)
    elif record.subject:
        found += store.latest("about", (record.subject,), _RELATED)
    return [one for one in _once(found) if one.id != record.id and may_tell(one)][:_RELATED]


def renewed_snapshots(
    store: Store, config: Config, now: datetime, count: Counter
) -> list[RenderedPage]:
    """The snapshots that are not what they should be any more, in both languages."""
    with store.reading():
        found = material(store, config, now)
        return [
            written(found, config, count, language)
            for language in LANGUAGES
            if kept_snapshot(store, found, language) is None
        ]


def kept_snapshot(store: Store, found: Material, language: str) -> str | None:
    """The snapshot as it was last written, while the ranking has hardly moved.

    One that tells what has changed since is not kept, however little the ranking moved.
    """
    page = store.worklog.page(SNAPSHOT, language)
    if page is None:
        return None
    text, basis, _ = page
    old = json.loads(basis)
    if old.get("parts") != _parts(found):
        return None
    contents = {one.id: one.content for one in found.records}
    if any(contents.get(id) != said for id, said in old["content"].items()):
        return None
    return None if moved(old["ranking"], ranking(found.records, found.now)) else text


def _parts(found: Material) -> list[object]:
    """The settings that a snapshot depends on."""
    return [found.parts.budget, found.parts.identity]


def written(found: Material, config: Config, count: Counter, language: str) -> RenderedPage:
    """A snapshot, with what it was made from."""
    text = snapshot(found, config.snapshot.budget, count, language)
    ranks = ranking(found.records, found.now)
    basis = {
        "parts": _parts(found),
        "ranking": ranks,
        "content": {
            one.id: one.content
            for one in found.records
            if one.id in ranks or quote.line(one.content) in text
        },
    }
    return RenderedPage(SNAPSHOT, language, text, json.dumps(basis, ensure_ascii=False))


def _once(records: Iterable[Record]) -> list[Record]:
    return list({record.id: record for record in records}.values())
