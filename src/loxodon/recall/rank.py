"""Weigh: adjusts each score by what is known about the memory or turn, a little each.

    validity     superseded ones come last, unless the question is about the past
    time         within the time that the question names
    assistant    said by an assistant, unless the question is about that
    speaker      said by someone the question names
    strength, importance, confidence, trust, recency

None of them hides the only answer: they order results that match about equally well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import prod
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.recall.fuse import Found, Pool
from loxodon.recall.understand import Question
from loxodon.recall.weights import BY_ASSISTANT, IN_TIME, NAMED
from loxodon.store import Place
from loxodon.text.words import query_words

_CATEGORY = 0.02
_RECENCY = 0.03  # How far the default lets each of the two move a score, up or down
# Days after which what was said counts half: of `phase1`, and of `openclaw`
HALF_LIVES = (7.0, 30.0)


class _Fading(NamedTuple):
    """How a category fades."""

    rate: float  # a day
    floor: float  # the share that is kept for ever


# What the ranking does not name (health, preference, relation, …) does not fade, as
# identity, config and credential do not: its function ends by returning the importance.
_FADING: Mapping[str, _Fading] = {
    "decision": _Fading(0.004, 0.3),
    "solution": _Fading(0.004, 0.3),
    "event": _Fading(0.023, 0.1),
    "conversation": _Fading(0.023, 0.1),
    "temp": _Fading(0.099, 0.0),
    "debug": _Fading(0.099, 0.0),
}


def halved(days: float, half_life: float) -> float:
    """What is left of 1 after `days`, if `half_life` days halve it; the future is the present."""
    return float(0.5 ** (max(0.0, days) / half_life))


def kept(category: str, idle: float) -> float:
    """The share of its importance that a memory keeps, `idle` days after it was last used."""
    fading = _FADING.get(category)
    if fading is None:
        return 1.0
    left = math.exp(-fading.rate * max(0.0, idle))
    return fading.floor + (1 - fading.floor) * left


def category_factor(category: str, idle: float) -> float:
    """`tiered`'s relevance as a factor of the default: from 0.98, for what faded away, to 1.02."""
    return 1 + _CATEGORY * (2 * kept(category, idle) - 1)


def recency_factor(days: float) -> float:
    """Recency as a factor of the default: from 0.97 for what is old to 1.03."""
    soon, late = HALF_LIVES
    return 1 + _RECENCY * (halved(days, soon) + halved(days, late) - 1)


PAST = 0.35  # Factor for an outdated memory, unless the question asks for the past
SAID_BEFORE = 0.8  # Factor for the turn it was drawn from, which often says more
FADED = 0.7
_DAY = timedelta(days=1)
_DAY_MS = 86_400_000
_TRUST = {"user": 1.0, "file": 1.0, "import": 0.97, "group": 0.95, "assistant": 0.9}
_LEAST_TRUST = 0.85
Span = tuple[int, int]
_FAR_PAST, _FAR_AHEAD = -(1 << 60), 1 << 60


def spans_of(question: Question) -> list[Span]:
    """The times that a question names, as they are kept."""
    return [
        (
            to_stored(time.since)[0] if time.since else _FAR_PAST,
            to_stored(time.until)[0] if time.until else _FAR_AHEAD,
        )
        for time in question.times
        if not time.recurring
    ]


def weigh(
    pool: Pool, question: Question, asks_past: bool, now: datetime, spans: Sequence[Span]
) -> None:
    """Multiply each score by what is known of its memory or turn; the factors say what did what."""
    present = to_stored(now)[0]
    voices = Voices(question)
    for found in pool.values():
        factors = found.factors
        if found.place is not None:
            factors |= voices.of(found.place)
        elif found.record is not None:
            record = found.record
            found.factors["importance"] = 0.95 + 0.1 * record.importance
            found.factors["strength"] = 0.95 + 0.05 * min(1.0, record.strength)
            found.factors["confidence"] = 0.8 + 0.2 * record.confidence
            found.factors["trust"] = _TRUST.get(record.trust, _LEAST_TRUST)
            idle = now - (record.accessed_at or record.confirmed_at or record.created_at)
            found.factors["category"] = category_factor(record.category, idle / _DAY)
            if record.state == "archived" and not asks_past:
                found.factors["validity"] = PAST if record.valid_until else FADED
        elif found.note is not None:
            importance = found.note.chunk.importance
            factors["importance"] = 0.95 + 0.1 * (0.5 if importance is None else importance)
        at = _time_of(found)
        if at is not None:
            factors["recency"] = recency_factor((present - at) / _DAY_MS)
            if spans and any(since <= at < until for since, until in spans):
                factors["time"] = IN_TIME
        found.score = prod(factors.values(), start=found.score)


class Voices:
    """What turns count by who said them."""

    def __init__(self, question: Question) -> None:
        self._words = frozenset(question.words)
        self._to_assistant = (
            bool(question.last)
            or re.search(r"\b(?:you|your)\b|[你您]", question.text, re.I) is not None
        )
        self._factors: dict[tuple[str, str], dict[str, float]] = {}

    def of(self, place: Place) -> dict[str, float]:
        """The factors of a turn."""
        voice = place.role, place.speaker
        found = self._factors.get(voice)
        if found is None:
            found = self._factors[voice] = {}
            if place.role == "assistant" and not self._to_assistant:
                found["assistant"] = BY_ASSISTANT
            if is_named(place.speaker, self._words):
                found["speaker"] = NAMED
        return found

    def part(self, place: Place) -> float:
        """What they come to."""
        return prod(self.of(place).values())


def is_named(speaker: str, words: frozenset[str]) -> bool:
    """Whether the words of a question name a speaker."""
    if not speaker or speaker in ("user", "assistant"):
        return False
    name = query_words(speaker)
    return bool(name) and words.issuperset(name)


def _time_of(found: Found) -> int | None:
    if found.place is not None:
        return found.place.at
    if found.record is not None:
        return to_stored(found.record.valid_from or found.record.created_at)[0]
    if found.note is not None and found.note.chunk.at is not None:
        return to_stored(found.note.chunk.at)[0]
    return None
