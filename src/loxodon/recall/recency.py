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
from itertools import combinations, pairwise
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.language.attributes import ATTRIBUTES, OF_SOMETHING
from loxodon.recall.asked_attributes import USER, asks_of_user, is_of_another
from loxodon.recall.fuse import Found, Key, is_light, order, rarity
from loxodon.recall.order import Linked
from loxodon.recall.routes import Look
from loxodon.recall.understand import asks_for_state, compiled, only_asks
from loxodon.text.sentences import spans
from loxodon.text.similarity import gist
from loxodon.text.words import index_words, query_words
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
_HAD, _LEFT = 0.75, 0.5  # of a part of the question: what the earlier one has, a later one must
_FEW = 3  # so many turns are hardly any
_NAMED = 0.3  # the share of the question that one has whose words a later change takes up
_APART = 3_600_000  # milliseconds from which on a memory and what is no source of it are two
_ANOTHER_TALK = 12 * _APART  # the same for two turns of one session
_READ = 2_000  # characters of a text that are compared
_LAST = {"": 0, "whose": 1, "asks": 2}
_ABOUT_ASKING = frozenset(("ask", "question", "问过", "问了", "问题", "问的", "提问"))
_ASKS_ZH = frozenset("什么哪谁几多少怎样时候里儿啥是吗呢请问")
_BETWEEN = re.compile("[的是，。？?,、；！\\s什么哪谁几多少怎啥]+")
_IN_WORDS = {"once": "1", "twice": "2", "fifteen": "15", "twenty": "20", "thirty": "30"} | {
    word: str(n)
    for n, word in enumerate(
        (
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
        ),
        2,
    )
}
# Numbers; "one" and 一 are as often none ("this one")
_NUMBER = re.compile(
    r"\d+(?:[.,:]\d+)*|\b(?:"
    + "|".join(_IN_WORDS)
    + r")\b|[零〇一二两三四五六七八九十百千万半]{2,16}"
    "|[二两三四五六七八九十]|一(?=[片本张楼层位名条台篇页章节集部双套间家辆遍趟场顿个岁年月日号点块元斤度分只次杯天周])"
)


def current_first(look: Look, ranked: list[Linked]) -> list[Linked]:
    """The same, with what holds now before what held, what is said of the user before what is said
    of others, where the user asks for their own, and what tells before what asks."""
    best = [one for one in ranked[:_LOOKED_AT] if one.found.note is None]
    if not best:
        return ranked
    turns = look.store.turns([one.found.key.row for one in best if one.found.key.is_turn])
    last: dict[Key, str] = {}  # what comes last of the first ten, and why
    if asks_of_user(look.question):
        last |= {one.found.key: "whose" for one in best if _is_of_another(look, one, turns)}
    gone: set[Key] = set()
    if not _ABOUT_ASKING.intersection(look.question.words):
        for found, _ in best:
            text = turns[found.key.row].content if found.key.row in turns else ""
            if found.key.is_turn and only_asks(text):
                last[found.key] = "asks"
                # What asks the same, or only stands beside something, tells nothing.
                same = set(query_words(text)).issubset(look.question.words)
                if same or set(found.routes) <= {"around", "setting"}:
                    gone.add(found.key)
    ranked = [one for one in ranked if one.found.key not in gone]
    if look.each and asks_for_state(look.question):
        told = sorted((one.found for one in best if last.get(one.found.key) != "asks"), key=order)
        _by_time(look, told[:_ORDERED], turns, last)
        ranked.sort(key=lambda one: order(one.found))
        # What is known to hold no more is left out if there is anything else. Who asks whether it
        # holds is told.
        if not look.asks_past and look.question.kind != "yes_no":
            holds = [
                one
                for one in ranked
                if one.found.until is None and "validity" not in one.found.factors
            ]
            ranked = holds or ranked
    first = sorted(ranked[:_ORDERED], key=lambda one: _LAST[last.get(one.found.key, "")])
    for (before, _), (found, _) in pairwise(first):
        if found.score > before.score:
            found.weigh(last.get(found.key, "order"), before.score / found.score)
    return first + ranked[_ORDERED:]


