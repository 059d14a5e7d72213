"""The segments' route: turns of a stretch of talk that is about what the question asks.

A segment has the words of all its turns, its topic and its tags. Where it matches well, what was
said in it is likelier to be the answer than the same words elsewhere. It brings nothing by itself:
it lifts what was found. Only the ranking phase1, which looks for segments, has their turns too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from loxodon.recall.fuse import Found, Pool
from loxodon.store import Filter, Place, Stretch

if TYPE_CHECKING:
    from loxodon.store.protocol import Store


BESIDE = 0.5
"""What turns without words of the question get, beside those that have some."""
_SEGMENTS = 6
_WELL = 0.8
"""How good, beside the best, a segment must be."""
_TURNS = 12
"""Turns of one segment that it brings."""
_Span = tuple[Stretch, float]
"""The turns of a segment, and how well it matches beside the best."""


def turns_of(store: Store, words: Sequence[str], where: Filter) -> dict[int, Place]:
    """The turns of the segments that match, where they stand: for who looks for segments."""
    found: dict[int, Place] = {}
    for (session, first, last), _ in _matching(store, words, where):
        places = store.places(range(first, min(last, first + _TURNS) + 1))
        found |= {row: place for row, place in places.items() if place.session == session}
    return found


def _matching(store: Store, words: Sequence[str], where: Filter) -> list[_Span]:
    hits = store.search("segments", words, where, _SEGMENTS)
    well = [hit for hit in hits if hit.score > 0 and hit.score >= _WELL * hits[0].score]
    stretches = store.stretches(hit.row for hit in well) if well else {}
    return [(stretches[hit.row], hit.score / hits[0].score) for hit in well if hit.row in stretches]


def lifted(
    store: Store, words: Sequence[str], where: Filter, pool: Pool
) -> Iterator[tuple[Found, float]]:
    """Turns of the pool that stand in segments that match, and what each gets for it."""
    spans: dict[int, list[_Span]] = {}
    for stretch, part in _matching(store, words, where):
        spans.setdefault(stretch.session, []).append((stretch, part))
    for key, found in pool.items():
        place = found.place
        if place is not None and place.session in spans:
            share = max(
                part if first <= key.row <= last else 0.0
                for (_, first, last), part in spans[place.session]
            )
            if share:
                yield found, share if "words" in found.parts else BESIDE * share
