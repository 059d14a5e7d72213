"""Relevance: how age lowers the rank of a memory.

Strength (`write/decay.py`) decides what is archived. This only orders results, by how long ago
something was said and by its category. The default ranking changes a score by a few per cent with
these formulas, so they decide between equals and never against a better match.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

_CATEGORY = 0.02
_RECENCY = 0.03
"""How far the default lets each of the two move a score, up or down."""
HALF_LIVES = (7.0, 30.0)
"""Days after which what was said counts half: of `phase1`, and of `openclaw`."""


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
