"""A summary in a model's words, and the trial that a model must pass first."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, cast

from loxodon.models import grounding
from loxodon.models.chat import ChatModel, ModelQuestion, ModelReply
from loxodon.models.grounding import Evidence
from loxodon.models.prompts import fenced, prompt
from loxodon.models.reading import (
    Batch,
    Hint,
    KnownMemory,
    ModelReading,
    PromptMessage,
    ReadItem,
    believed,
    question,
    shown,
)
from loxodon.models.replies import TEXT, UnfitError, check_length, record

MOST_SUMMARY = {"zh": 50, "en": 30}  # Characters in Chinese, words in English


def summarise(model: ChatModel, facts: Sequence[str], language: str) -> ModelReply[str]:
    """The facts of one theme in one short sentence, in which everything is from the facts."""
    most = MOST_SUMMARY[language]
    lines = [(str(n), shown(fact)) for n, fact in enumerate(facts, 1)]
    system = prompt("summarise", language, most=str(most))
    schema = record({"summary": TEXT})
    asked = ModelQuestion("summarise", language, system, fenced(lines), schema, 2 * most + 20)

    def read(value: dict[str, Any]) -> str:
        text, given = " ".join(cast(str, value["summary"]).split()), "\n".join(facts)
        check_length(text, MOST_SUMMARY, language)
        reason = grounding.invented(text, Evidence(given), given, language)
        if not reason and grounding.turned(text, given):
            reason = "it says the contrary"
        summed_up = sum(grounding.shares(text, line) for _, line in lines)
        if not reason and summed_up < min(2, len(lines)):
            reason = "it does not sum it up"
        if reason:
            raise UnfitError(f"the summary is not what was given: {reason}")
        return text

    return model.ask(asked, read)


# Ten sentences in each language (`trial.json`) that a model has to read well before it decides
# anything: a small one that takes every question for a fact would leave a memory worse than none.

ENOUGH = 8  # sentences of the ten that a model must read well
VERSION = 2  # of the sentences and the question: a model that passed another is tried again
_START = datetime(2026, 3, 2, 9, tzinfo=UTC)
_DAY = timedelta(days=1)


class TrialSentence(NamedTuple):
    text: str
    has: Sequence[str] = ()  # one of these stands in what is kept; none where nothing is kept
    do: Sequence[str] = ("add", "update")  # what is right to do with it
    known: str = ""  # a memory that it is about
    hint: str = ""  # what the rules made of it


class Trial(NamedTuple):
    """How a model did."""

    passed: int
    of: int
    failed: tuple[str, ...]  # the sentences that it did not read well

    @classmethod
    def none(cls, language: str) -> Trial:
        """Of a model that answers nothing that can be used."""
        texts = tuple(one.text for one in sentences()[language])
        return cls(0, len(texts), texts)

    @property
    def good(self) -> bool:
        return self.passed >= ENOUGH


@cache
def sentences() -> Mapping[str, Sequence[TrialSentence]]:
    """The sentences by language."""
    found = json.loads((files(__package__) / "trial.json").read_text("utf-8"))
    return {language: [TrialSentence(**one) for one in all] for language, all in found.items()}


def attempt(model: ChatModel, language: str) -> ModelReply[Trial]:
    """Have a model read the ten sentences of a language in one question, each of its own day."""
    tried = list(enumerate(sentences()[language]))
    batch = Batch(
        [PromptMessage(one.text, _START + n * _DAY) for n, one in tried],
        [KnownMemory(str(n), one.known, _START - 30 * _DAY) for n, one in tried if one.known],
        [Hint(n, one.hint) for n, one in tried if one.hint],
        language,
    )

    def judged(reading: ModelReading) -> Trial:
        failed = [
            one.text
            for n, one in tried
            if n not in reading.decided
            or not _well(one, n, [item for item in reading.items if item.line == n], batch.hints)
        ]
        return Trial(len(tried) - len(failed), len(tried), tuple(failed))

    asked = question(batch)._replace(name="trial")
    return model.ask(asked, lambda value: judged(believed(value, batch)))


def _well(
    sentence: TrialSentence, n: int, items: Sequence[ReadItem], hints: Sequence[Hint]
) -> bool:
    dropped = {one.hint for one in items if one.do == "drop"}
    kept = [one.text for k, one in enumerate(hints) if items and one.line == n and k not in dropped]
    texts = [*kept, *(one.statement.content for one in items if one.statement)]
    if not sentence.has and not sentence.known:
        return not texts and all(one.do == "drop" for one in items)
    if sentence.known and not any(one.do in sentence.do and one.target == str(n) for one in items):
        return False
    return not sentence.has or any(word in text for word in sentence.has for text in texts)
