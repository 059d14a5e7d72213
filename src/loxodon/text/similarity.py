"""How much two short sentences say the same.

By what they are about (`gist`, `likeness`, `covers`): Latin words by their stems, Chinese by its
characters, without those that only hold a sentence together. Numbers are kept apart, because the
same sentence with another number says something new. This tells what is near, never what is so:
`Anna reports to Bob` and `Bob reports to Anna` are about the same.

By what they say (`sense`, `opposed`): every word that can change the meaning, in order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from loxodon.text.wordlists import CHINESE_LINKING, OPPOSITES, PAST, pairs_of, words_of
from loxodon.text.words import fold, index_words, stem_of

_NUMERALS = "零〇一二两三四五六七八九十百千万亿半"
_PLAIN = frozenset({"user", "the", "now", "also", "current", "still", "new", "they", "their"})


class Gist(NamedTuple):
    """What a sentence is about."""

    words: frozenset[str]
    numbers: frozenset[str]


@lru_cache(maxsize=4_096)
def gist(text: str) -> Gist:
    """What `text` is about: its content words (stems, Chinese characters) and its numbers."""
    folded = fold(text)
    numbers = frozenset(_NUMBER.findall(folded))
    rest = _NUMBER.sub(" ", folded)
    words = {word for word in index_words(rest) if word.isascii() and word not in _PLAIN}
    words |= {c for c in rest if "\u4e00" <= c <= "\u9fff" and c not in CHINESE_LINKING}
    return Gist(frozenset(words), numbers)


def likeness(a: str, b: str) -> float:
    """From 0 (nothing in common) to 1 (about the same things), numbers left aside."""
    one, other = gist(a).words, gist(b).words
    if not one or not other:
        return 1.0 if fold(a) == fold(b) else 0.0
    return len(one & other) / len(one | other)


def covers(a: str, b: str) -> float:
    """The share of what `b` is about that `a` is about too, numbers included."""
    wanted = gist(b).words | gist(b).numbers
    return len(wanted & (gist(a).words | gist(a).numbers)) / max(1, len(wanted))


@lru_cache(maxsize=4_096)
def sense(text: str) -> tuple[str, ...]:
    """What `text` says, word by word: without stop words that change nothing, words by their base
    form, each past form as such.

    Two sentences say the same only where their senses are equal: the same words, numbers and
    directions in one order, beyond stop words and inflection.
    """
    # `doesn't` as `does not`, and one sign for less than nothing
    folded = fold(text).replace("can't", "can not").replace("won't", "will not")
    contracted = folded.replace("cannot", "can not").replace("n't", " not").replace("−", "-")
    words = [_EXPANDED.get(one, one) for one in _SENSE_PART.findall(contracted)]
    found = []
    for word, following in zip(words, [*words[1:], ""], strict=False):
        ends = not following or following in _DIVIDERS
        progressive = word in _BE and following.endswith("ing")
        if word not in _EMPTY and not progressive and not (word == "了" and ends):
            found.append(_base(word))
    return tuple(found)


def opposed(a: str, b: str) -> bool:
    """Whether two sentences about the same say two things: what both name stands in another order
    (who lends to whom, from where to where), or one has the opposite of a word of the other."""
    one, other = sense(a), sense(b)
    first, second = frozenset(one), frozenset(other)
    orders = ([w for w in dict.fromkeys(some) if w in first & second] for some in (one, other))
    if next(orders) != next(orders):
        return True
    lost, new = first - second, second - first
    return any(pair & lost and pair & new for pair in OPPOSITES)


# Words and signs without which a sentence says the same
_EMPTY = words_of("sense_empty")
_DIVIDERS = frozenset('.,;!?。，；！？”"')
_BE = ("am", "is", "are", "be")
_EXPANDED = {"'s": "is", "'re": "are", "'m": "am", "'ve": "have", "'ll": "will"}
_FORMS = pairs_of("sense_forms")
# Of inflection; what has another ending is another word: `universe` and `university`
_ENDINGS = frozenset(["", "s", "es", "e", "y", "ie", "ies", "ing", "ed", "d", "ied"])


@lru_cache(maxsize=8_192)
def _base(word: str) -> str:
    """A word in the form that it is compared by; `paid` and `pays` are two."""
    if word in _FORMS or not (word.isascii() and word.isalpha()):
        return _FORMS.get(word, word)
    stem = stem_of(word)
    if not stem:
        return word
    past = "<" if word in PAST or (word.endswith("ed") and stem != word) else ""
    if word in PAST:
        return stem + past
    root = stem[:-1] + "y" if stem.endswith("i") and word.startswith(stem[:-1] + "y") else stem
    shared = next((n for n, c in enumerate(word) if root[n : n + 1] != c), len(word))
    ending = word[shared:].removeprefix(root[-1:]) if shared == len(root) else word[shared:]
    return stem + past if ending in _ENDINGS else word.removesuffix("s")


# A number with its sign, a word, the end of a short form, or one other character
_SENSE_PART = re.compile(r"(?:(?<!\w)-)?\d+(?:[.,:]\d+)*|[a-z]+|'(?:s|re|m|ve|ll|d)\b|[^\s\w]|\w")


def unit(weights: Mapping[str, float]) -> dict[str, float]:
    """What words weigh in a text, as a vector of length 1."""
    size = math.sqrt(sum([weight * weight for weight in weights.values()])) or 1.0
    return {word: weight / size for word, weight in weights.items()}


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How much two such vectors have in common: from 0 to 1."""
    return sum(weight * other[word] for word, weight in one.items() if word in other)


_NUMBER = re.compile(
    rf"\d+(?:[.,:]\d+)*|[{_NUMERALS}]{{1,16}}(?=[个岁年月日号点块元斤度分只次杯天周万千百成])"
)
