"""Trace: how a recall came to its result (`recall --explain`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loxodon.recall.fuse import Found
from loxodon.recall.link import Linked
from loxodon.recall.routes import Seen
from loxodon.recall.understand import Question
from loxodon.types import Considered, Item, Stage, Trace

_NEXT = 10  # How many of those that just missed it are named


def traced(
    question: Question,
    seen: Seen,
    ranked: Sequence[Linked],
    items: Sequence[Item],
    shown: Sequence[Item],
    passed: Mapping[str, str],
    laps: Mapping[str, float],
    profile: str,
) -> Trace:
    """What was understood, found and weighed, what became of it, and how long each stage took."""
    fates = dict(passed)
    fates |= {item.id: "budget" for item in items} | {item.id: "shown" for item in shown}
    first = ranked[: len(fates) + _NEXT]
    return Trace(
        question,
        seen.counts,
        tuple(_considered(one, fates.get(name_of(one), "top")) for one in first),
        tuple(Stage(name, round(ms, 3)) for name, ms in laps.items()),
        profile,
        seen.problems,
    )


def name_of(linked: Linked) -> str:
    """The id of a memory, a note or a turn."""
    found = linked.found
    if found.record is not None:
        return found.record.id
    return f"n_{found.key.row}" if found.key.is_note else f"t_{found.key.row}"


def kind_of(found: Found) -> str:
    """Of what kind something is that was found."""
    if found.record is not None:
        return found.record.kind
    return "note" if found.key.is_note else "turn"


def _considered(linked: Linked, fate: str) -> Considered:
    found = linked.found
    return Considered(
        name_of(linked),
        kind_of(found),
        round(found.score, 4),
        rounded(found.routes),
        rounded(found.factors),
        fate,
    )


def rounded(shares: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in shares.items()}
