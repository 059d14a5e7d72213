"""The smaller questions that a model is asked (weighing, summing up, merging), and its trial.

A text holds only what was found in the lines handed in (`grounding.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from loxodon.errors import BadReplyError
from loxodon.models import grounding, reading
from loxodon.models.chat import ChatModel, ModelQuestion, UnfitError
from loxodon.models.prompts import TEXT, array, prompt, record
from loxodon.models.reading import MOST_STATEMENT, KnownMemory, shown
from loxodon.types import Turn

Verdict = Literal["confirm", "deny", "unrelated"]
Merge = tuple[tuple[int, ...], str]  # The places of facts, and the sentence that tells them

# What a text is called in the answer, and how long it may be: characters in Chinese, words in
# English
_TEXTS: Mapping[str, tuple[str, Mapping[str, int]]] = {
    "summarise": ("summary", {"zh": 50, "en": 30}),
    "entity": ("profile", {"zh": 80, "en": 45}),
    "portrait": ("portrait", {"zh": 200, "en": 100}),
}
_PER_MERGED = 40  # tokens of the answer for each fact
_WEIGHING = record({"verdict": {"type": "string", "enum": list(get_args(Verdict))}})
_GROUP = record({"numbers": array({"type": "integer"}), "content": TEXT})
_MERGING = record({"merged": array(_GROUP)})


def weigh_belief(model: ChatModel, belief: str, fact: str, language: str) -> Verdict:
    """What a new fact does to a belief."""
    lines = [("belief", shown(belief)), ("fact", shown(fact))]
    asked = ModelQuestion("weigh", language, prompt("weigh", language), lines, _WEIGHING, 30)
    # A belief becomes a fact by this: what says the contrary cannot confirm it.
    contrary = grounding.negated(belief) != grounding.negated(fact)

    def read(value: dict[str, Any]) -> Verdict:
        verdict: Verdict = msgspec.convert(value["verdict"], Verdict)
        return "unrelated" if verdict == "confirm" and contrary else verdict

    return model.ask(asked, read)


def text_on(model: ChatModel, task: str, lines: Sequence[tuple[str, str]], language: str) -> str:
    """A short text in which everything is from labelled lines: `summarise` facts in a sentence,
    say who or what an `entity` is to the user, draw a `portrait` of the user and their week."""
    field, most = _TEXTS[task]
    lines = [(label, shown(line)) for label, line in lines]
    system, given = prompt(task, language, most=str(most[language])), [line for _, line in lines]

    def read(value: dict[str, Any]) -> str:
        text = " ".join(msgspec.convert(value[field], str).split())
        _check(text, given, most, language)
        if sum(grounding.shares(text, line) for line in given) < min(2, len(given)):
            raise UnfitError(f"the {field} does not sum up what was given")
        return text

    schema, room = record({field: TEXT}), 2 * most[language] + 20
    return model.ask(ModelQuestion(task, language, system, lines, schema, room), read)


def numbered(facts: Sequence[str], name: str = "") -> list[tuple[str, str]]:
    """Facts as lines, after the `name` of whom or what they are about."""
    lines = [(str(n), shown(fact)) for n, fact in enumerate(facts, 1)]
    return [("name", name), *lines] if name else lines


class _Group(msgspec.Struct):
    numbers: list[int]
    content: str


def merge(model: ChatModel, facts: Sequence[str], language: str) -> list[Merge]:
    """Which facts of a partition one sentence can tell without losing anything."""

    def read(value: dict[str, Any]) -> list[Merge]:
        found, free = [], {*range(len(facts))}
        for group in msgspec.convert(value["merged"], list[_Group]):
            places = tuple(dict.fromkeys(n - 1 for n in group.numbers))
            if len(places) < 2 or not free.issuperset(places):
                raise UnfitError("numbers must name two or more of the facts, each in one group")
            free -= {*places}
            content = " ".join(group.content.split()).rstrip("。.")
            told = [facts[n] for n in places]
            _check(content, told, MOST_STATEMENT, language)
            if any(grounding.lost(content, fact) for fact in told):
                raise UnfitError("a name or a number of the facts is lost")
            found.append((places, content))
        return found

    system = prompt("merge", language, most=str(MOST_STATEMENT[language]))
    most = 60 + _PER_MERGED * len(facts)
    asked = ModelQuestion("merge", language, system, numbered(facts), _MERGING, most)
    return model.ask(asked, read)


def _check(text: str, given: Sequence[str], most: Mapping[str, int], language: str) -> None:
    """Raise UnfitError for a text that is too long, or says what was not given."""
    whole = "\n".join(given)
    reason = grounding.bad_length(text, most, language) or grounding.invented(text, whole, language)
    if reason or grounding.turned(text, whole):
        raise UnfitError(f"the text is not what was given: {reason or 'it says the contrary'}")


# Ten sentences in each language (`trial.json`) that a model has to read well before it decides
# anything: a small one that takes every question for a fact would leave a memory worse than none.

ENOUGH = 8  # sentences of the ten that a model must read well
VERSION = 3  # of the sentences and the question: a model that passed another is tried again
_START = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Trial(NamedTuple):
    """How a model did."""

    passed: int
    of: int
    failed: tuple[str, ...]  # the sentences that it did not read well
    problem: str = ""  # why there was no answer that can be used, where there was none

    @property
    def good(self) -> bool:
        return self.passed >= ENOUGH


def attempt(model: ChatModel, language: str) -> Trial:
    """Have a model read the ten sentences of a language in one question, each of its own day."""
    # Each `text`, a memory `known` that it may be about, and what to do (`want`), if anything
    sentences = json.loads((files(__package__) / "trial.json").read_text("utf-8"))
    tried = list(enumerate(sentences[language]))
    lines = [Turn("", str(n), "user", one["text"], _START + timedelta(days=n)) for n, one in tried]
    known = [KnownMemory(str(n), one["known"], _START) for n, one in tried if "known" in one]
    batch = reading.Batch(lines, range(len(lines)), known, language=language)

    def judged(value: dict[str, Any]) -> Trial:
        found, failed = reading.believed(value, batch), []
        for n, one in tried:
            items = [(item, item.statement) for item in found.items if item.line == n]
            did = [f"{one.do} {one.target}: {said.content if said else ''}" for one, said in items]
            well = any(re.search(one["want"], text) for text in did) if "want" in one else not did
            if n not in found.decided or not well:
                failed.append(one["text"])
        return Trial(len(tried) - len(failed), len(tried), tuple(failed))

    try:
        return model.ask(reading.question(batch)._replace(name="trial"), judged)
    except BadReplyError as error:
        return Trial(0, len(tried), tuple(one.content for one in lines), error.localized()[0])
