"""The smaller questions that a model is asked (weighing, summing up), and its trial.

A text holds only what was found in the lines handed in (`grounding.py`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from loxodon.models import grounding, reading
from loxodon.models.chat import ChatModel, ModelQuestion, ModelReply
from loxodon.models.grounding import Evidence
from loxodon.models.prompts import fenced, prompt
from loxodon.models.reading import KnownMemory, shown
from loxodon.models.replies import TEXT, UnfitError, check_length, record
from loxodon.text.similarity import gist

Verdict = Literal["confirm", "deny", "unrelated"]

MOST_SUMMARY = {"zh": 50, "en": 30}  # Characters in Chinese, words in English

_WEIGHING = record({"verdict": {"type": "string", "enum": list(get_args(Verdict))}})


def weigh_belief(model: ChatModel, belief: str, fact: str, language: str) -> ModelReply[Verdict]:
    """What a new fact does to a belief. One that shares no word with it is not asked about."""
    if gist(belief).words.isdisjoint(gist(fact).words):
        return ModelReply("unrelated", 0, 0)
    user = fenced([("belief", shown(belief)), ("fact", shown(fact))])
    asked = ModelQuestion("weigh", language, prompt("weigh", language), user, _WEIGHING, 30)
    # A belief becomes a fact by this: what says the contrary cannot confirm it.
    contrary = grounding.negated(belief) != grounding.negated(fact)

    def read(value: dict[str, Any]) -> Verdict:
        verdict: Verdict = msgspec.convert(value["verdict"], Verdict)
        return "unrelated" if verdict == "confirm" and contrary else verdict

    return model.ask(asked, read)


def summarise(model: ChatModel, facts: Sequence[str], language: str) -> ModelReply[str]:
    """The facts of one theme in one short sentence, in which everything is from them."""
    most = MOST_SUMMARY[language]
    system, given = prompt("summarise", language, most=str(most)), [*map(shown, facts)]

    def read(value: dict[str, Any]) -> str:
        text = " ".join(msgspec.convert(value["summary"], str).split())
        check_length(text, MOST_SUMMARY, language)
        whole = "\n".join(given)
        reason = grounding.invented(text, Evidence(whole), whole, language)
        if reason or grounding.turned(text, whole):
            raise UnfitError(f"the text is not what was given: {reason or 'it says the contrary'}")
        if sum(grounding.shares(text, line) for line in given) < min(2, len(given)):
            raise UnfitError("the summary does not sum up what was given")
        return text

    lines, schema = [(str(n), fact) for n, fact in enumerate(given, 1)], record({"summary": TEXT})
    asked = ModelQuestion("summarise", language, system, fenced(lines), schema, 2 * most + 20)
    return model.ask(asked, read)


# Ten sentences in each language (`trial.json`) that a model has to read well before it decides
# anything: a small one that takes every question for a fact would leave a memory worse than none.

ENOUGH = 8  # sentences of the ten that a model must read well
VERSION = 2  # of the sentences and the question: a model that passed another is tried again
_START = datetime(2026, 3, 2, 9, tzinfo=UTC)
_DAY = timedelta(days=1)


class Trial(NamedTuple):
    """How a model did."""

    passed: int
    of: int
    failed: tuple[str, ...]  # the sentences that it did not read well

    @classmethod
    def none(cls, language: str) -> Trial:
        """Of a model that answers nothing that can be used."""
        texts = tuple(one["text"] for one in _sentences()[language])
        return cls(0, len(texts), texts)

    @property
    def good(self) -> bool:
        return self.passed >= ENOUGH


@cache
def _sentences() -> dict[str, list[dict[str, Any]]]:
    """The sentences by language: each `text`, a memory `known` that it is about and a `hint` of the
    rules, where there are any; of a good reading, what it does (`do`) and one of the words that it
    `has`, none where nothing is kept."""
    found: dict[str, Any] = json.loads((files(__package__) / "trial.json").read_text("utf-8"))
    return found


def attempt(model: ChatModel, language: str) -> ModelReply[Trial]:
    """Have a model read the ten sentences of a language in one question, each of its own day."""
    tried = list(enumerate(_sentences()[language]))
    batch = reading.Batch(
        [reading.PromptMessage(one["text"], _START + n * _DAY) for n, one in tried],
        [KnownMemory(str(n), one["known"], _START - _DAY) for n, one in tried if one.get("known")],
        [reading.Hint(n, one["hint"]) for n, one in tried if one.get("hint")],
        language,
    )

    def is_well_read(n: int, one: dict[str, Any], items: Sequence[reading.ReadItem]) -> bool:
        dropped = {item.hint for item in items if item.do == "drop"}
        hints = [
            hint.text for k, hint in enumerate(batch.hints) if hint.line == n and k not in dropped
        ]
        texts = [*hints, *(item.statement.content for item in items if item.statement)]
        has, known, do = one.get("has"), one.get("known"), one.get("do", ("add", "update"))
        if not has and not known:
            return not items or (not texts and all(item.do == "drop" for item in items))
        if known and not any(item.do in do and item.target == str(n) for item in items):
            return False
        return bool(items) and (not has or any(word in text for word in has for text in texts))

    def judged(value: dict[str, Any]) -> Trial:
        found, failed = reading.believed(value, batch), []
        for n, one in tried:
            items = [item for item in found.items if item.line == n]
            if n not in found.decided or not is_well_read(n, one, items):
                failed.append(one["text"])
        return Trial(len(tried) - len(failed), len(tried), tuple(failed))

    return model.ask(reading.question(batch)._replace(name="trial"), judged)
