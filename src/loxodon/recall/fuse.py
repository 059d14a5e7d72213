"""Fuse: what routes find, put on one scale and added up.

The weights of the parts were fitted on labelled conversations of several kinds
(`tools/fit_ranking.py`, docs/benchmarks.md). The sets have no evidence on the parts that find
memories and notes; these weights were set by hand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from loxodon.store import Having, Note, Place
from loxodon.text.words import index_words
from loxodon.types import Record

Parts = Mapping[str, float]

_HAND = {
    "attribute": 1.2,
    "since": 0.5,
    "label": 0.1,
    "trigger": 0.3,
    "last": 1.2,
    "all questions": 1.0,
}
# For a question
ASKED: Parts = _HAND | {
    "words": 1.0,
    "related": 0.35,
    "around": 1.0,
    "alike": 1.12,
    "meaning": 0.3,
    "setting": 0.12,
    "time": 0.3,
    "then": 0.4,
}
# For a message or a piece of dialogue, in which what is told is looked for too
TOLD: Parts = _HAND | {
    "words": 1.0,
    "related": 0.175,
    "around": 0.0,
    "alike": 0.0,
    "meaning": 0.7,
    "setting": 0.0,
    "time": 0.0,
    "then": 0.0,
}
BY_ASSISTANT = 0.35  # what an assistant said counts so much, unless it is asked for what it said
NAMED = 1.92  # what someone said counts so much more where the question names them
IN_TIME = 1.4  # what lies in the time that the question names counts so much more
# Share of what a question's words tell that a match must have for words to count in full beside
# meaning: words that lead nowhere must not stand above what was meant
CARRIED = 0.9


# --- What is found --------------------------------------------------------------------------------


class Key(NamedTuple):
    """A turn, a memory or a note."""

    is_turn: bool
    row: int
    is_note: bool = False

    @property
    def is_memory(self) -> bool:
        return not self.is_turn and not self.is_note


def note_key(row: int) -> Key:
    return Key(False, row, True)


class Found:
    """Something found: what each route gave, and what came of it."""

    place: Place | None = None
    record: Record | None = None
    note: Note | None = None
    words: frozenset[str] = frozenset()  # of the question, that a label of it says
    until: datetime | None = None  # of a turn: until when what it says of the question held
    again = 0  # of a turn: when a later one spoke of the same thing, as `Place.at`
    score = 0.0

    def __init__(self, key: Key) -> None:
        self.key = key
        self.parts: dict[str, float] = {}  # what each route found, unweighted
        self.routes: dict[str, float] = {}  # what that counts
        self.factors: dict[str, float] = {}

    @cached_property
    def said(self) -> frozenset[str]:
        """The words of a memory or a note, as an index has them."""
        what = self.record or self.note
        return frozenset(index_words(what.searchable)) if what else frozenset()

    @property
    def kind(self) -> str:
        if self.record is not None:
            return self.record.kind
        return "note" if self.key.is_note else "turn"

    @property
    def id(self) -> str:
        if self.record is not None:
            return self.record.id
        return f"n_{self.key.row}" if self.key.is_note else f"t_{self.key.row}"

    def add(self, route: str, part: float, weights: Parts) -> None:
        """Count what a route found."""
        share = part * weights[route]
        self.parts[route] = self.parts.get(route, 0.0) + part
        self.routes[route] = self.routes.get(route, 0.0) + share
        self.score += share

    def weigh(self, factor: str, by: float) -> None:
        self.factors[factor] = self.factors.get(factor, 1.0) * by
        self.score *= by


Pool = dict[Key, Found]
Shares = dict[Key, dict[str, float]]  # what each way of finding something gave, unweighted


def order(found: Found) -> tuple[float, bool, int]:
    """The best first; of equals a memory, then the newer."""
    return (-found.score, not found.key.is_memory, -found.key.row)


def fuse(pool: Pool, each: Sequence[tuple[Shares, float]], weights: Parts) -> None:
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
        scaled.append((shares, 1 / max(best, CARRIED * whole)))
    for key, found in pool.items():
        own = [(shares.get(key, {}), scale) for shares, scale in scaled]
        sums = [
            scale * sum(value * weights[name] for name, value in parts.items())
            for parts, scale in own
        ]
        best_parts, scale = own[sums.index(max(sums))]
        # The best that it is for any of the questions, and what it is for all together.
        part = 1.0 if len(own) == 1 else 0.5
        for name, value in best_parts.items():
            found.add(name, value * scale * part, weights)
        if len(own) > 1:
            found.add("all questions", sum(sums) / len(sums) / 2, weights)


# --- What words tell ------------------------------------------------------------------------------

LIGHT = (
    0.5  # what a word of the asking counts: "how many days had passed between the wedding and …"
)
LEADING = (
    48  # words that lead a search; of a long message the rarest, the others weigh what is found
)
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


class Terms(NamedTuple):
    """What is looked for, word by word."""

    words: tuple[
        str, ...
    ]  # what the question is about; what it asks with, if there is nothing else
    light: tuple[str, ...] = ()
    related: tuple[tuple[str, float], ...] = ()  # other words for the same, and how much the same
    often: Mapping[str, int] = MappingProxyType({})  # how often a message has what it repeats

    @property
    def all(self) -> tuple[str, ...]:
        return self.words + self.light

    @property
    def leading(self) -> tuple[str, ...]:
        return self.words[:LEADING]


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
    return found | {word: LIGHT * rarity(having, word) for word in terms.light}


def rarity(having: Having, word: str) -> float:
    """How much it tells that a text has `word`."""
    count = having.counts.get(word, 0.0)
    return math.log(1 + (having.rows - count + 0.5) / (count + 0.5)) if having.rows else 1.0


def saturated(times: float, length: float, mean: float) -> float:
    """What a word that a text has so many times adds, as bm25 has it; 1 for an average text."""
    return times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))
