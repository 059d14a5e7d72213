"""What holds now: puts the newest statement on a subject first, and questions below answers.

Memories know what replaced them; turns do not. So the best results are compared in pairs: of two
about the same thing the later goes first, and the earlier says when the subject came up again. A
question about the past reverses this, one about an event ("what did I buy?") leaves the order.

Whether two are about the same thing is a score (`_is_same`). A later one counts as well if it says
that what the earlier one names has changed ("we switched from Jira to Linear").
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.guard.provenance import USER
from loxodon.language.attributes import ATTRIBUTES, OF_SOMETHING
from loxodon.recall.gate import without_code
from loxodon.recall.look import Found, Key, Look, order
from loxodon.recall.order import Linked
from loxodon.recall.understand import asks_for_state, asks_of_user, compiled, of_another, only_asks
from loxodon.recall.words import is_light, rarity
from loxodon.text.language import language_of
from loxodon.text.sentences import spans
from loxodon.text.similarity import gist
from loxodon.text.words import index_words, query_words
from loxodon.types import Turn

_LOOKED_AT = 20  # best results that are looked at
_ORDERED = 10  # of these, how many are put in order of time
_NEAR = 0.75  # how good, beside what only asks, what answers is: by its score,
_COVERS = 0.8  # or by what it has of the question
_WHOSE = 0.5  # factor for what is said of others, where the user asks for their own
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
_PASTED = 0.3  # share of code, beside its comments, from which on a message was pasted
_ABOUT_ASKING = frozenset(("ask", "question", "问过", "问了", "问题", "问的", "提问"))
_ASKS_ZH = frozenset("什么哪谁几多少怎样时候里儿啥是吗呢请问")
_BETWEEN = re.compile("[的是，。？?,、；！\\s什么哪谁几多少怎啥]+")
_NUMERALS = "two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_IN_WORDS = {word: str(n) for n, word in enumerate(_NUMERALS, 2)}
_IN_WORDS |= {"once": "1", "twice": "2", "fifteen": "15", "twenty": "20", "thirty": "30"}
# Numbers; "one" and 一 are as often none ("this one")
_NUMBER = re.compile(
    r"\d+(?:[.,:]\d+)*|\b(?:"
    + "|".join(_IN_WORDS)
    + r")\b|[零〇一二两三四五六七八九十百千万半]{2,16}"
    "|[二两三四五六七八九十]|一(?=[片本张楼层位名条台篇页章节集部双套间家辆遍趟场顿个岁年月日号点块元斤度分只次杯天周])"
)


def current_first(look: Look, ranked: list[Linked]) -> list[Linked]:
    """The same, with what holds now before what held, what is said of the user before what is said
    of others, where the user asks for their own, and what answers before what asks."""
    best = [one for one in ranked[:_LOOKED_AT] if one.found.note is None]
    if not best:
        return ranked
    turns = look.store.turns([one.found.key.row for one in best if one.found.key.is_turn])
    of_user = asks_of_user(look.question)
    is_about_asking = not _ABOUT_ASKING.isdisjoint(look.question.words)
    gone: set[Key] = set()
    for one in best:
        found = one.found
        turn = turns.get(found.key.row) if found.key.is_turn else None
        if turn and not is_about_asking and only_asks(turn.content):
            # What asks the same, or only stands beside something, tells nothing.
            same = set(query_words(turn.content)).issubset(look.question.words)
            if same or set(found.routes) <= {"around", "setting"}:
                gone.add(found.key)
            found.factors["asks"] = 1.0
        elif of_user and _is_of_another(look, one, turn):
            found.weigh("whose", _WHOSE)
    ranked = [one for one in ranked if one.found.key not in gone]
    if look.each and asks_for_state(look.question):
        told = sorted((one.found for one in best if "asks" not in one.found.factors), key=order)
        _by_time(look, told[:_ORDERED], turns)
        # What is known to hold no more is left out if there is anything else. Who asks whether it
        # holds is told.
        if not look.asks_past and look.question.kind != "yes_no":
            holds = [
                one
                for one in ranked
                if one.found.until is None and "validity" not in one.found.factors
            ]
            ranked = holds or ranked
    _ask_below(look, ranked[:_LOOKED_AT])
    return sorted(ranked, key=lambda one: order(one.found))


def _ask_below(look: Look, best: Sequence[Linked]) -> None:
    """Put what only asks below what answers it: what is about as good, or has as much of what the
    question is about."""

    worth = {word: rarity(having, word) for terms, having in look.each for word in terms.words}
    lists = {word: rows for _, having in look.each for word, rows in having.lists.items()}

    def covers(found: Found) -> float:
        """What it has of the question."""
        return sum(
            value
            for word, value in worth.items()
            if (found.key.row in lists.get(word, ()) if found.place else word in found.said)
        )

    told = [one.found for one in best if "asks" not in one.found.factors]
    for asks in [one.found for one in best if "asks" in one.found.factors]:
        whole = covers(asks)
        is_near = whole >= _LEAST * sum(worth.values()) > 0
        answers = [
            one.score
            for one in told
            if one.score >= _NEAR * asks.score or (is_near and covers(one) >= _COVERS * whole)
        ]
        if answers and min(answers) < asks.score:
            asks.weigh("asks", 0.999 * min(answers) / asks.score)


def _is_of_another(look: Look, one: Linked, turn: Turn | None) -> bool:
    """Whether something is said of someone else than the user, whom the question does not name."""
    found = one.found
    drawn = [look.pool.get(Key("memories", row)) for row in one.others] if turn else [found]
    subjects = {each.record.subject for each in drawn if each and each.record} - {""}
    if subjects:
        return USER not in subjects
    text = turn.content[:_READ] if turn else ""
    is_pasted = without_code(text)[1] >= _PASTED  # code says nothing of who pasted it
    return is_pasted or of_another(text, look.question.language)


# --- Two that speak of the same -------------------------------------------------------------------


class _Statement(NamedTuple):
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
        called = [one.text for one in self.question.entities]
        called += [
            name
            for one in self.question.entities
            for name in (one.entity.name, *one.entity.aliases)
        ]
        self.names = gist(" ".join(called)).words

    def share(self, words: frozenset[str]) -> float:
        """How much of the question some words are."""
        whole = sum(self.worth.values()) or 1.0
        return sum(value for word, value in self.worth.items() if word in words) / whole

    def says_new(self, late: _Statement) -> bool:
        return compiled(self.question.language, "CHANGES").search(late.text) is not None

    def is_of_another(self, early: _Statement, late: _Statement, left: float) -> bool:
        """Whether a later one lacks a part of the question that the earlier one has."""
        return any(
            len(part & early.words) >= _HAD * len(part)
            and len(part & late.words) < left * len(part)
            for part in self.parts
        )


def _by_time(look: Look, best: Sequence[Found], turns: Mapping[int, Turn]) -> None:
    """Put the later of two that plainly speak of the same thing before the earlier one."""
    asked = _Query(look)
    told = [one for found in best if (one := _statement(found, turns, asked))]
    leading = {one.found.key for one in told[:_FEW]}
    told.sort(key=lambda one: one.at)
    memories = [one.found.key.row for one in told if one.found.record]
    doubted = {
        *look.store.query("doubts", memories)
    }  # whether it holds is asked, for the later one
    for early, late in combinations(told, 2):
        apart = 1 if early.session and late.session else _APART
        if early.session == late.session != 0:  # some agents have one session for ever
            apart = _ANOTHER_TALK
        of_others = ("whose" in one.found.factors for one in (early, late))
        if late.at - early.at < apart or next(of_others) != next(of_others):
            continue
        if (
            (early.found.key.row, late.found.key.row) in doubted
            or _same_attribute(early, late)
            or _is_same(early, late, asked)
            or (early.found.key in leading and _takes_up(early, late, asked))
        ):
            early.found.again = max(early.found.again, late.at)
            one, other = (late, early) if asked.question.tense != "past" else (early, late)
            if one.found.score <= other.found.score:
                one.found.weigh("order", 1.001 * other.found.score / (one.found.score or 1.0))


def _statement(found: Found, turns: Mapping[int, Turn], asked: _Query) -> _Statement | None:
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
    return _Statement(found, at, session, text, gist(text).words, numbers) if text else None


def _same_attribute(early: _Statement, late: _Statement) -> bool:
    """Whether two memories have the same attribute of the same subject, of which there is one."""
    one, other = early.found.record, late.found.record
    if one is None or other is None or not one.attribute:
        return False
    known = ATTRIBUTES.get(one.attribute)
    same = (one.subject, one.attribute) == (other.subject, other.attribute)
    return same and known is not None and known.one and one.attribute not in OF_SOMETHING


def _is_same(early: _Statement, late: _Statement, asked: _Query) -> bool:
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


def _takes_up(early: _Statement, late: _Statement, asked: _Query) -> bool:
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
    both = _naming(early.text) & _naming(late.text) - {*asked.terms.all}
    return bool(asked.look.store.rare("turns", sorted(both), _FEW))


def _naming(text: str) -> set[str]:
    """The words of a text; a pair of characters with one that only holds the sentence together is
    none."""
    return {word for word in index_words(text) if word.isascii() or len(gist(word).words) > 1}


# --- What is over ---------------------------------------------------------------------------------

_FOLLOWED = 300  # characters of a text that is followed: a longer one names other things, too
_FOLLOWED_WORDS = 24
_CLAUSE = re.compile(r"[,.;:!?，。；：！？\n]+")


def ended_since(look: Look) -> dict[int, float]:
    """Later turns that say that what the best findings tell is over, by row: the score of that.

    "I quit the library, I start as a gardener on Monday" has no word of "where do I work?", and so
    no other route finds it. But it names what the old answer names: the library.
    """
    store, question = look.store, look.question
    if not asks_for_state(question):
        return {}
    best = sorted((one for one in look.pool.values() if one.note is None), key=order)[:_FEW]
    turns = store.turns([one.key.row for one in best if one.key.is_turn])
    told: list[tuple[float, datetime, str | None, set[str]]] = []
    for one in best:
        turn, record = turns.get(one.key.row) if one.key.is_turn else None, one.record
        if turn and len(turn.content) <= _FOLLOWED:
            told.append((one.score, turn.at, turn.speaker, _naming(turn.content)))
        elif record and len(record.content) <= _FOLLOWED:
            at = record.valid_from or record.created_at
            told.append((one.score, at, None, _naming(record.content)))
    asked = set(question.words)
    named = dict.fromkeys(word for *_, words in told for word in sorted(words - asked))
    rare = store.rare("turns", list(named)[:_FOLLOWED_WORDS], _FEW)
    later = store.turns({row for rows in rare.values() for row in rows})
    brought: dict[int, float] = {}
    for score, at, speaker, words in told:
        wanted = words & rare.keys()
        for row in {row for word in wanted for row in rare[word]}:
            turn = later.get(row)
            if (
                turn is not None
                and turn.at > at
                and turn.role != "assistant"
                and speaker in (None, turn.speaker)
                and not wanted.isdisjoint(_over(turn.content[: 2 * _FOLLOWED]))
            ):
                brought[row] = max(brought.get(row, 0.0), score)
    return brought


def _over(text: str) -> set[str]:
    """The words of what a text says is over: in English what stands right behind the words for
    that, or what they end with ("Oskar moved out"); a Chinese clause is of one thing."""
    language, words = language_of(text), set[str]()
    for clause in _CLAUSE.split(text):
        found = compiled(language, "ENDS").search(clause)
        if found is None:
            continue
        if language == "en":
            thing = compiled("en", "ENDED").match(clause[found.end() :].strip())
            clause = thing["thing"] if thing else clause[: found.start()]
        words.update(index_words(clause))
    return words
