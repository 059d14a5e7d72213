"""How a predicate tells what it is about: the type of rule that the themes are written in.

A rule is a pattern that matches a predicate from its verb on, in the third person, small adverbs
left out. `{V}` is the value, `{O}` what is over or was before, `{BE}` any form of "is".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from loxodon.write.en.patterns import Lazy
from loxodon.write.en.verbs import past_of
from loxodon.write.en.words import (
    CONDITION_ADJECTIVES,
    CONDITIONS,
    DIETS,
    JOBS,
    LANGUAGES,
    MEDICINES,
    MONTHS,
    NATIONALITIES,
    PETS,
    PLACES,
    RELATIONS,
    WEEKDAYS,
    alternatives,
)  # fmt: skip
from loxodon.write.statements import Act


class Rule(NamedTuple):
    pattern: str
    attribute: str = ""
    act: Act = "state"
    positive: bool = True
    topic: str = ""
    of: str = ""
    """Whom it holds for: `user`, `person` (not the user), `thing`; empty for anyone."""


class Found(NamedTuple):
    """What a rule made of a predicate."""

    attribute: str = ""
    value: str = ""
    act: Act = "state"
    over: tuple[str, ...] = ()
    positive: bool = True
    topic: str = ""
    about: str = ""
    """What it is about where that is not the subject: `moved the wedding to May`."""


_END = (
    r"(?=\s*(?:$|[,;(]|\.\s| because\b| since\b| as\b| so\b| but\b| which\b| who\b| while\b"
    r"| until\b| when\b| after\b| before\b| instead\b| where\b"
    r"| at the moment\b| these days\b| right now\b| every\b| each\b| for (?:the|a|my|their"
    r"|\d+|two|three|many|over|about|years|work|now)\b| and (?:is|has|was|also|then|now"
    r"|the user|it|he|she|they|works?|lives?|doesn't|can't|loves?|hates?)\b| - ))"
)
_TIME_END = (
    r"(?=\s*(?:$|[,;(]|\.\s| because\b| since\b| as\b| so\b| but\b| which\b| who\b| while\b"
    r"| instead\b| when\b"
    r"| last\b| this\b| next\b| yesterday\b| today\b| tomorrow\b| tonight\b| ago\b| on (?:mon"
    r"|tues|wednes|thurs|fri|satur|sun)day\b"
    r"| in (?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december|the (?:end|spring|summer|autumn|fall|winter|new year)|\d{4})\b"
    r"| a (?:week|month|year|few|couple)\b| (?:two|three|four|five|\d+) (?:days|weeks|months"
    r"|years)\b| for (?:the|a|my|their|good|work|now|\d+|two|three)\b"
    r"| after\b| before\b| at\b| and (?:is|has|was|also|then|now|the user|it|he|she|they|bought|got"
    r"|switched|moved|started|went|took|joined)\b| - ))"
)


@cache
def _parts() -> dict[str, str]:
    return {
        "{V}": rf"(?P<v>[^,;]+?){_END}",
        "{VT}": rf"(?P<v>[^,;]+?){_TIME_END}",
        "{LIST}":
            r"(?P<v>.+?)(?=\s*(?:$|;|, (?:like|properly|really|never|always|so|but|which|hospital"
            r"|she|he|it|where|what|anything else)\b|\(| because\b| since\b| but\b| so\b| which\b"
            r"| and (?:is|has|the user|he|she|it)\b))",
        "{O}":
            r"(?P<o>(?:(?:the|a|an|their|his|her|its|some|all|any|going to"
            rf"|to) )*[^,;]+?){_TIME_END}",
        "{BE}": r"(?:is|are|was|were|has been|have been|became|has become|'s|being)",
        "{CONDITION}": alternatives(CONDITIONS),
        "{ILL}": alternatives(CONDITION_ADJECTIVES),
        "{DIET}": alternatives(DIETS),
        "{JOB}":
            rf"(?:(?:{alternatives(JOBS)}|\w{{3,}}(?:ologist|ographer|grapher"
            rf"|smith))(?:[ -]{alternatives(JOBS)})*)",
        "{MED}":
            rf"(?:{alternatives(MEDICINES)}|\w{{4,}}(?:pril|sartan|olol|statin|azole|cillin|mycin"
            r"|cycline|tidine|oxetine|pram|zepam|zolam|mab|gliptin|gliflozin|glutide|triptan"
            r"|profen|azine|idone|apine|codone))",
        "{LANGUAGE}": alternatives(LANGUAGES),
        "{NATION}": alternatives(NATIONALITIES),
        "{PET}": alternatives(PETS),
        "{PERSON}": alternatives(RELATIONS),
        "{PLACE}":
            r"(?:(?-i:[A-ZÀ-Þ][\w'-]*(?:(?: (?:of|de|upon|on|le|la|du|am"
            rf"|the))? [A-ZÀ-Þ][\w'-]*)*)|{alternatives(PLACES)})\b",
        "{DAY}": rf"(?:{alternatives(WEEKDAYS)}s?|weekends?|weekdays?)",
        "{MONTH}": alternatives(MONTHS),
        "{NUM}":
            r"(?:\d[\d.,/:'-]*\w*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
            r"|thirteen|fourteen|fifteen|twenty|thirty)",
        "{MONEY}":
            r"(?:[£$€₹]\s?\d[\d.,]*\s?(?:k|m|grand|lakh|million)?|\d[\d.,]*\s?(?:k|grand|quid"
            r"|pounds|dollars|euros|bucks|lakhs?|m|million|thousand|pcm|a month|a day|an hour)?)",
    }  # fmt: skip


def compiled(rules: Iterable[Rule]) -> tuple[tuple[re.Pattern[str], Rule], ...]:
    """The rules with their patterns ready to match."""
    ready = []
    for rule in rules:
        pattern = rule.pattern
        for mark, meaning in _parts().items():
            if mark in pattern:
                pattern = pattern.replace(mark, meaning)
        ready.append((re.compile(pattern, re.I), rule))
    return tuple(ready)


_LIGHT = Lazy(
    r"\b(?:also|just|currently|really|actually|basically|technically|literally|honestly|only"
    r"|already|still|now|mostly|mainly"
    r"|recently|finally|officially|fully|totally|completely|properly|both|apparently|probably"
    r"|definitely|generally|usually"
    r"|absolutely|genuinely|simply|clearly|quietly|secretly|obviously|even|deathly|severely"
    r"|super|proper|very|pretty|quite|like(?= (?:\d|five|two|three|a )))\s+"
    r"(?=\S)",
    re.I,
)


def light(predicate: str) -> str:
    """`predicate` without the small adverbs that no rule cares for."""
    predicate = re.sub(r"^(?:might|may|could|must)(?: well| also)? be\b", "is", predicate)
    predicate = re.sub(r"^(?:might|may|could|must)(?: well| also)? have\b", "has", predicate)
    predicate = realised(predicate)
    return _LIGHT.sub("", predicate)


_HAD_TO = Lazy(r"(?:had|has had|have had|ended up having) to (?P<verb>[a-z]+)\b", re.I)


def realised(predicate: str) -> str:
    """`had to postpone` is `postponed`, and what several have done is what one has."""
    found = _HAD_TO.match(predicate)
    if found and (past := past_of(found["verb"].lower())):
        return f"{past}{predicate[found.end() :]}"
    return re.sub(r"^have (?=\w+(?:ed|t|n)\b)", "has ", predicate)


_EDGE = Lazy(
    r"^(?:the|a|an|my|their|his|her|its|some|any|all|to|going|been|about|around|like|of)\s+", re.I
)
_TAIL = Lazy(
    r"\s+(?:now|though|instead|again|anymore|any more|too|as well|either|either way|anyway"
    r"|only|itself|altogether|completely|entirely|finally|for good|in the end|at all|at last"
    r"|today|yesterday|tonight|tomorrow)$",
    re.I,
)


def tidy(value: str, article: bool = False) -> str:
    """A value without articles before it (unless `article`) and small words after it."""
    value = value.strip(" .,;:!?-\"'*()")
    for _ in range(3):
        shorter = _TAIL.sub("", value if article else _EDGE.sub("", value))
        if shorter == value:
            break
        value = shorter
    return value


__all__ = ["Found", "Rule", "compiled", "light", "realised", "tidy"]
