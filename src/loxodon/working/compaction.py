"""Compaction: a summary takes the place of a conversation's beginning, the latest talk stays.

The transcript keeps everything; a `compaction` entry says from where on the model sees it word for
word. The cut is at a border between turns, and where one turn is longer than what is to be kept,
before something the assistant says in it: never between a call and its result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from loxodon.consolidate.segment import Sentence, kept, sentences_of
from loxodon.errors import LoxodonError
from loxodon.messages import t
from loxodon.models.chat import ModelQuestion, UnfitError
from loxodon.models.prompts import TEXT, fenced, prompt
from loxodon.models.prompts import record as shape_of
from loxodon.text.language import language_of
from loxodon.text.words import index_words
from loxodon.tokens import Counter, cut
from loxodon.working.context import Shown
from loxodon.working.flush import Ask, Flushed, is_silent, reason
from loxodon.working.shapes import Message, call_text, calls_in, images_in, text_of

if TYPE_CHECKING:
    from loxodon.memory import Memory

Line = tuple[str, str]  # who speaks (user, assistant, tool, call or summary), and what
# Asks a model: a system prompt, what it is about, and the most tokens of its answer
Tell = Callable[[str, Sequence[Line], int], str]

_LINE = 1_500  # Tokens of one message that a model is shown for its summary
_RESULT = 300  # The same of a tool's result or call
_SENTENCE = 60  # Tokens of one sentence in an extractive summary
_MOST_SENTENCES = 3_000
_REQUEST = 0.3  # The share of a summary for the request of whose turn only the end is kept
_FULL = 0.85  # The share of the room that is aimed at
_MORE = 1.5  # How much more than was asked for is kept, where that saves cutting into a turn
_AS_JSON = '\n\nJSON: {"summary": ""}'  # The memory's model is always asked for JSON


class Cut(NamedTuple):
    place: int  # The first message that is kept
    within_turn: bool


class Compacted(NamedTuple):
    id: str  # Its entry in the transcript
    tokens_before: int
    tokens_after: int
    summary: str
    by_model: bool
    problem: str = ""  # Why the model could not be asked, where it could not
    flushed: Flushed | None = None  # What was saved before, where it had not been in this cycle


def place_to_cut(shown: Sequence[Shown], size: Callable[[Message], int], keep: int) -> Cut | None:
    """Where to cut, so that about the last `keep` tokens stay; None where nothing can go."""
    tail = [0] * (len(shown) + 1)
    for place in range(len(shown) - 1, -1, -1):
        tail[place] = tail[place + 1] + size(shown[place].message)
    first = 1 + next((n for n, one in enumerate(shown) if one.kind != "summary"), len(shown))
    # Where somebody asks something, and nobody asked right before
    borders = [
        n
        for n in range(first, len(shown))
        if shown[n].role == "user" and shown[n - 1].role != "user"
    ]
    inner = [n for n in range(first, len(shown)) if shown[n].role == "assistant"]
    tries = [(borders, keep // 2, keep * _MORE), (inner, keep // 2, keep)]
    for places, least, most in [*tries, (borders, 0, keep), (inner, 0, keep)]:
        if fitting := [place for place in places if least <= tail[place] <= most]:
            return Cut(fitting[0], fitting[0] not in borders)  # which keeps most
    last = max([*borders, *inner], default=0)  # even the last is longer: it stays all the same
    if borders and tail[borders[-1]] <= _MORE * tail[last]:
        last = borders[-1]
    return Cut(last, last not in borders) if last else None


def summed_up(
    shown: Sequence[Shown], cut_at: Cut, most: int, room: int, count: Counter, tell: Tell | None
) -> tuple[str, bool, str]:
    """The summary of what goes; whether a model made it; and why not, where it should have."""
    gone = shown[: cut_at.place]
    lines = _lines_of(gone, count)
    request = ""
    asked = [one.message for one in gone if one.role == "user" and one.kind == "message"]
    if cut_at.within_turn and asked:
        text = cut(text_of(asked[-1]), int(_REQUEST * most), count)
        heading = t("The request that is being worked on:", language_of(text))
        request = f"\n\n{heading}\n{text}" if text else ""
    most -= count(request)
    problem = ""
    if tell is not None:
        try:
            return _by_model(tell, lines, most, room, count) + request, True, ""
        except LoxodonError as error:
            problem = reason(error)
        except UnfitError as error:
            problem = t("the model's answer cannot be used: {reason}", reason=error)
    return _extracted(lines, most, count) + request, False, problem


def _lines_of(shown: Sequence[Shown], count: Counter) -> list[Line]:
    """What was said, a line for each message and each call of a tool."""
    lines = []
    for one in shown:
        if one.kind == "summary":
            lines.append(("summary", text_of(one.message).partition("\n")[2]))
            continue
        most = _RESULT if one.role == "tool" else _LINE
        text = cut(text_of(one.message)[: 40 * most], most, count).strip()
        if images := images_in(one.message):
            text = f"{text}\n[images: {images}]".strip()
        if text:
            lines.append((one.role, text))
        calls = [call_text(call)[: 40 * _RESULT] for call in calls_in(one.message)]
        lines += [("call", cut(call, _RESULT, count)) for call in calls]
    return lines


def _language_in(lines: Sequence[Line]) -> str:
    """The language that the user speaks."""
    said = [text for label, text in lines if label in ("user", "summary")]
    return language_of("\n".join(text[:200] for text in said[-40:]))


def by_agent(ask: Ask) -> Tell:
    return lambda system, lines, most: ask(
        [{"role": "system", "content": system}, {"role": "user", "content": fenced(lines)}]
    )


def by_memory(memory: Memory) -> Tell | None:
    """Summaries by the memory's own model; None where it is not to be shown whole conversations."""
    if memory.config.model.mode != "full":
        return None

    def tell(system: str, lines: Sequence[Line], most: int) -> str:
        language, schema = language_of(system), shape_of({"summary": TEXT})
        question = ModelQuestion("compaction", language, system + _AS_JSON, lines, schema, 2 * most)
        return memory.chat_model().ask(question, lambda value: str(value["summary"]))

    return tell


