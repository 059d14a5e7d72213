"""Who has what, in a list under one head: `shoe sizes: Ada 31, Bo 28, me 39`."""

from __future__ import annotations

import re

from loxodon.write.en.patterns import Lazy
from loxodon.write.en.verbs import AUXILIARIES, forms_of, is_noun_too
from loxodon.write.en.words import CALENDAR, PLACES, RELATIONS, WEEKDAYS, as_set
from loxodon.write.statements import USER, Mention, Statement

_LONGEST = 400
_HEADED = Lazy(r"(?P<head>[^:=\n]{3,70}?)\s*[:=]\s*(?P<list>[^:=\n?]{5,300}?)[.!]?")
_SAVE = Lazy(
    r"(?:^|,)\s*(?:(?:please|pls|can you|could you|and|also|ok) )*(?:save|keep|note|remember|store|write down|jot down"
    r"|make a note of|for the record|for reference)(?: (?:them|these|this|it|that|down|the|our|my|for later))*(?=\s|,|$)",
    re.I,
)
_OURS = Lazy(
    r"\b(?:my|our|us|crew|team|family|kids|table|household|house|who|whose|birthdays|allergies|rota|chores|duties|shifts)\b",
    re.I,
)
"""What makes a list one of the user's own people."""
_ITEM = Lazy(
    r"(?:and )?(?:(?:little|big|old|aunt|uncle|my|our|cousin) )?(?P<who>(?-i:[A-Z])[\w'-]+|me|i|[a-z-]+)(?: is| has| on|'s)?"
    r" (?P<value>[\w£$€/.'-]+(?: [\w£$€/.'-]+){0,3})",
    re.I,
)
_NOUN = Lazy(r"(?P<noun>(?:[a-z-]+ )?[a-z]{3,}s)(?= for\b| at\b| of\b| in\b|,|$)", re.I)
_NONE = frozenset("none nothing no nil zero".split())
_ATTRIBUTES = {
    "birthday": "birthday",
    "shoe size": "shoe_size",
    "shirt size": "clothes_size",
    "age": "age",
}


def paired(text: str) -> list[Statement]:
    """A statement for each item of a list of people and what is theirs; none for any other text."""
    found = _HEADED.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if not found:
        return []
    items = [_ITEM.fullmatch(one.strip()) for one in re.split(r"[,;]", found["list"])]
    pairs = [(one["who"], one["value"]) for one in items if one]
    if len(pairs) < 2 or len(pairs) < len(items) or not all(_fits(*pair) for pair in pairs):
        return []
    me = any(who.lower() in ("me", "i") for who, _ in pairs)
    if not (me or _SAVE.search(found["head"]) or _OURS.search(found["head"])):
        return []
    head = _SAVE.sub("", found["head"]).strip(" ,.")
    return [_statement(head, who, _every(value)) for who, value in pairs]


def _every(value: str) -> str:
    """A weekday in such a list is every one."""
    weekday = value.lower() in as_set(WEEKDAYS)
    return f"{value.capitalize()}s" if weekday else value


def _fits(who: str, value: str) -> bool:
    """Whether an item is someone and a value, not a clause."""
    lower, first = who.lower(), value.split()[0].lower()
    someone = lower in ("me", "i") or lower in as_set(RELATIONS) or who[:1].isupper()
    if not someone or lower in as_set(CALENDAR) or lower in as_set(PLACES):
        return False
    forms = forms_of(first)
    verb = bool(forms) and not all(is_noun_too(base) for base in forms.values())
    return not verb and first not in AUXILIARIES


def _statement(head: str, who: str, value: str) -> Statement:
    lower = who.lower()
    own = lower in ("me", "i")
    kin = lower in as_set(RELATIONS)
    subject = USER if own else lower if kin else who
    shown = "The user" if own else f"The user's {lower}" if kin else who
    mentions = () if own or kin else (Mention(who, "person"),)
    noun = _NOUN.search(head)
    thing = _singular(noun["noun"].lower()) if noun else ""
    if thing.endswith("allergy"):
        if value.lower() in _NONE:
            return Statement(
                f"{shown} has no allergies", subject, positive=False, mentions=mentions
            )
        content = f"{shown} is allergic to {value}"
        return Statement(content, subject, "allergy", value, mentions=mentions, topic="health")
    if not thing:
        content = f"{head[:1].upper()}{head[1:]}: {shown[:1].lower() + shown[1:] if own or kin else who} {value}"
        return Statement(content, subject, mentions=mentions)
    attribute = _ATTRIBUTES.get(thing, "")
    content = f"{shown}'s {thing} is {value}"
    return Statement(content, subject, attribute, value if attribute else "", mentions=mentions)


def _singular(noun: str) -> str:
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun[:-1]


__all__ = ["paired"]
