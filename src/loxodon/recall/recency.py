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
from loxodon.recall.look import FLOOR, Found, Key, Look, order
from loxodon.recall.understand import asks_for_state, asks_of_user, compiled, of_another, only_asks
from loxodon.recall.words import is_light, rarity
from loxodon.text.language import language_of
from loxodon.text.sentences import spans
from loxodon.text.similarity import gist
from loxodon.text.words import index_words, query_words
from loxodon.types import Turn

_LOOKED_AT = 20  # best results that are looked at
_ORDERED = 10  # of these, how many are put in order of time
_NEAR = 0.75  # how good, beside what only asks, a statement without its words is that answers it
_WHOSE = 0.5  # factor for what is said of others, where the user asks for their own
_SUPPOSED = 0.2  # factor for what is only supposed
# Two results are about the same thing if this sum of parts reaches `_SAME`: the share of the
# question that both have,
_SAME = 1.5
_LEAST = 0.2  # at least so much
_LATER = 0.5  # weight of the share of the question that the later one has
_ALIKE = 0.7  # weight of the share of the shorter one's words that both have
_RARE = 0.5  # added if hardly any other turn has what they share of the question
_FEW = 3  # so many turns are hardly any
_HAD, _LEFT = 0.75, 0.5  # of a part of the question: what the earlier one has, a later one must
_NAMED = 0.3  # the share of the question that one has whose words a later change takes up
_APART = 3_600_000  # milliseconds from which on a memory and what is no source of it are two
_ANOTHER_TALK = 12 * _APART  # the same for two turns of one session
_READ = 2_000  # characters of a text that are compared
_PASTED = 0.3  # share of code, beside its comments, from which on a message was pasted
_ABOUT_ASKING = frozenset(("ask", "question", "问过", "问了", "问题", "问的", "提问"))
_ASKS_ZH = frozenset("什么哪谁几多少怎样时候里儿啥是吗呢请问")
_BETWEEN = re.compile("[的是，。？?,、；！\\s什么哪谁几多少怎啥]+")


def current_first(look: Look, ranked: list[Found]) -> list[Found]:
    """The same, with what holds now before what held, what is said of the user before what is said
    of others, where the user asks for their own, and what answers before what asks."""
    best = [one for one in ranked[:_LOOKED_AT] if one.note is None]
    turns = look.store.turns([one.key.row for one in best if one.key.is_turn])
    of_user, is_state = asks_of_user(look.question), asks_for_state(look.question)
    is_about_asking = not _ABOUT_ASKING.isdisjoint(look.question.words)
    is_filed = of_user and any("attribute" in one.parts for one in look.pool.values())
    gone: set[Key] = set()
    for found in best:
        turn = turns.get(found.key.row) if found.key.is_turn else None
        text = turn.content if turn else ""
        said = found.record.content.partition("“")[2] if found.record else text
        only_beside = bool(found.routes) and set(found.routes) <= {"around", "setting"}
        if not is_about_asking and only_asks(text):
            # What asks the same, or only stands beside something, tells nothing.
            if only_beside or set(query_words(text)).issubset(look.question.words):
                gone.add(found.key)
            found.factors["asks"] = 1.0
        elif is_filed and only_beside:  # what stands beside other people's homes
            gone.add(found.key)
        elif is_state and compiled(language_of(said), "SUPPOSES").match(said):
            found.weigh("supposed", _SUPPOSED)
        elif of_user and _is_of_another(look, found, turn):
            found.weigh("whose", _WHOSE)
    ranked = [one for one in ranked if one.key not in gone]
    if look.each and is_state:
        told = sorted((one for one in best if "asks" not in one.factors), key=order)
        # What is too little of an answer to be shown changes none.
        told = [one for one in told if one.score >= FLOOR * told[0].score]
        _by_time(look, told[:_ORDERED], turns)
        # What is known to hold no more is left out if there is anything else. Who asks whether it
        # holds is told.
        if not look.asks_past and look.question.kind != "yes_no":
            holds = [one for one in ranked if not one.until and "validity" not in one.factors]
            ranked = holds or ranked
    told = [one for one in ranked[:_LOOKED_AT] if "asks" not in one.factors]
    for asks in (one for one in ranked[:_LOOKED_AT] if "asks" in one.factors):
        near = _NEAR * asks.score
        answers = [one.score for one in told if one.parts.get("words") or one.score >= near]
        if answers and min(answers) < asks.score:
            asks.weigh("asks", 0.999 * min(answers) / asks.score)
    return sorted(ranked, key=order)


