"""The memories' route: facts, beliefs and summaries that have the words of the question.

A memory and a turn are scored alike, with the journal's own sense of which words are rare, so that
the scores of the two can be compared: bm25 of two indexes cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from loxodon.recall.terms import LIGHT, Terms, rarity, saturated
from loxodon.store import Filter, Having, Index, Nature, Store
from loxodon.text.words import among, index_words
from loxodon.types import Record

CANDIDATES = 30
RELATED = 0.35
"""What a word of much the same meaning counts."""
SUMMARY = 0.3
"""A summary has a little of everything; what it was made of says it better."""


class Match(NamedTuple):
    """A memory that matches, and what each way of finding it gave."""

    record: Record
    found: dict[str, float]
    words: frozenset[str]
    """Those of the question that it has."""


def known(
    store: Store, index: Index, terms: Terms, where: Filter, having: Having, nature: Nature,
    now: datetime, top: int,
) -> dict[int, Match]:  # fmt: skip
    """Memories of an index that match and have not expired, by row, unweighed."""
    related = [word for word, _ in terms.related]
    hits = store.search(index, [*terms.words, *related], where, max(CANDIDATES, 2 * top))
    if not hits:
        return {}
    here = store.having(index, [*terms.all, *related])
    return matches(store, [hit.row for hit in hits], terms, here, having, nature, now)


def matches(
    store: Store, rows: Iterable[int], terms: Terms, here: Having, having: Having, nature: Nature,
    now: datetime,
) -> dict[int, Match]:  # fmt: skip
    """How well these memories match: `here` tells what words they have, `having` how rare those
    are in the journal."""
    having = having if having.rows else Having(1, {}, {})  # nothing was said: all tell the same
    worth = {word: rarity(having, word) for word in terms.words}
    worth |= {word: LIGHT * rarity(having, word) for word in terms.light}
    others = {word: RELATED * weight * rarity(having, word) for word, weight in terms.related}
    found: dict[int, Match] = {}
    for row, record in store.records(rows).items():
        if record.expires_at is None or record.expires_at > now:
            found[row] = _match(row, record, worth, others, here, nature)
    return found


def _match(
    row: int, record: Record, worth: Mapping[str, float], others: Mapping[str, float],
    here: Having, nature: Nature,
) -> Match:  # fmt: skip
    has = _has(row, record, [*worth, *others], here)
    each = saturated(1.0, _length(record.content), nature.words)
    if record.kind == "summary":
        each *= SUMMARY
    own = frozenset(word for word in worth if word in has)
    found = {"words": each * sum(worth[word] for word in own)}
    other = sum(part for word, part in others.items() if word in has)
    if other:
        found["related"] = each * other
    return Match(record, found, own)


def _has(row: int, record: Record, words: Sequence[str], here: Having) -> set[str]:
    """Those of `words` that a memory has; its text is read only for the very common ones."""
    has = {word for word in words if row in here.lists.get(word, ())}
    unlisted = [word for word in words if word not in here.lists]
    if unlisted:
        has.update(among(unlisted, set(index_words(record.searchable))))
    return has


def _length(text: str) -> float:
    """About how many words a text has, without cutting it up."""
    return len(text) / 6 if text.isascii() else float(len(text))


def total(found: Mapping[str, float]) -> float:
    """What all ways of finding something gave together."""
    return sum(found.values())
