"""Weighs the words of a question: its subject counts more than how it asks.

"How many days had passed between the wedding and …" is about the wedding. `many`, `days` and
`passed` only say what kind of answer is wanted, and occur in half of all conversations. They count
half. Words that mean nearly the same as one in the question (`text/related.py`) count a third.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from loxodon.store import Having
from loxodon.text.words import index_words

LIGHT = 0.5  # What a word of the asking counts

# As the index has them: stems of English words, pairs of Chinese characters.
_ASKING = frozenset(
    """
    mani much day week month year hour time long pass total number amount differ kind type sort
    first last recent past current event happen name say tell describ mention ask talk discuss
    thing someth one two three few most ago prior previous initi origin
    former combin includ like common both get take
    时候 时间 来着 那个 这个 个人 的是 是在 我的 我是 的人 一个 一下 知道 告诉 记得 现在 发生
    生了 做了 我做 我干 干了 做过
    """.split()  # noqa: SIM905  a block of words is easier to read and to keep than a list
)


# Words that lead a search; of a long message the rarest, and the others weigh what these find
LEADING = 48


class Terms(NamedTuple):
    """What is looked for, word by word."""

    # What the question is about; what it asks with, where there is nothing else
    words: tuple[str, ...]
    light: tuple[str, ...] = ()
    # Words of much the same meaning, each with how much the same
    related: tuple[tuple[str, float], ...] = ()
    # How many times a message has each of its words that it has more than once
    often: Mapping[str, int] = MappingProxyType({})

    @property
    def leading(self) -> tuple[str, ...]:
        """The words that search an index: all, or the first of those of a long message."""
        return self.words[:LEADING]

    def rarest_first(self, having: Having) -> Terms:
        """The same with the rarest words leading, where not all can; of equals the last said."""
        if len(self.words) <= LEADING:
            return self
        counts = having.counts
        # A word that nothing has leads nowhere.
        last = {word: -n for n, word in enumerate(self.words)}
        order = sorted(last, key=lambda word: (counts.get(word) or having.rows, last[word]))
        return self._replace(words=tuple(order))

    @property
    def all(self) -> tuple[str, ...]:
        return self.words + self.light


def terms_of(
    words: Sequence[str], related: Sequence[tuple[str, float]] = (), *, told: str = ""
) -> Terms:
    """The words of a question, told apart; in a message that is `told`, none of them only asks."""
    if told:
        counted = Counter(index_words(told))
        often = {word: counted[word] for word in words if counted[word] > 1}
        return Terms(tuple(words), (), tuple(related), often)
    light = tuple(word for word in words if word in _ASKING)
    telling = tuple(word for word in words if word not in _ASKING)
    if not telling:
        return Terms(light, (), tuple(related))
    return Terms(telling, light, tuple(related))


def is_light(words: Sequence[str]) -> bool:
    """Whether words only ask, and tell nothing of what is asked for."""
    return all(word in _ASKING for word in words)


def worth_of(terms: Terms, having: Having) -> Mapping[str, float]:
    """What each word tells: the rarer the more, as bm25 has it."""
    # What comes up again and again in a message is what it is about; as bm25 has it for texts
    found = {
        word: rarity(having, word) * saturated(float(terms.often.get(word, 1)), 1.0, 1.0)
        for word in terms.words
    }
    return found | {word: LIGHT * rarity(having, word) for word in terms.light}


def rarity(having: Having, word: str) -> float:
    """How much it tells that a text has `word`."""
    count = having.counts.get(word, 0.0)
    return math.log(1 + (having.rows - count + 0.5) / (count + 0.5)) if having.rows else 1.0


def saturated(times: float, length: float, mean: float) -> float:
    """What a word that a text has so many times adds, as bm25 has it; 1 for an average text."""
    return times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))
