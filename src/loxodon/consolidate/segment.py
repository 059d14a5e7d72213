"""Segments: stretches of a conversation that are about one thing.

A pause of over half an hour cuts, and so does a change of topic: either somebody says so
(`换个话题`, `on another note`), or the words do. Exchanges (what a user says and what is answered)
are compared by their words: where those before a place hang together, those after it do, and the
two sides have next to nothing in common, the topic has changed. Nothing is cut between a question
and its answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import takewhile
from math import log
from typing import NamedTuple

from loxodon.consolidate.denoise import (
    Sentence,
    is_question,
    is_small_talk,
    kept,
    sayable,
    sentences_of,
)
from loxodon.text.keywords import quick
from loxodon.text.language import language_of
from loxodon.text.similarity import cosine, unit
from loxodon.text.wordlists import CHINESE_CHARACTERS, CHINESE_PROTECTED, CHINESE_WORDS, FILLERS
from loxodon.text.words import index_words
from loxodon.types import GENERAL_TOPIC, ROLES, Turn

PAUSE = timedelta(minutes=30)
_LEAST = 3  # Turns on either side of a change that only the words show
_LEAST_ANNOUNCED = 2  # Turns before a change that somebody announces
_WINDOW = 3  # Exchanges on either side that are compared
# Two sides are apart if they have no more in common than this share of what each has within
_APART = 0.15
_HINTED_APART = 0.6  # The same where a word such as `对了` hints at a change
_TOGETHER = 0.02  # How alike exchanges must be for their topic to be known by their words
# Words of an exchange that are compared, the most telling ones: long answers have hundreds
_MOST_WORDS = 60
_LEAST_TAGS, _MOST_TAGS, _LONGEST_TAG = 3, 6, 40
_TOPIC_CHARACTERS, _TOPIC_WORDS = 12, 4

_OPENINGS = (
    r"(?>(?:ok|okay|oh|and|so|right|alright|well|thanks|thank you|cool|great|perfect|now|hey|also"
    r"|嗯|哦|好的?|行|那|诶|哎)[\s,，.。!！]+)*+"
)
_ANNOUNCED = re.compile(
    rf"{_OPENINGS}(?:"
    r"(?:on |in )?(?:a |an )?(?:(?:complete|total|entire|slight)ly )?"
    r"(?:different|another|unrelated|separate|new|side) "
    r"(?:topic|subject|note|question|matter|thing|issue)\b"
    r"|(?:(?:complete|total)ly )?unrelated(?:ly)?(?: but\b|[:,;—-])"
    r"|chang(?:e|ing) (?:of |the )(?:topic|subject)|switching (?:gears|topics?)|off[- ]topic"
    r"|(?:can we |let'?s )?(?:just )?(?:talk|chat) about something else|next (?:topic|question)"
    r"|(?:我们|咱们?|来|再)?(?:换一?个|新|另外?一?个|下一个)(?:话题|问题|事)|题外话"
    r"|(?:我们|咱们?|来|再)?[说聊问讲][点个些到聊]?别的|先?不[说聊谈提]这[个些]?了?"
    r"|[跟和]你[说讲][个件]事|还有[个件]?一?[个件]?[事问]"
    r")",
    re.IGNORECASE,
)
_HINTED = re.compile(
    rf"{_OPENINGS}(?:对了|话说|突然想[起到]|by the way\b|btw\b|speaking of\b)", re.IGNORECASE
)


class TurnSegment(NamedTuple):
    """Turns of one session that are about one thing."""

    session: str
    turns: tuple[Turn, ...]
    started: datetime
    ended: datetime
    # A few words (12 characters or 4 words at most); `_general` where it is about nothing
    topic: str
    tags: tuple[str, ...]  # Its keywords, at most six, best first
    text: str  # What is left without noise: a line for each turn, after `> ` where no user said it


class _Read(NamedTuple):
    """A turn with its sentences: each is looked at once, for the cuts and for the noise."""

    turn: Turn
    sentences: Sequence[Sentence]

    def opens_with(self, pattern: re.Pattern[str]) -> bool:
        """Whether a turn opens so; a word of thanks may come first."""
        return any(pattern.match(one.text) for one in self.sentences[:2])


def said_in(turn: Turn) -> Sequence[Sentence]:
    """The sentences of a turn."""
    return sentences_of(turn.content, turn.role == "user")


def segments(
    turns: Sequence[Turn], sentences: Callable[[Turn], Sequence[Sentence]] = said_in
) -> list[TurnSegment]:
    """The segments of one session, whose turns are in order; every turn is in one of them."""
    read = [_Read(turn, sentences(turn)) for turn in turns]
    pauses = [n for n in range(1, len(turns)) if turns[n].at - turns[n - 1].at > PAUSE]
    stretches = [read[a:b] for a, b in zip([0, *pauses], [*pauses, len(read)], strict=True)]
    return [_segment(part) for one in stretches if one for part in _by_topic(one)]


# Changes of topic


def _by_topic(turns: Sequence[_Read]) -> Iterator[Sequence[_Read]]:
    """A stretch without a pause, cut where its topic changes."""
    talk = _Talk(turns)
    first = 0
    for n in range(1, len(talk.starts)):
        if talk.changes(first, n):
            yield turns[talk.starts[first] : talk.starts[n]]
            first = n
    yield turns[talk.starts[first] :]


class _Talk:
    """A stretch of turns as exchanges."""

    def __init__(self, turns: Sequence[_Read]) -> None:
        self._turns = turns
        # The turn that each exchange begins with
        self.starts = [0, *(n for n in range(1, len(turns)) if _begins(turns[n - 1], turns[n]))]
        exchanges = [turns[a:b] for a, b in zip(self.starts, [*self.starts[1:], None], strict=True)]
        counts = [
            Counter(w for read in one for s in read.sentences for w in s.words if _tells(w))
            for one in exchanges
        ]
        having = Counter(word for one in counts for word in one)
        self._vectors = []
        for one in counts:
            total = len(counts) + 1
            rare = {w: (1 + log(n)) * log(1 + total / having[w]) for w, n in one.items()}
            heaviest = sorted(rare.items(), key=lambda item: -item[1])[:_MOST_WORDS]
            self._vectors.append(unit(dict(heaviest)))
        self._alike = cache(lambda i, j: cosine(self._vectors[i], self._vectors[j]))

    def changes(self, first: int, n: int) -> bool:
        """Whether the topic that began with exchange `first` ends before exchange `n`."""
        opening = self._turns[self.starts[n]]
        enough = self.starts[n] - self.starts[first] >= _LEAST_ANNOUNCED
        if opening.opens_with(_ANNOUNCED):
            return enough
        if opening.opens_with(_HINTED):
            common, within = self._cohesion(first, n)
            return enough and common <= max(_TOGETHER, _HINTED_APART * within)
        # Next to the place where it does change the words are nearly as far apart: of places that
        # are too near for two changes the clearest counts.
        clear, others = self._clearness(first, n), range(n + 1, len(self.starts))
        near = takewhile(lambda m: self.starts[m] - self.starts[n] < _LEAST, others)
        return clear > 0.0 and all(clear >= self._clearness(first, m) for m in near)

    def _clearness(self, first: int, n: int) -> float:
        """How clearly the words before and after exchange `n` are of two topics; 0: not at all."""
        start = self.starts[n]
        if min(start - self.starts[first], len(self._turns) - start) < _LEAST:
            return 0.0
        common, within = self._cohesion(first, n)
        apart = within >= _TOGETHER and common <= _APART * within
        return within - common if apart else 0.0

    def _cohesion(self, first: int, n: int) -> tuple[float, float]:
        """How alike exchanges are across the place before `n`, and on either side, on average."""
        left = range(max(first, n - _WINDOW), n)
        right = range(n, min(len(self.starts), n + _WINDOW))
        across = [self._alike(i, j) for i in left for j in right]
        within = [self._alike(i, j) for side in (left, right) for i in side for j in side if i < j]
        return sum(across) / len(across), sum(within) / len(within) if within else 0.0


def _begins(before: _Read, read: _Read) -> bool:
    """Whether an exchange begins with `read`: a user says it, and not in answer to a question."""
    if read.turn.role != "user":
        return False
    same = (before.turn.role, before.turn.speaker) == (read.turn.role, read.turn.speaker)
    if same or not is_question(before.turn.content) or read.opens_with(_ANNOUNCED):
        return True
    return any(is_question(one.text) for one in read.sentences)


def _tells(word: str) -> bool:
    """Whether a word says something of a topic."""
    if word in _generic():
        return False
    if word[0] < "\u3400":
        return len(word) > 2 and not word.isdigit()
    return len(word) > 1 and (word in CHINESE_PROTECTED or CHINESE_CHARACTERS.isdisjoint(word))


@cache
def _generic() -> frozenset[str]:
    """Words that people use about anything, as `index_words` has them."""
    return CHINESE_WORDS.union(*map(index_words, FILLERS))


# What a segment is about


def _segment(turns: Sequence[_Read]) -> TurnSegment:
    sentences = [(read.turn, one) for read in turns for one in read.sentences]
    chosen = [sentences[n] for n in kept([one for _, one in sentences])]
    # The keywords of what the user said; of what others said, where that gives too few
    tags = _keywords(one.text for _, one in chosen if one.own)
    if len(tags) < _LEAST_TAGS:
        tags += _keywords(one.text for _, one in chosen if not one.own)
        tags = list(dict.fromkeys(tags))[:_LEAST_TAGS]
    return TurnSegment(
        session=turns[0].turn.session,
        turns=tuple(read.turn for read in turns),
        started=turns[0].turn.at,
        ended=turns[-1].turn.at,
        topic=next(filter(_is_short, tags), GENERAL_TOPIC),
        tags=tuple(tags),
        text=_text(chosen),
    )


def _keywords(sentences: Iterable[str]) -> list[str]:
    found = quick("\n".join(map(sayable, sentences)), _MOST_TAGS)
    return [one for one in found if len(one) <= _LONGEST_TAG and not is_small_talk(one)]


def _is_short(phrase: str) -> bool:
    if language_of(phrase) == "zh":
        return len(phrase) <= _TOPIC_CHARACTERS
    return len(phrase.split()) <= _TOPIC_WORDS


def _text(sentences: Sequence[tuple[Turn, Sentence]]) -> str:
    lines: list[str] = []
    before: Turn | None = None
    for turn, one in sentences:
        if turn is before:
            last, new = lines[-1][-3:], one.text[:3]
            chinese = last[-1] > "\u3000" and new[0] > "\u3000"
            gap = "\n" if "```" in (last, new) else "" if chinese else " "
            lines[-1] += gap + one.text
        else:
            mark = "" if turn.role == "user" else "> "
            named = turn.speaker and turn.speaker not in ROLES
            lines.append(f"{mark}{turn.speaker}: {one.text}" if named else f"{mark}{one.text}")
        before = turn
    return "\n".join(lines)
