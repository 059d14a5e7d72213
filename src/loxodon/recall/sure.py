"""Decides whether the results can answer the question.

A search always finds something. The measure is how much of the question the best results contain,
weighted by word rarity; in a larger journal, more of it is found by chance. A name that the memory
has never seen is a bad sign. Nothing is hidden because of this: the answer is marked as unsure. A
message that tells more than it asks is never marked, because no result contains much of it, and
no threshold separates related memories from chance (docs/recall.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from loxodon.recall.fuse import Found
from loxodon.recall.routes import Seen
from loxodon.recall.terms import is_light, rarity
from loxodon.recall.understand import Question
from loxodon.store import Beside, Filter, Having
from loxodon.text.patterns import lazy
from loxodon.text.words import index_words, query_words

if TYPE_CHECKING:
    from loxodon.store.protocol import Store


_LOOKED_AT = 10
_LEAST = 0.26
"""The share of a question that must be found in a journal of `_SMALL` turns…"""
_SMALL = 500
_MORE = 0.12
"""…and what ten times as many turns add to it."""
_WITH_UNKNOWN_NAME = 0.45
_LEAST_PAIRS = 0.075
"""The same for pairs of characters, most of which cross from one word to the next."""
_BESIDE = 0.6
_COMMON = 0.5
_MEANT = 0.45
"""What vectors must give for an answer in other words."""
_NAME = lazy(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+\b")


def is_unsure(
    store: Store, question: Question, seen: Seen, best: Sequence[Found], where: Filter
) -> bool:
    """Whether the best findings have so little of the question that they may be chance."""
    best = best[:_LOOKED_AT]
    if not best:
        return True
    if question.tells:
        return False  # what was found cannot be told from chance
    if any(found.routes.get("meaning", 0.0) >= _MEANT for found in best):
        return False
    if any(_found_otherwise(found) for found in best[:3]):
        return False
    if not _is_little(store, question, seen, best, where, {}):
        return False
    # What stands beside counts too, and is only looked up where that may help.
    beside = store.beside([one.key.row for one in best if one.key.is_turn])
    return _is_little(store, question, seen, best, where, beside)


def _is_little(
    store: Store,
    question: Question,
    seen: Seen,
    best: Sequence[Found],
    where: Filter,
    beside: Mapping[int, Beside],
) -> bool:
    if question.language == "zh":
        return min(_pairs_found(seen, best, beside)) < _LEAST_PAIRS
    share, rows = _words_found(store, question, best, beside)
    least = _LEAST + _MORE * math.log10(max(rows, _SMALL) / _SMALL)
    return share < least or (share < _WITH_UNKNOWN_NAME and _unknown_name(store, question, where))


def _found_otherwise(found: Found) -> bool:
    """Whether it was found by what it is filed under, or its time."""
    return (
        found.parts.get("attribute", 0.0) > 0
        or found.parts.get("then", 0.0) + found.parts.get("last", 0.0) >= 0.5
    )


def _pairs_found(seen: Seen, best: Sequence[Found], beside: Mapping[int, Beside]) -> list[float]:
    """For each thing asked, the largest share of its pairs that one finding has."""
    shares = []
    for terms, having in seen.each:
        worth = {word: rarity(having, word) for word in terms.words}
        whole = sum(worth.values()) or 1.0
        most = 0.0
        for one in best:
            has = _has(one, having, beside)
            most = max(most, sum(part * has(word) for word, part in worth.items()))
        shares.append(most / whole)
    return shares


def _words_found(
    store: Store, question: Question, best: Sequence[Found], beside: Mapping[int, Beside]
) -> tuple[float, int]:
    """The largest share of the question's keywords that one finding has, and of how many turns."""
    keywords = [(key, query_words(key)) for key in question.keywords]
    keywords = [(key, words) for key, words in keywords if words] or [
        (question.focus, list(question.words))
    ]
    having = store.having("turns", sorted({word for _, words in keywords for word in words}))
    worth = [
        (words, max(rarity(having, word) for word in words) * (0.5 if is_light(words) else 1.0))
        for _, words in keywords
    ]
    whole = sum(value for _, value in worth) or 1.0
    shares = []
    for one in best:
        has = _has(one, having, beside)
        shares.append(sum(v * sum(map(has, words)) / len(words) for words, v in worth) / whole)
    return max(shares), having.rows


def _has(found: Found, having: Having, beside: Mapping[int, Beside]) -> Callable[[str], float]:
    """How much a finding has of a word: 1 for itself, less where it stands beside."""
    if found.record is not None or found.note is not None:
        return lambda word: float(word.rstrip("*") in found.said or word in found.words)
    before, after = beside.get(found.key.row, ((), ()))
    next_to = (*before[:1], *after[:1])

    def has(word: str) -> float:
        rows = having.lists.get(word)
        if rows is None:
            return _COMMON
        if found.key.row in rows:
            return 1.0
        return _BESIDE if any(row in rows for row in next_to) else 0.0

    return has


def _unknown_name(store: Store, question: Question, where: Filter) -> bool:
    """Whether the question names someone or something that was never spoken of."""
    if where.audience is not None:
        return False  # whether a name is known may be private
    words = [word for name in _NAME.findall(question.text) for word in index_words(name)[:1]]
    if not words:
        return False
    said, noted = store.having("turns", words).counts, store.having("chunks", words).counts
    return any(said[word] == 0 and noted[word] == 0 for word in words)