def _by_model(tell: Tell, lines: Sequence[Line], most: int, room: int, count: Counter) -> str:
    """A summary of at most `most` tokens, where the question about it has at most `room`."""
    language = _language_in(lines)
    # In Chinese a character is about a token, in English a word is one and a third.
    words = str(most if language == "zh" else most * 3 // 4)
    system = prompt("compaction", language, most=words)
    if count(system) + count(fenced(lines)) + most > room:
        raise UnfitError("there is too much to sum up")
    summary = tell(system, lines, most).rpartition("</think>")[2].strip()
    if len(summary) < 2 or is_silent(summary):
        raise UnfitError("the summary is empty")
    return cut(summary, most, count)


def _extracted(lines: Sequence[Line], most: int, count: Counter) -> str:
    """What tells most of what was said, and of the summary before, word for word."""
    language = _language_in(lines)
    speakers = {"user": t("user", language), "assistant": t("assistant", language)}
    told: list[tuple[tuple[int, int, str], Sentence]] = []  # with the line that it belongs to
    for n, (label, text) in enumerate(lines):
        if label == "summary":
            earlier = [line for line in text.splitlines() if line.strip()]
            told += [((n, m, ""), Sentence(one, index_words(one))) for m, one in enumerate(earlier)]
        elif label in speakers:
            place = (n, 0, f"- {speakers[label]}: ")
            told += [(place, one) for one in sentences_of(text, label == "user")]
    told = [
        (place, one._replace(text=cut(" ".join(one.text.split()), _SENTENCE, count)))
        for place, one in told[-_MOST_SENTENCES:]
    ]
    whole = sum(count(one.text) + 4 for _, one in told)
    places = kept([one for _, one in told], min(1.0, _FULL * most / max(whole, 1)))
    grouped = groupby((told[n] for n in places or range(len(told))), key=lambda one: one[0])
    text = "\n".join(
        begins + " ".join(one.text for _, one in group) for (_, _, begins), group in grouped
    )
    return cut(text, most, count)
