"""Order: weighs what was found, and shows a turn and the memories drawn from it once.

    validity     superseded ones come last, unless the question is about the past
    time         within the time that the question names
    assistant    said by an assistant, unless the question is about that
    speaker      said by someone the question names
    importance, strength, confidence, trust, category, recency: a few per cent each

None of them hides the only answer: they order results that match about equally well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.recall.asked_attributes import asked_attributes
from loxodon.recall.look import IN_TIME, Found, Look, order
from loxodon.store import Standing
from loxodon.text.words import among, fold, index_words, query_words
from loxodon.types import CAPTURED

_CATEGORY = 0.02  # how far the default lets the category, and recency, move a score
_RECENCY = 0.03
HALF_LIVES = (7.0, 30.0)  # days after which what was said counts half: of `phase1`, of `openclaw`
# How a category fades: the rate a day, and the share that is kept for ever. Others do not fade.
_FADING = {
    "decision": (0.004, 0.3),
    "solution": (0.004, 0.3),
    "event": (0.023, 0.1),
    "conversation": (0.023, 0.1),
    "temp": (0.099, 0.0),
    "debug": (0.099, 0.0),
}
_PAST = 0.35  # factor for an outdated memory, unless the question asks for the past
_SAID_BEFORE = 0.8  # factor for the turn it was drawn from, which often says more
_FADED = 0.7
_DAY = timedelta(days=1)
_DAY_MS = 86_400_000
_TRUST = {"user": 1.0, "file": 1.0, "import": 0.97, "group": 0.95, "assistant": 0.9}
_LEAST_TRUST = 0.85


def halved(days: float, half_life: float) -> float:
    """What is left of 1 after `days`, if `half_life` days halve it; the future is the present."""
    return float(0.5 ** (max(0.0, days) / half_life))


def kept(category: str, idle: float) -> float:
    """The share of its importance that a memory keeps, `idle` days after it was last used."""
    rate, floor = _FADING.get(category, (0.0, 1.0))
    return floor + (1 - floor) * math.exp(-rate * max(0.0, idle))


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
            idle = look.now - (record.accessed_at or record.confirmed_at or record.created_at)
            factors["category"] = 1 + _CATEGORY * (2 * kept(record.category, idle / _DAY) - 1)
            if record.state == "archived" and not look.asks_past:
                factors["validity"] = _PAST if record.valid_until else _FADED
            at = to_stored(record.valid_from or record.created_at)[0]
        elif note is not None:
            importance = 0.5 if note.chunk.importance is None else note.chunk.importance
            factors["importance"] = 0.95 + 0.1 * importance
            at = to_stored(note.chunk.at)[0] if note.chunk.at else None
        if at is not None:
            soon, late = (halved((present - at) / _DAY_MS, half) for half in HALF_LIVES)
            factors["recency"] = 1 + _RECENCY * (soon + late - 1)
            if any(since <= at < until for since, until in look.spans):
                factors["time"] = IN_TIME
        found.score = math.prod(factors.values(), start=found.score)


# --- A turn and the memories drawn from it --------------------------------------------------------

_LIFT = 0.15  # what a turn adds to its memory, and the memory to the turn
_LONG = 500  # characters from which on a turn is not shown where a memory tells it
_MOST = 0.85  # the share of a turn's words that a memory must have to stand for it
_COMPARED = 40
_NEARLY = 0.9  # how good, beside its turn, a memory must be to be shown in its place


class Linked(NamedTuple):
    """What is shown, and what it stands for."""

    found: Found
    # The rows of the turns that a memory is shown for, or of the memories that a turn is
    others: tuple[int, ...] = ()


def link(look: Look, most: int) -> list[Linked]:
    """The best `most` of what was found, in order, each thing once.

    A turn and its memory raise each other's score a little, and the better one is shown. The
    memory is also shown if it is nearly as good and says nearly all that the turn says, if the turn
    is long, or if a person reworded it. A belief stands beside what was said. A turn is left out
    if all memories drawn from it were archived by hand, and ranked lower if they no longer hold.
    """
    pool = {one.key: one for one in sorted(look.pool.values(), key=order)[:most]}
    turns = {key.row: found for key, found in pool.items() if key.is_turn}
    _leave_forgotten(look, turns)
    memories = {key.row: found for key, found in pool.items() if key.is_memory}
    facts = {
        row: one for row, one in memories.items() if one.record and one.record.kind != "belief"
    }
    drawn = look.store.outcomes(turns) if turns and look.where.kind != "turn" else {}
    reworded = _leave_out(look, turns, drawn) if drawn else frozenset()
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
    shown_for: dict[int, list[int]] = {}
    hidden: set[int] = set()
    shown: list[Linked] = []
    for row, turn in turns.items():
        partners = pairs.get(row, [])
        best = max(partners, key=lambda one: one.score, default=None)
        text = said[row].content if row in said else ""
        if best is not None and best.key.row in reworded:
            best.score = max(best.score, turn.score)
            shown_for.setdefault(best.key.row, []).append(row)
        elif best is not None and best.score >= _NEARLY * turn.score and _stands(best, text):
            shown_for.setdefault(best.key.row, []).append(row)
        else:
            turn.score = max([turn.score, *(one.score for one in partners)])  # shown for both
            hidden.update(one.key.row for one in partners)
            shown.append(Linked(turn, tuple(one.key.row for one in partners)))
    for found in pool.values():
        row = found.key.row
        if found.note or (found.key.is_memory and (row in shown_for or row not in hidden)):
            others = shown_for.get(row, ()) if found.key.is_memory else ()
            shown.append(Linked(found, tuple(sorted(others, key=lambda one: -turns[one].score))))
    shown.sort(key=lambda one: order(one.found))
    return shown


_PARTICULARS = re.compile(
    r"[0-9]+(?:[.:/-][0-9]+)*|(?<=[a-z,;:] )[A-Z][A-Za-z'-]+|[“「《]([^”」》]{1,40})[”」》]"
    r"|[零一二两三四五六七八九十百千万半]+(?=[个岁年月日号点分周天元块次本只条位斤米公里小时])"
    r"|(?:周|星期|礼拜)[一二三四五六日天]|[上下]午|[早晚]上|凌晨|中午"
)


def _stands(memory: Found, said: str) -> bool:
    """Whether a memory can be shown in the place of a turn without losing what it says: every name,
    number and time, and nearly all words."""
    record = memory.record
    if record is None or record.kind == "belief":
        return False
    if len(said) > _LONG or not said:
        return True
    words, known = query_words(said), fold(record.searchable)
    if len(among(words, memory.said)) < _MOST * len(words):
        return False
    return all(fold(one[1] or one[0]) in known for one in _PARTICULARS.finditer(said))


def _leave_out(
    look: Look, turns: dict[int, Found], drawn: Mapping[int, Mapping[int, Standing | None]]
) -> frozenset[int]:
    """Take out turns that must not come back, and move back those that no longer hold.

    A turn no longer holds where something was drawn from it that answers the question (has words of
    it, or is what it is after) and has ended or was rejected since, whatever else it says. Returns
    the memories whose words are a person's own, which stand above what was said.
    """
    standing = {row: state for rows in drawn.values() for row, state in rows.items()}
    over = {row for row, state in standing.items() if state in ("past", "rejected")}
    ended = look.store.records(over) if over else {}
    wanted = asked_attributes(look.question) if ended else {}
    answers = {
        row
        for row, one in ended.items()
        if (one.subject, one.attribute) in wanted
        or not {*look.question.words}.isdisjoint(index_words(one.searchable))
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
    return frozenset(row for row, one in standing.items() if one == "reworded")


def _leave_forgotten(look: Look, turns: dict[int, Found]) -> None:
    """Take out turns that were found by nothing but what the user asked to have forgotten."""
    held = look.store.quarantine.in_turns(turns) if turns else {}
    if not held:
        return
    from loxodon.guard.quarantine import is_forget_request, with_notes  # slow to load

    for row, turn in look.store.turns(held).items():
        asked = [one for one in held[row] if is_forget_request(one.reason)]
        left = set(index_words(with_notes(turn.content, asked)))
        if asked and not (among(look.question.words, left) or (left and look.question.last)):
            del turns[row]
