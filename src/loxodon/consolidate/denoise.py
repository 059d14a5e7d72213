"""What is worth keeping of a stretch of talk: small talk and repetitions go, then what says least.

A sentence is weighed by its words, each sentence being a document: words that few others have weigh
most. Numbers, names, negations and what one is asked to remember weigh more than their words alone
tell, and the user's own words more than what was said to them. The order is never changed.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import ceil, log, sqrt
from typing import NamedTuple

from loxodon.text.bounds import tame
from loxodon.text.sentences import split
from loxodon.text.words import fold, index_words

KEEP = 0.75


class Sentence(NamedTuple):
    """A sentence with the words that it is weighed by."""

    text: str
    words: Sequence[str]  # Its `index_words`
    own: bool = True  # Said by the user


def sentences_of(text: str, own: bool = True) -> list[Sentence]:
    """The sentences of a message."""
    return [Sentence(one, index_words(one), own) for one in split(tame(text))]


def kept(sentences: Sequence[Sentence], keep: float = KEEP) -> list[int]:
    """The places of the share `keep` of `sentences` that tells most; never none of them.

    Small talk and what is said again go first; the share is of what is left.
    """
    telling = [
        n
        for n in range(len(sentences))
        if not is_small_talk(sentences[n].text) or _answers(sentences, n)
    ]
    telling = _without_repetitions(sentences, telling)
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
    """Whether a sentence only greets, thanks, agrees, laughs or fills a pause."""
    known = _phrases("replies", "small_talk")
    return len(text) <= _LONGEST_SMALL_TALK and _made_of(_tokens(text), known)


# Up to five marks and what is no word may follow: “好吗？”🙂
_ASKS = re.compile(r"[?？吗么呢]\W{0,5}\Z")
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:'[a-z]+)?[+#]*")
_LAUGHTER = re.compile(r"\b(?:(?:ha|he|hi){2,}+h?|(?:lo){1,}+l)\b")
_DRAWN_OUT = re.compile(r"([^\W\d])\1{2,}")


def _tokens(text: str) -> list[str]:
    """All words of a text, function words too, as they sound; a Chinese character is one."""
    plain = _DRAWN_OUT.sub(r"\1", fold(text))  # hmmmm, 哈哈哈哈
    return _TOKEN.findall(_LAUGHTER.sub("haha", plain))


# --- small talk ---------------------------------------------------------------------------------

_LONGEST_SMALL_TALK = 80

Phrases = frozenset[tuple[str, ...]]


@cache
def _phrases(*names: str) -> Phrases:
    table = tomllib.loads((files(__package__) / "small_talk.toml").read_text("utf-8"))
    return frozenset(tuple(_tokens(one)) for name in names for one in table[name].split(","))


def _made_of(tokens: Sequence[str], phrases: Phrases) -> bool:
    """Whether `tokens` are nothing but `phrases`, the longest that fits taken each time."""
    place = 0
    while place < len(tokens):
        for length in range(_LONGEST_PHRASE, 0, -1):
            if tuple(tokens[place : place + length]) in phrases:
                place += length
                break
        else:
            return False
    return True


_LONGEST_PHRASE = 10


def _answers(sentences: Sequence[Sentence], place: int) -> bool:
    """Whether a sentence is a bare yes or no to the question before it."""
    if not place or not is_question(sentences[place - 1].text):
        return False
    tokens = _tokens(sentences[place].text)
    return any(tuple(tokens[:length]) in _phrases("replies") for length in (1, 2, 3))


def _without_repetitions(sentences: Sequence[Sentence], places: Sequence[int]) -> list[int]:
    """`places` with each sentence once; said by both sides, the user's stays."""
    said: dict[tuple[str, ...], int] = {}
    for n in places:
        tokens = tuple(_tokens(sentences[n].text))
        known = said.setdefault(tokens, n)
        if sentences[n].own and not sentences[known].own:
            said[tokens] = n
    return sorted(said.values())


# --- weight -------------------------------------------------------------------------------------

_TOLD = 0.3  # What was said to the user weighs this share of what the user said
_ASKED = 0.7
_SPECIFIC = 2.5
_TO_REMEMBER = 4.0


