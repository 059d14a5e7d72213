"""What holds now: puts the newest statement on a subject first, and questions last.

Memories know what replaced them. Turns do not, and two memories read from different words may not
know of each other: "I have tried three" and, a month later, "I have tried four". So the best
results are compared in pairs. If two are about the same thing, the later one goes first, and the
earlier one says when the subject came up again. A question about the past reverses this. A
question about an event ("what did I buy?") leaves the order as it is.

Whether two are about the same thing is a score: how much of the question both have, how much of it
the later one has, how similar they are, how few others have what they share, and whether the later
one says that something is new or has another number. What a message names in other sentences
counts too. A later one with little of the question still counts if it says that what the earlier
one names has changed ("we switched from Jira to Linear").

A turn that only asks tells nothing. Earlier copies of a question match it best of all, and would
come before the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.language.attributes import ATTRIBUTES, OF_SOMETHING
from loxodon.recall.endings import asks_for_state
from loxodon.recall.fuse import Found, Key
from loxodon.recall.link import Linked, order
from loxodon.recall.questions import compiled, kind_of
from loxodon.recall.routes import Seen
from loxodon.recall.terms import Terms, is_light, rarity
from loxodon.recall.understand import Question
from loxodon.store import Having
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.text.names import candidates
from loxodon.text.sentences import spans
from loxodon.text.similarity import gist
from loxodon.text.words import fold, index_words, query_words
from loxodon.types import Turn

ONLY_ASKS = 0.8  # Factor for a turn that only asks
_ASKS_THIS = 0.5  # Factor for a turn that asks the same question
_AGAIN = 0.6  # Share of shared words from which on a turn asks the same question
LOOKED_AT = 20  # Best results that are compared
_ORDERED = 10  # Of these, how many are put in order of time
# Two results are about the same thing if this sum of parts reaches `SAME`:
SAME = 1.5
_LEAST = 0.2  # Share of the question that both must have
_LATER = 0.5  # Weight of the share of the question that the later one has
_ALIKE = 0.7  # Weight of the share of the shorter one's words that both have
_RARE = 0.5  # Added if hardly any other turn has what they share of the question
_CHANGES = 0.2  # Added if the later one says that something is new
_COUNTS = 0.3  # Added if the later one has another number
_ABOUT = 0.6  # What words of the question count that stand in another sentence of the same message
_SILENT = 0.3  # Taken off if the later one has nothing of a part of the question
# What an earlier one has of a part of the question, of which a later one must have so much
_HAD, _LEFT = 0.75, 0.5
_FEW = 3  # So many turns are hardly any
_NAMED = 0.3  # The share of the question that one has whose words a later change takes up
# Milliseconds from which on a memory and what is not its source were told at two times
_APART = 3_600_000
_ANOTHER_TALK = 12 * _APART  # Milliseconds from which on two turns of one session are of two talks
_LONGEST = 500  # Characters of a sentence that count: what has more is a list or a file
_READ = 2_000
# Characters of a text that is compared as a whole; of a longer one the sentence that matters
_SHORT = 200
_WITH_NUMBER = 2.5  # How much more a sentence with a number counts where one is asked for
_ABOUT_ASKING = frozenset(("ask", "question", "问过", "问了", "问题", "问的", "提问"))
_ASKS_ZH = frozenset("什么哪谁几多少怎样时候里儿啥是吗呢请问")
_BETWEEN = re.compile("[的是，。？?,、；！\\s什么哪谁几多少怎啥]+")
_FROM_TWO = """
two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty
"""
# Numbers in words; "one" is as often no number ("this one")
_COUNTED = {word: str(n) for n, word in enumerate(_FROM_TWO.split(), 2)} | {
    "once": "1",
    "twice": "2",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
}
_ANY_NUMBER = re.compile(
    r"\d+(?:[.,:]\d+)*|\b(?:"
    + "|".join(_COUNTED)
    + r")\b|[零〇一二两三四五六七八九十百千万半]{2,16}"
    "|[二两三四五六七八九十]|一(?=[片本张楼层位名条台篇页章节集部双套间家辆遍趟场顿个岁年月日号点块元斤度分只次杯天周])"
)
_NUMBER = re.compile(
    r"(?i)[0-9零一二两三四五六七八九十百千万半]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred|dozen|once|twice|both|another|first"
    r"|second|third|\w+th)\b"
)


def current_first(
    store: Store, ranked: list[Linked], question: Question, seen: Seen
) -> list[Linked]:
    """The same, with what holds now before what held, and what tells before what asks."""
    best = [one.found for one in ranked[:LOOKED_AT] if one.found.note is None]
    if not best:
        return ranked
    turns = store.turns([found.key.row for found in best if found.key.is_turn])
    again: set[Key] = set()
    if not _ABOUT_ASKING.intersection(question.words):
        again = _lower_what_asks(best, turns, question)
    if seen.each and asks_for_state(question):
        best.sort(key=order)
        _by_time(store, best[:_ORDERED], turns, question, *seen.each[0])
    told = (one for one in ranked if one.found.key not in again)
    return sorted(told, key=lambda one: order(one.found))


def _lower_what_asks(
    best: Sequence[Found], turns: Mapping[int, Turn], question: Question
) -> set[Key]:
    """What only asks comes after what tells, as the last of the first ten at the lowest: it may be
    what is meant. What asks the same tells nothing, and is given back to be left out."""
    same: set[Key] = set()
    last = best[_ORDERED - 1].score if len(best) >= _ORDERED else 0.0
    for found in best:
        turn = turns.get(found.key.row) if found.key.is_turn else None
        if turn is None or not only_asks(turn.content):
            continue
        # How many of the words of a text are the question's
        words = set(query_words(turn.content))
        share = len(words.intersection(question.words)) / len(words) if words else 1.0
        if share == 1:
            same.add(found.key)
        least = 0.0 if share >= _AGAIN else min(last, found.score)
        lowered = max(least, found.score * (_ASKS_THIS if share >= _AGAIN else ONLY_ASKS))
        found.factors["asks"] = lowered / (found.score or 1.0)
        found.score = lowered
    return same


def only_asks(text: str) -> bool:
    """Whether a message asks and tells nothing."""
    bare = text.strip()
    if len(bare) > 300 or bare[-1:] not in "?？":
        return False
    sentences = [one for one in re.split(r"(?<=[.?!。？！])\s*", bare) if one]
    language = language_of(bare)
    return all(
        one[-1] in "?？" and kind_of(one, language) not in ("none", "yes_no") for one in sentences
    )


# --- Two that speak of the same -------------------------------------------------------------------


class _Finding(NamedTuple):
    """What tells of the thing that is asked for."""

    found: Found
    at: int
    session: int  # 0 for a memory
    text: str  # The sentence that has most of the question
    after: str  # The one after it: people name a thing, and then tell of it
    words: frozenset[str]
    # The words of the whole: what a sentence tells of may be named in another
    about: frozenset[str]
    numbers: frozenset[str]
    people: frozenset[int]  # Whom the sentence names


class _Query(NamedTuple):
    """What is asked for, and by what words it was looked for."""

    question: Question
    # What the question is about, by words and Chinese characters, and what each tells
    worth: Mapping[str, float]
    # The parts of a Chinese question, whose things and their sides 的 and 是 hold apart
    parts: Sequence[frozenset[str]]
    names: frozenset[str]  # Of these words, those that only name whom or what it is about
    terms: Terms
    having: Having

    def share(self, words: frozenset[str]) -> float:
        """How much of the question some words are."""
        whole = sum(self.worth.values()) or 1.0
        return sum(value for word, value in self.worth.items() if word in words) / whole


def _by_time(
    store: Store,
    best: Sequence[Found],
    turns: Mapping[int, Turn],
    question: Question,
    terms: Terms,
    having: Having,
) -> None:
    """Put the later of two that plainly speak of the same thing before the earlier one."""
    called = [(one.text, one.entity.name, *one.entity.aliases) for one in question.entities]
    names = gist(" ".join(name for each in called for name in each)).words
    asked = _Query(question, _worth(question, having), _parts(question), names, terms, having)
    told = _with_people(store, [one for found in best if (one := _told(found, turns, asked))])
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
            or (early.found.key in leading and _takes_up(store, early, late, asked))
        ):
            early.found.again = max(early.found.again, late.at)
            one, other = (late, early) if question.tense != "past" else (early, late)
            _put_before(one.found, other.found)


def _put_before(one: Found, other: Found) -> None:
    if one.score <= other.score:
        lifted = 1.001 * other.score / (one.score or 1.0)
        one.factors["order"] = one.factors.get("order", 1.0) * lifted
        one.score = 1.001 * other.score


def _worth(question: Question, having: Having) -> dict[str, float]:
    words = gist(_undated(question)).words
    if question.language == "zh":
        return {word: 1.0 for word in words if word not in _ASKS_ZH}
    telling = [word for word in words if not is_light([word])] or list(words)
    # What nobody ever said tells no two apart.
    said = [word for word in telling if having.counts.get(word, 1.0)] or telling
    return {word: rarity(having, word) for word in said}


def _undated(question: Question) -> str:
    """The question without the words that say whether it asks for now or for then."""
    if question.language != "zh":
        return question.focus  # of these, English words count as those of any asking
    bare = question.focus
    for name in ("NOW", "THEN"):
        bare = compiled("zh", name).sub(" ", bare)
    return bare


def _parts(question: Question) -> list[frozenset[str]]:
    if question.language != "zh":
        return []
    each = [gist(part).words - _ASKS_ZH for part in _BETWEEN.split(_undated(question))]
    return [part for part in each if len(part) > 1]


def _told(found: Found, turns: Mapping[int, Turn], asked: _Query) -> _Finding | None:
    record, place = found.record, found.place
    if record is not None:
        at, session = to_stored(record.valid_from or record.created_at)[0], 0
        content = record.content
    elif place is not None and place.role != "assistant" and found.key.row in turns:
        at, session = place.at, place.session
        content = turns[found.key.row].content
    else:
        return None
    text, after = _telling(content, asked)
    if not text or "asks" in found.factors:
        return None
    words = gist(text).words
    about = words if text == content else gist(content[:_READ]).words
    numbers = frozenset(_COUNTED.get(one, one) for one in _ANY_NUMBER.findall(text.lower()))
    return _Finding(found, at, session, text, after, words, about, numbers, frozenset())


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


def _telling(text: str, asked: _Query) -> tuple[str, str]:
    """The sentence that has most of the question (one that asks counts half), and the next."""
    if len(text) <= _SHORT:
        return text, ""
    text = text[:_READ]
    each = [text[start : min(end, start + _LONGEST)].strip() for start, end in spans(text)]
    best, most = ("", ""), 0.0
    for one, after in zip(each, [*each[1:], ""], strict=False):
        part = asked.share(gist(one).words) * (0.5 if one[-1:] in "?？" else 1.0)
        if asked.question.kind == "how_many" and _NUMBER.search(one):
            part *= _WITH_NUMBER
        if part > most:
            best, most = (one, after), part
    return best


def _same_attribute(early: _Finding, late: _Finding) -> bool:
    """Whether two memories have the same attribute of the same subject, of which there is one."""
    one, other = early.found.record, late.found.record
    if one is None or other is None or not one.attribute:
        return False
    if (one.subject, one.attribute) != (other.subject, other.attribute):
        return False
    known = ATTRIBUTES.get(one.attribute)
    return known is not None and known.one and one.attribute not in OF_SOMETHING


def _is_another(early: _Finding, late: _Finding, asked: _Query) -> bool:
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


def _is_same(early: _Finding, late: _Finding, asked: _Query) -> bool:
    counts = asked.question.kind == "how_many"
    if counts and not (_NUMBER.search(late.text) or _NUMBER.search(late.after)):
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
    another = _has_another_number(early, late)
    shared = max(shared, _ABOUT * asked.share(early.about & late.about))
    named = max(named, _ABOUT * asked.share(late.about))
    whole = shared + _LATER * named + _ALIKE * alike + _RARE * rare
    whole -= _SILENT * any(part.isdisjoint(late.words) for part in asked.parts)
    return whole + _CHANGES * _says_new(late, asked) + _COUNTS * another >= SAME


def _lacks(part: frozenset[str], early: _Finding, late: _Finding, left: float) -> bool:
    """Whether a later one is of another thing or asks for another of its sides: the earlier one has
    a part of the question, and it has not."""
    had = len(part & early.words) >= _HAD * len(part)
    return had and len(part & late.words) < left * len(part)


def _has_another_number(early: _Finding, late: _Finding) -> bool:
    return bool(early.numbers and late.numbers - early.numbers)


def _says_new(late: _Finding, asked: _Query) -> bool:
    return compiled(asked.question.language, "CHANGES").search(late.text) is not None


def _has(told: _Finding, word: str, having: Having) -> bool:
    if told.found.record is not None:
        return word in index_words(told.found.record.searchable)
    return told.found.key.row in having.lists[word]


def _takes_up(store: Store, early: _Finding, late: _Finding, asked: _Query) -> bool:
    """Whether a later one says that what an earlier one answers with has changed."""
    counts = asked.question.kind == "how_many" and _has_another_number(early, late)
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
