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


def said_in(turn: Turn) -> Sequence[Sentence]:
    """The sentences of a turn."""
    return sentences_of(turn.content, turn.role == "user")


def segments(
    turns: Sequence[Turn], sentences: Callable[[Turn], Sequence[Sentence]] = said_in
) -> list[TurnSegment]:
    """The segments of one session, whose turns are in order; every turn is in one of them."""
    read = [_Read(turn, sentences(turn)) for turn in turns]
    return [_segment(part) for stretch in _stretches(read) for part in _by_topic(stretch)]


def _stretches(turns: Sequence[_Read]) -> Iterator[Sequence[_Read]]:
    """Turns without a pause between them."""
    start = 0
    for n in range(1, len(turns)):
        if turns[n].turn.at - turns[n - 1].turn.at > PAUSE:
            yield turns[start:n]
            start = n
    if turns:
        yield turns[start:]


# --- changes of topic ---------------------------------------------------------------------------

_LEAST = 3  # Turns on either side of a change that only the words show
_LEAST_ANNOUNCED = 2  # Turns before a change that somebody announces
# Exchanges on either side that are compared: few, so that a short topic is seen, or more
_WINDOWS = (2, 3)
_REACH = 2 * max(_WINDOWS) - 1
# Two sides are apart if they have no more in common than this share of what each has within
_APART = 0.15
_HINTED_APART = 0.6  # The same where a word such as `对了` hints at a change
_TOGETHER = 0.02  # How alike exchanges must be for their topic to be known by their words
# Words of an exchange that are compared, the most telling ones: long answers have hundreds
_MOST_WORDS = 60

Vector = dict[str, float]


class _Talk(NamedTuple):
    """A stretch of turns as exchanges."""

    turns: Sequence[_Read]
    starts: Sequence[int]  # The turn that each exchange begins with
    # How alike each exchange is to the next, the one after that, and so on, 0 to 1
    alike: Sequence[Sequence[float]]

    def left(self, first: int, n: int) -> int:
        """Turns from exchange `first` to exchange `n`."""
        return self.starts[n] - self.starts[first]

    def right(self, n: int) -> int:
        """Turns from exchange `n` on."""
        return len(self.turns) - self.starts[n]


def _by_topic(turns: Sequence[_Read]) -> Iterator[Sequence[_Read]]:
    """A stretch, cut where its topic changes."""
    starts = [0, *(n for n in range(1, len(turns)) if _begins(turns[n - 1], turns[n]))]
    ends = [*starts[1:], len(turns)]
    # The telling words of each exchange, by how telling they are; each vector of length 1
    counts = [
        Counter(w for read in one for s in read.sentences for w in s.words if _tells(w))
        for one in [turns[a:b] for a, b in zip(starts, ends, strict=True)]
    ]
    having = Counter(word for one in counts for word in one)
    total = len(counts) + 1
    vectors = [
        _heaviest({word: (1 + log(n)) * log(1 + total / having[word]) for word, n in one.items()})
        for one in counts
    ]
    alike = [
        [cosine(one, other) for other in vectors[n + 1 : n + 1 + _REACH]]
        for n, one in enumerate(vectors)
    ]
    talk = _Talk(turns, starts, alike)
    first = 0
    for n in range(1, len(talk.starts)):
        if _changes(talk, first, n):
            yield turns[talk.starts[first] : talk.starts[n]]
            first = n
    yield turns[talk.starts[first] :]


def _begins(before: _Read, read: _Read) -> bool:
    """Whether an exchange begins with `read`: a user says it, and not in answer to a question."""
    if read.turn.role != "user":
        return False
    same = (before.turn.role, before.turn.speaker) == (read.turn.role, read.turn.speaker)
    if same or not is_question(before.turn.content):
        return True
    return _announces(read) or any(
        (is_question(one.text) or _REQUEST.match(one.text) is not None) for one in read.sentences
    )


def _changes(talk: _Talk, first: int, n: int) -> bool:
    """Whether the topic that began with exchange `first` ends before exchange `n`."""
    opening = talk.turns[talk.starts[n]]
    if _announces(opening):
        return talk.left(first, n) >= _LEAST_ANNOUNCED
    if any(_HINTED.match(one.text) for one in opening.sentences[:2]):
        common, within = _cohesion(talk, first, n, max(_WINDOWS), max(_WINDOWS))
        apart = common <= max(_TOGETHER, _HINTED_APART * within)
        return apart and talk.left(first, n) >= _LEAST_ANNOUNCED
    clear = _clearness(talk, first, n)
    return clear > 0.0 and all(clear >= other for other in _rivals(talk, first, n))


