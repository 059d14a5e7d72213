"""Summaries: three or more facts of one theme in a sentence. A theme is a person, a project, a side
of the user (`user/health`), or a day; its summary goes when fewer facts are left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from loxodon.consolidate.decay import initial_strength
from loxodon.guard import provenance
from loxodon.language.statements import USER
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.text.markdown import one_line
from loxodon.types import GLOBAL_PROJECT, Audience, Record

SUMMARY = "summary"  # The attribute of summaries; their value is the theme
DAY = "day:"
_PORTRAIT = "user/"  # What the user is like, of what has no summary of its own
# What a day is remembered by; what the user is like, is like that every day
_HAPPENED = ("event", "decision", "solution")
# Categories of which one sentence can speak; plans, events and states have nothing in common
_TOGETHER = ("identity", "health", "preference", "relation", "config", "decision", "solution")
# What is of such a category and still of another kind
_APART = ("reply_language", "reply_style", "units", "nickname", "pet")
_MOST_FACTS = 60  # Of a theme with more facts the newest are told
_MOST_CHARACTERS, _MOST_WORDS, _MOST_NAMES = 50, 30, 20
_LONGEST = 400  # Characters; what is longer is no sentence
_AUDIENCES: tuple[Audience, ...] = ("private", "group", "all")


def renew(store: Store, changed: Iterable[Record], now: datetime) -> list[Record]:
    """Renew the summaries of every theme that `changed` facts belong to; those that changed."""
    renewed = []
    facts = sorted((one for one in changed if one.kind == "fact"), key=lambda one: one.agent)
    for agent, group in groupby(facts, key=lambda one: one.agent):
        with store.writing_as(agent):
            theirs = [*group]
            themes = {theme: None for one in theirs for theme in _themes_of(one)}
            days = (f"{DAY}{said_since(one):%Y-%m-%d}" for one in theirs)
            themes |= {day: None for day in days if summary_of(store, day)}
            renewed += [renew_theme(store, theme, now) for theme in themes]
    return [one for one in renewed if one is not None]


def _themes_of(fact: Record) -> list[str]:
    """`subject:小美`, `user/health`, `project:Pennywise`"""
    themes = []
    subject = about(fact)
    if subject == USER and fact.category in _TOGETHER and fact.attribute not in _APART:
        themes.append(f"user/{fact.category}")
    elif subject and subject != USER:
        themes.append(f"subject:{subject}")
    of_them = fact.category in ("identity", "preference") and fact.attribute not in _APART
    if subject == USER and (of_them or fact.attribute == "project"):
        themes.append(_PORTRAIT)
    if fact.project not in ("", GLOBAL_PROJECT) and f"subject:{fact.project}" not in themes:
        themes.append(f"project:{fact.project}")
    return themes


def renew_theme(store: Store, theme: str, now: datetime) -> Record | None:
    """Write, rewrite or take away the summary of a theme; None where nothing changed."""
    kept = summary_of(store, theme)
    known = [one for one in _facts_of(store, theme, now) if one.kind == "fact"]
    facts = [one for one in known if one.valid_until is None and not one.done]
    # What matters most first, then what is newest
    facts.sort(key=lambda one: (-round(one.importance, 2), -said_since(one).timestamp(), one.id))
    settings = store.decay.config.decay
    least = 1 if theme.startswith(DAY) and settings.days == "all" else settings.summary_facts
    content = _summed_up(facts, least) if len(facts) >= least else ""
    if not content:
        return kept and store.update(kept.id, None, "outdated", now, {"state": "archived"})
    derived = tuple(fact.id for fact in facts)
    same = kept is not None and kept.derived_from == derived
    if kept and same and all(one.updated_at <= kept.updated_at for one in facts):
        return None  # its words, which may be a model's, still stand
    importance = round(sum(one.importance for one in facts[:least]) / least, 3)
    newest = max(facts, key=lambda one: (said_since(one), one.id))
    values: dict[str, Any] = {
        "content": content,
        "category": newest.category,
        "entities": tuple(dict.fromkeys(e for one in facts for e in one.entities))[:_MOST_NAMES],
        "importance": importance,
        "trust": provenance.least(one.trust for one in facts),
        "audience": narrowest(facts),
        "derived_from": derived,
        "sources": tuple(dict.fromkeys(source for one in facts for source in one.sources)),
    }
    if kept is not None:
        if all(getattr(kept, name) == value for name, value in values.items()):
            return None
        values["strength"] = max(kept.strength, importance)
        return store.update(kept.id, None, "renewed", now, values)
    values |= {"subject": _subject_of(theme), "attribute": SUMMARY, "value": theme}
    values["project"] = newest.project if theme.startswith("project:") else GLOBAL_PROJECT
    values |= {"created_at": now, "updated_at": now, "valid_from": now}
    values["strength"] = initial_strength("summary", importance, 1.0)
    return store.insert(Record("", "", "summary", **values), "learned")


def summary_of(store: Store, theme: str) -> Record | None:
    found = store.latest("about", (_subject_of(theme), SUMMARY, theme), 1)
    return found[0] if found else None


def narrowest(facts: Iterable[Record]) -> Audience:
    """What is drawn from facts is told to no more people than all of them may be."""
    return min((one.audience for one in facts), key=_AUDIENCES.index)


def _facts_of(store: Store, theme: str, now: datetime) -> list[Record]:
    if theme.startswith(DAY):
        start = datetime.fromisoformat(theme.removeprefix(DAY)).replace(tzinfo=now.tzinfo)
        where = Filter(state="active", kind="fact", since=start, until=start + timedelta(days=1))
        every, found = store.decay.config.decay.days == "all", store.find(where, _MOST_FACTS)
        return [one for one in found if every or one.category in _HAPPENED]
    subject, category = _subject_of(theme), "" if ":" in theme else theme.partition("/")[2]
    if theme.startswith("project:"):
        found = store.latest("project", subject, _MOST_FACTS)
    else:
        key = (subject, "", category) if category else (subject,)
        found = store.latest("about", key, _MOST_FACTS)
    found = [one for one in found if theme in _themes_of(one)]
    if theme != _PORTRAIT:
        return found
    known = Counter(one.category for one in found if one.kind == "fact")
    return [one for one in found if known[one.category] < store.decay.config.decay.summary_facts]


def _subject_of(theme: str) -> str:
    kind, _, name = theme.partition(":")
    return name if kind in ("subject", "project") else USER


def said_since(fact: Record) -> datetime:
    """Since when a memory holds, else when it was made."""
    return fact.valid_from or fact.created_at


class Clause(NamedTuple):
    """A memory's sentence taken apart."""

    whom: str  # It is about, in lower case
    lead: str  # The words that name them; empty where it cannot be cut
    rest: str  # What is said of them; the whole sentence where it cannot be cut
    language: str


