"""Phase 4c: the summaries that a change touches are written anew.

A summary stands for a few facts (`FEWEST_FACTS`) of one theme: a person, a project, a side
of the user (`user/health`), or a day. It is found by its theme, and goes when fewer facts are left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from loxodon.consolidate.decay import initial_strength
from loxodon.consolidate.pages.wording import Clause, about, clause_of, pieces
from loxodon.guard import provenance
from loxodon.language.statements import USER
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.types import GLOBAL_PROJECT, Audience, Origin, Record

SUMMARY = "summary"  # The attribute of summaries; their value is the theme
DAY = "day:"
# What a day is remembered by; what the user is like, is like that every day
_HAPPENED = ("event", "plan", "decision", "solution")
_MOST_FACTS = 60  # Of a theme with more facts the newest are told


# What of a summary follows from its facts
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
    found = summarise(facts)
    if found is None:
        if kept is not None:
            store.update(kept.id, None, "outdated", now, {"state": "archived"})
        return kept is not None
    if kept is not None and kept.derived_from == found.facts:
        told = {one.id: one for one in facts}
        if all(told[id].updated_at <= kept.updated_at for id in found.facts):
            return False  # its words, which may be a model's, still stand
    new = Record(
        id="",
        space="",
        kind="summary",
        content=found.content,
        created_at=now,
        updated_at=now,
        strength=initial_strength("summary", found.importance, 1.0),
        subject=subject_of(theme),
        attribute=SUMMARY,
        value=theme,
        category=facts[0].category,
        project=facts[0].project if theme.startswith("project:") else GLOBAL_PROJECT,
        entities=found.entities,
        importance=found.importance,
        valid_from=now,
        trust=least_trusted(facts),
        audience=narrowest(facts),
        derived_from=found.facts,
        sources=tuple(dict.fromkeys(source for fact in facts for source in fact.sources)),
    )
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
    found = store.latest("about", (subject_of(theme), SUMMARY, theme), 1)
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
        found = store.latest("about", (name,), _MOST_FACTS)
    else:
        subject, _, category = theme.partition("/")
        found = store.latest("about", (subject, "", category), _MOST_FACTS)
    return [one for one in found if one.kind == "fact" and theme in themes_of(one)]


def subject_of(theme: str) -> str:
    """Whom a theme is about."""
    head, colon, name = theme.partition(":")
    return name if colon else head.partition("/")[0]


FEWEST_FACTS = 3
MOST_CHARACTERS = 50
MOST_WORDS = 30
MOST_ENTITIES = 20
# Categories of which one sentence can speak; plans, events and states have nothing in common
_TOGETHER = ("identity", "health", "preference", "relation", "config", "decision", "solution")
# What is of such a category and still of another kind
_APART = ("reply_language", "reply_style", "units", "nickname", "pet")
_TRIED = 200  # How many facts are tried; what comes after so many cannot be what the theme is about


class Summary(NamedTuple):
    """One sentence drawn from several facts."""

    content: str
    # The ids of all facts it stands for, first what matters most, said in its words or not
    facts: tuple[str, ...]
    importance: float
    entities: tuple[str, ...]
    language: str


def themes_of(fact: Record) -> tuple[str, ...]:
    """The themes that a fact belongs to: `subject:小美`, `user/health`, `project:Pennywise`."""
    themes = []
    subject = about(fact)
    if subject == USER and fact.category in _TOGETHER and fact.attribute not in _APART:
        themes.append(f"user/{fact.category}")
    elif subject and subject != USER:
        themes.append(f"subject:{subject}")
    if fact.project not in ("", GLOBAL_PROJECT) and f"subject:{fact.project}" not in themes:
        themes.append(f"project:{fact.project}")
    return tuple(themes)


def summarise(facts: Sequence[Record], least: int = FEWEST_FACTS) -> Summary | None:
    """What the facts of a theme say together; None where fewer than `least` hold, or no two fit."""
    holding = sorted(filter(_holds, facts), key=_weight)
    if len(holding) < least:
        return None
    clauses = [(about(fact).casefold(), clause_of(fact)) for fact in holding[:_TRIED]]
    language = Counter(clause.language for _, clause in clauses).most_common(1)[0][0]
    told = [one for one in clauses if one[1].language == language and _is_sayable(one[1].rest)]
    said: list[tuple[str, Clause]] = []
    for whom, clause in told:
        tried = [*said, (whom, clause)]
        new = not any(whom == other and pieces(clause) <= pieces(known) for other, known in said)
        if new and _fits(_sentence(tried, language), language):
            said = tried
    if len(said) < 2:
        return None
    weights = sorted((fact.importance for fact in holding), reverse=True)[:least]
    names = dict.fromkeys(name for fact in holding for name in fact.entities)
    return Summary(
        _sentence(said, language),
        tuple(fact.id for fact in holding),
        round(sum(weights) / len(weights), 3),
        tuple(names)[:MOST_ENTITIES],
        language,
    )


def _holds(fact: Record) -> bool:
    return (
        fact.kind == "fact"
        and fact.state == "active"
        and fact.valid_until is None
        and not fact.done
    )


def _weight(fact: Record) -> tuple[float, float, str]:
    """What matters most first, then what is newest."""
    at = fact.valid_from or fact.created_at
    return -round(fact.importance, 2), -at.timestamp(), fact.id


def _is_sayable(text: str) -> bool:
    """Whether it can be part of a longer sentence: is one sentence, and in the third person."""
    if re.search(r"[。！？!?]|\.\s|[\"“”「」`*#|<>{}]", text):
        return False
    return not re.match(r"我|(?:I|My|We|Our)\b", text) and any(map(str.isalnum, text))


def _fits(text: str, language: str) -> bool:
    if language == "zh":
        return len(text) <= MOST_CHARACTERS
    return len(text.split()) <= MOST_WORDS


def _sentence(said: Sequence[tuple[str, Clause]], language: str) -> str:
    """Clauses as one sentence: those of one subject together, behind its name."""
    groups: dict[str, list[Clause]] = {}
    for whom, clause in said:
        groups.setdefault(whom if clause.lead else clause.rest, []).append(clause)
    comma, mark = ("，", "；") if language == "zh" else (", ", "; ")
    parts = []
    for clauses in groups.values():
        lead = clauses[0].lead
        gap = "" if language == "zh" and not lead.isascii() else " " if lead else ""
        parts.append(lead + gap + comma.join(clause.rest for clause in clauses))
    return mark.join(parts)
