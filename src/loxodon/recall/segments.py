"""The segments' route: turns of a stretch of talk that is about what the question asks.

A segment has the words of all its turns, its topic and its tags. Where it matches well, what was
said in it is likelier to be the answer than the same words elsewhere. It brings nothing by itself:
it lifts what was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loxodon.recall.fuse import Found, Pool
from loxodon.store import Filter, Store, Stretch

BESIDE = 0.5
"""What turns without words of the question get, beside those that have some."""
_SEGMENTS = 6
_WELL = 0.8
"""How good, beside the best, a segment must be."""


def lifted(
    store: Store, words: Sequence[str], where: Filter, pool: Pool
) -> Iterator[tuple[Found, float]]:
    """Turns of the pool that stand in segments that match, and what each gets for it."""
    hits = store.search("segments", words, where, _SEGMENTS)
    well = [hit for hit in hits if hit.score > 0 and hit.score >= _WELL * hits[0].score]
    stretches = store.stretches(hit.row for hit in well) if well else {}
    spans: dict[int, list[tuple[Stretch, float]]] = {}
    for hit in well:
        if stretch := stretches.get(hit.row):
            spans.setdefault(stretch.session, []).append((stretch, hit.score / hits[0].score))
    for key, found in pool.items():
        place = found.place
        if place is not None and place.session in spans:
            share = max(
                part if first <= key.row <= last else 0.0
                for (_, first, last), part in spans[place.session]
            )
            if share:
                yield found, share if "words" in found.parts else BESIDE * share
