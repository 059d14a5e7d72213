"""The smaller questions that a model is asked (weighing, summing up, merging), and its trial.

A text holds only what was found in the lines handed in (`grounding.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, cast, get_args

from loxodon.models import grounding
from loxodon.models.chat import ChatModel, ModelQuestion, ModelReply
from loxodon.models.grounding import Evidence
from loxodon.models.prompts import fenced, prompt
from loxodon.models.reading import (
    MOST_STATEMENT,
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
        verdict = cast(Verdict, value["verdict"])
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
    user = fenced(_numbered(facts))

    def read(value: dict[str, Any]) -> list[Merge]:
        found: list[Merge] = []
        taken: set[int] = set()
        problem = None
        for group in value["merged"]:
            try:
                found.append(_merged(group, facts, language, taken))
                taken.update(found[-1][0])
            except UnfitError as error:
                problem = error
        if problem and not found:
            raise problem
        return found

    return model.ask(ModelQuestion("merge", language, system, user, _MERGING, most), read)


def _merged(group: dict[str, Any], facts: Sequence[str], language: str, taken: set[int]) -> Merge:
    """A group that can be believed."""
    places = tuple(dict.fromkeys(n - 1 for n in group["numbers"]))
    if len(places) < 2 or not all(0 <= n < len(facts) for n in places) or taken & set(places):
        raise UnfitError("numbers must name two or more of the facts, each once")
    content = " ".join(group["content"].split()).rstrip("。.")
    told = [facts[n] for n in places]
    reason = _objection(content, "\n".join(told), MOST_STATEMENT, language)
    if not reason and any(grounding.lost(content, fact) for fact in told):
        reason = "a name or a number is lost"
    if reason:
        raise UnfitError(f"the content is not what was given: {reason}")
    return places, content


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
    schema = record({field: TEXT})
    asked = ModelQuestion(name, language, system, fenced(lines), schema, 2 * most[language] + 20)

    def read(value: dict[str, Any]) -> str:
        text = " ".join(cast(str, value[field]).split())
        reason = _objection(text, "\n".join(line for _, line in lines), most, language)
        summed_up = sum(grounding.shares(text, line) for _, line in lines)
        if not reason and summed_up < min(2, len(lines)):
            reason = "it does not sum it up"
        if reason:
            raise UnfitError(f"the {field} is not what was given: {reason}")
        return text

    return model.ask(asked, read)


def _objection(text: str, given: str, most: Mapping[str, int], language: str) -> str:
    """What a text says that was not given; UnfitError where it is too long."""
    check_length(text, most, language)
    reason = grounding.invented(text, Evidence(given), given, language)
    return reason or ("it says the contrary" if grounding.turned(text, given) else "")


def _numbered(facts: Sequence[str]) -> list[tuple[str, str]]:
    return [(str(n), shown(fact)) for n, fact in enumerate(facts, 1)]


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
