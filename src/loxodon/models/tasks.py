"""The smaller questions that a model is asked: weighing, summing up, merging.

Each takes a model, what it is about, and the language, and returns the checked result with its
tokens. A text holds only what was found in the lines handed in (`grounding.py`). Reading, the large
question, is in `reading.py`.
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

# Characters in Chinese, words in English
MOST_SUMMARY = {"zh": 50, "en": 30}
MOST_ENTITY = {"zh": 80, "en": 45}
MOST_PORTRAIT = {"zh": 200, "en": 100}
_PER_MERGED = 40  # tokens of the answer for each fact

_WEIGHING = record({"verdict": {"type": "string", "enum": list(get_args(Verdict))}})
_MERGING = record(
    {"merged": array(record({"numbers": array({"type": "integer"}), "content": TEXT}))}
)


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
    # A belief becomes a fact by this: what says the contrary cannot confirm it.
    contrary = grounding.negated(belief) != grounding.negated(fact)

    def read(value: dict[str, Any]) -> Verdict:
        verdict = cast(Verdict, value["verdict"])
        return "unrelated" if verdict == "confirm" and contrary else verdict

    return model.ask(question, read)


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
                taken.update(found[-1].places)
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

    def read(value: dict[str, Any]) -> str:
        text = " ".join(cast(str, value[field]).split())
        reason = _objection(text, "\n".join(line for _, line in lines), most, language)
        summed_up = sum(grounding.shares(text, line) for _, line in lines)
        if not reason and summed_up < min(2, len(lines)):
            reason = "it does not sum it up"
        if reason:
            raise UnfitError(f"the {field} is not what was given: {reason}")
        return text

    return model.ask(question, read)


def _objection(text: str, given: str, most: Mapping[str, int], language: str) -> str:
    """What a text says that was not given; UnfitError where it is too long."""
    check_length(text, most, language)
    reason = grounding.invented(text, Evidence(given), given, language)
    return reason or ("it says the contrary" if grounding.turned(text, given) else "")


def _numbered(facts: Sequence[str]) -> list[tuple[str, str]]:
    return [(str(n), shown(fact)) for n, fact in enumerate(facts, 1)]
