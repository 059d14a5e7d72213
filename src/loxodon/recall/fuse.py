"""Fuse: what the routes found, brought to one scale and added.

A message may ask several things. Each is looked for by itself, and what answers one of them best
counts as much as what answers another: otherwise the question with the rarer words takes all the
room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from loxodon.recall.known import Match
from loxodon.recall.noted import NoteMatch
from loxodon.store import Place
from loxodon.store.shelf import Note
from loxodon.text.words import query_words
from loxodon.types import Record

_BY_ASSISTANT = 0.5
"""What an assistant said counts so much, unless it is asked for what it said."""
_NAMED = 1.6
"""What someone said counts so much more where the question names them."""


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

    __slots__ = ("factors", "key", "note", "place", "record", "routes", "score", "words")

    def __init__(self, key: Key) -> None:
        self.key = key
        self.routes: dict[str, float] = {}
        self.factors: dict[str, float] = {}
        self.place: Place | None = None
        self.record: Record | None = None
        self.note: Note | None = None
        self.words: frozenset[str] = frozenset()
        self.score = 0.0


Pool = dict[Key, Found]


class Answers(NamedTuple):
    """What was found for one question of a message."""

    turns: Mapping[int, Mapping[str, float]]
    places: Mapping[int, Place]
    memories: Mapping[int, Match]
    notes: Mapping[int, NoteMatch]


def fused(each: Sequence[Answers], named: frozenset[str], to_assistant: bool) -> Pool:
    """Everything that was found, with the routes' shares on a scale on which the best has 1."""
    pool: Pool = {}
    shares = [_scaled(answers, named, to_assistant, pool) for answers in each]
    if len(shares) == 1:
        for key, routes in shares[0].items():
            pool[key].routes = routes
    else:
        _combine(shares, pool)
    for found in pool.values():
        found.score = sum(found.routes.values())
    return pool


_Shares = dict[Key, dict[str, float]]


def _scaled(answers: Answers, named: frozenset[str], to_assistant: bool, pool: Pool) -> _Shares:
    shares: _Shares = {}
    speakers: dict[str, bool] = {}
    for row, routes in answers.turns.items():
        key = Key(True, row)
        found = pool.setdefault(key, Found(key))
        found.place = place = answers.places.get(row)
        part = voice(place, named, to_assistant, speakers) if place is not None else 1.0
        shares[key] = {name: value * part for name, value in routes.items()}
    for row, match in answers.memories.items():
        key = Key(False, row)
        found = pool.setdefault(key, Found(key))
        found.record = match.record
        found.words |= match.words
        shares[key] = dict(match.found)
    for row, noted in answers.notes.items():
        key = note_key(row)
        found = pool.setdefault(key, Found(key))
        found.note = noted.note
        found.words |= noted.words
        shares[key] = dict(noted.found)
    best = max((sum(routes.values()) for routes in shares.values()), default=0.0) or 1.0
    return {
        key: {name: value / best for name, value in routes.items()}
        for key, routes in shares.items()
    }


def voice(
    place: Place, named: frozenset[str], to_assistant: bool, speakers: dict[str, bool]
) -> float:
    """What a turn counts by who said it; `speakers` remembers who is named."""
    part = _BY_ASSISTANT if place.role == "assistant" and not to_assistant else 1.0
    if place.speaker not in speakers:
        speakers[place.speaker] = is_named(place.speaker, named)
    return part * _NAMED if speakers[place.speaker] else part


def is_named(speaker: str, words: frozenset[str]) -> bool:
    """Whether the words of a question name a speaker."""
    if not speaker or speaker in ("user", "assistant"):
        return False
    name = query_words(speaker)
    return bool(name) and words.issuperset(name)


def _combine(shares: Sequence[_Shares], pool: Pool) -> None:
    """The best that something is for any of the questions, and what it is for all together."""
    together = {key: sum(sum(one.get(key, {}).values()) for one in shares) for key in pool}
    most = max(together.values(), default=0.0) or 1.0
    for key, found in pool.items():
        best = max((one.get(key, {}) for one in shares), key=lambda routes: sum(routes.values()))
        found.routes = {name: value / 2 for name, value in best.items()}
        found.routes["all questions"] = together[key] / most / 2
