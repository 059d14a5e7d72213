"""Strength: how present a memory is now.

It starts at the memory's importance and falls a little every day, more slowly the more important
the memory is. It is computed when read, from a base and the time of that base,
so that a day passing writes nothing.
"""

from __future__ import annotations

from datetime import datetime

from loxodon.config import DecayConfig
from loxodon.types import Kind

LEAST_AT_BIRTH = 0.2


def initial_strength(kind: Kind, importance: float, confidence: float) -> float:
    """What a new memory starts with: its importance, for a belief times how sure we are of it."""
    return max(LEAST_AT_BIRTH, importance * confidence if kind == "belief" else importance)


def strength_now(
    base: float, since: datetime, now: datetime, kind: Kind, importance: float, rates: DecayConfig
) -> float:
    """The strength at `now` of a memory that had `base` at `since`; time never runs backwards."""
    days = max(0.0, (now - since).total_seconds() / 86_400)
    return float(base * (1 - daily_rate(kind, importance, rates)) ** days)


def daily_rate(kind: Kind, importance: float, rates: DecayConfig) -> float:
    """The share that a day takes: the rate of the kind, halved for what matters most."""
    return float(getattr(rates, kind)) * (1 - importance * 0.5)
