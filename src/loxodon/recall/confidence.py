"""Decides whether the results can answer the question.

A search always finds something. A memory of the very attribute that is asked for answers; one that
only tells of it may not. For the rest, the measure is how much of the question the best results
contain, in its words or in others for the same, weighted by word rarity; in a larger journal, more
of it is found by chance. A name that the memory
has never seen is a bad sign. Nothing is hidden because of this: the answer is marked as unsure. A
message that tells more than it asks is never marked, because no result contains much of it, and
no threshold separates related memories from chance (docs/recall.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from loxodon.recall.asked_attributes import asked_attributes
from loxodon.recall.fuse import Found, Key
from loxodon.recall.link import Linked
from loxodon.recall.routes import Seen
from loxodon.recall.terms import is_light, rarity
from loxodon.recall.understand import Question
from loxodon.store import Beside, Filter, Having
from loxodon.store.store import Store
from loxodon.text.related import SAME, related
from loxodon.text.words import index_words, query_words

_LOOKED_AT = 10
_LEAST = 0.26  # Share of a question that must be found in a journal of `_SMALL` turns
_SMALL = 500
_MORE = 0.12  # Added to that share for ten times as many turns
_WITH_UNKNOWN_NAME = 0.45
# The same for pairs of characters, most of which cross from one word to the next
_LEAST_PAIRS = 0.075
_BESIDE = 0.6
_COMMON = 0.5
_MEANT = 0.45  # What vectors must give for an answer in other words
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+\b")


def is_unsure(
    store: Store, question: Question, seen: Seen, ranked: Sequence[Linked], where: Filter
) -> bool:
    """Whether the best findings have so little of the question that they may be chance."""
    best = [one.found for one in ranked[:_LOOKED_AT]]
    if not best:
        return True
    if question.tells:
        return False  # what was found cannot be told from chance
    if any(found.routes.get("meaning", 0.0) >= _MEANT for found in best):
        return False
    wanted = asked_attributes(question)
    if any(_found_otherwise(found, wanted) for one in ranked[:3] for found in _all_of(one, seen)):
        return False
    if not _is_little(store, question, seen, best, where, _Also()):
        return False
    # What stands beside counts too, and what is said in other words: looked up where it may help.
    words = [*question.words, *(word for terms, _ in seen.each for word in terms.words)]
    same = {
        word: [other for other, part in related(word) if part == SAME and " " not in other]
        for word in dict.fromkeys(words)
    }
    others = dict.fromkeys(other for some in same.values() for other in some)
    beside = store.beside([one.key.row for one in best if one.key.is_turn])
    also = _Also(beside, same, store.having("turns", list(others)).lists)
    return _is_little(store, question, seen, best, where, also)


class _Also(NamedTuple):
    """What counts beside the words of a finding itself."""

    beside: Mapping[int, Beside] = MappingProxyType({})
    # Other words for those of the question; not kinds of a thing, which it may not be
    same: Mapping[str, Sequence[str]] = MappingProxyType({})
    # The turns that have these other words
    lists: Mapping[str, Mapping[int, object]] = MappingProxyType({})


def _is_little(
    store: Store, question: Question, seen: Seen, best: Sequence[Found], where: Filter, also: _Also
) -> bool:
    if question.language == "zh":
        # For each thing asked, the largest share of its pairs that one finding has
        shares = []
        for terms, having in seen.each:
            if is_light(terms.words):
                shares.append(0.0)  # words that only ask tell nothing of what is asked for
                continue
            worth = {word: rarity(having, word) for word in terms.words}
            whole = sum(worth.values()) or 1.0
            most = 0.0
            for one in best:
                has = _has(one, having, also)
                most = max(most, sum(part * has(word) for word, part in worth.items()))
            shares.append(most / whole)
        return min(shares) < _LEAST_PAIRS
    share, rows = _words_found(store, question, best, also)
    least = _LEAST + _MORE * math.log10(max(rows, _SMALL) / _SMALL)
    return share < least or (share < _WITH_UNKNOWN_NAME and _unknown_name(store, question, where))


def _all_of(one: Linked, seen: Seen) -> Iterator[Found]:
    """What is shown, and the memories that a turn is shown for."""
    yield one.found
    if one.found.key.is_turn:
        yield from (seen.pool[Key(False, row)] for row in one.others)


def _found_otherwise(found: Found, wanted: Mapping[tuple[str, str], bool]) -> bool:
    """Whether it was found by what it is filed under, which is what is asked for, or its time."""
    one = found.record
    return (one is not None and wanted.get((one.subject, one.attribute), False)) or found.parts.get(
        "then", 0.0
    ) + found.parts.get("last", 0.0) >= 0.5


def _words_found(
    store: Store, question: Question, best: Sequence[Found], also: _Also
) -> tuple[float, int]:
    """The largest share of the question's keywords that one finding has, and of how many turns."""
    keywords = [(key, query_words(key)) for key in question.keywords]
    keywords = [(key, words) for key, words in keywords if words] or [
        (question.focus, list(question.words))
    ]
    asked = sorted({word for _, words in keywords for word in words})
    having = store.having("turns", asked)
    if is_light(asked):  # words that only ask tell nothing of what is asked for
        return 0.0, having.rows
    worth = [
        (words, max(rarity(having, word) for word in words) * (0.5 if is_light(words) else 1.0))
        for _, words in keywords
    ]
    whole = sum(value for _, value in worth) or 1.0
    shares = []
    for one in best:
        has = _has(one, having, also)
        shares.append(sum(v * sum(map(has, words)) / len(words) for words, v in worth) / whole)
    return max(shares), having.rows


def _has(found: Found, having: Having, also: _Also) -> Callable[[str], float]:
    """How much a finding has of a word: 1 for itself, less beside it or in another word for it."""
    before, after = also.beside.get(found.key.row, ((), ()))
    next_to = (*before[:1], *after[:1])

    def itself(word: str, lists: Mapping[str, Mapping[int, object]]) -> float:
        if found.record is not None or found.note is not None:
            return float(word.rstrip("*") in found.said or word in found.words)
        rows = lists.get(word)
        if rows is None:
            return _COMMON
        if found.key.row in rows:
            return 1.0
        return _BESIDE if any(row in rows for row in next_to) else 0.0

    def has(word: str) -> float:
        others = [itself(other, also.lists) for other in also.same.get(word, ())]
        return max([itself(word, having.lists), *others])

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