_USER = re.compile(r"(?i)用[户戶]|(?:the )?user\b")
_NO_PART = re.compile(r"\A(?:我|(?:I|My|We|Our)\b)|[。！？!?]|\.\s|[\"“”「」`*#|<>{}]")
# A Chinese character or a word
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff][^\s\u3400-\u9fff]*")


def _summed_up(facts: Sequence[Record], least: int) -> str:
    """What facts say together, as far as it fits; empty where no two fit, or the one of a day."""
    clauses = [clause_of(fact) for fact in facts]
    language = Counter(clause.language for clause in clauses).most_common(1)[0][0]
    said: list[Clause] = []
    for clause in clauses:
        # Part of a longer sentence is only what is one sentence, and in the third person or quoted
        plain = clause.rest.startswith("“") or not _NO_PART.search(clause.rest)
        sayable = plain and any(map(str.isalnum, clause.rest))
        text = _sentence([*said, clause])
        room = _MOST_CHARACTERS if language == "zh" else _MOST_WORDS
        fits = clause.language == language and clause not in said
        if sayable and fits and len(_WORD.findall(text)) <= room:
            said.append(clause)
    return _sentence(said) if len(said) >= min(2, least) else ""


def _sentence(said: Sequence[Clause]) -> str:
    """Clauses as one sentence: those of one subject together, behind its name."""
    groups: dict[str, list[Clause]] = {}
    for clause in said:
        groups.setdefault(clause.whom if clause.lead else clause.rest, []).append(clause)
    chinese = said[0].language == "zh"
    parts = []
    for clauses in groups.values():
        lead = clauses[0].lead
        gap = "" if not lead or (chinese and not lead.isascii()) else " "
        parts.append(lead + gap + ("，" if chinese else ", ").join(one.rest for one in clauses))
    parts.sort(key=lambda part: part.startswith("“"))  # own words last, which name nobody
    return ("；" if chinese else "; ").join(parts)


def sentence(record: Record) -> str:
    """The words of a memory on one line, without the full stop."""
    return one_line(record.content).rstrip(" 。.；;，,、")


def about(record: Record) -> str:
    """Whom a memory is about; empty where nothing tells."""
    return record.subject or (USER if _USER.match(record.content) else "")


def clause_of(record: Record) -> Clause:
    """The sentence of a memory, cut behind the name of whom it is about."""
    text, name = sentence(record), about(record)
    of_user = _USER.match(text)
    found = of_user if name == USER else re.match(re.escape(name), text, re.I)
    lead = found[0] if found else ""
    # One about `用户` is Chinese, whatever names it has
    language = language_of(of_user[0] if of_user else text)
    rest = text[len(lead) :]
    if said := of_user and re.match(r"[:：] ?(?=“)", rest):  # in their own words
        return Clause(name.casefold(), "", rest[said.end() :], language)
    # What is theirs, or stands apart from the name, is told with it: `用户的猫…`
    joined = re.match(r"\s*(?:的|['’:：,，(（“]|and\b|、|和)", rest)
    english = language == "en" and not rest.startswith(" ")
    if not lead or joined or english or len(text) > _LONGEST:
        lead, rest = "", text
    return Clause(name.casefold(), lead, rest.lstrip(), language)
