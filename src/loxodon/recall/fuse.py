"""Fuse: puts what the words of a question find on one scale, and adds it up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from loxodon.recall.look import Pool, Shares, Terms, Weights
from loxodon.store import Having
from loxodon.text.words import index_words

# Share of what a question's words tell that a match must have for words to count in full beside
# meaning: words that lead nowhere must not stand above what was meant
_CARRIED = 0.9
_LIGHT = 0.5  # what a word of the asking counts: "how many days had passed between the wedding and"
# As the index has them: stems of English words, pairs of Chinese characters
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


def fuse(pool: Pool, each: Sequence[tuple[Shares, float]], weights: Weights) -> None:
    """Add what was found for each question of a message, on a scale on which the best match by
    words has 1.

    The best answer to one question counts as much as the best answer to another. Otherwise the
    question with the rarer words would take all the room. Where meaning is looked for too, each
    comes with what the words of the question tell together.
    """
    scaled = []
    for shares, whole in each:
        best = max((parts.get("words", 0.0) for parts in shares.values()), default=0.0)
        best = best or max((sum(parts.values()) for parts in shares.values()), default=0.0) or 1.0
        scaled.append((shares, 1 / max(best, _CARRIED * whole)))
    for key, found in pool.items():
        own = [(shares.get(key, {}), scale) for shares, scale in scaled]
        sums = [
            scale * sum(value * weights[name] for name, value in parts.items())
            for parts, scale in own
        ]
        best_parts, scale = own[sums.index(max(sums))]
        # The best that it is for any of the questions, and what it is for all together
        part = 1.0 if len(own) == 1 else 0.5
        for name, value in best_parts.items():
            found.add(name, value * scale * part, weights)
        if len(own) > 1:
            found.add("all questions", sum(sums) / len(sums) / 2, weights)


# --- What words tell ------------------------------------------------------------------------------


def terms_of(words: Sequence[str], related: Sequence[tuple[str, float]], told: str = "") -> Terms:
    """The words of a question, told apart; in a message that is `told`, none of them only asks."""
    if told:
        counted = Counter(index_words(told))
        often = {word: counted[word] for word in words if counted[word] > 1}
        return Terms(tuple(words), (), tuple(related), often)
    light = tuple(word for word in words if word in _ASKING)
    telling = tuple(word for word in words if word not in _ASKING)
    return Terms(telling or light, light if telling else (), tuple(related))


def is_light(words: Sequence[str]) -> bool:
    """Whether words only ask, and tell nothing of what is asked for."""
    return all(word in _ASKING for word in words)


def worth_of(terms: Terms, having: Having) -> dict[str, float]:
    """What each word tells: the rarer the more, as bm25 has it."""
    found = {
        word: rarity(having, word) * saturated(float(terms.often.get(word, 1)), 1.0, 1.0)
        for word in terms.words
    }
    return found | {word: _LIGHT * rarity(having, word) for word in terms.light}


def rarity(having: Having, word: str) -> float:
    """How much it tells that a text has `word`."""
    count = having.counts.get(word, 0.0)
    return math.log(1 + (having.rows - count + 0.5) / (count + 0.5)) if having.rows else 1.0


def saturated(times: float, length: float, mean: float) -> float:
    """What a word that a text has so many times adds, as bm25 has it; 1 for an average text."""
    return times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))
