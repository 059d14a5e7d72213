"""How much two short sentences say the same.

Sentences are compared by what they are about: Latin words by their stems, Chinese by its
characters, without those that only hold a sentence together. Numbers are kept apart, because the
same sentence with another number says something new.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache, lru_cache

from loxodon.text.words import fold, index_words
from loxodon.values import NamedTuple

_GRAMMAR = frozenset(
    "的了在是我你他她它们有和跟与就都也很还又再把被给对从到向让而且或及所以因为着吗呢吧啊呀嘛么"
    "这那个些之其用户会要能可将已经正某于以为不没"
)
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
    numbers = frozenset(_number().findall(folded))
    rest = _number().sub(" ", folded)
    words = {word for word in index_words(rest) if word.isascii() and word not in _PLAIN}
    words |= {c for c in rest if "\u4e00" <= c <= "\u9fff" and c not in _GRAMMAR}
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
    if not wanted:
        return 0.0
    return len(wanted & (gist(a).words | gist(a).numbers)) / len(wanted)


def unit(weights: Mapping[str, float]) -> dict[str, float]:
    """What words weigh in a text, as a vector of length 1."""
    size = math.sqrt(sum([weight * weight for weight in weights.values()])) or 1.0
    return {word: weight / size for word, weight in weights.items()}


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How much two such vectors have in common: from 0 to 1."""
    return sum(weight * other[word] for word, weight in one.items() if word in other)


@cache
def _number() -> re.Pattern[str]:
    return re.compile(
        rf"\d+(?:[.,:]\d+)*|[{_NUMERALS}]{{1,16}}(?=[个岁年月日号点块元斤度分只次杯天周万千百成])"
    )
