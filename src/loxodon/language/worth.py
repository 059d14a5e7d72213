"""Whether a sentence is worth keeping, and what it is about: as our encoder judges it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loxodon.models.encoder import Encoder, Intent, Judgement

LEAST = 0.45  # How likely a passage must be worth keeping
ANSWER = 0.3  # The same for the answer to a question
SURELY = 0.8  # The same for one that asks for something, or does not say whom it is about
REST = 0.1  # What frames leave of a sentence stays unless it is most likely of no worth
MAYBE = 0.2  # Of less worth a sentence is not even looked at for what it may change
_MOST = 400  # Characters of a sentence that are judged
_REMEMBERED = 20_000

_judged: dict[str, Judgement] = {}


@cache
def encoder() -> Encoder:
    from loxodon.models.encoder import Encoder  # and numpy with it

    return Encoder()


def judge(sentence: str) -> Judgement:
    judge_all([sentence])
    return _judged[sentence[:_MOST]]


def judge_all(sentences: Iterable[str]) -> None:
    """Judge sentences together, which is faster than one by one; `judge` then knows them."""
    if len(_judged) > _REMEMBERED:
        _judged.clear()
    new = [one for one in dict.fromkeys(one[:_MOST] for one in sentences) if one not in _judged]
    _judged.update(zip(new, encoder().judge(new) if new else (), strict=True))


@lru_cache(maxsize=2_000)
def _intent(message: str) -> Intent:
    return encoder().intents([message])[0]


def intents(messages: Iterable[str]) -> list[Intent]:
    """What messages ask for."""
    return [_intent(one[:_MOST]) for one in messages]