# Numbers, names and negations
_SPECIFIC_PATTERN = re.compile(
    r"\d|(?<=[a-z,] )[A-Z][a-z]|\b[A-Z]{2,}\b|[a-z][A-Z]"
    r"|(?i:\b(?:not|no|never|none|without|nor)\b|n['’]t\b|\b(?:dont|cant|wont|doesnt|didnt|isnt)\b)"
    r"|[不没无非未别]|[一二三四五六七八九十两百千万][个岁年月号点块元斤天次周]"
    r"|[叫姓《「“]|[\u3400-\u9fff] ?[A-Za-z]|[A-Za-z] ?[\u3400-\u9fff]"
    r"|我[妈爸妹弟哥姐爷奶爹娘儿女老]|(?i:\bmy\b)"
)


_TO_REMEMBER_PATTERN = re.compile(
    r"记[住得着下]|[别不]要?忘|以后都"
    r"|(?i:\b(?:remember|don['’]?t forget|from now on|note that)\b)"
)


def _weights(sentences: Sequence[Sentence]) -> list[float]:
    shared = Counter(word for one in sentences for word in set(one.words))
    total = len(sentences) + 1
    found: list[float] = []
    for n, one in enumerate(sentences):
        times = Counter(one.words)
        rare = sum((1 + log(times[word])) * log(total / shared[word]) for word in times)
        weight = rare / sqrt(len(one.words) + 1)
        if _SPECIFIC_PATTERN.search(one.text):
            weight *= _SPECIFIC
        if _TO_REMEMBER_PATTERN.search(one.text):
            weight *= _TO_REMEMBER
        if is_question(one.text):
            weight *= _ASKED
        if not one.own:
            weight *= _TOLD
        if n and _answers(sentences, n):
            weight = max(weight, found[-1])
        found.append(weight)
    return found


# --- what is no talk ----------------------------------------------------------------------------

_LEAST_KEY = 16
_LINK = re.compile(
    r"(?:https?://|www\.)[!-~]+|(?<![\w.+-])[\w.+-]{1,64}+@[\w-]{1,64}\.[\w.-]{2,64}", re.ASCII
)
_MAYBE_KEY = re.compile(r"[A-Za-z0-9_+/=~.\-]{12,}")
_KNOWN_KEY = re.compile(
    r"(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|hf|npm|xox[abp])[-_]|AKIA|AIza|eyJ"
)
_SIGN = re.compile(r"[{}()\[\]<>=;|$\\`_*/&#@^~+]")
_MOST_SIGNS = 0.12


# A word for a secret, and what may be the secret
_CONFIDED = re.compile(
    r"(?i:\b(?:passwords?|passwd|pwd|passcode|pin|api[ _-]?keys?|secret(?: key)?|tokens?)\b)"
    r"[^.,;!?]{0,24}?(?:\bis\b|[:=]|\bto\b)\s*\S|(?:密码|口令|密钥|验证码|卡号|身份证号?|令牌)"
    r"[^，。；！？,;!?]{0,6}?[A-Za-z0-9]{3,}"
)


def sayable(text: str) -> str:
    """A sentence as it may be shown in a headline: without links and keys; empty if it is code."""
    if is_code(text) or _CONFIDED.search(text):
        return ""
    plain = _LINK.sub(" ", text)
    return " ".join(_MAYBE_KEY.sub(lambda m: " " if _is_key(m[0]) else m[0], plain).split())


def is_code(text: str) -> bool:
    """Whether a sentence is a fenced block, or has more signs than talk has."""
    if text.startswith(("```", "~~~")):
        return True
    signs = len(_SIGN.findall(text))
    return signs > 2 and signs > _MOST_SIGNS * len(text)


def _is_key(token: str) -> bool:
    """Whether a long token is no word: a key, a hash, the number of a card."""
    if _KNOWN_KEY.match(token) or token.isdigit():
        return True
    longest = max(re.split(r"[-_./~]", token), key=len)
    mixed = any(map(str.isdigit, longest)) and any(map(str.isalpha, longest))
    return len(longest) >= _LEAST_KEY and mixed
