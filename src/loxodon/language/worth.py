"""Whether a sentence is worth keeping, and what it is about: as our encoder judges it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from loxodon.models.encoder import Encoder, Intent, Judgement

LEAST = 0.35  # How likely a passage must be worth keeping
ANSWER = 0.3  # The same for the answer to a question
SURELY = 0.8  # The same for one that asks for something, or does not say whom it is about
REST = 0.1  # What frames leave of a sentence stays unless it is most likely of no worth
MAYBE = 0.2  # Of less worth a sentence is not even looked at for what it may change
_MOST = 400  # Characters of a sentence that are judged
_REMEMBERED = 20_000
T = TypeVar("T")

_judged: dict[str, Judgement] = {}
_intents: dict[str, Intent] = {}


@cache
def encoder() -> Encoder:
    from loxodon.models.encoder import Encoder  # and numpy with it

    return Encoder()


def judge(sentence: str) -> Judgement:
    return judge_all([sentence])[0]


def judge_all(sentences: Iterable[str]) -> list[Judgement]:
    """Judge sentences together, which is faster than one by one; `judge` then knows them."""
    return _of(sentences, _judged, lambda new: encoder().judge(new))


def intents(messages: Iterable[str]) -> list[Intent]:
    """What messages ask for."""
    return _of(messages, _intents, lambda new: encoder().intents(new))


def _of(texts: Iterable[str], known: dict[str, T], ask: Callable[[list[str]], list[T]]) -> list[T]:
    cut = [one[:_MOST] for one in texts]
    found = {one: told for one in cut if (told := known.get(one))}
    if new := [one for one in dict.fromkeys(cut) if one not in found]:
        found |= zip(new, ask(new), strict=True)
        if len(known) > _REMEMBERED:
            known.clear()
        known |= found
    return [found[one] for one in cut]
