"""Whether a message leans on the one before it: an answer, a pronoun for what was named there, a
sentence without a subject. What leans cannot be understood without what it leans on.
"""

from __future__ import annotations

import re

from loxodon.text.language import language_of
from loxodon.text.sentences import split

_ANSWER = re.compile(
    r"(?i)^\W*(?:yes|yeah|yep|no|nope|nah|thanks|thank you|true|right|exactly|sure|not really"
    r"|kind of|sort of|mostly|maybe|probably|never)\b[^.!?…]*"
)
_BARE_ANSWER = re.compile(
    r"(?i)^\W*(?:yes|yeah|yep|no|nope|nah|thanks?|thank you|true|right|exactly|sure|ok|okay|cool"
    r"|whatever|so much|a lot|i know|fair enough|\W)+$"
)
_PRONOUN = re.compile(
    r"(?i)^\W*(?:and |but |so |because )?(?:he|she|it|they|that|his|her|their"
    r"|this(?! (?:morning|afternoon|evening|week|month|year|time)))\b"
)
_THIRD_PERSON = re.compile(r"(?i)\b(?:he|she|it|its|they|his|her|hers|him|them|their)\b|[他她它]")
_ELLIPSIS = re.compile(
    r"(?i)^\W*(?:still|not|haven't|hasn't|apparently|turns out|plus|because|even)\b"
    r"|\b(?:next|last|first|second|another|other|that) one\b"
)
_UNSAID_OBJECT = re.compile(
    r"(?i)\b(?:knows?|know yet|tell (?:anyone|anybody)|told (?:anyone|anybody))(?=\s*(?:[,.!?…]|$"
    r"|about (?:it|this|that)\b|yet\b))|(?:知道|告诉|说出去|外传|发现)(?=[，。！了]|$)"
)
_OWN_KNOWING = re.compile(r"I |我(?:也|还|真|都)?不?(?:知道|告诉)")
_OWN_SUBJECT = re.compile(r"(?i)^\W*(?:i|i'm|i've|my|we|we're|our|the|a|an|in|on|at|just|back)\b")
_CHINESE_LEANING = re.compile(
    r"^(?:而且|但是?|不过|所以|因为|然后|后来|结果|他|她|它|他们|对方|人家|那个|这事|那事|没有?|是的|对|嗯|还没?|也|没敢|不敢|就怕|本来|幸好)"
    r"|^[\u4e00-\u9fff]{1,2}[了完过](?![一两]?[张个把只条台件本双杯盒家辆部])|(?<!老)人家"
)
_CHINESE_OPENING = re.compile(
    r"^(?:今天|明天|昨天|早上|晚上|下午|中午|周[一二三四五六日末]|下周|下个?月|最近|另外|对了|还有|我)"
)
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
        return bool(_CHINESE_LEANING.search(first)) and not _CHINESE_OPENING.match(first)
    if _BARE_ANSWER.match(first):
        return len(sentences) > 1 and bool(_PRONOUN.match(sentences[1].strip()))
    if any(like.search(first) for like in (_ANSWER, _PRONOUN, _ELLIPSIS)):
        return True
    return len(first.split()) <= 3 and not _OWN_SUBJECT.match(first) and len(sentences) > 1


def refers(text: str) -> bool:
    """Whether a text has a pronoun for somebody or something."""
    return _THIRD_PERSON.search(text) is not None
