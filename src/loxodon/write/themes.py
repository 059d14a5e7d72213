"""Phase 4c: the summaries that a change touches are written anew.

A summary stands for a few facts (`FEWEST_FACTS`) of one theme: a person, a project, a side
of the user (`user/health`), or a day. It is found by its theme, and goes when fewer facts are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.trust.origin import provenance
from loxodon.types import GLOBAL_PROJECT, Audience, Origin, Record
from loxodon.write.decay import initial_strength
from loxodon.write.pages.summaries import Summary, summarise, themes_of

SUMMARY = "summary"
"""The attribute of summaries; their value is the theme."""
DAY = "day:"
_HAPPENED = ("event", "plan", "decision", "solution")
"""What a day is remembered by; what the user is like, is like that every day."""
_MOST_FACTS = 60
"""Of a theme with more facts the newest are told."""


_RENEWED = (
    "content",
    "category",
    "entities",
    "importance",
    "trust",
    "audience",
    "derived_from",
    "sources",
)
"""What of a summary follows from its facts."""


def renew(store: Store, changed: Iterable[Record], now: datetime) -> int:
    """Renew the summaries of every theme that `changed` facts belong to; how many changed.

    Call inside `writing`. What agents know is summed up for each by itself.
    """
    renewed = 0
    for agent, facts in by_agent(one for one in changed if one.kind == "fact"):
        with store.writing_as(agent):
            touched = dict.fromkeys(theme for one in facts for theme in all_themes(store, one))
            renewed += sum(renew_theme(store, theme, now) for theme in touched)
    return renewed


def by_agent(records: Iterable[Record]) -> list[tuple[str, list[Record]]]:
    """Memories by the agent that they belong to."""
    found: dict[str, list[Record]] = {}
    for one in records:
        found.setdefault(one.agent, []).append(one)
    return list(found.items())


def all_themes(store: Store, fact: Record) -> list[str]:
    """The themes of a fact; its day only where that day has a summary."""
    day = f"{DAY}{fact.valid_from or fact.created_at:%Y-%m-%d}"
    return [*themes_of(fact), *([day] if summary_of(store, day) else [])]


def renew_theme(store: Store, theme: str, now: datetime) -> bool:
    """Write, rewrite or take away the summary of a theme; whether anything changed."""
    kept = summary_of(store, theme)
    facts = facts_of(store, theme, now)
    found = summarise(theme, facts)
    if found is None:
        if kept is not None:
            store.update(kept.id, None, "outdated", now, {"state": "archived"})
        return kept is not None
    if kept is not None and kept.derived_from == found.facts:
        told = {one.id: one for one in facts}
        if all(told[id].updated_at <= kept.updated_at for id in found.facts):
            return False  # its words, which may be a model's, still stand
    new = _record(theme, found, facts, now)
    if kept is None:
        store.insert(new, "learned")
        return True
    values: dict[str, Any] = {name: getattr(new, name) for name in _RENEWED}
    if all(getattr(kept, name) == value for name, value in values.items()):
        return False
    values["strength"] = max(kept.strength, found.importance)
    store.update(kept.id, None, "renewed", now, values)
    return True


def summary_of(store: Store, theme: str) -> Record | None:
    """The active summary of a theme."""
    found = store.latest_about((subject_of(theme), SUMMARY, theme), 1)
    return found[0] if found else None


_AUDIENCE: tuple[Audience, ...] = ("private", "group", "all")


def least_trusted(facts: Iterable[Record]) -> Origin:
    """A summary is trusted as the least of what it was drawn from."""
    return provenance.least(one.trust for one in facts)


def narrowest(facts: Iterable[Record]) -> Audience:
    """…and told to no more people than all of it may be."""
    return min((one.audience for one in facts), key=_AUDIENCE.index)


def facts_of(store: Store, theme: str, now: datetime) -> list[Record]:
    """The active facts of a theme, newest first."""
    if theme.startswith(DAY):
        start = datetime.fromisoformat(theme.removeprefix(DAY)).replace(tzinfo=now.tzinfo)
        where = Filter(state="active", kind="fact", since=start, until=start + timedelta(days=1))
        return [one for one in store.find(where, _MOST_FACTS) if one.category in _HAPPENED]
    head, colon, name = theme.partition(":")
    if head == "project":
        found = store.latest("project", name, _MOST_FACTS)
    elif colon:
        found = store.latest_about((name,), _MOST_FACTS)
    else:
        subject, _, category = theme.partition("/")
        found = store.latest_about((subject, "", category), _MOST_FACTS)
    return [one for one in found if one.kind == "fact" and theme in themes_of(one)]


def subject_of(theme: str) -> str:
    """Whom a theme is about."""
    head, colon, name = theme.partition(":")
    return name if colon else head.partition("/")[0]


def _record(theme: str, summary: Summary, facts: Sequence[Record], now: datetime) -> Record:
    return Record(
        id="",
        space="",
        kind="summary",
        content=summary.content,
        created_at=now,
        updated_at=now,
        strength=initial_strength("summary", summary.importance, 1.0),
        subject=subject_of(theme),
        attribute=SUMMARY,
        value=theme,
        category=facts[0].category,
        project=facts[0].project if theme.startswith("project:") else GLOBAL_PROJECT,
        entities=summary.entities,
        importance=summary.importance,
        valid_from=now,
        trust=least_trusted(facts),
        audience=narrowest(facts),
        derived_from=summary.facts,
        sources=tuple(dict.fromkeys(source for fact in facts for source in fact.sources)),
    )
