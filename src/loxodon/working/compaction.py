"""Compaction: a summary takes the place of a conversation's beginning, the latest talk stays.

The transcript keeps everything; a `compaction` entry says from where on the model sees it word for
word. The cut is at a border between turns, and where one turn is longer than what is to be kept,
before something the assistant says in it: never between a call and its result.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from loxodon.consolidate.denoise import Sentence, kept, sentences_of
from loxodon.errors import LoxodonError
from loxodon.messages import LANGUAGES, t
from loxodon.models.prompts import fenced
from loxodon.models.replies import UnfitError
from loxodon.text.keywords import quick
from loxodon.text.language import language_of
from loxodon.text.words import index_words
from loxodon.tokens import Counter, cut
from loxodon.working.context import Shown
from loxodon.working.flush import Flushed, reason
from loxodon.working.prompts import prompt
from loxodon.working.shapes import Message, call_arguments, call_name, calls_in, images_in, text_of

# Asks a model: a system prompt, the text, and the most tokens of its answer
Tell = Callable[[str, str, int], str]

_LINE = 1_500  # Tokens of one message that a model is shown for its summary
_RESULT = 300  # The same of a tool's result or call
_SENTENCE = 60  # Tokens of one sentence in an extractive summary
_MOST_QUESTIONS = 12  # More than this is not asked for one summary
_MOST_SENTENCES = 3_000
_EARLIER = 0.4  # The share of a summary that the one before may take
_MOST_TOPICS = 8


class SummaryInput(NamedTuple):
    """A message, as far as a summary is made of it."""

    label: str  # `user`, `assistant`, `tool`, `call` or `summary`
    text: str


def lines_of(shown: Sequence[Shown], count: Counter) -> list[SummaryInput]:
    """What was said, a line for each message and each call of a tool."""
    lines = []
    for one in shown:
        if one.kind == "summary":
            lines.append(SummaryInput("summary", text_of(one.message).partition("\n")[2]))
            continue
        most = _RESULT if one.role == "tool" else _LINE
        text = _within(text_of(one.message), most, count)
        if images := images_in(one.message):
            text = f"{text}\n[images: {images}]".strip()
        if text:
            lines.append(SummaryInput(one.role, text))
        for call in calls_in(one.message):
            called = _within(call_arguments(call), _RESULT, count)
            lines.append(SummaryInput("call", f"{call_name(call)} {called}"))
    return lines


def _within(text: str, most: int, count: Counter) -> str:
    return cut(text[: 40 * most], most, count).strip()


def language_in(lines: Sequence[SummaryInput]) -> str:
    """The language that the user speaks."""
    said = [line.text for line in lines if line.label in ("user", "summary")]
    return language_of("\n".join(text[:200] for text in said[-40:]))


# --- By a model -----------------------------------------------------------------------------------


def by_model(
    tell: Tell, lines: Sequence[SummaryInput], most: int, room: int, count: Counter
) -> str:
    """A summary of at most `most` tokens, asking about at most `room` tokens at a time.

    What does not fit one question is summed up piece by piece, each with the summary so far.
    Raises UnfitError for answers that are none, and what `tell` raises.
    """
    language = language_in(lines)
    # In Chinese a character is about a token, in English a word is one and a third.
    words = str(most if language == "zh" else most * 3 // 4)
    system = prompt("compaction", language, most=words)
    room -= count(system) + most
    if room < most:
        raise UnfitError("the model sees too little at once to sum anything up")
    pieces = _pieces(lines, room, count)
    if len(pieces) > _MOST_QUESTIONS:
        raise UnfitError("there is too much to sum up")
    summary = ""
    for piece in pieces:
        before = [SummaryInput("summary", summary)] if summary else []
        text = fenced((line.label, line.text) for line in [*before, *piece])
        summary = tell(system, text, most).rpartition("</think>")[2].strip()
        if len(summary) < 2:
            raise UnfitError("the summary is empty")
        summary = cut(summary, most, count)
    return summary


def _pieces(lines: Sequence[SummaryInput], room: int, count: Counter) -> list[list[SummaryInput]]:
    pieces: list[list[SummaryInput]] = [[]]
    used = 0
    for line in lines:
        size = count(line.text) * 11 // 10 + 8  # quoting takes some
        if pieces[-1] and used + size > room:
            pieces.append([])
            used = 0
        pieces[-1].append(line)
        used += size
    return pieces


# --- Extractively ---------------------------------------------------------------------------------


def extracted(lines: Sequence[SummaryInput], most: int, count: Counter) -> str:
    """A summary of at most `most` tokens in the words that were said."""
    language = language_in(lines)
    said = [line for line in lines if line.label in ("user", "assistant")]
    used = Tally(line.text.partition(" ")[0] for line in lines if line.label == "call")
    tools = ", ".join(f"{name} ×{n}" if n > 1 else name for name, n in used.most_common(12))
    text = "\n".join(line.text[:2_000] for line in said if line.label == "user")
    topics = ", ".join(quick(text[-20_000:], _MOST_TOPICS))
    headings = {t("Tools used", language): tools, t("Topics", language): topics}
    about = "\n".join(f"{heading}: {told}" for heading, told in headings.items() if told)
    room = most - count(about) - 8
    told_anew = tuple(
        f"{t(one, other)}:" for one in ("Tools used", "Topics") for other in LANGUAGES
    )
    earlier = [
        ((n, ""), Sentence(text, index_words(text)))
        for n, line in enumerate(lines)
        if line.label == "summary"
        for text in line.text.splitlines()
        if text.strip() and not text.startswith(told_anew)
    ]
    before = _most_telling(earlier, int(_EARLIER * room), count, "\n")
    speakers = {"user": t("user", language), "assistant": t("assistant", language)}
    spoken = [
        ((n, f"- {speakers[line.label]}: "), sentence)
        for n, line in enumerate(said)
        for sentence in sentences_of(line.text, line.label == "user")
    ]
    now = _most_telling(spoken[-_MOST_SENTENCES:], room - count(before), count, " ")
    return cut("\n".join(part for part in (before, now, about) if part), most, count)


# The message that a sentence is from and what its line begins with, and the sentence
Told = tuple[tuple[int, str], Sentence]


def _most_telling(told: Sequence[Told], room: int, count: Counter, between: str) -> str:
    """Those that tell most, in their order, a line for each message; about as many as fit."""
    if room <= 0:
        return ""
    told = [
        (at, one._replace(text=cut(" ".join(one.text.split()), _SENTENCE, count)))
        for at, one in told
    ]
    whole = sum(count(one.text) + 4 for _, one in told)
    places = kept([one for _, one in told], min(1.0, _FULL * room / max(whole, 1)))
    lines = groupby((told[place] for place in places), key=lambda one: one[0])
    text = "\n".join(
        begins + between.join(one.text for _, one in group) for (_, begins), group in lines
    )
    return cut(text, room, count)


_FULL = 0.85  # The share of the room that is aimed at


# The share of a summary that the request may take of whose turn only the end is kept
_REQUEST = 0.3
_MORE = 1.5  # How much more than was asked for is kept, where that saves cutting into a turn


class Cut(NamedTuple):
    """Where a conversation is cut."""

    place: int  # The first message that is kept
    within_turn: bool


class Compacted(NamedTuple):
    """What a compaction did."""

    id: str  # Its entry in the transcript
    tokens_before: int
    tokens_after: int
    summary: str
    by_model: bool
    problem: str = ""  # Why the model could not be asked, where it could not
    flushed: Flushed | None = None  # What was saved before, where it had not been in this cycle


def compaction_due(tokens: int, most: int) -> bool:
    """Whether a context is so large that it should be compacted."""
    return tokens > most


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
