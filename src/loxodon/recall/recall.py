"""Recall: from a question to the right few hundred tokens.

The stages are called in order here: the words of the query, the indexes they are looked up in,
the score of what was found, and the block that fits the budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from time import perf_counter
from typing import NamedTuple

from loxodon.recall.context import block, snippet
from loxodon.recall.rank import Factors, match_of, memory_factors, turn_factors
from loxodon.store import Filter, Hit, Index, Store
from loxodon.text.language import language_of
from loxodon.text.words import among, index_words, query_words, spoken
from loxodon.tokens import Counter
from loxodon.types import CAPTURED, Gate, Item, LeftOut, Recall, Record, Source, Turn

CANDIDATES = 100
"""Rows asked of each index."""
_READ = 2
"""Read and weighed for each item asked for: weighing moves a match by three tenths at most."""
_BEST = 3
"""The best rows of an index, which tell how much of the query it can answer."""
_COMPARED = 4_000
"""Characters of a text in which the words of the query are looked for when it is weighed."""


def recall(
    store: Store, query: str, where: Filter, *, top: int, budget: int, now: datetime, count: Counter
) -> Recall:
    """What the memory has on `query`: at most `top` items whose block is within `budget` tokens."""
    started = perf_counter()
    words = query_words(query)
    if not words:
        gate = Gate(False, "nothing to look for")
        return Recall(query, gate, (), (), "", 0, _elapsed(started))
    found: list[_Found] = []
    unread = 0
    limit = max(CANDIDATES, top * _READ)
    for index in _indexes(where):
        hits = store.search(index, words, where, limit)
        if index == "turns":
            hits = _not_drawn(store, hits, found, where, now)
            found += _turns(store, hits[: top * _READ], words)
        else:
            hits, records = _live(store, hits, top * _READ, now)
            found += _memories(hits[: top * _READ], records, words)
        unread += len(hits[top * _READ :])
    found.sort(key=lambda one: (-one.factors.score, -one.at.timestamp(), -one.row))
    sources = store.sources(one.row for one in found[:top] if isinstance(one.one, Record))
    typed: dict[tuple[str, ...], list[str]] = {}
    items = [_item(one, query, words, sources, typed, now) for one in found[:top]]
    chosen = block(items, budget, count, language_of(query))
    left = (
        LeftOut("budget", len(items) - len(chosen.items)),
        LeftOut("top", unread + len(found) - len(items)),
    )
    return Recall(
        query, Gate(True, "asked"), chosen.items, tuple(one for one in left if one.number > 0),
        chosen.text, chosen.tokens, _elapsed(started),
    )  # fmt: skip


class _Found(NamedTuple):
    """A memory or a turn that matches, and how well."""

    row: int
    one: Record | Turn
    factors: Factors

    @property
    def at(self) -> datetime:
        """When it was said, or since when it holds."""
        if isinstance(self.one, Turn):
            return self.one.at
        return self.one.valid_from or self.one.created_at


def _indexes(where: Filter) -> list[Index]:
    """The indexes that can have what `where` admits; turns have no labels."""
    indexes: list[Index] = [] if where.kind == "turn" else ["memories"]
    labelled = any((where.project, where.topic, where.tag, where.entity))
    if where.kind in (None, "turn") and not labelled:
        indexes.append("turns")
    return indexes


def _not_drawn(
    store: Store, hits: Sequence[Hit], found: Sequence[_Found], where: Filter, now: datetime
) -> list[Hit]:
    """Turns without those that their memories stand for.

    A turn is left out beside a memory that was drawn from it, and where all such memories are
    archived or expired: what was taken out of recall must not come back in other clothes. What was
    captured is a memory in the first place. Whoever asks for turns gets them all.
    """
    if where.kind == "turn":
        return list(hits)
    drawn = store.drawn_from(hit.row for hit in hits)
    if not drawn:
        return list(hits)
    live = store.live({row for rows in drawn.values() for row in rows}, now)
    answered = {one.row for one in found}
    captured = store.in_channel(CAPTURED, drawn)
    return [
        hit
        for hit in hits
        if hit.row not in drawn
        or (
            hit.row not in captured
            and answered.isdisjoint(drawn[hit.row])
            and not live.isdisjoint(drawn[hit.row])
        )
    ]


def _live(
    store: Store, hits: list[Hit], read: int, now: datetime
) -> tuple[list[Hit], dict[int, Record]]:
    """Hits without the memories that have expired, and the records of the first `read` of them."""
    records = store.records(hit.row for hit in hits[:read])
    if any(one.expires_at and one.expires_at <= now for one in records.values()):
        live = store.live((hit.row for hit in hits), now)
        hits = [hit for hit in hits if hit.row in live]
        records = store.records(hit.row for hit in hits[:read])
    return hits, records


def _memories(
    hits: Sequence[Hit], records: Mapping[int, Record], words: Sequence[str]
) -> list[_Found]:
    covered = _covered([records[hit.row].searchable for hit in hits[:_BEST]], words)
    found = []
    for hit in hits:
        record, match = records[hit.row], match_of(hit.score, hits[0].score, covered)
        found.append(_Found(hit.row, record, memory_factors(match, record)))
    return found


def _turns(store: Store, hits: Sequence[Hit], words: Sequence[str]) -> list[_Found]:
    turns = store.turns([hit.row for hit in hits])
    covered = _covered([turns[hit.row].searchable for hit in hits[:_BEST]], words)
    return [
        _Found(hit.row, turns[hit.row], turn_factors(match_of(hit.score, hits[0].score, covered)))
        for hit in hits
    ]


def _covered(texts: Sequence[str], words: Sequence[str]) -> float:
    """The largest share of the query's words that one of `texts` has."""
    return max((len(matched(text, words)) / len(words) for text in texts), default=0.0)


def matched(text: str, words: Sequence[str]) -> list[str]:
    """The words of the query that the text, which was found by one of them, has."""
    if len(words) == 1:
        return list(words)
    return among(words, set(index_words(text[:_COMPARED])))


def _item(
    found: _Found, query: str, words: Sequence[str],
    sources: Mapping[int, tuple[Source, ...]], typed: dict[tuple[str, ...], list[str]],
    now: datetime,
) -> Item:  # fmt: skip
    one = found.one
    has = matched(one.searchable, words)
    text = snippet(one.content, has)
    score = round(found.factors.score, 4)
    if tuple(has) not in typed:  # many items have the same words of the query
        typed[tuple(has)] = spoken(query[:_COMPARED], has)
    why: dict[str, object] = {"words": typed[tuple(has)], "match": round(found.factors.match, 4)}
    at = found.at.astimezone(now.tzinfo)  # the day it was for the one who asks
    if isinstance(one, Turn):
        source = Source(session=one.session, turn=one.id)
        why = {"route": "journal", **why, "speaker": one.speaker or one.role, "origin": one.origin}
        return Item(one.ref, "turn", text, score, at, "active", (source,), why)
    why = {
        "route": "memories", **why, "importance": one.importance,
        "strength": round(one.strength, 4), "trust": one.trust,
    }  # fmt: skip
    return Item(
        one.id, one.kind, text, score, at, one.state, sources.get(found.row, ()), why, one.tags
    )


def _elapsed(started: float) -> float:
    return round((perf_counter() - started) * 1000, 3)
