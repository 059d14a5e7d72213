"""The smaller questions that a model is asked (weighing, summing up, merging), and its trial.

A text holds only what was found in the lines handed in (`grounding.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from loxodon.models import grounding, reading
from loxodon.models.chat import ChatModel, ModelQuestion, ModelReply
from loxodon.models.grounding import Evidence
from loxodon.models.prompts import fenced, prompt
from loxodon.models.reading import MOST_STATEMENT, KnownMemory, shown
from loxodon.models.replies import TEXT, UnfitError, array, check_length, record
from loxodon.text.similarity import gist

Verdict = Literal["confirm", "deny", "unrelated"]

# Characters in Chinese, words in English
MOST_SUMMARY = {"zh": 50, "en": 30}
MOST_ENTITY = {"zh": 80, "en": 45}
MOST_PORTRAIT = {"zh": 200, "en": 100}
_PER_MERGED = 40  # tokens of the answer for each fact

_WEIGHING = record({"verdict": {"type": "string", "enum": list(get_args(Verdict))}})
_MERGING = record(
    {"merged": array(record({"numbers": array({"type": "integer"}), "content": TEXT}))}
)

Merge = tuple[tuple[int, ...], str]  # The places of facts, and the sentence that tells them


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
    """The facts of one theme in one short sentence."""
    return _text(model, "summary", "summarise", _numbered(facts), MOST_SUMMARY, language)


def entity(model: ChatModel, name: str, facts: Sequence[str], language: str) -> ModelReply[str]:
    """Who or what somebody or something is to the user, in a sentence or two."""
    lines = [("name", shown(name)), *_numbered(facts)]
    return _text(model, "profile", "entity", lines, MOST_ENTITY, language)


def portrait(
    model: ChatModel, entries: Sequence[str], changes: Sequence[str], language: str
) -> ModelReply[str]:
    """The core profile: who the user is and what changed this week, in a few sentences."""
    lines = [("known", shown(one)) for one in entries]
    lines += [("changed", shown(one)) for one in changes]
    return _text(model, "portrait", "portrait", lines, MOST_PORTRAIT, language)


def merge(model: ChatModel, facts: Sequence[str], language: str) -> ModelReply[list[Merge]]:
    """Which facts of a partition one sentence can tell without losing anything."""
    most = 60 + _PER_MERGED * len(facts)
    system = prompt("merge", language, most=str(MOST_STATEMENT[language]))

    def merged(numbers: list[int], content: str) -> Merge:
        places = tuple(dict.fromkeys(n - 1 for n in numbers))
        if len(places) < 2 or not all(0 <= n < len(facts) for n in places):
            raise UnfitError("numbers must name two or more of the facts")
        content, told = " ".join(content.split()).rstrip("。."), [facts[n] for n in places]
        _check(content, told, MOST_STATEMENT, language)
        if any(grounding.lost(content, fact) for fact in told):
            raise UnfitError("a name or a number of the facts is lost")
        return places, content

    def read(value: dict[str, Any]) -> list[Merge]:
        found: list[Merge] = []
        problem = None
        for group in msgspec.convert(value["merged"], list[_Group]):
            try:
                found.append(merged(group.numbers, group.content))
            except UnfitError as error:
                problem = error
        if problem and not found:
            raise problem
        taken = [n for places, _ in found for n in places]
        if len(taken) > len(set(taken)):
            raise UnfitError("a fact is in two groups")
        return found

    asked = ModelQuestion("merge", language, system, fenced(_numbered(facts)), _MERGING, most)
    return model.ask(asked, read)


class _Group(msgspec.Struct):
    numbers: list[int]
    content: str


def _text(
    model: ChatModel,
    field: str,
    name: str,
    lines: Sequence[tuple[str, str]],
    most: Mapping[str, int],
    language: str,
) -> ModelReply[str]:
    """A text in which everything is from `lines`."""
    system = prompt(name, language, most=str(most[language]))
    schema, given = record({field: TEXT}), [line for _, line in lines]

    def read(value: dict[str, Any]) -> str:
        text = " ".join(msgspec.convert(value[field], str).split())
        _check(text, given, most, language)
        if sum(grounding.shares(text, line) for line in given) < min(2, len(given)):
            raise UnfitError(f"the {field} does not sum up what was given")
        return text

    room = 2 * most[language] + 20
    return model.ask(ModelQuestion(name, language, system, fenced(lines), schema, room), read)


def _check(text: str, given: Sequence[str], most: Mapping[str, int], language: str) -> None:
    """Raise UnfitError for a text that is too long, or says what was not given."""
    check_length(text, most, language)
    whole = "\n".join(given)
    reason = grounding.invented(text, Evidence(whole), whole, language)
    if reason or grounding.turned(text, whole):
        raise UnfitError(f"the text is not what was given: {reason or 'it says the contrary'}")


def _numbered(facts: Sequence[str]) -> list[tuple[str, str]]:
    return [(str(n), shown(fact)) for n, fact in enumerate(facts, 1)]


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
