"""Scores: how well an item answers, from how well its words match and what we know of it.

The first form. bm25 orders the rows of one index but cannot be compared with that of another,
because it depends on what else stands there. What can be compared is how many of the query's words
the best rows of each index have: that scales the whole index. What is known of a memory moves its
score by three tenths at most.
"""

from __future__ import annotations

from typing import NamedTuple

from loxodon.types import Record

_MATCH = 0.7
_IMPORTANCE = 0.15
_STRENGTH = 0.15
_TURN = 0.75
"""A turn says it in passing; a memory of the same words was found worth keeping."""


class Factors(NamedTuple):
    """What made up a score."""

    match: float
    """How well the words match: 1 for the best row of an index whose best rows have every word."""
    importance: float | None
    strength: float | None
    score: float


def match_of(score: float, best: float, covered: float) -> float:
    """How well the words match.

    `score` is bm25, `best` that of the best row of the same index, `covered` the share of the
    query's words that the best rows of the index have.
    """
    return (score / best if best > 0 else 1.0) * (0.5 + 0.5 * covered)


def memory_factors(match: float, record: Record) -> Factors:
    """The score of a memory."""
    known = _MATCH + _IMPORTANCE * record.importance + _STRENGTH * min(1.0, record.strength)
    return Factors(match, record.importance, record.strength, match * known)


def turn_factors(match: float) -> Factors:
    """The score of a turn of the journal."""
    return Factors(match, None, None, match * _TURN)
