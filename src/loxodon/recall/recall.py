"""Recall: from a question to the right few hundred tokens.

The stages are called in order here: the words of the query, the indexes they are looked up in,
the score of what was found, and the block that fits the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from time import perf_counter
from typing import NamedTuple

from loxodon.recall.context import block, snippet
from loxodon.recall.rank import Factors, match_of, memory_factors, turn_factors
from loxodon.store import Filter, Hit, Index, Store
from loxodon.text.language import language_of
from loxodon.text.words import among, index_words, query_words, spoken
from loxodon.tokens import Counter
from loxodon.types import Gate, Item, LeftOut, Recall, Record, Source, Turn

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
    for index in _indexes(where):
        # The index says which state it holds, and the journal has no kinds: nothing to look up.
        narrowed = where._replace(state=None, kind=None if index == "turns" else where.kind)
        hits = store.search(index, words, narrowed, CANDIDATES)
        read = hits[: top * _READ]
        unread += len(hits) - len(read)
        if index == "turns":
            found += _turns(store, read, words, {one.row for one in found})
        else:
            found += _memories(store, read, words, now)
    found.sort(key=lambda one: (-one.factors.score, one.row))
    sources = store.sources(one.row for one in found[:top] if isinstance(one.one, Record))
    items = [_item(one, query, words, sources.get(one.row, ())) for one in found[:top]]
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


def _indexes(where: Filter) -> list[Index]:
    """The indexes that can have what `where` admits."""
    indexes: list[Index] = []
    if where.kind != "turn":
        if where.state in ("active", None):
            indexes.append("memories")
        if where.state in ("archived", None):
            indexes.append("archive")
    labelled = (where.project, where.topic, where.tag, where.entity)
    if where.kind in (None, "turn") and where.state != "archived" and not any(labelled):
        indexes.append("turns")
    return indexes


def _memories(
    store: Store, hits: Sequence[Hit], words: Sequence[str], now: datetime
) -> list[_Found]:
    records = store.records(hit.row for hit in hits)
    covered = _covered(
        [records[hit.row].searchable for hit in hits[:_BEST] if hit.row in records], words
    )
    found = []
    for hit in hits:
        record = records.get(hit.row)
        if record and (record.expires_at is None or record.expires_at > now):
            match = match_of(hit.score, hits[0].score, covered)
            found.append(_Found(hit.row, record, memory_factors(match, record)))
    return found


def _turns(
    store: Store, hits: Sequence[Hit], words: Sequence[str], memories: set[int]
) -> list[_Found]:
    """Turns, without those that a memory in the answer was drawn from."""
    drawn = store.drawn_from(hit.row for hit in hits) if memories else {}
    turns = store.turns([hit.row for hit in hits])
    covered = _covered(
        [turns[hit.row].searchable for hit in hits[:_BEST] if hit.row in turns], words
    )
    return [
        _Found(hit.row, turns[hit.row], turn_factors(match_of(hit.score, hits[0].score, covered)))
        for hit in hits
        if hit.row in turns and memories.isdisjoint(drawn.get(hit.row, ()))
    ]


def _covered(texts: Sequence[str], words: Sequence[str]) -> float:
    """The largest share of the query's words that one of `texts` has."""
    return max((len(matched(text, words)) / len(words) for text in texts), default=0.0)


def matched(text: str, words: Sequence[str]) -> list[str]:
    """The words of the query that the text, which was found by one of them, has."""
    if len(words) == 1:
        return list(words)
    return among(words, set(index_words(text[:_COMPARED])))


def _item(found: _Found, query: str, words: Sequence[str], sources: tuple[Source, ...]) -> Item:
    one = found.one
    has = matched(one.searchable, words)
    text = snippet(one.content, has)
    score = round(found.factors.score, 4)
    typed = spoken(query[:_COMPARED], has)
    why: dict[str, object] = {"words": typed, "match": round(found.factors.match, 4)}
    if isinstance(one, Turn):
        source = Source(session=one.session, turn=one.id)
        why = {"route": "journal", **why, "speaker": one.speaker or one.role, "origin": one.origin}
        return Item(one.ref, "turn", text, score, one.at, "active", (source,), why)
    why = {
        "route": "memories", **why, "importance": one.importance,
        "strength": round(one.strength, 4), "trust": one.trust,
    }  # fmt: skip
    at = one.valid_from or one.created_at
    return Item(one.id, one.kind, text, score, at, one.state, sources, why, one.tags)


def _elapsed(started: float) -> float:
    return round((perf_counter() - started) * 1000, 3)
