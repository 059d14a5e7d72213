"""The strength of a memory over time: how it fell, what lifted it, and how it will fall."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from loxodon.config import DecayConfig
    from loxodon.store import Step
    from loxodon.store.store import Store

_POINTS = 24
"""Points between two marks: the curve is smooth."""
_MARKS = 200
"""The last versions that are drawn."""


class Point(NamedTuple):
    """How strong a memory was, or will be."""

    at: datetime
    strength: float


class Mark(NamedTuple):
    """Something that was done to a memory."""

    at: datetime
    change: str
    """One of `CHANGES`; `recalled` for a use that the next consolidation counts."""
    version: int
    """The version that it made; 0 for a use."""
    strength: float
    """After it."""


class Strength(NamedTuple):
    """The strength of a memory over time."""

    id: str
    now: datetime
    strength: float
    limit: float
    """Below this it is archived."""
    rate: float
    """The share that a day takes."""
    fades_at: datetime | None
    """When it falls below that if nobody uses it; None for never, or if it is archived."""
    points: tuple[Point, ...]
    """In order of time; two at one moment where it was lifted. After `now`, if nobody uses it."""
    marks: tuple[Mark, ...]


def strength(store: Store, id: str, now: datetime, days: int, rates: DecayConfig) -> Strength:
    """The strength of a memory from its first version until `days` from now."""
    from loxodon.write.decay import daily_rate, fades_at

    with store.reading():
        steps = store.overview.steps(id)[-_MARKS:]
        uses = [one for one in store.worklog.used() if one.id == id]
    last = steps[-1]
    ends = None
    if last.state == "active":
        ends = fades_at(last.base, last.since, last.kind, last.importance, rates)
    marks = [Mark(one.at, one.change, one.version, _at(one, one.at, rates)) for one in steps]
    marks += [Mark(one.last_at, "recalled", 0, _at(last, one.last_at, rates)) for one in uses]
    return Strength(
        id,
        now,
        _at(last, now, rates),
        rates.archive,
        daily_rate(last.kind, last.importance, rates),
        ends,
        tuple(_points(steps, now, now + timedelta(days=days), rates)),
        tuple(sorted(marks)),
    )


def _points(
    steps: Sequence[Step], now: datetime, end: datetime, rates: DecayConfig
) -> Iterator[Point]:
    ends = [*(step.at for step in steps[1:]), max(now, steps[-1].at)]
    for step, until in zip(steps, ends, strict=True):
        yield from _fall(step, step.at, until, rates)
    if steps[-1].state == "active":
        yield from _fall(steps[-1], ends[-1], end, rates)


def _fall(step: Step, since: datetime, until: datetime, rates: DecayConfig) -> Iterator[Point]:
    """The curve between two moments, both of them included."""
    days = (until - since).total_seconds() / 86_400
    count = max(1, min(_POINTS, round(days)))
    for n in range(count + 1):
        at = since + (until - since) * n / count
        yield Point(at, _at(step, at, rates))


def _at(step: Step, at: datetime, rates: DecayConfig) -> float:
    from loxodon.write.decay import strength_now

    return round(strength_now(step.base, step.since, at, step.kind, step.importance, rates), 4)
