"""Whether two plain sentences tell two values of one thing: `my gym is PureGym` and `I switched,
my gym is JD now`.

They do where all their words agree but those of one slot, and what fills it is of one kind. What
may have several values, as cats and appointments, must be said to have changed; a measure has one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from loxodon.text.similarity import sense

Words = tuple[str, ...]
_NO = frozenset(["not", "no", *"不没"])
_WHEN = ("to", "on", "at", "for", "until", "till")
_HAN_NUMBERS = frozenset("零一二两三四五六七八九十百千万半")
_MEASURES = frozenset(
    "个岁年月日号点分周天元块次本只条位斤米公克毫升片粒层楼口套间张件台辆度倍成瓶杯"
)
_PRONOUNS = frozenset(["he", "she", "it", "they", "that", *"他她它"])
_LONGEST = 8  # Words of a value, or characters
_DAYS = (
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|(?:em)?ber"
    r"|ober)?\b|(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
)
_FIRST = {
    "the user's": "my",
    "the user": "I",
    "the user is": "I am",
    "the user has": "I have",
    "用户": "我",
}
_quoted = re.compile(r"“(.+)”", re.S)
_between = re.compile(
    r"[,;](?!\d)|[，；。、！!]|\s[-–—]+\s|(?<!\d)\.\s"
    r"|\b(?:and|but|because|cos|so|who|which|that|when|while|if|though|although|plus)\b"
    r"|而且|但是?|因为|所以|不过|并且|[和及]",
    re.I,
)
_adds = re.compile(
    r"(?:an?|the|one|two|three|four|five|six|seven|eight|nine|ten|about|around|every|each|once"
    r"|twice|mostly|mainly|usually|since|for|in|on|at|with|near|from|called|named)\b|\w+ \d|\d"
    r"|[一二两三四五六七八九十百半]+[^，]{0,3}[一二两三四五六七八九十百半\d天年月周次]|[总一]共|大[概约]|差不多"
    r"|平均|每|连续|主要|都是|用的是|不然|因为|押|名?叫|[^，]{0,2}是",
    re.I,
)
_somebody = re.compile(
    r"\b(?:I|we|my|our|he|she|they|his|her|their)\b|[我他她你爸妈哥姐弟妹爷奶婆公儿女友]", re.I
)
_token = re.compile(
    r"\d{4}-\d\d(?:-\d\d)?|[£$€¥]?\d+(?:[.,:]\d+)*%?|[A-Za-z][A-Za-z0-9&.+#_@/-]*(?<![.-])"
    r"|['’]\w+|\w"
)
_done = re.compile(r"[了过](?![，。]|$)")
_spaced = re.compile(r"(?<=[!-~])\|(?=[!-~])")
_third = re.compile(r"\bthe user(?:'s| is| has)?\b|用户", re.I)
_now = re.compile(
    r"\b(?:from now on|these days|nowadays|currently|(?<!right )(?<!for )now)\b"
    r"|现在|目前|如今|眼下|以后|今后",
    re.I,
)
_announcing = re.compile(
    r"\b(?:from now on|these days|nowadays|at the moment|currently|now|instead|actually|finally"
    r"|already|as of \w+|rescheduled|brought forward|put back|(?:went|gone) (?:up|down)|back"
    r"|(?:down|up) (?=to)|using|only)\b|换了一?[个家份台辆部位]?|只[用要]?|改签|从?现在(?:起|开始)?"
    r"|目前|如今|眼下|以后|今后|已经|最近|推迟|提前|安排|调整|换成|改成|开始",
    re.I,
)
_moved = re.compile(
    r"\b(?:moved|changed|switched|swapped|pushed|postponed|rescheduled|shifted|bumped|put back"
    r"|brought forward|went (?:up|down)|rose|dropped|increased|transferred|upgraded|new"
    r"|from now on|no longer|instead)\b"
    r"|[换改搬转调涨降升挪]|推[迟到]|提前|延[期到]|跳槽|以后|今后",
    re.I,
)
_one_more = re.compile(
    r"\b(?:also|too|another|second|as well|one of|both|either|extra)\b"
    r"|还(?![是没款钱在])|也|另|其中|之一",
    re.I,
)
_day = re.compile(
    rf"\b(?:{_DAYS})|\b\d{{1,2}}(?:st|nd|rd|th)\b|\d{{4}}(?:-\d\d|年)|\d{{1,2}}/\d{{1,2}}"
    r"|[\d一二三四五六七八九十][月号日]|(?:周|星期|礼拜)[一二三四五六日天]|月[底初]",
    re.I,
)
_of_time = re.compile(rf"(?:at|on|the|half|past|noon|[ap]m|\d|[^A-Za-z]|{_DAYS})", re.I)
_clock = re.compile(r"\d:\d\d")
_time = re.compile(r"\b\d{1,2} ?[ap]m\b|[\d一二三四五六七八九十两]点", re.I)
# A name, or what a machine goes by: an address, a path, a version.
_named = re.compile(r"(?:(?:an?|the) )?(?:[A-Z]|[a-z]+[A-Z]|\S*(?:[@_/]|[a-z]-?\d|[a-z]\.[a-z]))")
_number = re.compile(
    r"[£$€¥]?\d+(?:[.,:]\d+)*%?|[零一二两三四五六七八九十百千万半]"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve",
    re.I,
)


def own_words(content: str) -> str:
    """What stands in the quotation marks of a memory, or all of it where there are none."""
    found = _quoted.search(content)
    return found[1] if found else content


def in_first_person(content: str) -> str:
    """A memory as the user would say it, which is how they ask for it."""
    said = own_words(content)
    return said if said != content else _third.sub(lambda user: _FIRST[user[0].lower()], content)


def clauses_in(content: str) -> list[str]:
    """The clauses of a sentence, as far as punctuation and conjunctions tell them."""
    return [one.strip() for one in _between.split(own_words(content)) if one.strip()]


def only_adds(clause: str) -> bool:
    """Whether a clause tells nothing by itself, but how much, how often or since when something is
    so: `50 mg a day`, 一年2980块."""
    return _adds.match(clause) is not None and _somebody.search(clause) is None


def valued_anew(new: str, old: str, about: str, announced: bool) -> bool:
    """Whether `new` gives another value to what `old` tells of whom both are `about`."""
    words, told = own_words(new), own_words(old)
    moved = _moved.search(words) is not None
    announced = announced or moved or _now.search(words) is not None
    if _one_more.search(words) or not all(map(only_adds, clauses_in(old)[1:])):
        return False
    if not announced and _done.search(told):
        return False
    known = [token for clause in _said(told, about) for token in clause]
    said = _said(words, about)
    # `my rent went up, it's 950 now` tells the thing in one clause and its value in the next
    ways = [*said, *([*one, *other] for one, other in pairwise(said))]
    return any(_one_slot(one, known, announced, moved) for one in ways)


def apart(one: Words, other: Words) -> tuple[Words, Words, Words, Words]:
    """What two begin with alike, what each then has of its own, and what they end with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    start = next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
    ends = enumerate(zip(one[start:][::-1], other[start:][::-1], strict=False))
    end = next((n for n, (a, b) in ends if a != b), min(len(one), len(other)) - start)
    return (
        one[:start],
        one[start : len(one) - end],
        other[start : len(other) - end],
        one[len(one) - end :],
    )


