"""Decides whether the results can answer the question.

A memory of the very attribute that is asked for answers. For the rest, the measure is how much of
the question the best results contain, weighted by word rarity; in a larger journal, more of it is
found by chance. Nothing is hidden because of this: the answer is marked as unsure (docs/recall.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from loxodon.recall.asked_attributes import asked_attributes
from loxodon.recall.fuse import is_light, rarity
from loxodon.recall.look import Found, Key, Look
from loxodon.recall.order import Linked
from loxodon.store import Having
from loxodon.text.related import SAME, related
from loxodon.text.words import index_words, query_words

_LOOKED_AT = 10
_LEAST = 0.26  # share of a question that must be found in a journal of `_SMALL` turns
_SMALL = 500
_MORE = 0.12  # added to that share for ten times as many turns
_WITH_UNKNOWN_NAME = 0.45
_LEAST_PAIRS = 0.075  # the same for pairs of characters, most of which cross two words
_BESIDE = 0.6  # what a word counts that a neighbour has
_COMMON = 0.5
_MEANT = 2.0  # spreads, above what counts at all, by which a text in other words must be closer
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+\b")


def is_unsure(look: Look, ranked: Sequence[Linked]) -> bool:
    """Whether the best findings have so little of the question that they may be chance."""
    question, best = look.question, [one.found for one in ranked[:_LOOKED_AT]]
    if not best or question.tells:
        return not best
    if any(found.parts.get("meaning", 0.0) >= _MEANT for found in best):
        return False
    wanted = asked_attributes(question)
    for one in ranked[:3]:  # filed under what is asked for, or found by the time that is named
        rows = one.others if one.found.key.is_turn else ()
        for found in (one.found, *(look.pool[Key("memories", row)] for row in rows)):
            record = found.record
            if record is not None and wanted.get((record.subject, record.attribute)):
                return False
            if found.parts.get("then", 0.0) + found.parts.get("last", 0.0) >= 0.5:
                return False
    if question.language == "zh":  # words that only ask tell nothing of what is asked for
        shares = [
            _share(look, best, [([word], rarity(having, word)) for word in terms.words], having)
            if not is_light(terms.words)
            else 0.0
            for terms, having in look.each
        ]
        return min(shares) < _LEAST_PAIRS
    keywords = [words for key in question.keywords if (words := query_words(key))]
    keywords = keywords or [list(question.words)]
    asked = sorted({word for words in keywords for word in words})
    having = look.store.having("turns", asked)
    worth = [
        (words, max(rarity(having, word) for word in words) * (0.5 if is_light(words) else 1.0))
        for words in keywords
    ]
    covered = 0.0 if is_light(asked) else _share(look, best, worth, having)
    least = _LEAST + _MORE * math.log10(max(having.rows, _SMALL) / _SMALL)
    return covered < least or (covered < _WITH_UNKNOWN_NAME and _has_unknown_name(look))


def _share(
    look: Look, best: Sequence[Found], groups: Sequence[tuple[Sequence[str], float]], having: Having
) -> float:
    """The largest share of groups of words, each with what it tells, that a finding has: itself or,
    less, a neighbour, in these words or in others for the same."""
    same = {
        word: [other for other, part in related(word) if part == SAME and " " not in other]
        for words, _ in groups
        for word in words
    }
    others = dict.fromkeys(other for some in same.values() for other in some)
    lists = {**look.store.having("turns", list(others)).lists, **having.lists}
    beside = look.store.beside([one.key.row for one in best if one.key.is_turn])

    def has(found: Found, word: str) -> float:
        if not found.key.is_turn:
            return float(word.rstrip("*") in found.said or word in found.words)
        rows = lists.get(word)
        if rows is None:
            return _COMMON
        if found.key.row in rows:
            return 1.0
        before, after = beside.get(found.key.row, ((), ()))
        return _BESIDE if any(row in rows for row in (*before[:1], *after[:1])) else 0.0

    def covered(found: Found) -> float:
        total = 0.0
        for words, value in groups:
            parts = [max(has(found, other) for other in (word, *same[word])) for word in words]
            total += value * sum(parts) / len(words)
        return total

    return max(map(covered, best)) / (sum(value for _, value in groups) or 1.0)


def _has_unknown_name(look: Look) -> bool:
    """Whether the question names someone or something that was never spoken of."""
    if look.where.audience is not None:
        return False  # whether a name is known may be private
    names = _NAME.findall(look.question.text)
    words = [word for name in names for word in index_words(name)[:1]]
    if not words:
        return False
    said, noted = (look.store.having(index, words).counts for index in ("turns", "chunks"))
    return any(said[word] == 0 and noted[word] == 0 for word in words)
