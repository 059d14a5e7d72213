"""What holds now: puts the newest statement on a subject first, and questions last.

Memories know what replaced them. Turns do not, and two memories read from different words may not
know of each other: "I have tried three" and, a month later, "I have tried four". So the best
results are compared in pairs. If two are about the same thing, the later one goes first, and the
earlier one says when the subject came up again. A question about the past reverses this. A
question about an event ("what did I buy?") leaves the order as it is.

Whether two are about the same thing is a score: how much of the question both have, how much of it
the later one has, how similar they are, how few others have what they share, and whether the later
one says that something is new or has another number. A later one with little of the question still
counts if it says that what the earlier one names has changed ("we switched from Jira to Linear").
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.language.attributes import ATTRIBUTES, OF_SOMETHING
from loxodon.recall.fuse import Found, Key, Terms, is_light, order, rarity
from loxodon.recall.order import Linked
from loxodon.recall.routes import Look
from loxodon.recall.understand import Question, asks_for_state, compiled, only_asks
from loxodon.store import Having
from loxodon.store.store import Store
from loxodon.text.names import candidates
from loxodon.text.sentences import spans
from loxodon.text.similarity import gist
from loxodon.text.words import fold, index_words, query_words
from loxodon.types import Turn

_LOOKED_AT = 20  # best results that are compared
_ORDERED = 10  # of these, how many are put in order of time
# Two results are about the same thing if this sum of parts reaches `_SAME`:
_SAME = 1.5
_LEAST = 0.2  # share of the question that both must have
_LATER = 0.5  # weight of the share of the question that the later one has
_ALIKE = 0.7  # weight of the share of the shorter one's words that both have
_RARE = 0.5  # added if hardly any other turn has what they share of the question
_CHANGES = 0.2  # added if the later one says that something is new
_COUNTS = 0.3  # added if the later one has another number
_ABOUT = 0.6  # what words of the question count that stand in another sentence of the same message
_SILENT = 0.3  # taken off if the later one has nothing of a part of the question
_HAD, _LEFT = 0.75, 0.5  # of a part of the question: what the earlier one has, a later one must
_FEW = 3  # so many turns are hardly any
_NAMED = 0.3  # the share of the question that one has whose words a later change takes up
_APART = (
    3_600_000  # milliseconds from which on a memory and what is not its source are two tellings
)
_ANOTHER_TALK = 12 * _APART  # the same for two turns of one session
_LONGEST = 500  # characters of a sentence that count: what has more is a list or a file
_READ = 2_000
_SHORT = 200  # characters of a text that is compared as a whole; of a longer one a sentence
_ABOUT_ASKING = frozenset(("ask", "question", "问过", "问了", "问题", "问的", "提问"))
_ASKS_ZH = frozenset("什么哪谁几多少怎样时候里儿啥是吗呢请问")
_BETWEEN = re.compile("[的是，。？?,、；！\\s什么哪谁几多少怎啥]+")
_COUNTED = {
    word: str(n)
    for n, word in enumerate(
        [
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ],
        2,
    )
} | {"once": "1", "twice": "2", "thirty": "30", "forty": "40", "fifty": "50"}
# Numbers; "one" and 一 are as often none ("this one")
_NUMBER = re.compile(
    r"\d+(?:[.,:]\d+)*|\b(?:"
    + "|".join(_COUNTED)
    + r")\b|[零〇一二两三四五六七八九十百千万半]{2,16}"
    "|[二两三四五六七八九十]|一(?=[片本张楼层位名条台篇页章节集部双套间家辆遍趟场顿个岁年月日号点块元斤度分只次杯天周])"
)


def current_first(look: Look, ranked: list[Linked]) -> list[Linked]:
    """The same, with what holds now before what held, and what tells before what asks."""
    best = [one.found for one in ranked[:_LOOKED_AT] if one.found.note is None]
    if not best:
        return ranked
    turns = look.store.turns([found.key.row for found in best if found.key.is_turn])
    again: set[Key] = set()
    if not _ABOUT_ASKING.intersection(look.question.words):
        again = _lower_what_asks(best, turns, look.question)
    if look.each and asks_for_state(look.question):
        best.sort(key=order)
        _by_time(look, best[:_ORDERED], turns)
    told = (one for one in ranked if one.found.key not in again)
    return sorted(told, key=lambda one: order(one.found))


def _lower_what_asks(
    best: Sequence[Found], turns: Mapping[int, Turn], question: Question
) -> set[Key]:
    """What only asks comes after what tells, as the last of the first ten at the lowest: it may be
    what is meant. What asks the same tells nothing, and is given back to be left out."""
    asking = [
        found
        for found in best
        if found.key.is_turn and (turn := turns.get(found.key.row)) and only_asks(turn.content)
    ]
    same: set[Key] = set()
    for found in asking:
        words = set(query_words(turns[found.key.row].content))
        if words.issubset(question.words):
            same.add(found.key)
    first = [found for found in best if found.key not in same][:_ORDERED]
    lowest = min((found.score for found in first), default=0.0)
    for n, found in enumerate(asking):
        if found in first and found.score:
            found.weigh("asks", min(1.0, lowest * (1 - 1e-6 * (n + 1)) / found.score))
        elif found.score:
            found.factors["asks"] = 1.0
    return same


# --- Two that speak of the same -------------------------------------------------------------------


class _Finding(NamedTuple):
    """What tells of the thing that is asked for."""

    found: Found
    at: int
    session: int  # 0 for a memory
    text: str  # the sentence that has most of the question
    words: frozenset[str]
    about: frozenset[
        str
    ]  # the words of the whole: what a sentence tells of may be named in another
    numbers: frozenset[str]
    people: frozenset[int]  # whom the sentence names


class _Asked(NamedTuple):
    """What is asked for, and by what words it was looked for."""

    question: Question
    worth: Mapping[str, float]  # what the question is about, by words and Chinese characters
    parts: Sequence[frozenset[str]]  # of a Chinese question: its things, held apart by 的 and 是
    names: frozenset[str]  # of these words, those that only name whom or what it is about
    terms: Terms
    having: Having

    def share(self, words: frozenset[str]) -> float:
        """How much of the question some words are."""
        whole = sum(self.worth.values()) or 1.0
        return sum(value for word, value in self.worth.items() if word in words) / whole


def _asked(look: Look) -> _Asked:
    question, (terms, having) = look.question, look.each[0]
    text = question.focus
    if question.language == "zh":  # without the words that say whether it asks for now or for then
        for name in ("NOW", "THEN"):
            text = compiled("zh", name).sub(" ", text)
        worth = {word: 1.0 for word in gist(text).words if word not in _ASKS_ZH}
        each = [gist(part).words - _ASKS_ZH for part in _BETWEEN.split(text)]
        parts = [part for part in each if len(part) > 1]
    else:
        words = gist(text).words
        telling = [word for word in words if not is_light([word])] or list(words)
        # What nobody ever said tells no two apart.
        said = [word for word in telling if having.counts.get(word, 1.0)] or telling
        worth, parts = {word: rarity(having, word) for word in said}, []
    called = [(one.text, one.entity.name, *one.entity.aliases) for one in question.entities]
    names = gist(" ".join(name for each in called for name in each)).words
    return _Asked(question, worth, parts, names, terms, having)


def _by_time(look: Look, best: Sequence[Found], turns: Mapping[int, Turn]) -> None:
    """Put the later of two that plainly speak of the same thing before the earlier one."""
    asked = _asked(look)
    told = _with_people(look.store, [one for found in best if (one := _told(found, turns, asked))])
    leading = {one.found.key for one in told[:_FEW]}
    told.sort(key=lambda one: one.at)
    for early, late in combinations(told, 2):
        apart = 1 if early.session and late.session else _APART
        if early.session == late.session != 0:  # some agents have one session for ever
            apart = _ANOTHER_TALK
        if late.at - early.at < apart:
            continue
        if (
            _same_attribute(early, late)
            or (not _is_another(early, late, asked) and _is_same(early, late, asked))
            or (early.found.key in leading and _takes_up(look.store, early, late, asked))
        ):
            early.found.again = max(early.found.again, late.at)
            one, other = (late, early) if asked.question.tense != "past" else (early, late)
            if one.found.score <= other.found.score:
                one.found.weigh("order", 1.001 * other.found.score / (one.found.score or 1.0))


def _told(found: Found, turns: Mapping[int, Turn], asked: _Asked) -> _Finding | None:
    record, place = found.record, found.place
    if record is not None:
        at, session = to_stored(record.valid_from or record.created_at)[0], 0
        content = record.content
    elif place is not None and place.role != "assistant" and found.key.row in turns:
        at, session = place.at, place.session
        content = turns[found.key.row].content
    else:
        return None
    text = _telling(content, asked)
    if not text or "asks" in found.factors:
        return None
    words = gist(text).words
    about = words if text == content else gist(content[:_READ]).words
    numbers = frozenset(_COUNTED.get(one, one) for one in _NUMBER.findall(text.lower()))
    return _Finding(found, at, session, text, words, about, numbers, frozenset())


def _with_people(store: Store, told: list[_Finding]) -> list[_Finding]:
    each = [candidates(fold(one.text)) for one in told]
    known = store.entities_named(sorted(set().union(*each)))
    people = {
        name: one.no
        for name, one in known.items()
        if one.type in ("person", "pet") and name == fold(one.name)  # not "my colleague"
    }
    return [
        one._replace(people=frozenset(people[name] for name in names if name in people))
        for one, names in zip(told, each, strict=True)
    ]


def _telling(text: str, asked: _Asked) -> str:
    """The sentence that has most of the question; one that asks counts half."""
    if len(text) <= _SHORT:
        return text
    text = text[:_READ]
    each = [text[start : min(end, start + _LONGEST)].strip() for start, end in spans(text)]

    def part(one: str) -> float:
        counts = asked.question.kind == "how_many" and _NUMBER.search(one.lower())
        share = asked.share(gist(one).words) * (0.5 if one[-1:] in "?？" else 1.0)
        return share * (2.5 if counts else 1.0)

    best = max(each, key=part, default="")
    return best if best and part(best) > 0 else ""


def _same_attribute(early: _Finding, late: _Finding) -> bool:
    """Whether two memories have the same attribute of the same subject, of which there is one."""
    one, other = early.found.record, late.found.record
    if one is None or other is None or not one.attribute:
        return False
    if (one.subject, one.attribute) != (other.subject, other.attribute):
        return False
    known = ATTRIBUTES.get(one.attribute)
    return known is not None and known.one and one.attribute not in OF_SOMETHING


def _is_another(early: _Finding, late: _Finding, asked: _Asked) -> bool:
    """Whether two tell of different things, whatever words they share.

    What was said since of the same side of the same subject was compared with a memory when it was
    learned. That something else is said of the subject ("Ingrid is coming to visit") makes her home
    no older, and that others live somewhere does not, either.
    """
    if early.found.record is not None and early.found.record.attribute:
        return True
    if not (early.words & late.words & asked.worth.keys()) - asked.names:
        return not _says_new(late, asked)
    apart = early.people and late.people and early.people.isdisjoint(late.people)
    return bool(apart) and asked.question.kind != "who"


def _is_same(early: _Finding, late: _Finding, asked: _Asked) -> bool:
    if asked.question.kind == "how_many" and not _NUMBER.search(late.text.lower()):
        return False
    both = early.words & late.words
    shared, named = asked.share(both), asked.share(late.words)
    if shared < _LEAST or any(_lacks(part, early, late, _LEFT) for part in asked.parts):
        return False
    alike = len(both) / (min(len(early.words), len(late.words)) or 1)
    # How many turns have all that two share of the words that were looked for
    lists = asked.having.lists
    rows = [
        frozenset(lists[word])
        for word in asked.terms.words
        if word in lists and _has(early, word, asked.having) and _has(late, word, asked.having)
    ]
    having_both = len(frozenset.intersection(*rows)) if rows else 0
    rare = min(1.0, _FEW / (having_both or _READ))
    another = bool(early.numbers and late.numbers - early.numbers)
    shared = max(shared, _ABOUT * asked.share(early.about & late.about))
    named = max(named, _ABOUT * asked.share(late.about))
    whole = shared + _LATER * named + _ALIKE * alike + _RARE * rare
    whole -= _SILENT * any(part.isdisjoint(late.words) for part in asked.parts)
    return whole + _CHANGES * _says_new(late, asked) + _COUNTS * another >= _SAME


def _lacks(part: frozenset[str], early: _Finding, late: _Finding, left: float) -> bool:
    """Whether a later one is of another thing or asks for another of its sides: the earlier one has
    a part of the question, and it has not."""
    had = len(part & early.words) >= _HAD * len(part)
    return had and len(part & late.words) < left * len(part)


def _says_new(late: _Finding, asked: _Asked) -> bool:
    return compiled(asked.question.language, "CHANGES").search(late.text) is not None


def _has(told: _Finding, word: str, having: Having) -> bool:
    if told.found.record is not None:
        return word in told.found.said
    return told.found.key.row in having.lists[word]


def _takes_up(store: Store, early: _Finding, late: _Finding, asked: _Asked) -> bool:
    """Whether a later one says that what an earlier one answers with has changed."""
    another = bool(early.numbers and late.numbers - early.numbers)
    counts = asked.question.kind == "how_many" and another
    answers = early.found.parts.get("attribute") or asked.share(early.words) >= _NAMED
    if not answers or not (counts or _says_new(late, asked)):
        return False
    if late.found.record is not None and early.found.record is not None:
        return False  # which were compared when the later one was learned
    if any(_lacks(part, early, late, _LEAST) for part in asked.parts):
        return False
    said = set(index_words(early.text)) & set(index_words(late.text)) - {*asked.terms.all}
    # A pair of characters with one that only holds the sentence together is no word.
    both = {word for word in said if word.isascii() or len(gist(word).words) > 1}
    return bool(store.rare("turns", sorted(both), _FEW))
