"""Compaction: a summary takes the place of a conversation's beginning, the latest talk stays.

The transcript keeps everything; a `compaction` entry says from where on the model sees it word for
word. The cut is at a border between turns, and where one turn is longer than what is to be kept,
before something the assistant says in it: never between a call and its result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from loxodon.errors import LoxodonError
from loxodon.messages import t
from loxodon.models.replies import UnfitError
from loxodon.tokens import Counter, cut
from loxodon.working.context import Shown
from loxodon.working.flush import Flushed, reason
from loxodon.working.shapes import Message, text_of
from loxodon.working.summary import Tell, by_model, extracted, language_in, lines_of

_REQUEST = 0.3
"""The share of a summary that the request may take of whose turn only the end is kept."""
_MORE = 1.5
"""How much more than was asked for is kept, where that saves cutting into a turn."""


class Cut(NamedTuple):
    """Where a conversation is cut."""

    place: int
    """The first message that is kept."""
    within_turn: bool


class Compacted(NamedTuple):
    """What a compaction did."""

    id: str
    """Its entry in the transcript."""
    tokens_before: int
    tokens_after: int
    summary: str
    by_model: bool
    problem: str = ""
    """Why the model could not be asked, where it could not."""
    flushed: Flushed | None = None
    """What was saved before, where it had not been in this cycle."""


def compaction_due(tokens: int, most: int) -> bool:
    """Whether a context is so large that it should be compacted."""
    return tokens > most


def place_to_cut(shown: Sequence[Shown], size: Callable[[Message], int], keep: int) -> Cut | None:
    """Where to cut, so that about the last `keep` tokens stay; None where nothing can go."""
    tail = [0] * (len(shown) + 1)
    for place in range(len(shown) - 1, -1, -1):
        tail[place] = tail[place + 1] + size(shown[place].message)
    first = 1 + next((n for n, one in enumerate(shown) if one.kind != "summary"), len(shown))
    borders = [n for n in range(first, len(shown)) if _begins_turn(shown, n)]
    inner = [n for n in range(first, len(shown)) if shown[n].role == "assistant"]
    for places, least, most in (
        (borders, keep // 2, keep * _MORE),
        (inner, keep // 2, keep),
        (borders, 0, keep),
        (inner, 0, keep),
    ):
        # The first that fits keeps most.
        for place in places:
            if least <= tail[place] <= most:
                return Cut(place, place not in borders)
    last = max([*borders, *inner], default=0)  # even the last is longer: it stays all the same
    if borders and tail[borders[-1]] <= _MORE * tail[last]:
        last = borders[-1]
    return Cut(last, last not in borders) if last else None


def _begins_turn(shown: Sequence[Shown], place: int) -> bool:
    """Whether somebody asks something here, and nobody asked right before."""
    return shown[place].role == "user" and shown[place - 1].role != "user"


def summed_up(
    shown: Sequence[Shown], cut_at: Cut, most: int, room: int, count: Counter, tell: Tell | None
) -> tuple[str, bool, str]:
    """The summary of what goes; whether a model made it; and why not, where it should have."""
    lines = lines_of(shown[: cut_at.place], count)
    request = _request(shown, cut_at, int(_REQUEST * most), count)
    most -= count(request)
    problem = ""
    if tell is not None:
        try:
            return by_model(tell, lines, most, room, count) + request, True, ""
        except LoxodonError as error:
            problem = reason(error)
        except UnfitError as error:
            problem = t("the model's answer cannot be used: {reason}", reason=error)
    return extracted(lines, most, count) + request, False, problem


def _request(shown: Sequence[Shown], cut_at: Cut, most: int, count: Counter) -> str:
    """What the user asked for, where only the end of that turn is kept: the work goes on."""
    if not cut_at.within_turn:
        return ""
    asked = [one for one in shown[: cut_at.place] if one.role == "user" and one.kind == "message"]
    text = cut(text_of(asked[-1].message), most, count) if asked else ""
    if not text:
        return ""
    language = language_in(lines_of(asked[-1:], count))
    return f"\n\n{t('The request that is being worked on:', language)}\n{text}"