def _is_of_another(look: Look, found: Found, turn: Turn | None) -> bool:
    """Whether something is said of someone else than the user, whom the question does not name."""
    subjects = {one.record.subject for one in (found, *found.drawn) if one.record} - {""}
    if subjects:
        return USER not in subjects
    text = turn.content[:_READ] if turn else ""
    is_pasted = without_code(text)[1] >= _PASTED  # code says nothing of who pasted it
    return is_pasted or of_another(text, look.question.language)


# --- Two that speak of the same -------------------------------------------------------------------


class _Asked(NamedTuple):
    """What is asked for, in words or in Chinese characters."""

    worth: Mapping[str, float]  # what each of them tells
    names: frozenset[str]  # whom it is asked of: that two speak of her makes neither older
    counts: bool  # whether it is asked how many
    parts: Sequence[frozenset[str]] = ()  # the things of a Chinese question, 的 between them

    def share(self, words: frozenset[str]) -> float:
        """How much of the question some words are."""
        whole = sum(self.worth.values()) or 1.0
        return sum(value for word, value in self.worth.items() if word in words) / whole

    def is_of_another(self, early: _Statement, late: _Statement, left: float) -> bool:
        """Whether a later one lacks a part of the question that the earlier one has."""
        return any(
            len(part & early.words) >= _HAD * len(part)
            and len(part & late.words) < left * len(part)
            for part in self.parts
        )


class _Statement(NamedTuple):
    """What tells of the thing that is asked for."""

    found: Found
    at: int
    session: int  # 0 for a memory
    text: str  # the sentence that has most of the question
    words: frozenset[str]


def _by_time(look: Look, best: Sequence[Found], turns: Mapping[int, Turn]) -> None:
    """Put the later of two that plainly speak of the same thing before the earlier one."""
    asked = _asked(look)
    told = [one for found in best if (one := _statement(found, turns, asked))]
    leading = {one.found.key for one in told[:_FEW]}
    told.sort(key=lambda one: one.at)
    memories = [one.found.key.row for one in told if one.found.record]
    # Whether it holds is asked, for the later one.
    doubted = {*look.store.query("doubts", memories)}
    for early, late in combinations(told, 2):
        apart = 1 if early.session and late.session else _APART
        if early.session == late.session != 0:  # some agents have one session for ever
            apart = _ANOTHER_TALK
        of_others = ("whose" in one.found.factors for one in (early, late))
        if late.at - early.at < apart or next(of_others) != next(of_others):
            continue
        if (
            (early.found.key.row, late.found.key.row) in doubted
            or _is_same(look, early, late, asked)
            or (early.found.key in leading and _takes_up(look, early, late, asked))
        ):
            early.found.again = max(early.found.again, late.at)
            one, other = (late, early) if look.question.tense != "past" else (early, late)
            if one.found.score <= other.found.score:
                one.found.weigh("order", 1.001 * other.found.score / (one.found.score or 1.0))


def _asked(look: Look) -> _Asked:
    question, text, counts = look.question, look.question.focus, look.question.kind == "how_many"
    names = gist(" ".join(name for one in question.entities for name in one.names)).words
    if question.language == "zh":
        for name in ("NOW", "THEN"):  # without the words that ask for now or for then
            text = compiled("zh", name).sub(" ", text)
        parts = [gist(part).words - _ASKS_ZH for part in _BETWEEN.split(text)]
        worth = dict.fromkeys(gist(text).words - _ASKS_ZH, 1.0)
        return _Asked(worth, names, counts, [one for one in parts if len(one) > 1])
    words, having = gist(text).words, look.each[0][1]
    telling = [word for word in words if not is_light([word])] or words
    # What nobody ever said tells no two apart.
    said = [word for word in telling if having.counts.get(word, 1.0)] or telling
    return _Asked({word: rarity(having, word) for word in said}, names, counts)


