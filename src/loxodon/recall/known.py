"""The memories' route: facts, beliefs and summaries that have the words of the question.

A memory and a turn are scored alike, with the journal's own sense of which words are rare, so that
the scores of the two can be compared: bm25 of two indexes cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from loxodon.recall.terms import LIGHT, Terms, rarity, saturated
from loxodon.store import Filter, Having, Index, Nature, Store
from loxodon.text.words import among, index_words
from loxodon.types import Record

CANDIDATES = 40
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
    now: datetime,
) -> dict[int, Match]:  # fmt: skip
    """Memories of an index that match and have not expired, by row, unweighed."""
    words = [*terms.words, *(word for word, _ in terms.related)]
    rows = [hit.row for hit in store.search(index, words, where, CANDIDATES)]
    return matches(store, rows, terms, having, nature, now)


def matches(
    store: Store, rows: Iterable[int], terms: Terms, having: Having, nature: Nature, now: datetime
) -> dict[int, Match]:
    """How well these memories match."""
    having = _grounded(having)
    found: dict[int, Match] = {}
    for row, record in store.records(rows).items():
        if record.expires_at is None or record.expires_at > now:
            found[row] = _match(record, terms, having, nature)
    return found


def _grounded(having: Having) -> Having:
    """Where nothing was said every word tells the same."""
    return having if having.rows else Having(1, {}, {})


def _match(record: Record, terms: Terms, having: Having, nature: Nature) -> Match:
    said = index_words(record.searchable)
    has = set(said)
    each = saturated(1.0, len(said), nature.words)
    if record.kind == "summary":
        each *= SUMMARY
    own = among(terms.words, has)
    light = among(terms.light, has)
    found = {
        "words": each * (
            sum(rarity(having, word) for word in own)
            + LIGHT * sum(rarity(having, word) for word in light)
        )
    }  # fmt: skip
    other = sum(
        rarity(having, word) * weight
        for word, weight in terms.related
        if has.issuperset(word.split())
    )
    if other:
        found["related"] = RELATED * each * other
    return Match(record, found, frozenset(own) | frozenset(light))


def total(found: Mapping[str, float]) -> float:
    """What all ways of finding something gave together."""
    return sum(found.values())
