"""Link: a turn and the memories drawn from it are one result, shown once.

Each raises the other's score a little. The better one is shown. The memory is also shown if it is
nearly as good and one of these applies: it says nearly all that the turn says, with every name,
number and time; the turn is long; a person reworded the memory. A belief never replaces what was
said. A turn is left out if all memories drawn from it were archived by hand, and ranked lower if
they no longer hold. What was captured is shown as the memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from loxodon.recall.asked_attributes import asked_attributes
from loxodon.recall.fuse import Found, Pool
from loxodon.recall.rank import SAID_BEFORE
from loxodon.recall.understand import Question
from loxodon.store import Filter, QuarantinedText, Standing
from loxodon.store.store import Store
from loxodon.text.words import among, fold, index_words, query_words
from loxodon.types import CAPTURED

LIFT = 0.15  # What a turn adds to its memory, and the memory to the turn
LONG = 500  # Characters from which on a turn is not shown where a memory tells it
MOST = 0.85  # The share of a turn's words that a memory must have to stand for it
_COMPARED = 40
FLOOR = 0.12  # How good, beside the best, a turn must be that only stands beside something
NEARLY = 0.9  # How good, beside its turn, a memory must be to be shown in its place


class Linked(NamedTuple):
    """What is shown, and what it stands for."""

    found: Found
    # The rows of the turns that a memory is shown for, or of the memories that a turn is
    others: tuple[int, ...] = ()


def linked(
    store: Store, pool: Pool, where: Filter, question: Question, asks_past: bool, most: int
) -> list[Linked]:
    """The best `most` of what was found, in order, each thing once."""
    if len(pool) > most:
        least = sorted([found.score for found in pool.values()])[-most]
        leading = [found for found in pool.values() if found.score >= least]
        pool = {found.key: found for found in sorted(leading, key=order)[:most]}
    turns = {key.row: found for key, found in pool.items() if key.is_turn}
    if turns and (held := store.quarantine.in_turns(turns)):
        _leave_forgotten(store, turns, held, question)
    memories = {key.row: found for key, found in pool.items() if key.is_memory}
    drawn = store.outcomes(turns) if turns and where.kind != "turn" else {}
    reworded = _leave_out(store, turns, drawn, question, asks_past) if drawn else frozenset()
    pairs = {
        row: [memories[one] for one in rows if one in memories]
        for row, rows in drawn.items()
        if row in turns
    }
    _lift(turns, pairs)
    said = _said(store, turns, pairs)
    shown_for: dict[int, list[int]] = {}
    hidden: set[int] = set()
    shown: list[Linked] = []
    for row, turn in turns.items():
        partners = pairs.get(row) or []
        best = max(partners, key=lambda one: one.score, default=None)
        corrects = best is not None and (best.key.row in reworded or _is_unsettled(best))
        nearly = best is not None and best.score >= NEARLY * turn.score
        if best is not None and (corrects or (nearly and _stands(best, said[row]))):
            if corrects:
                best.score = max(best.score, turn.score)
            shown_for.setdefault(best.key.row, []).append(row)
        else:
            better = max([turn.score, *(one.score for one in partners)])
            turn.score = better  # it is shown for both
            hidden.update(one.key.row for one in partners)
            shown.append(Linked(turn, tuple(one.key.row for one in partners)))
    shown += [
        Linked(found, tuple(sorted(shown_for.get(row, ()), key=lambda one: -turns[one].score)))
        for row, found in memories.items()
        if row in shown_for or row not in hidden
    ]
    shown += [Linked(found) for key, found in pool.items() if key.is_note]
    shown.sort(key=lambda one: order(one.found))
    least = FLOOR * shown[0].found.score if shown else 0.0
    return [one for one in shown if one.found.score >= least or set(one.found.routes) != {"around"}]


def _said(
    store: Store, turns: Mapping[int, Found], pairs: Mapping[int, Sequence[Found]]
) -> dict[int, str]:
    """The words of the turns that a memory could stand for."""
    rows = [row for row, partners in pairs.items() if partners]
    rows.sort(key=lambda row: -turns[row].score)
    found = store.turns(rows[:_COMPARED])
    return {row: found[row].content if row in found else "" for row in rows}


def _is_unsettled(memory: Found) -> bool:
    """Whether a memory says of its turns what none of them says: that it goes back and forth."""
    if memory.record is None or memory.record.kind != "belief":
        return False
    from loxodon.consolidate.beliefs import settled  # few recalls meet a belief

    return settled(memory.record.content) != memory.record.content


def _stands(memory: Found, said: str) -> bool:
    """Whether a memory can be shown in the place of a turn without losing what it says."""
    record = memory.record
    if record is None or record.kind == "belief":
        return False
    if len(said) > LONG or not said:
        return True
    words = query_words(said)
    has = among(words, memory.said)
    return len(has) >= MOST * len(words) and not says_more(said, record.searchable)


_PARTICULARS = re.compile(
    r"[0-9]+(?:[.:/-][0-9]+)*|(?<=[a-z,;:] )[A-Z][A-Za-z'-]+|[“「《]([^”」》]{1,40})[”」》]"
    r"|[零一二两三四五六七八九十百千万半]+(?=[个岁年月日号点分周天元块次本只条位斤米公里小时])"
    r"|(?:周|星期|礼拜)[一二三四五六日天]|[上下]午|[早晚]上|凌晨|中午"
)


def says_more(said: str, known: str) -> bool:
    """Whether a turn has a name, a number or a time that a memory drawn from it lacks."""
    folded = fold(known)
    return any(fold(one[1] or one[0]) not in folded for one in _PARTICULARS.finditer(said))


def _leave_out(
    store: Store,
    turns: dict[int, Found],
    drawn: Mapping[int, Mapping[int, Standing | None]],
    question: Question,
    asks_past: bool,
) -> frozenset[int]:
    """Take out turns that must not come back, and move back those that no longer hold.

    A turn no longer holds where something was drawn from it that answers the question (has words of
    it, or is what it is after) and has ended or was rejected since, whatever else it says. Returns
    the memories whose words are a person's own, which stand above what was said.
    """
    standing = {row: state for rows in drawn.values() for row, state in rows.items()}
    over = {row for row, state in standing.items() if state in ("past", "rejected")}
    ended = store.records(over) if over else {}
    asked, wanted = frozenset(question.words), asked_attributes(question) if ended else {}
    answers = {
        row: (one.subject, one.attribute) in wanted or asked & {*index_words(one.searchable)}
        for row, one in ended.items()
    }
    for row, rows in drawn.items():
        states = {*rows.values()} - {None}
        place = turns[row].place
        if (place and place.channel == CAPTURED) or states == {"put away"}:
            del turns[row]
            continue
        until = [
            ended[one].valid_until
            for one in rows
            if one in ended and (answers[one] or states <= {"past", "rejected", "put away"})
        ]
        if until:
            turns[row].until = max(filter(None, until), default=None)
            if not asks_past:
                turns[row].factors["validity"] = SAID_BEFORE
                turns[row].score *= SAID_BEFORE
    return frozenset(row for row, one in standing.items() if one == "reworded")


def _leave_forgotten(
    store: Store,
    turns: dict[int, Found],
    held: Mapping[int, Sequence[QuarantinedText]],
    question: Question,
) -> None:
    """Take out turns that were found by nothing but what the user asked to have forgotten."""
    # Slow to load, and mostly nothing is held.
    from loxodon.guard.quarantine import is_forget_request, with_notes

    for row, turn in store.turns(held).items():
        asked = [one for one in held[row] if is_forget_request(one.reason)]
        left = set(index_words(with_notes(turn.content, asked)))
        if asked and not (among(question.words, left) or (left and question.last)):
            del turns[row]


def _lift(turns: Mapping[int, Found], pairs: Mapping[int, Sequence[Found]]) -> None:
    by_turn: dict[int, float] = {}
    by_memory: dict[int, tuple[Found, float]] = {}
    for row, partners in pairs.items():
        for memory in partners:
            by_turn[row] = max(by_turn.get(row, 0.0), memory.score)
            before = by_memory.get(memory.key.row, (memory, 0.0))[1]
            by_memory[memory.key.row] = memory, max(before, turns[row].score)
    for row, score in by_turn.items():
        _raise(turns[row], LIFT * score)
    for memory, score in by_memory.values():
        _raise(memory, LIFT * score)


def _raise(found: Found, by: float) -> None:
    found.routes["linked"] = by
    found.score += by


def order(found: Found) -> tuple[float, bool, int]:
    """The best first; of equals a memory, then the newer."""
    return (-found.score, not found.key.is_memory, -found.key.row)