def _is_of_another(look: Look, one: Linked, turns: Mapping[int, Turn]) -> bool:
    """Whether something is said of someone else than the user, whom the question does not name."""
    found = one.found
    drawn = [look.pool.get(Key(False, row)) for row in one.others] if found.key.is_turn else [found]
    subjects = {each.record.subject for each in drawn if each and each.record} - {""}
    if subjects:
        return USER not in subjects
    turn = turns.get(found.key.row) if found.key.is_turn else None
    return turn is not None and is_of_another(turn.content[:_READ], look.question.language)


# --- Two that speak of the same -------------------------------------------------------------------


class _Finding(NamedTuple):
    """What tells of the thing that is asked for."""

    found: Found
    at: int
    session: int  # 0 for a memory
    text: str  # the sentence that has most of the question
    words: frozenset[str]
    numbers: frozenset[str]


class _Query:
    """What is asked for, by words and Chinese characters, and what each of them tells."""

    def __init__(self, look: Look) -> None:
        self.look, self.question = look, look.question
        self.terms, self.having = look.each[0]
        self.parts: list[frozenset[str]] = []  # the things of a Chinese question, 的 between them
        text = self.question.focus
        if self.question.language == "zh":  # without the words that ask for now or for then
            for name in ("NOW", "THEN"):
                text = compiled("zh", name).sub(" ", text)
            self.worth = {word: 1.0 for word in gist(text).words if word not in _ASKS_ZH}
            each = [gist(part).words - _ASKS_ZH for part in _BETWEEN.split(text)]
            self.parts = [part for part in each if len(part) > 1]
        else:
            words = gist(text).words
            telling = [word for word in words if not is_light([word])] or list(words)
            # What nobody ever said tells no two apart.
            said = [word for word in telling if self.having.counts.get(word, 1.0)] or telling
            self.worth = {word: rarity(self.having, word) for word in said}
        names = [one.entity for one in self.question.entities]
        called = [one.text for one in self.question.entities]
        called += [name for one in names for name in (one.name, *one.aliases)]
        self.names = gist(" ".join(called)).words

    def share(self, words: frozenset[str]) -> float:
        """How much of the question some words are."""
        whole = sum(self.worth.values()) or 1.0
        return sum(value for word, value in self.worth.items() if word in words) / whole

    def says_new(self, late: _Finding) -> bool:
        return compiled(self.question.language, "CHANGES").search(late.text) is not None

    def is_of_another(self, early: _Finding, late: _Finding, left: float) -> bool:
        """Whether a later one lacks a part of the question that the earlier one has."""
        return any(
            len(part & early.words) >= _HAD * len(part)
            and len(part & late.words) < left * len(part)
            for part in self.parts
        )


def _by_time(
    look: Look, best: Sequence[Found], turns: Mapping[int, Turn], last: Mapping[Key, str]
) -> None:
    """Put the later of two that plainly speak of the same thing before the earlier one."""
    asked = _Query(look)
    told = [one for found in best if (one := _told(found, turns, asked))]
    leading = {one.found.key for one in told[:_FEW]}
    told.sort(key=lambda one: one.at)
    for early, late in combinations(told, 2):
        apart = 1 if early.session and late.session else _APART
        if early.session == late.session != 0:  # some agents have one session for ever
            apart = _ANOTHER_TALK
        if late.at - early.at < apart or last.get(early.found.key) != last.get(late.found.key):
            continue
        if (
            _same_attribute(early, late)
            or _is_same(early, late, asked)
            or (early.found.key in leading and _takes_up(early, late, asked))
        ):
            early.found.again = max(early.found.again, late.at)
            one, other = (late, early) if asked.question.tense != "past" else (early, late)
            if one.found.score <= other.found.score:
                one.found.weigh("order", 1.001 * other.found.score / (one.found.score or 1.0))


