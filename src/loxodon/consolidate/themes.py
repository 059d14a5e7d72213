"""Phase 4c: the summaries that a change touches are written anew.

A summary stands for a few facts (`FEWEST_FACTS`) of one theme: a person, a project, a side
of the user (`user/health`), or a day. It is found by its theme, and goes when fewer facts are left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from loxodon.consolidate.decay import initial_strength
from loxodon.consolidate.pages.wording import (
    Clause,
    about,
    clause_of,
    frame_of,
    introduced,
    is_relation,
    pieces,
)
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
    found = summarise(theme, facts)
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
_STARTS = 10  # How many of the first facts may be passed over, where one fills the sentence alone
_TRIED = 200  # How many facts are tried; what comes after so many cannot be what the theme is about


class Summary(NamedTuple):
    """One sentence drawn from several facts."""

    content: str
    # The ids of all facts it stands for, first what matters most, said in its words or not
    facts: tuple[str, ...]
    importance: float
    entities: tuple[str, ...]
    language: str


class _FactClause(NamedTuple):
    """A fact taken apart."""

    fact: Record
    clause: Clause
    about: str  # Whom, whatever the case of the name
    pieces: frozenset[str]


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


def summarise(theme: str, facts: Sequence[Record], least: int = FEWEST_FACTS) -> Summary | None:
    """What the facts of a theme say together; None where fewer than `least` hold, or no two fit."""
    holding = sorted(filter(_holds, facts), key=_weight)
    if len(holding) < least:
        return None
    told = [_told(fact) for fact in holding[:_TRIED]]
    language = Counter(one.clause.language for one in told).most_common(1)[0][0]
    sayable = [one for one in told if one.clause.language == language and _is_sayable(one.clause)]
    content = _sentence(
        _without_repeats(sayable), language, "its" if _is_thing(theme, holding) else "their"
    )
    if not content:
        return None
    weights = sorted((fact.importance for fact in holding), reverse=True)[:least]
    names = dict.fromkeys(name for fact in holding for name in fact.entities)
    return Summary(
        content,
        tuple(fact.id for fact in holding),
        round(sum(weights) / len(weights), 3),
        tuple(names)[:MOST_ENTITIES],
        language,
    )


def _told(fact: Record) -> _FactClause:
    clause = clause_of(fact)
    return _FactClause(fact, clause, about(fact).casefold(), pieces(clause))


def _without_repeats(told: Sequence[_FactClause]) -> list[_FactClause]:
    """Without those of which another says all and more."""
    return [
        one
        for one in told
        if not any(one.about == other.about and one.pieces < other.pieces for other in told)
    ]


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


def _is_sayable(clause: Clause) -> bool:
    """Whether it can be part of a longer sentence: is one sentence, and in the third person."""
    text = clause.rest
    if len(text) > MOST_CHARACTERS * 6:
        return False
    if re.search(r"[。！？!?]|\.\s|[\"“”「」`*#|<>{}]", text):
        return False
    return not re.match(r"我|(?:I|My|We|Our)\b", text) and any(map(str.isalnum, text))


def _is_thing(theme: str, facts: Iterable[Record]) -> bool:
    """Whether a theme is a project rather than a person."""
    kind, _, name = theme.partition(":")
    return kind == "project" or any(fact.project.casefold() == name.casefold() for fact in facts)


def _sentence(told: Sequence[_FactClause], language: str, possessive: str) -> str:
    """As many facts as fit, at least two; empty where no two do."""
    leads = _leads(told)
    told = [one for one in told if introduced(one.fact) not in leads.values()]
    for start in range(min(_STARTS, len(told))):
        said: list[_FactClause] = []
        content = ""
        for one in told[start:]:
            if not _fits(one.clause.rest, language):
                continue
            tried = _written([*said, one], leads, language, possessive)
            if _fits(tried, language) and tried != content:
                said.append(one)
                content = tried
        if len(said) > 1:
            return content
    return ""


def _fits(text: str, language: str) -> bool:
    if language == "zh":
        return len(text) <= MOST_CHARACTERS
    return len(text.split()) <= MOST_WORDS


def _leads(told: Sequence[_FactClause]) -> dict[str, str]:
    """What each subject is called: with what they are to the user, where a fact says so."""
    leads: dict[str, str] = {}
    for one in told:
        lead = introduced(one.fact) or one.clause.lead
        lead = re.sub(r"^(?i:(?:the )?user)\b", "The user", lead)
        known = leads.get(one.about)
        if lead and (not known or (_is_related(lead) and not _is_related(known))):
            leads[one.about] = lead
    return {whom: _with_name(lead, told, whom) for whom, lead in leads.items()}


def _with_name(lead: str, told: Iterable[_FactClause], whom: str) -> str:
    """`用户的猫` and then the name of the cat, where only other facts have it."""
    fact = next(one.fact for one in told if one.about == whom)
    name = fact.subject
    if not _is_related(lead) or not name or whom in lead.casefold() or is_relation(name):
        return lead
    return f"{lead} {name}" if lead.isascii() else lead + name


def _is_related(lead: str) -> bool:
    return bool(re.match(r"用[户戶].|The user['’]s", lead))


def _written(
    said: Sequence[_FactClause], leads: Mapping[str, str], language: str, possessive: str
) -> str:
    """The facts as one sentence: those of one subject together, behind its name."""
    groups: dict[str, list[_FactClause]] = {}
    for one in said:
        groups.setdefault(one.about if one.clause.lead else "", []).append(one)
    whole = groups.pop("", [])
    parts = [
        joined(leads[subject], [(one.fact, one.clause) for one in group], possessive)
        for subject, group in groups.items()
    ]
    parts += dict.fromkeys(one.clause.rest for one in whole)
    mark = "；" if language == "zh" else "; "
    return mark.join([*parts[:1], *map(_within, parts[1:])])


def _within(sentence: str) -> str:
    """A sentence as a later part of another."""
    return re.sub(r"^(?:The|A|An|His|Her|Their|Its|There|This)\b", lambda m: m[0].lower(), sentence)


def joined(lead: str, said: Sequence[tuple[Record, Clause]], possessive: str = "their") -> str:
    """What several facts say of one subject, named once; all are in one language."""
    direct = merged([(fact, clause) for fact, clause in said if not clause.owned])
    owned = merged([(fact, clause) for fact, clause in said if clause.owned])
    if said[0][1].language == "zh":
        # What is theirs comes last: a predicate behind `猫叫豆豆` would be read as the cat's.
        gap = " " if lead[-1].isascii() and lead[-1].isalnum() else ""
        whose = gap if direct else "的"
        return lead + whose + "，".join([*direct, *owned])
    if not direct:
        start = f"{lead.rstrip(',')}'s {owned.pop(0)}"
    else:
        start = f"{lead} {_listed(direct)}"
    return "; ".join([start, *(f"{possessive} {one}" for one in owned)])


def merged(said: Sequence[tuple[Record, Clause]]) -> list[str]:
    """Predicates, each once; those that differ only in their object as one with a list."""
    found: dict[tuple[str, str], list[str]] = {}
    for fact, clause in said:
        frame = frame_of(fact, clause)
        key, value = (
            ((frame.before, frame.after), frame.value) if frame else ((clause.rest, ""), "")
        )
        values = found.setdefault(key, [])
        if value not in values:
            values.append(value)
    if said and said[0][1].language == "zh":
        return [before + "、".join(values) + after for (before, after), values in found.items()]
    return [
        (before if len(values) < 2 else _of_several(before)) + _listed(values) + after
        for (before, after), values in found.items()
    ]


def _of_several(before: str) -> str:
    """What stands before a list, where it was said of one: `colleague is ` of two colleagues."""
    noun, link, end = before.rpartition(" is ")
    if (
        not link
        or end.strip() not in ("", "called", "named")
        or not re.fullmatch(r"[\w' -]+", noun)
    ):
        return before
    first, _, last = noun.rpartition(" ")
    return f"{first} {_plural(last)} are {end}".lstrip()


def _plural(noun: str) -> str:
    if noun in _PLURALS:
        return _PLURALS[noun]
    if re.search("[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return noun + ("es" if re.search("(?:s|x|z|ch|sh)$", noun) else "s")


_PLURALS = {"child": "children", "wife": "wives", "person": "people"}


def _listed(parts: Sequence[str]) -> str:
    """`a, b and c`; with a mark before the last where a part has an `and` or a comma of its own."""
    if len(parts) < 2:
        return "".join(parts)
    mark = ";" if len(parts) > 2 and any(re.search("[,;]", part) for part in parts) else ","
    nested = mark == ";" or any(" and " in part or "," in part for part in parts)
    return f"{f'{mark} '.join(parts[:-1])}{mark if nested else ''} and {parts[-1]}"
