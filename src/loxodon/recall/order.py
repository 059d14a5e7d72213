"""Order: weighs what was found, and shows a turn and the memories drawn from it once.

    validity     superseded ones come last, unless the question is about the past
    time         within the time that the question names
    assistant    said by an assistant, unless the question is about that
    speaker      said by someone the question names
    importance, strength, confidence, trust, recency: a few per cent each

None of them hides the only answer: they order results that match about equally well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from loxodon.clock import to_stored
from loxodon.recall.look import IN_TIME, Found, Key, Look, Terms, order
from loxodon.recall.understand import asked_attributes
from loxodon.recall.words import is_light, rarity
from loxodon.store import Having, Standing
from loxodon.text.related import SAME, related
from loxodon.text.similarity import gist
from loxodon.text.words import among, index_words, query_words
from loxodon.types import CAPTURED

_RECENCY = 0.03  # how far recency moves a score
_HALF_LIFE = 30.0  # days after which it counts half
_PAST = 0.35  # factor for an outdated memory, unless the question asks for the past
_SAID_BEFORE = 0.8  # factor for the turn it was drawn from, which often says more
_FADED = 0.7
_DAY_MS = 86_400_000
_TRUST = {"user": 1.0, "file": 1.0, "import": 0.97, "group": 0.95, "assistant": 0.9}
_LEAST_TRUST = 0.85
_LIFT = 0.15  # what a turn adds to its memory, and the memory to the turn
_LONG = 500  # characters from which on a turn is not shown where a memory tells it
_MOST = 0.9  # the share of a turn's words that a memory must have to stand for it
_COMPARED = 40
_NEARLY = 0.9  # how good, beside its turn, a memory must be to be shown in its place


def halved(days: float, half_life: float) -> float:
    """What is left of 1 after `days`, if `half_life` days halve it; the future is the present."""
    return float(0.5 ** (max(0.0, days) / half_life))


def weigh(look: Look) -> None:
    """Multiply each score by what is known of its memory or turn; the factors say what did what."""
    present = to_stored(look.now)[0]
    for found in look.pool.values():
        factors, record, note = found.factors, found.record, found.note
        at: int | None = None
        if found.place is not None:
            factors |= look.voice(found.place)
            at = found.place.at
        elif record is not None:
            factors["importance"] = 0.95 + 0.1 * record.importance
            factors["strength"] = 0.95 + 0.05 * min(1.0, record.strength)
            factors["confidence"] = 0.8 + 0.2 * record.confidence
            factors["trust"] = _TRUST.get(record.trust, _LEAST_TRUST)
            if record.state == "archived" and not look.asks_past:
                factors["validity"] = _PAST if record.valid_until else _FADED
            at = to_stored(record.valid_from or record.created_at)[0]
        elif note is not None:
            importance = 0.5 if note.chunk.importance is None else note.chunk.importance
            factors["importance"] = 0.95 + 0.1 * importance
            at = to_stored(note.chunk.at)[0] if note.chunk.at else None
        if at is not None:
            age = halved((present - at) / _DAY_MS, _HALF_LIFE)
            factors["recency"] = 1 + _RECENCY * (2 * age - 1)
            if look.spans and any(since <= at < until for since, until in look.spans):
                factors["time"] = IN_TIME
        found.score = math.prod(factors.values(), start=found.score)


def link(look: Look, most: int) -> list[Found]:
    """The best `most` of what was found, in order, each thing once.

    A turn and its memory raise each other's score a little, and the better one is shown; the memory
    also if it is nearly as good and stands for the turn, or if a person reworded it.
    """
    pool = {one.key: one for one in sorted(look.pool.values(), key=order)[:most]}
    turns = {key.row: found for key, found in pool.items() if key.is_turn}
    facts = {key.row: one for key, one in pool.items() if one.record}
    drawn = _drawn(look, turns) if turns else {}
    pairs = {
        row: partners
        for row, rows in drawn.items()
        if row in turns and (partners := [facts[one] for one in rows if one in facts])
    }
    lifts: dict[Found, float] = {}
    for row, partners in pairs.items():
        lifts[turns[row]] = max(one.score for one in partners)
        for one in partners:
            lifts[one] = max(lifts.get(one, 0.0), turns[row].score)
    for found, by in lifts.items():
        found.routes["linked"] = _LIFT * by
        found.score += _LIFT * by
    said = look.store.turns(sorted(pairs, key=lambda row: -turns[row].score)[:_COMPARED])
    standing: set[Key] = set()  # memories that are shown in the place of a turn
    hidden: set[Key] = set()
    shown: list[Found] = []
    for row, turn in turns.items():
        partners = pairs.get(row, [])
        best = max(partners, key=lambda one: one.score, default=None)
        text = said[row].content if row in said else ""
        if best is not None and (
            drawn[row][best.key.row] == "reworded"
            or (best.score >= _NEARLY * turn.score and _stands(best, text))
        ):
            best.score = max(best.score, turn.score)  # the one that is shown stands for both
            standing.add(best.key)
        else:
            turn.score = max([turn.score, *(one.score for one in partners)])
            turn.drawn = partners
            hidden.update(one.key for one in partners)
            shown.append(turn)
    hidden -= standing
    shown += [one for key, one in pool.items() if not key.is_turn and key not in hidden]
    return sorted(shown, key=order)


def _stands(memory: Found, said: str) -> bool:
    """Whether a memory can be shown in the place of a turn: it has all numbers and nearly all words
    of it."""
    if len(said) > _LONG or not said:
        return True
    words = query_words(said)
    if len(among(words, memory.said)) < _MOST * len(words):
        return False
    known = memory.record.searchable if memory.record else ""
    return gist(said).numbers <= gist(known).numbers


def _drawn(look: Look, turns: dict[int, Found]) -> Mapping[int, Mapping[int, Standing | None]]:
    """What was drawn from each turn. Turns that must not come back are taken out; those from which
    something was drawn that answers the question, and holds no more, move back."""
    store, question = look.store, look.question
    if held := store.quarantine.in_turns(turns):
        from loxodon.guard.quarantine import is_forget_request, with_notes  # slow to load

        # Turns that were found by nothing but what the user asked to have forgotten
        for row, turn in store.turns(held).items():
            asked = [one for one in held[row] if is_forget_request(one.reason)]
            left = set(index_words(with_notes(turn.content, asked)))
            if asked and not (among(question.words, left) or (left and question.last)):
                del turns[row]
    drawn = store.outcomes(turns) if look.where.kind != "turn" else {}
    over = {row for of in drawn.values() for row, one in of.items() if one in ("past", "rejected")}
    ended = store.records(over) if over else {}
    wanted = asked_attributes(question) if ended else {}
    answers = {
        row
        for row, one in ended.items()
        if (one.subject, one.attribute) in wanted
        or not {*question.words}.isdisjoint(index_words(one.searchable))
    }
    for row, rows in drawn.items():
        states = {*rows.values()} - {None}
        place = turns[row].place
        if (place and place.channel == CAPTURED) or states == {"put away"}:
            del turns[row]
            continue
        all_over = states <= {"past", "rejected", "put away"}
        until = [
            ended[one].valid_until for one in rows if one in ended and (all_over or one in answers)
        ]
        if until:
            turns[row].until = max(filter(None, until), default=None)
            if not look.asks_past:
                turns[row].weigh("validity", _SAID_BEFORE)
    return drawn


_LOOKED_AT = 10  # best results of which one must answer
_LEAST_SHARE = 0.26  # share of a question that must be found in a journal of `_SMALL` turns
_SMALL = 500
_MORE = 0.12  # added to that share for ten times as many turns
_WITH_UNKNOWN_NAME = 0.45
_LEAST_PAIRS = 0.075  # the same for pairs of characters, most of which cross two words
_BESIDE = 0.6  # what a word counts that a neighbour has
_COMMON = 0.5  # what a word counts that is too common to be listed
_MEANT = 2.2  # spreads, above what counts at all, by which a text in other words must be closer
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+\b")


def is_unsure(look: Look, ranked: Sequence[Found]) -> bool:
    """Whether the best findings have so little of the question that they may be chance."""
    question, best = look.question, ranked[:_LOOKED_AT]
    if not best or question.tells:
        return not best
    if any(found.parts.get("meaning", 0.0) >= _MEANT for found in best):
        return False
    wanted = asked_attributes(question)
    for found in (found for one in ranked[:3] for found in (one, *one.drawn)):
        record, timed = found.record, found.parts.get("then", 0.0) + found.parts.get("last", 0.0)
        if timed >= 0.5 or (record and wanted.get((record.subject, record.attribute))):
            return False  # found by the time that is named, or filed under what is asked for
    for terms, having in look.each:
        covered = 0.0 if is_light(terms.words) else _covered(look, best, terms, having)
        least = _LEAST_PAIRS
        if question.language != "zh":
            least = _LEAST_SHARE + _MORE * math.log10(max(having.rows, _SMALL) / _SMALL)
            least = max(least, _WITH_UNKNOWN_NAME) if _has_unknown_name(look) else least
        if covered < least:
            return True
    return False


def _covered(look: Look, best: Sequence[Found], terms: Terms, having: Having) -> float:
    """The largest share of what is asked for that a finding has: itself or, less, a neighbour, in
    these words or in others for the same."""
    same = {
        word: [word, *(other for other, part in related(word) if part == SAME and " " not in other)]
        for word in terms.words
    }
    others = dict.fromkeys(other for some in same.values() for other in some)
    lists = {**look.store.having("turns", list(others)).lists, **having.lists}
    beside = look.store.beside([one.key.row for one in best if one.key.is_turn])
    worth = {word: rarity(having, word) for word in terms.words}

    def has(found: Found, word: str) -> float:
        if not found.key.is_turn:
            return float(word.rstrip("*") in found.said or word in found.words)
        rows = lists.get(word)
        if rows is None:
            return _COMMON
        if found.key.row in rows:
            return 1.0
        before, after = beside.get(found.key.row, ((), ()))
        return _BESIDE if any(row in rows for row in (*before[:1], *after[:1])) else 0.0

    def covered(found: Found) -> float:
        return sum(
            value * max(has(found, other) for other in same[word]) for word, value in worth.items()
        )

    return max(map(covered, best)) / (sum(worth.values()) or 1.0)


def _has_unknown_name(look: Look) -> bool:
    """Whether the question names someone or something that was never spoken of."""
    if look.where.audience is not None:
        return False  # whether a name is known may be private
    words = [word for name in _NAME.findall(look.question.text) for word in index_words(name)[:1]]
    said, noted = (look.store.having(index, words).counts for index in ("turns", "chunks"))
    return any(said[word] == 0 and noted[word] == 0 for word in words)
