"""Whether a message leans on the one before it: an answer, a pronoun for what was named there, a
sentence without a subject. What leans cannot be understood without what it leans on.
"""

from __future__ import annotations

import re

from loxodon.language import en, zh
from loxodon.text.language import language_of
from loxodon.text.sentences import split

_THIRD_PERSON = re.compile(r"(?i)\b(?:he|she|it|its|they|his|her|hers|him|them|their)\b|[他她它]")
_UNSAID_OBJECT = re.compile(
    r"(?i)\b(?:knows?|know yet|tell (?:anyone|anybody)|told (?:anyone|anybody))(?=\s*(?:[,.!?…]|$"
    r"|about (?:it|this|that)\b|yet\b))|(?:知道|告诉|说出去|外传|发现)(?=[，。！了]|$)"
)
_OWN_KNOWING = re.compile(r"I |我(?:也|还|真|都)?不?(?:知道|告诉)")
_NAME = re.compile(
    r"(?<=[\w,] )[A-Z][\w'-]{2,}|(?<=[跟和叫找给])[\u4e00-\u9fff]{2}(?=[去来说在的天])"
)
_CALENDAR = re.compile(
    r"(?i)(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|i'\w+"
)


def leans(text: str, on: str = "") -> bool:
    """Whether `text` leans on what was said before it; by a name too that only `on` has."""
    sentences = split(text) or [text]
    first = sentences[0].strip()
    if on and _UNSAID_OBJECT.search(text) and not _OWN_KNOWING.match(text):
        return True
    names = {one for one in _NAME.findall(text) if not _CALENDAR.fullmatch(one)}
    if on and any(one in on for one in names):
        return True
    if language_of(text) == "zh":
        has = zh.grammar.speech.has
        return has(first, "leaning", "leans") and not has(first, "leaning", "opens")
    like = en.grammar.speech.like
    if like("leaning", "bare").match(first):
        return len(sentences) > 1 and bool(like("leaning", "pronoun").match(sentences[1].strip()))
    if any(like("leaning", one).search(first) for one in ("answer", "pronoun", "ellipsis")):
        return True
    is_short = len(first.split()) <= 3 and len(sentences) > 1
    return is_short and not like("leaning", "subject").match(first)


def refers(text: str) -> bool:
    """Whether a text has a pronoun for somebody or something."""
    return _THIRD_PERSON.search(text) is not None
