"""The summary that takes the place of a conversation's beginning: by a model, or extractively.

Extractively means: the sentences that tell most, as they were said, in their order, the user's
before the assistant's, with the tools that were used and the topics. The summary of an earlier
compaction goes into both like anything else that was said, so that nothing has to be found again in
what is no longer in sight.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from loxodon.messages import LANGUAGES, t
from loxodon.models.prompts import fenced
from loxodon.models.replies import UnfitError
from loxodon.text.keywords import quick
from loxodon.text.language import language_of
from loxodon.text.words import index_words
from loxodon.tokens import Counter, cut, estimate
from loxodon.working.context import Shown
from loxodon.working.prompts import prompt
from loxodon.working.shapes import call_arguments, call_name, calls_in, images_in, text_of
from loxodon.write.denoise import Sentence, kept, sentences_of

Tell = Callable[[str, str, int], str]
"""Asks a model: a system prompt, the text, and the most tokens of its answer."""

_LINE = 1_500
"""Tokens of one message that a model is shown for its summary."""
_RESULT = 300
"""The same of a tool's result or call."""
_SENTENCE = 60
"""Tokens of one sentence in an extractive summary."""
_MOST_QUESTIONS = 12
"""More than this is not asked for one summary."""
_MOST_SENTENCES = 3_000
_EARLIER = 0.4
"""The share of a summary that the one before may take."""
_MOST_TOPICS = 8


class SummaryInput(NamedTuple):
    """A message, as far as a summary is made of it."""

    label: str
    """`user`, `assistant`, `tool`, `call` or `summary`."""
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

    `own` is the user's prompt, if there is one. What does not fit one question is summed up piece
    by piece, each with the summary so far. Raises UnfitError for answers that are none, and what
    `tell` raises.
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
    about = "\n".join([*_tools(lines, language), *_topics(said, language)])
    room = most - count(about) - 8
    earlier = _most_telling(_earlier(lines), int(_EARLIER * room), count)
    spoken = [
        AttributedSentence(place, _label(line.label, language), _short(sentence, count))
        for place, line in enumerate(said)
        for sentence in sentences_of(line.text, line.label == "user")
    ]
    now = _most_telling(spoken[-_MOST_SENTENCES:], room - count(earlier), count)
    return cut("\n".join(part for part in (earlier, now, about) if part), most, count)


class AttributedSentence(NamedTuple):
    """A sentence, who said it, and which message it is from."""

    place: int
    label: str
    """Empty for a line of an earlier summary, which names whom it quotes."""
    sentence: Sentence


def _short(sentence: Sentence, count: Counter) -> Sentence:
    return sentence._replace(text=cut(" ".join(sentence.text.split()), _SENTENCE, count))


def _earlier(lines: Sequence[SummaryInput]) -> list[AttributedSentence]:
    """The lines of earlier summaries, without what is told anew for all."""
    told = [
        _short(Sentence(text, index_words(text)), estimate)
        for line in lines
        if line.label == "summary"
        for text in line.text.splitlines()
        if text.strip() and not text.startswith(_headings())
    ]
    return [AttributedSentence(place, "", sentence) for place, sentence in enumerate(told)]


def _most_telling(told: Sequence[AttributedSentence], room: int, count: Counter) -> str:
    """As many of these as fit, those that tell most, in their order."""
    sentences = [one.sentence for one in told]
    best, share = "", 1.0
    for _ in range(_TRIES if told and room > 0 else 0):
        text = _written([told[place] for place in kept(sentences, share)])
        tokens = count(text)
        if len(best) < len(text) and tokens <= room:
            best = text
        if tokens <= room and (share == 1.0 or tokens > _FULL * room):
            break
        share = min(1.0, share * (1 + _FULL) / 2 * room / tokens)
    return best


_TRIES = 5
_FULL = 0.85
"""The share of the room that is worth filling."""


def _written(told: Sequence[AttributedSentence]) -> str:
    """Sentences as lines, one for each message."""
    return "\n".join(
        (f"- {label}: " if label else "") + " ".join(one.sentence.text for one in group)
        for (_, label), group in groupby(told, key=lambda one: (one.place, one.label))
    )


def _label(label: str, language: str) -> str:
    return t("user", language) if label == "user" else t("assistant", language)


def _headings() -> tuple[str, ...]:
    return tuple(f"{t(text, language)}:" for text in (_TOOLS, _TOPICS) for language in LANGUAGES)


_TOOLS, _TOPICS = "Tools used", "Topics"


def _tools(lines: Sequence[SummaryInput], language: str) -> list[str]:
    used = Tally(line.text.partition(" ")[0] for line in lines if line.label == "call")
    names = ", ".join(f"{name} ×{n}" if n > 1 else name for name, n in used.most_common(12))
    return [f"{t('Tools used', language)}: {names}"] if names else []


def _topics(said: Sequence[SummaryInput], language: str) -> list[str]:
    text = "\n".join(line.text[:2_000] for line in said if line.label == "user")
    topics = quick(text[-20_000:], _MOST_TOPICS)
    return [f"{t('Topics', language)}: {', '.join(topics)}"] if topics else []
