"""Ten sentences in each language that a model has to read well before it decides anything.

What the rules read is dropped where a model says so, and memories end. A small model that takes
every question for a fact, or ends what goes on, would leave a memory worse than none at all had
been set; so a model shows on these (`trial.json`) what it can do, once, before it is asked about
anybody. `loxodon model check` shows how it did.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from loxodon.models.chat import ChatModel, ModelReply
from loxodon.models.reading import (
    Batch,
    Hint,
    KnownMemory,
    ModelReading,
    PromptMessage,
    ReadItem,
    believed,
    question,
)

ENOUGH = 8  # sentences of the ten that a model must read well
VERSION = 2  # of the sentences and the question: a model that passed another is tried again
_START = datetime(2026, 3, 2, 9, tzinfo=UTC)


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
    """Have a model read the ten sentences of a language, in one question."""
    batch = batch_of(language)
    asked = question(batch)._replace(name="trial")
    return model.ask(asked, lambda value: judged(believed(value, batch), batch))


def batch_of(language: str) -> Batch:
    """The question: each sentence a message of a day of its own."""
    tried = sentences()[language]
    day = timedelta(days=1)
    return Batch(
        [PromptMessage(one.text, _START + n * day) for n, one in enumerate(tried)],
        [
            KnownMemory(str(n), one.known, _START - 30 * day)
            for n, one in enumerate(tried)
            if one.known
        ],
        [Hint(n, one.hint) for n, one in enumerate(tried) if one.hint],
        language,
    )


def judged(reading: ModelReading, batch: Batch) -> Trial:
    """Which of the sentences were read well."""
    tried = sentences()[batch.language]
    failed = [
        one.text
        for n, one in enumerate(tried)
        if n not in reading.decided
        or not _well(one, n, [item for item in reading.items if item.line == n], batch.hints)
    ]
    return Trial(len(tried) - len(failed), len(tried), tuple(failed))


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
    told = any(word in text for word in sentence.has for text in texts)
    return told or not sentence.has
