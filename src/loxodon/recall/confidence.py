"""Decides whether the results can answer the question.

A search always finds something. A memory of the very attribute that is asked for answers; one that
only tells of it may not. For the rest, the measure is how much of the question the best results
contain, in its words or in others for the same, weighted by word rarity; in a larger journal, more
of it is found by chance. A name that the memory has never seen is a bad sign. Nothing is hidden
because of this: the answer is marked as unsure. A message that tells more than it asks is never
marked, because no result contains much of it (docs/recall.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from loxodon.recall.asked_attributes import asked_attributes
from loxodon.recall.fuse import Found, Key, is_light, rarity
from loxodon.recall.order import Linked
from loxodon.recall.routes import Look
from loxodon.store import Beside, Having
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
    best = [one.found for one in ranked[:_LOOKED_AT]]
    if not best or look.question.tells:
        return not best
    if any(found.parts.get("meaning", 0.0) >= _MEANT for found in best):
        return False
    wanted = asked_attributes(look.question)
    for one in ranked[:3]:  # filed under what is asked for, or found by the time that is named
        memories = [look.pool[Key(False, row)] for row in one.others if one.found.key.is_turn]
        for found in (one.found, *memories):
            record = found.record
            if record is not None and wanted.get((record.subject, record.attribute)):
                return False
            if found.parts.get("then", 0.0) + found.parts.get("last", 0.0) >= 0.5:
                return False
    if not _is_little(look, best, {}, {}, {}):
        return False
    # What stands beside counts too, and what is said in other words: looked up where it may help.
    words = [*look.question.words, *(word for terms, _ in look.each for word in terms.words)]
    same = {
        word: [other for other, part in related(word) if part == SAME and " " not in other]
        for word in dict.fromkeys(words)
    }
    others = dict.fromkeys(other for some in same.values() for other in some)
    lists = look.store.having("turns", list(others)).lists
    beside = look.store.beside([one.key.row for one in best if one.key.is_turn])
    return _is_little(look, best, same, lists, beside)


_Lists = Mapping[str, Mapping[int, object]]


def _is_little(
    look: Look,
    best: Sequence[Found],
    same: Mapping[str, Sequence[str]],
    lists: _Lists,
    beside: Mapping[int, Beside],
) -> bool:
    question = look.question

    def share(groups: Sequence[tuple[Sequence[str], float]], having: Having) -> float:
        """The largest share of groups of words, each with what it tells, that a finding has."""
        whole = sum(value for _, value in groups) or 1.0

        def has(found: Found, word: str) -> float:
            each = [_has(found, word, having.lists, beside)]
            each += [_has(found, other, lists, beside) for other in same.get(word, ())]
            return max(each)

        return (
            max(
                sum(
                    value * sum(has(one, word) for word in words) / len(words)
                    for words, value in groups
                )
                for one in best
            )
            / whole
        )

    if question.language == "zh":
        shares = [
            0.0  # words that only ask tell nothing of what is asked for
            if is_light(terms.words)
            else share([([word], rarity(having, word)) for word in terms.words], having)
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
    found = 0.0 if is_light(asked) else share(worth, having)
    least = _LEAST + _MORE * math.log10(max(having.rows, _SMALL) / _SMALL)
    return found < least or (found < _WITH_UNKNOWN_NAME and _has_unknown_name(look))


def _has(found: Found, word: str, lists: _Lists, beside: Mapping[int, Beside]) -> float:
    """How much a finding has of a word: 1 for itself, less where a neighbour has it."""
    if not found.key.is_turn:
        return float(word.rstrip("*") in found.said or word in found.words)
    rows = lists.get(word)
    if rows is None:
        return _COMMON
    if found.key.row in rows:
        return 1.0
    before, after = beside.get(found.key.row, ((), ()))
    return _BESIDE if any(row in rows for row in (*before[:1], *after[:1])) else 0.0


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