def _told(found: Found, turns: Mapping[int, Turn], asked: _Query) -> _Finding | None:
    record, place = found.record, found.place
    if record is not None:
        at, session = to_stored(record.valid_from or record.created_at)[0], 0
        content = record.content
    elif place is not None and place.role != "assistant" and found.key.row in turns:
        at, session, content = place.at, place.session, turns[found.key.row].content
    else:
        return None
    counts = asked.question.kind == "how_many"
    text, most = "", 0.0
    for start, end in spans(content[:_READ]) if len(content) > 200 else ((0, len(content)),):
        one = content[start:end].strip()
        part = asked.share(gist(one).words) * (0.5 if one[-1:] in "?？" else 1.0)
        part *= 2.5 if counts and _NUMBER.search(one.lower()) else 1.0
        if part > most or len(content) <= 200:
            text, most = one, part
    numbers = frozenset(_IN_WORDS.get(one, one) for one in _NUMBER.findall(text.lower()))
    return _Finding(found, at, session, text, gist(text).words, numbers) if text else None


def _same_attribute(early: _Finding, late: _Finding) -> bool:
    """Whether two memories have the same attribute of the same subject, of which there is one."""
    one, other = early.found.record, late.found.record
    if one is None or other is None or not one.attribute:
        return False
    known = ATTRIBUTES.get(one.attribute)
    same = (one.subject, one.attribute) == (other.subject, other.attribute)
    return same and known is not None and known.one and one.attribute not in OF_SOMETHING


def _is_same(early: _Finding, late: _Finding, asked: _Query) -> bool:
    # What was said since of the same side of the same subject was compared with a memory when it
    # was learned: that something else is said of the subject makes her home no older.
    if early.found.record is not None and early.found.record.attribute:
        return False
    new = asked.says_new(late)
    both = early.words & late.words
    if not new and not (both & asked.worth.keys()) - asked.names:
        return False
    if asked.question.kind == "how_many" and not late.numbers:
        return False
    shared = asked.share(both)
    if shared < _LEAST or asked.is_of_another(early, late, _LEFT):
        return False
    alike = len(both) / (min(len(early.words), len(late.words)) or 1)
    # How many turns have all that two share of the words that were looked for
    rows = [
        frozenset(listed)
        for word, listed in asked.having.lists.items()
        if word in asked.terms.words
        and all(
            word in one.found.said if one.found.record else one.found.key.row in listed
            for one in (early, late)
        )
    ]
    having_both = len(frozenset.intersection(*rows)) if rows else 0
    rare = min(1.0, _FEW / having_both) if having_both else 0.0
    another = bool(early.numbers and late.numbers - early.numbers)
    whole = shared + _LATER * asked.share(late.words) + _ALIKE * alike + _RARE * rare
    return whole + _CHANGES * new + _COUNTS * another >= _SAME


def _takes_up(early: _Finding, late: _Finding, asked: _Query) -> bool:
    """Whether a later one says that what an earlier one answers with has changed."""
    another = bool(early.numbers and late.numbers - early.numbers)
    counts = asked.question.kind == "how_many" and another
    answers = early.found.parts.get("attribute") or asked.share(early.words) >= _NAMED
    if not answers or not (counts or asked.says_new(late)):
        return False
    if late.found.record is not None and early.found.record is not None:
        return False  # which were compared when the later one was learned
    if asked.is_of_another(early, late, _LEAST):
        return False
    said = set(index_words(early.text)) & set(index_words(late.text)) - {*asked.terms.all}
    # A pair of characters with one that only holds the sentence together is no word.
    both = {word for word in said if word.isascii() or len(gist(word).words) > 1}
    return bool(asked.look.store.rare("turns", sorted(both), _FEW))
