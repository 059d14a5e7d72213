"""The smaller questions that a model is asked: weighing, summing up, merging.

Each takes a model, what it is about, and the language, and returns a `Reply`: the checked result
and the tokens. A text holds only what was found in the lines handed in (`grounding.py`). Reading,
the large question, is in `reading.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast, get_args

from loxodon.models import grounding
from loxodon.models.chat import ChatModel, ModelQuestion, ModelReply
from loxodon.models.grounding import Evidence
from loxodon.models.prompts import fenced, prompt
from loxodon.models.reading import MOST_STATEMENT, shown
from loxodon.models.replies import TEXT, UnfitError, array, check_length, record
from loxodon.text.similarity import gist

Verdict = Literal["confirm", "deny", "unrelated"]

MOST_SUMMARY = {"zh": 50, "en": 30}
MOST_ENTITY = {"zh": 80, "en": 45}
MOST_PORTRAIT = {"zh": 200, "en": 100}  # Characters in Chinese, words in English
_PER_MERGED = 40


class Merge(NamedTuple):
    """Facts that one sentence can tell, by their places."""

    places: tuple[int, ...]
    content: str


def weigh_belief(model: ChatModel, belief: str, fact: str, language: str) -> ModelReply[Verdict]:
    """What a new fact does to a belief. One that shares no word with it is not asked about."""
    if gist(belief).words.isdisjoint(gist(fact).words):
        return ModelReply("unrelated", 0, 0)
    user = fenced([("belief", shown(belief)), ("fact", shown(fact))])
    question = ModelQuestion("weigh", language, prompt("weigh", language), user, _WEIGHING, 30)

    def read(value: dict[str, Any]) -> Verdict:
        verdict = cast(Verdict, value["verdict"])
        # A belief becomes a fact by this: what says the contrary cannot confirm it.
        contrary = grounding.negated(belief) != grounding.negated(fact)
        return "unrelated" if verdict == "confirm" and contrary else verdict

    return model.ask(question, read)


def summarise(model: ChatModel, facts: Sequence[str], language: str) -> ModelReply[str]:
    """The facts of one theme in one short sentence."""
    lines = [(str(n), shown(fact)) for n, fact in enumerate(facts, 1)]
    return _text(model, "summary", "summarise", lines, MOST_SUMMARY, language)


def entity(model: ChatModel, name: str, facts: Sequence[str], language: str) -> ModelReply[str]:
    """Who or what somebody or something is to the user, in a sentence or two."""
    lines = [("name", shown(name)), *((str(n), shown(fact)) for n, fact in enumerate(facts, 1))]
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
    lines = [(str(n), shown(fact)) for n, fact in enumerate(facts, 1)]
    most = 60 + _PER_MERGED * len(facts)
    system = prompt("merge", language, most=str(MOST_STATEMENT[language]))
    question = ModelQuestion("merge", language, system, fenced(lines), _MERGING, most)
    return model.ask(question, lambda value: _merges(value, facts, language))


def _merges(value: dict[str, Any], facts: Sequence[str], language: str) -> list[Merge]:
    """The groups that can be believed; UnfitError where there are some and none can."""
    found: list[Merge] = []
    reason = ""
    for group in value["merged"]:
        try:
            found.append(_merged(group, facts, language, {n for one in found for n in one.places}))
        except UnfitError as error:
            reason = str(error)
    if reason and not found:
        raise UnfitError(reason)
    return found


def _merged(group: dict[str, Any], facts: Sequence[str], language: str, taken: set[int]) -> Merge:
    places = tuple(dict.fromkeys(n - 1 for n in group["numbers"]))
    if len(places) < 2 or not all(0 <= n < len(facts) for n in places) or taken & set(places):
        raise UnfitError("numbers must name two or more of the facts, each once")
    content = " ".join(group["content"].split()).rstrip("。.")
    check_length(content, MOST_STATEMENT, language)
    told = [facts[n] for n in places]
    whole = "\n".join(told)
    reason = grounding.invented(content, Evidence(whole), whole, language)
    if not reason and grounding.turned(content, whole):
        reason = "it says the contrary"
    if not reason and any(grounding.lost(content, fact) for fact in told):
        reason = "a name or a number is lost"
    if reason:
        raise UnfitError(f"the content is not what was given: {reason}")
    return Merge(places, content)


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
    question = ModelQuestion(name, language, system, fenced(lines), schema, 2 * most[language] + 20)
    source = Evidence("\n".join(text for _, text in lines))

    def read(value: dict[str, Any]) -> str:
        text = " ".join(cast(str, value[field]).split())
        check_length(text, most, language)
        reason = grounding.invented(text, source, source.said, language)
        if not reason and grounding.turned(text, source.said):
            reason = "it says the contrary"
        summed_up = sum(grounding.shares(text, line) for _, line in lines)
        if not reason and summed_up < min(2, len(lines)):
            reason = "it does not sum it up"
        if reason:
            raise UnfitError(f"the {field} is not what was given: {reason}")
        return text

    return model.ask(question, read)


_WEIGHING = record({"verdict": {"type": "string", "enum": list(get_args(Verdict))}})
_MERGING = record(
    {"merged": array(record({"numbers": array({"type": "integer"}), "content": TEXT}))}
)