def _statement(found: Found, turns: Mapping[int, Turn], asked: _Asked) -> _Statement | None:
    record, place = found.record, found.place
    if record is not None:
        at, session = to_stored(record.valid_from or record.created_at)[0], 0
        content = record.content
    elif place is not None and place.role != "assistant" and found.key.row in turns:
        at, session, content = place.at, place.session, turns[found.key.row].content
    else:
        return None

    def share(sentence: str) -> float:
        words, numbers = gist(sentence)
        part = asked.share(words) * (0.5 if sentence[-1:] in "?？" else 1.0)
        return part * (2.5 if asked.counts and numbers else 1.0)

    sentences = [content.strip()]
    if len(content) > 200:
        sentences = [content[start:end].strip() for start, end in spans(content[:_READ])]
    text = max(sentences, key=share, default="")
    return _Statement(found, at, session, text, gist(text).words) if text else None


def _is_same(look: Look, early: _Statement, late: _Statement, asked: _Asked) -> bool:
    """Whether a later one is about the same thing as an earlier one."""
    one, other = early.found.record, late.found.record
    if one is not None and one.attribute:
        # What was said since of the same side of the same subject was compared with a memory when
        # it was learned: that something else is said of the subject makes her home no older.
        if not other or (one.subject, one.attribute) != (other.subject, other.attribute):
            return False
        known = ATTRIBUTES.get(one.attribute)
        is_single = known is not None and known.one and one.attribute not in OF_SOMETHING
        return is_single or gist(one.value).words < gist(other.value).words  # the later says more
    both = early.words & late.words
    shared = asked.share(both)
    is_named_alone = not (both & asked.worth.keys()) - asked.names
    if shared < _LEAST or is_named_alone or asked.is_of_another(early, late, _LEFT):
        return False
    alike = len(both) / min(len(early.words), len(late.words))
    # How many turns have all that two share of the words that were looked for
    terms, having = look.each[0]
    rows = [
        frozenset(listed)
        for word, listed in having.lists.items()
        if word in terms.words
        and all(
            word in one.found.said if one.found.record else one.found.key.row in listed
            for one in (early, late)
        )
    ]
    having_both = len(frozenset.intersection(*rows)) if rows else 0
    rare = min(1.0, _FEW / having_both) if having_both else 0.0
    return shared + _LATER * asked.share(late.words) + _ALIKE * alike + _RARE * rare >= _SAME


def _takes_up(look: Look, early: _Statement, late: _Statement, asked: _Asked) -> bool:
    """Whether a later one says that what an earlier one answers with has changed."""
    if late.found.record is not None and early.found.record is not None:
        return False  # which were compared when the later one was learned
    is_answer = early.found.parts.get("attribute") or asked.share(early.words) >= _NAMED
    if not is_answer or asked.is_of_another(early, late, _LEAST):
        return False
    was, is_now = gist(early.text).numbers, gist(late.text).numbers
    is_recounted = asked.counts and was and is_now - was
    if not is_recounted and not compiled(look.question.language, "CHANGES").search(late.text):
        return False
    both = _naming(early.text) & _naming(late.text) - {*look.each[0][0].all}
    return bool(look.store.rare("turns", sorted(both), _FEW))


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
        what = one.record or turns.get(one.key.row)
        if what is None or len(what.content) > _FOLLOWED:
            continue
        at = what.at if isinstance(what, Turn) else what.valid_from or what.created_at
        speaker = what.speaker if isinstance(what, Turn) else None
        told.append((one.score, at, speaker, _naming(what.content)))
    named = [word for *_, words in told for word in sorted(words - {*question.words})]
    rare = store.rare("turns", list(dict.fromkeys(named))[:_FOLLOWED_WORDS], _FEW)
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
        if not (found := compiled(language, "ENDS").search(clause)):
            continue
        if language == "en":
            thing = compiled("en", "ENDED").match(clause[found.end() :].strip())
            clause = thing["thing"] if thing else clause[: found.start()]
        words.update(index_words(clause))
    return words
