"""Fuse: puts what the routes found on one scale and adds it up.

A message may ask several things. Each is searched separately, and the best answer to one counts as
much as the best answer to another. Otherwise the question with the rarer words would take all the
room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from loxodon.recall.memories import Match, NoteMatch
from loxodon.recall.weights import CARRIED, Parts
from loxodon.store import Note, Place
from loxodon.text.words import index_words
from loxodon.types import Record


class Key(NamedTuple):
    """A turn, a memory or a note."""

    is_turn: bool
    row: int
    is_note: bool = False

    @property
    def is_memory(self) -> bool:
        return not self.is_turn and not self.is_note


def note_key(row: int) -> Key:
    return Key(False, row, True)


class Found:
    """Something found: what each route gave, and what came of it."""

    place: Place | None = None
    record: Record | None = None
    note: Note | None = None
    words: frozenset[str] = frozenset()
    until: datetime | None = None  # Of a turn: until when what it says of the question held
    again = 0  # Of a turn: when a later one spoke of the same thing, as `Place.at`
    score = 0.0

    def __init__(self, key: Key) -> None:
        self.key = key
        self.parts: dict[str, float] = {}  # What each route found, unweighted
        self.routes: dict[str, float] = {}  # What that counts
        self.factors: dict[str, float] = {}

    @cached_property
    def said(self) -> frozenset[str]:
        """The words of a memory or a note, as an index has them."""
        what = self.record or self.note
        return frozenset(index_words(what.searchable)) if what else frozenset()

    def add(self, route: str, part: float, weights: Parts) -> None:
        """Count what a route found."""
        share = part * weights[route]
        self.parts[route] = self.parts.get(route, 0.0) + part
        self.routes[route] = self.routes.get(route, 0.0) + share
        self.score += share


Pool = dict[Key, Found]


class Answers(NamedTuple):
    """What was found for one question of a message."""

    turns: Mapping[int, Mapping[str, float]]
    places: Mapping[int, Place]
    memories: Mapping[int, Match]
    notes: Mapping[int, NoteMatch]
    whole: float = 0.0  # What the words of the question tell together; 0 where they lead alone


def fused(each: Sequence[Answers], weights: Parts) -> Pool:
    """Everything that was found, its parts on a scale on which the best match by words has 1.

    Where meaning is looked for too (`whole`), the best match has less if it has little of the
    question: words that lead nowhere must not stand above what was meant.
    """
    pool: Pool = {}
    scaled = [_scaled(answers, pool) for answers in each]
    if len(scaled) == 1:
        shares, scale = scaled[0]
        for key, found in pool.items():
            for name, value in shares[key].items():
                found.add(name, value * scale, weights)
        return pool
    for key, found in pool.items():
        own = [(shares.get(key, {}), scale) for shares, scale in scaled]
        sums = [
            scale * sum(value * weights[name] for name, value in parts.items())
            for parts, scale in own
        ]
        best, scale = own[sums.index(max(sums))]
        # The best that it is for any of the questions, and what it is for all together.
        for name, value in best.items():
            found.add(name, value * scale / 2, weights)
        found.add("all questions", sum(sums) / len(sums) / 2, weights)
    return pool


_Shares = dict[Key, Mapping[str, float]]


def _scaled(answers: Answers, pool: Pool) -> tuple[_Shares, float]:
    """The parts of what was found, put into the pool, and what brings them to one scale."""
    shares: _Shares = {}
    for row, parts in answers.turns.items():
        key = Key(True, row)
        _of(pool, key).place = answers.places.get(row)
        shares[key] = parts
    for row, match in answers.memories.items():
        key = Key(False, row)
        found = _of(pool, key)
        found.record = match.record
        found.words |= match.words
        shares[key] = match.found
    for row, noted in answers.notes.items():
        key = note_key(row)
        found = _of(pool, key)
        found.note = noted.note
        found.words |= noted.words
        shares[key] = noted.found
    best = max([parts.get("words", 0.0) for parts in shares.values()], default=0.0)
    best = best or max((sum(parts.values()) for parts in shares.values()), default=0.0) or 1.0
    return shares, 1 / max(best, CARRIED * answers.whole)


def _of(pool: Pool, key: Key) -> Found:
    found = pool.get(key)
    if found is None:
        found = pool[key] = Found(key)
    return found
