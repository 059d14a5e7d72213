"""The core profile: the hundred things that matter most, by section, and what a week changed.

Renewed once a week or when asked. It is drawn from the memories alone, in their own words; a model
may word the portrait at its head, and where there is none the week's changes are that portrait.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from loxodon.consolidate.pages.ranking import holds
from loxodon.consolidate.pages.wording import about, clause_of, language_in, sentence
from loxodon.language.statements import USER
from loxodon.messages import t, tn
from loxodon.text import quote
from loxodon.text.markdown import item
from loxodon.types import GLOBAL_PROJECT, Record

ENTRIES = 100
IMPORTANT = 0.7
MOST_CHARACTERS = 200
MOST_WORDS = 100
LISTED = 20  # Changes that the profile shows; the newest

_LASTING = ("identity", "config", "credential")
_FLEETING = ("temp", "debug", "conversation")

What = Literal["added", "updated", "superseded", "retracted", "archived"]
_ENDS = ("superseded", "retracted")


class ProfileChange(NamedTuple):
    """Something that happened to a memory, and the memory as it stood: after it was added or
    updated, before it was superseded, retracted or archived."""

    record: Record
    change: What
    at: datetime


def core(records: Iterable[Record], now: datetime) -> list[Record]:
    """About a hundred memories of importance 0.7 and up: who the user is and how things are set up
    first, then by importance and strength. Summaries would say their facts again, and stay out."""
    chosen = [
        one
        for one in records
        if one.kind != "summary" and one.importance >= IMPORTANT and holds(one, now)
    ]
    chosen.sort(
        key=lambda one: (one.category not in _LASTING, -one.importance, -one.strength, one.id)
    )
    return chosen[:ENTRIES]


# The profile


def profile_text(
    core: Sequence[Record], changes: Sequence[ProfileChange], portrait: str, language: str
) -> str:
    """The profile as Markdown: the portrait, the core by section, and the week's changes."""
    # The sections in their order
    headings = {
        "who": t("## Who", language),
        "health": t("## Health", language),
        "replies": t("## How to reply", language),
        "people": t("## People", language),
        "work": t("## Work and study", language),
        "preferences": t("## Preferences", language),
        "projects": t("## Projects and settings", language),
        "plans": t("## Plans", language),
        "other": t("## Other", language),
    }
    sections: dict[str, list[str]] = {name: [] for name in headings}
    for record in sorted(core, key=_person):
        said = _certain(record, sentence(record), language)
        sections[_section(record)].append(f"- {item(quote.line(said))}")
    latest = sorted(_last(changes), key=_at, reverse=True)
    changed = [_changed(one, language) for one in latest if one.record.kind != "summary"]
    lines: list[str] = []
    if portrait.strip():
        lines += ["", item(quote.line(portrait))]
    for name, entries in sections.items():
        if entries:
            lines += ["", headings[name], *dict.fromkeys(entries)]
    if changed:
        lines += ["", t("## This week", language), *dict.fromkeys(changed[:LISTED])]
    label = [f"> {quote.label(language)}"] if lines else []
    return "\n".join([t("# Profile", language), *label, *lines])


_BY_ATTRIBUTE = {
    "replies": "reply_language reply_style form_of_address units rule",
    "work": "occupation employer workplace school major education degree certificate grade salary "
    "commute colleague manager",
    "people": "partner partner_status marital_status child parent sibling relative friend pet "
    "neighbour ex knows doctor teacher therapist landlord living_with emergency_contact",
    "projects": "uses stack deploy_target database default_branch version convention decision "
    "project",
    "plans": "plan goal deadline todo reminder",
    "other": "car phone computer owns",
}
_SECTION_OF = {name: section for section, names in _BY_ATTRIBUTE.items() for name in names.split()}
_BY_CATEGORY = {
    "identity": "who",
    "status": "who",
    "health": "health",
    "preference": "preferences",
    "relation": "people",
    "config": "projects",
    "credential": "projects",
    "decision": "projects",
    "solution": "projects",
    "plan": "plans",
}


def _section(record: Record) -> str:
    if record.category == "health":
        return "health"
    if record.category == "plan":
        return "plans"
    if record.project not in ("", GLOBAL_PROJECT):
        return "projects"
    if about(record) not in (USER, "") and record.category in ("relation", "identity", "status"):
        return "people"
    return _SECTION_OF.get(record.attribute) or _BY_CATEGORY.get(record.category, "other")


