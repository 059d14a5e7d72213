"""What is worth keeping of a stretch of talk: small talk and repetitions go, then what says least.

What the user said is weighed by how much it is worth keeping (`language/worth.py`), and more than
what was said to them. The order is never changed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import ceil
from typing import NamedTuple

from loxodon.language import worth
from loxodon.text.bounds import tame
from loxodon.text.sentences import split
from loxodon.text.words import fold, index_words

KEEP = 0.75
_LONGEST_SMALL_TALK = 80  # Characters
_LONGEST_PHRASE = 10  # Tokens
_TOLD, _ASKED = 0.1, 0.7  # What is said to the user weighs so much; and what asks, of its weight
_MOST_SIGNS = 0.12  # Of the characters of what is no code

# Up to five marks and what is no word may follow: “好吗？”🙂
_ASKS = re.compile(r"[?？吗么呢]\W{0,5}\Z")
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:'[a-z]+)?[+#]*")
_LAUGHTER = re.compile(r"\b(?:(?:ha|he|hi){2,}+h?|(?:lo){1,}+l)\b")
_DRAWN_OUT = re.compile(r"([^\W\d])\1{2,}")
_LINK_OR_KEY = re.compile(
    r"(?:https?://|www\.)[!-~]+|(?<![\w.+-])[\w.+-]{1,64}+@[\w-]{1,64}\.[\w.-]{2,64}"
    r"|\b(?=\w{0,64}\d)(?=\w{0,64}[a-z])\w{16,}\b",
    re.ASCII | re.IGNORECASE,
)
_SIGN = re.compile(r"[{}()\[\]<>=;|$\\`_*/&#@^~+]")


class Sentence(NamedTuple):
    """A sentence with the words that it is weighed by."""

    text: str
    words: Sequence[str]  # Its `index_words`
    own: bool = True  # Said by the user


def sentences_of(text: str, own: bool = True) -> list[Sentence]:
    """The sentences of a message."""
    return [Sentence(one, index_words(one), own) for one in split(tame(text))]


def kept(sentences: Sequence[Sentence], keep: float = KEEP) -> list[int]:
    """The places of the share `keep` of `sentences` that tells most; never none of them."""
    said: dict[tuple[str, ...], int] = {}
    for n, one in enumerate(sentences):
        if is_small_talk(one.text) and not _answers(sentences, n):
            continue
        tokens = tuple(_tokens(one.text))
        known = said.setdefault(tokens, n)
        if one.own and not sentences[known].own:  # said by both sides, the user's stays
            said[tokens] = n
    telling = sorted(said.values())
    if not telling:
        longest = max(range(len(sentences)), key=lambda n: len(sentences[n].text), default=None)
        return [] if longest is None else [longest]
    weights = _weights([sentences[n] for n in telling])
    heaviest = sorted(range(len(telling)), key=lambda i: (-weights[i], i))
    return sorted(telling[i] for i in heaviest[: max(1, ceil(len(telling) * keep))])


def is_question(text: str) -> bool:
    """Whether a text ends by asking something."""
    return _ASKS.search(text[-40:]) is not None


def is_small_talk(text: str) -> bool:
    """Whether a sentence only greets, thanks, agrees, laughs or fills a pause: whether it is
    nothing but phrases that do, the longest that fits taken each time."""
    if len(text) > _LONGEST_SMALL_TALK:
        return False
    tokens, phrases = _tokens(text), _phrases("replies", "small_talk")
    place = 0
    while place < len(tokens):
        lengths = range(_LONGEST_PHRASE, 0, -1)
        fitting = (n for n in lengths if tuple(tokens[place : place + n]) in phrases)
        length = next(fitting, 0)
        if not length:
            return False
        place += length
    return True


def sayable(text: str) -> str:
    """A sentence as it may be shown in a headline: without links and keys; empty if it is code."""
    signs = len(_SIGN.findall(text))
    if text.startswith(("```", "~~~")) or (signs > 2 and signs > _MOST_SIGNS * len(text)):
        return ""
    return " ".join(_LINK_OR_KEY.sub(" ", text).split())


def _tokens(text: str) -> list[str]:
    """All words of a text, function words too, as they sound; a Chinese character is one."""
    plain = _DRAWN_OUT.sub(r"\1", fold(text))  # hmmmm, 哈哈哈哈
    return _TOKEN.findall(_LAUGHTER.sub("haha", plain))


@cache
def _phrases(*names: str) -> frozenset[tuple[str, ...]]:
    table = tomllib.loads((files(__package__) / "small_talk.toml").read_text("utf-8"))
    return frozenset(tuple(_tokens(one)) for name in names for one in table[name].split(","))


def _answers(sentences: Sequence[Sentence], place: int) -> bool:
    """Whether a sentence is a bare yes or no to the question before it."""
    if not place or not is_question(sentences[place - 1].text):
        return False
    tokens = _tokens(sentences[place].text)
    return any(tuple(tokens[:length]) in _phrases("replies") for length in (1, 2, 3))


def _weights(sentences: Sequence[Sentence]) -> list[float]:
    """How much each tells: what the user said as it is judged, what was said to them less."""
    worth.judge_all(one.text for one in sentences if one.own)
    found: list[float] = []
    for n, one in enumerate(sentences):
        weight = worth.judge(one.text).keep if one.own else _TOLD
        weight *= _ASKED if is_question(one.text) else 1
        if n and _answers(sentences, n):
            weight = max(weight, found[-1])
        found.append(weight)
    return found