def _rivals(talk: _Talk, first: int, n: int) -> Iterator[float]:
    """How clearly the topic changes at the places that would be too near after a cut at `n`.

    Next to the place where it does change the words are nearly as far apart.
    """
    for other in range(n + 1, len(talk.starts)):
        if talk.left(n, other) >= _LEAST:
            return
        yield _clearness(talk, first, other)


def _clearness(talk: _Talk, first: int, n: int) -> float:
    """How clearly the words before and after exchange `n` are of two topics; 0 for not at all."""
    if talk.left(first, n) < _LEAST or talk.right(n) < _LEAST:
        return 0.0
    clear = 0.0
    for before in _WINDOWS:
        for after in _WINDOWS:
            common, within = _cohesion(talk, first, n, before, after)
            if within >= _TOGETHER and common <= _APART * within:
                clear = max(clear, within - common)
    return clear


def _cohesion(talk: _Talk, first: int, n: int, before: int, after: int) -> tuple[float, float]:
    """How alike exchanges are across the place before `n`, and on either side, on average."""
    left = range(max(first, n - before), n)
    right = range(n, min(len(talk.starts), n + after))
    across = [talk.alike[i][j - i - 1] for i in left for j in right]
    within = [
        talk.alike[i][j - i - 1] for side in (left, right) for i in side for j in side if i < j
    ]
    return sum(across) / len(across), sum(within) / len(within) if within else 0.0


def _heaviest(vector: Vector) -> Vector:
    return unit(dict(sorted(vector.items(), key=lambda item: -item[1])[:_MOST_WORDS]))


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


# --- what people say when they change the topic -------------------------------------------------


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


_REQUEST = re.compile(
    rf"{_OPENINGS}(?:(?:pls|please|can you|could you|would you|help|give|make|write|tell|show"
    r"|find|explain|plan|list|translate|summari[sz]e|recommend|suggest|what|how|why|where|when"
    r"|which|who|i need|i want|i'?d like|i would like|i'?m (?:also )?(?:looking|trying|planning"
    r"|thinking))\b|帮|请|麻烦|给我|推荐|写|翻译|列|教我|怎么|如何|为什么|为啥|能不能|可不可以"
    r"|我想)",
    re.IGNORECASE,
)


def _announces(read: _Read) -> bool:
    """Whether a turn says that it is about something else; a word of thanks may come first."""
    return any(_ANNOUNCED.match(one.text) for one in read.sentences[:2])


# --- what a segment is about --------------------------------------------------------------------

_LEAST_TAGS = 3
_MOST_TAGS = 6
_LONGEST_TAG = 40
_TOPIC_CHARACTERS = 12
_TOPIC_WORDS = 4


def _segment(turns: Sequence[_Read]) -> TurnSegment:
    sentences = [(read.turn, one) for read in turns for one in read.sentences]
    chosen = [sentences[n] for n in kept([one for _, one in sentences])]
    tags = _tags([one for _, one in chosen])
    first, last = turns[0].turn, turns[-1].turn
    return TurnSegment(
        session=first.session,
        turns=tuple(read.turn for read in turns),
        started=first.at,
        ended=last.at,
        topic=next(filter(_is_short, tags), GENERAL_TOPIC),
        tags=tags,
        text=_text(chosen),
    )


def _tags(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """The keywords of what the user said; of what others said, where that gives too few."""
    tags = _keywords(one.text for one in sentences if one.own)
    if len(tags) < _LEAST_TAGS:
        tags += _keywords(one.text for one in sentences if not one.own)
        tags = list(dict.fromkeys(tags))[:_LEAST_TAGS]
    return tuple(tags)


def _keywords(sentences: Iterable[str]) -> list[str]:
    text = "\n".join(map(sayable, sentences))
    return [
        one
        for one in quick(text, _MOST_TAGS)
        if len(one) <= _LONGEST_TAG and not is_small_talk(one)
    ]


def _is_short(phrase: str) -> bool:
    if language_of(phrase) == "zh":
        return len(phrase) <= _TOPIC_CHARACTERS
    return len(phrase.split()) <= _TOPIC_WORDS


def _text(sentences: Sequence[tuple[Turn, Sentence]]) -> str:
    parts: list[str] = []
    before: Turn | None = None
    for turn, one in sentences:
        if turn is before:
            parts.append(_space(parts[-1], one.text))
        else:
            mark = "" if turn.role == "user" else "> "
            named = turn.speaker and turn.speaker not in ROLES
            speaker = f"{mark}{turn.speaker}: " if named else mark
            parts += ["\n"[: len(parts)], speaker]
        parts.append(one.text)
        before = turn
    return "".join(parts)


def _space(before: str, after: str) -> str:
    """What stands between two sentences of a turn."""
    if "```" in (before[-3:], after[:3]):
        return "\n"
    return "" if before[-1] > "\u3000" and after[0] > "\u3000" else " "