class _Token(NamedTuple):
    raw: str
    base: str
    linked: str  # What it follows that only links a thing and its value: `is`, `moved to`, 改到


def _one_slot(new: Sequence[_Token], old: Sequence[_Token], announced: bool, moved: bool) -> bool:
    alike, own, _, after = apart(*(tuple(one.base for one in some) for some in (new, old)))
    start, end = len(alike), len(after)
    head, tail = new[:start], new[len(new) - end :]
    value, before = new[start : len(new) - end], old[start : len(old) - end]
    shared = [*head, *tail]
    if not (value and before and shared) or max(len(value), len(before)) > _LONGEST:
        return False
    kind = _kind(head, value, tail)
    several = all(any(one.linked for one in some[1:]) for some in (value, before))
    if kind != _kind(head, before, tail) or (several and kind != "date") or not _NO.isdisjoint(own):
        return False
    if kind == "word":  # whom a sentence is about is no value of it
        set_to = announced and all(some[0].linked in _SET_BY for some in (value, before))
        return set_to and len(shared) > 1 and len(shared) >= len(value)
    if not announced:
        measured = not tail[0].linked if tail else value[0].linked not in ("", *_WHEN)
        return kind == "number" and measured and not any(one.base[-1] == "<" for one in shared)
    return moved or len(shared) > 1 or kind == "number" or value[0].linked == "be"


def _kind(head: Sequence[_Token], value: Sequence[_Token], tail: Sequence[_Token]) -> str:
    before, after = head[-1].raw if head else "", tail[0].raw if tail else ""
    text, around = (
        _spaced.sub(" ", "|".join(some)).replace("|", "")
        for some in ([one.raw for one in value], [before, *(one.raw for one in value), after])
    )
    numbers = [one for one in value if _number.fullmatch(one.raw)]
    near = around if numbers else text
    if value[0].linked in _WHEN and _clock.search(text):
        return "date"
    if (_day.search(near) or _time.search(near)) and all(map(_of_time.match, text.split())):
        return "date"
    if len(numbers) == len(value):
        part = before == "第" or (before[:1].isupper() and not value[0].linked)
        if value[-1].raw in _HAN_NUMBERS and after not in _MEASURES:  # 二叔
            return "word"
        return "name" if part else "number"
    named = [one for one in value if one.raw.lower() not in ("a", "an", "the", "of", "and", "in")]
    if all(one.raw[0].isdigit() or _named.match(one.raw) for one in named):
        return "name"
    return "word"


@lru_cache(maxsize=4_096)
def _said(words: str, about: str) -> list[list[_Token]]:
    """The clauses of a sentence without who it is about, and without what only links or announces
    a value."""
    found = []
    for clause in clauses_in(in_first_person(words)):
        text = _announcing.sub(" ", clause)
        text = text.partition(about)[2] if about and about in text else text
        tokens: list[_Token] = []
        linked = ""
        for raw in _token.findall(text):
            base = " ".join(sense(raw))
            if base in _LINKS or not base:
                linked = base or linked
                continue
            if tokens or base not in _PRONOUNS:
                tokens.append(_Token(raw, base, linked))
            linked = ""
        if tokens:
            found.append(tokens)
    return found


# What leads a value of a thing, whatever it is
_SET_BY = frozenset(sense("is be at to in")) | frozenset("是叫在到成为")
# What stands between a thing and its value, or says that this has changed; and the speaker
_LINKS = frozenset(
    sense(
        "I we my our is was be been have had get got to on at for until till new set booked"
        " scheduled moved changed pushed postponed shifted bumped switched raised use"
    )
) | frozenset("的了我们是叫在到成为于改换调推延挪定约变涨降升搬转新又用姓")
