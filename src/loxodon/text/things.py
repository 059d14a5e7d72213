"""Of what a plain sentence tells a value: `my gym is PureGym`, `我的手机号是139…`.

What somebody calls theirs has one value of a kind at a time. A sentence that calls nothing theirs,
or whose value may be anything (`my gym is nice`), tells no such thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from loxodon.text.patterns import lazy
from loxodon.text.similarity import sense


class Thing(NamedTuple):
    """What somebody calls theirs, and its value."""

    name: tuple[str, ...]
    value: str
    kind: tuple[str, ...]
    """`date`, `name`, or `number` and what is counted."""

    @property
    def called(self) -> str:
        """Its name, as one looks for it."""
        return " ".join(self.name) if "".join(self.name).isascii() else "".join(self.name)

    @property
    def is_measured(self) -> bool:
        """Whether there cannot be two: of a name or a date there may be another beside it."""
        return self.kind[0] == "number"


def own_words(content: str) -> str:
    """What stands in the quotation marks of a memory, or all of it where there are none."""
    found = _quoted.search(content)
    return found[1] if found else content


def clauses_in(content: str) -> list[str]:
    """The clauses of a sentence, as far as punctuation and conjunctions tell them."""
    return [one.strip() for one in _between.split(own_words(content)) if one.strip()]


def only_adds(clause: str) -> bool:
    """Whether a clause tells nothing by itself, but how much, how often or since when something is
    so: `50 mg a day`, 一年2980块."""
    return _adds.match(clause) is not None and _somebody.search(clause) is None


@lru_cache(maxsize=4_096)
def things_in(content: str) -> tuple[Thing, ...]:
    """What a sentence tells a value of."""
    found = (
        Thing(name, value, kind)
        for name, value, on in _pairs(clauses_in(content))
        if name and (kind := _kind(value, on))
    )
    return tuple(found)


def _pairs(clauses: list[str]) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Things and their values, and whether these may be when something is."""
    before = ""
    for clause in clauses:
        if found := next(filter(None, (like.fullmatch(clause) for like in _telling())), None):
            yield sense(found["thing"]), found["value"], bool(found["on"])
        elif before and (found := _it_is.fullmatch(clause)):
            yield sense(before), found["value"], True
        changed = _changed.fullmatch(clause)
        before = next(filter(None, changed.groups()), "") if changed else ""


def _kind(value: str, on: bool) -> tuple[str, ...]:
    if _day.search(value) or (on and _time.search(value)):
        return ("date",)
    if _named.match(value):
        return ("name",)
    if _number.search(value):
        return ("number", *sense(_number.sub(" ", value)))
    return ()


_quoted = lazy(r"“(.+)”", re.S)


_between = lazy(
    r"[,;](?!\d)|[，；。、！!]|\s[-–—]+\s|(?<!\d)\.\s"
    r"|\b(?:and|but|because|cos|so|who|which|that|when|while|if|though|although|plus)\b"
    r"|而且|但是?|因为|所以|不过|并且|[和及]",
    re.I,
)


_adds = lazy(
    r"(?:an?|the|one|two|three|four|five|six|seven|eight|nine|ten|about|around|every|each|once"
    r"|twice|mostly|mainly|usually|since|for|in|on|at|with|near|from|called|named)\b|\w+ \d|\d"
    r"|[一二两三四五六七八九十百半]+[^，]{0,3}[一二两三四五六七八九十百半\d天年月周次]|[总一]共|大[概约]|差不多"
    r"|平均|每|连续|主要|都是|用的是|不然|因为|押",
    re.I,
)


_somebody = lazy(r"\b(?:I|we|my|our|he|she|they|his|her|their)\b|[我他她你]", re.I)


_MOVED = (
    r"(?:moved|changed|pushed(?: back)?|postponed|rescheduled|shifted|bumped|switched|put back"
    r"|brought forward)"
)


@cache
def _telling() -> tuple[re.Pattern[str], ...]:
    thing = r"(?:my|our) (?:new )?(?P<thing>[\w'’/ -]{2,50}?)"
    value = r"(?P<value>[^,;]+?)(?: now| instead| these days)?[.!]*"
    set_to = rf"(?: now| currently| actually| booked| set| scheduled| {_MOVED})*"
    return (
        re.compile(
            rf"{thing}(?: is| are|['’]s| was| has been| have been| got){set_to}"
            rf"(?P<on> to| for| on| at| until| till)? {value}",
            re.I,
        ),
        re.compile(rf"\w+(?: have| has)? {_MOVED} {thing} (?P<on>to|until|till) {value}", re.I),
        re.compile(
            r"(?:我们?的?|新的?|现在的?)+(?P<thing>[^，。我]{2,16}?)(?:已经|现在|又|都)*"
            r"(?:(?P<on>(?:改|推迟?|延|挪|调|换|提前|定|安排|变)(?:到|成|在|为|于)了?|在)|是|叫)"
            r"(?P<value>[^，。]+?)了?[。！]*"
        ),
    )


_changed = lazy(
    rf"(?:I|we)(?: have|['’]ve)? {_MOVED} (?:my|our) ([\w'’ -]{{2,50}})"
    rf"|(?:my|our) ([\w'’ -]{{2,50}}?) (?:has |have )?{_MOVED}",
    re.I,
)


_it_is = lazy(
    r"(?:it|they|that)(?:['’]s| is|['’]re| are)(?: now)? (?P<value>[^,;]+?)(?: now)?[.!]*", re.I
)


_day = lazy(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|(?:em)?ber"
    r"|ober)?\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b\d{1,2}(?:st|nd|rd|th)\b|\d{4}-\d\d|\d{1,2}/\d{1,2}"
    r"|[\d一二三四五六七八九十][月号日]|(?:周|星期|礼拜)[一二三四五六日天]|月[底初]",
    re.I,
)


_time = lazy(r"\d:\d\d|\b\d{1,2} ?[ap]m\b|[\d一二三四五六七八九十两]点", re.I)


# A name, or what a machine goes by: an address, a path, a version.
_named = lazy(r"(?:(?:an?|the) )?(?:[A-Z]|[a-z]+[A-Z]|\S*(?:[@_/]|[a-z]-?\d|[a-z]\.[a-z]))")


_number = lazy(
    r"\d+(?:[.,:]\d+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
    r"|[零一二两三四五六七八九十百千万半]+(?=[个岁斤公块元度分只次杯天])",
    re.I,
)