def _person(record: Record) -> str:
    """What is known of one person stands together; the user's own first."""
    whom = about(record).casefold()
    return "" if whom == USER else whom


def _at(change: ProfileChange) -> datetime:
    return change.at


def _changed(change: ProfileChange, language: str) -> str:
    what = {
        "added": t("new: {what}", language, what=sentence(change.record)),
        "updated": t("now: {what}", language, what=sentence(change.record)),
        "superseded": t("no longer so: {what}", language, what=sentence(change.record)),
        "retracted": t("no longer so: {what}", language, what=sentence(change.record)),
        "archived": t("faded: {what}", language, what=sentence(change.record)),
    }[change.change]
    return f"- {change.at.date()} {item(quote.line(what))}"


# The week


def week_summary(changes: Sequence[ProfileChange]) -> str:
    """What a week changed, most important first, at most 200 characters or 100 words.

    In the language of most of the changes, and made of their own words. Empty where nothing worth
    telling did: what merely faded is no news, nor what came and went within the week.
    """
    last = _last(changes)
    told = [one for one in last if _is_news(one, last)]
    chinese = sum(language_in(one.record.content) == "zh" for one in told)
    language = "zh" if chinese * 2 > len(told) else "en"
    told = [one for one in told if language_in(one.record.content) == language]
    told.sort(key=lambda one: (-one.record.importance, -one.at.timestamp()))
    phrases = list(dict.fromkeys(_phrase(one, language) for one in told))
    kept: list[str] = []
    for phrase in phrases:
        if _fits(_joined([*kept, phrase], len(phrases) - len(kept) - 1, language), language):
            kept.append(phrase)
    return _joined(kept, len(phrases) - len(kept), language) if kept else ""


def _last(changes: Iterable[ProfileChange]) -> list[ProfileChange]:
    """The last change of each memory; none of one that came and went, nor of one that went without
    a change of its own, as a guess does that became a fact."""
    changes = sorted(changes, key=_at)
    added = {change.record.id for change in changes if change.change == "added"}
    last = {change.record.id: change for change in changes}
    gone = ("superseded", "retracted", "archived")
    return [
        change._replace(change="added") if id in added else change
        for id, change in last.items()
        if (id not in added if change.change in gone else change.record.state == "active")
    ]


def _is_news(change: ProfileChange, last: Sequence[ProfileChange]) -> bool:
    record = change.record
    if change.change == "archived" or record.kind == "summary" or record.category in _FLEETING:
        return False
    if "“" in record.content or re.search(r"[。！？!?]|\.\s", sentence(record)):
        return False  # somebody's own words, or more than a sentence
    return change.change not in _ENDS or not any(_takes_over(one, record) for one in last)


def _takes_over(change: ProfileChange, old: Record) -> bool:
    """Whether a change tells what became of an old memory."""
    new = change.record
    if change.change not in ("added", "updated") or about(new) != about(old):
        return False
    same = bool(old.attribute) and new.attribute == old.attribute
    return new.replaces == old.id or same or (bool(old.value) and old.value in new.content)


def _phrase(change: ProfileChange, language: str) -> str:
    """What a change says: of the user without naming them, of others with their name."""
    record = change.record
    if change.change in _ENDS:
        return t("“{what}” no longer holds", language, what=sentence(record))
    said = clause_of(record).rest if about(record) == USER else sentence(record)
    return _certain(record, said, language)


def _certain(record: Record, text: str, language: str) -> str:
    """A belief that does not sound like one is marked."""
    if record.kind != "belief" or re.search(_HEDGES, text):
        return text
    return t("{what} (not certain)", language, what=text)


_HEDGES = (
    "可能|也许|或许|大概|好像|似乎|估计|应该|听说|据说|"
    r"(?i:\b(?:might|may|maybe|perhaps|probably|possibly|seems?|apparently|thinks?|could)\b)"
)


def _joined(phrases: Sequence[str], more: int, language: str) -> str:
    parts = [
        *phrases,
        *([tn("and {n} more change", "and {n} more changes", more, language)] if more else []),
    ]
    mark = "；" if language == "zh" else "; "
    return t("This week: {what}", language, what=mark.join(parts))


def _fits(text: str, language: str) -> bool:
    if language == "zh":
        return len(text) <= MOST_CHARACTERS
    return len(text.split()) <= MOST_WORDS
