"""The questions that a model is asked, and what of its answers is believed.

Each takes a model, what it is about, and the language, and returns a `Reply`: the checked result
and the tokens. A result holds only what was found in the words handed in (`grounding.py`); an
answer of which nothing can be used is a ModelError, never "nothing to remember".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, cast, get_args

from loxodon.language.attributes import ATTRIBUTES
from loxodon.language.statements import CONTEXT, USER, Act, EntityType, Mention, Statement
from loxodon.models import grounding
from loxodon.models.attributes import OFFERED, attribute_for
from loxodon.models.chat import ChatModel, Question, Reply, cost
from loxodon.models.grounding import Source
from loxodon.models.prompts import fenced, prompt
from loxodon.models.replies import Schema, UnfitError, check
from loxodon.text.sentences import split
from loxodon.text.similarity import gist
from loxodon.text.words import fold
from loxodon.tokens import cut
from loxodon.types import CATEGORIES
from loxodon.write.extract import MOST_CHARACTERS, MOST_WORDS

Verdict = Literal["confirm", "deny", "unrelated"]
One = TypeVar("One", "Item", "Line")

MOST_SUMMARY = {"zh": 50, "en": 30}
MOST_PORTRAIT = {"zh": 200, "en": 100}
"""Characters in Chinese, words in English."""
_MOST_STATEMENT = {"zh": MOST_CHARACTERS, "en": MOST_WORDS}

_LINE = 400
"""Tokens of one line that a model is shown; a pasted log is no conversation."""
_PER_TEXT = 75
_AT_LEAST = 160
"""Tokens allowed for the answer: for each text asked about, and in any case."""
_MENTIONS = 10
_BASIS = 200
_IF_HEDGED = 0.6
_USERS = ("user", "the user", "用户", "")
# A secret is for the rules, which know one when they see it; what was said is in the journal.
_CATEGORIES = tuple(one for one in CATEGORIES if one not in ("credential", "conversation"))


class Item(NamedTuple):
    """A fragment of a user's turn that the rules could not judge."""

    number: int
    text: str
    before: str = ""
    """The line before it, for understanding."""


class Line(NamedTuple):
    """A turn of a conversation."""

    number: int
    role: str
    speaker: str
    text: str
    own: bool = True
    """Whether the user's own words; only these are asked about."""


class Found(NamedTuple):
    """A statement, and the number of what it was read from."""

    number: int
    statement: Statement


class Reading(NamedTuple):
    """What a model made of numbered texts; each number is in one of the first three."""

    found: list[Found]
    nothing: list[int]
    """It said that there is nothing in these."""
    unanswered: list[int]
    """It passed these over, or said only what cannot be believed: they are still undecided."""
    dropped: int
    """How much it said that was not believed."""


class _Text(NamedTuple):
    """A text that is asked about (with its number) or only shown, and what it is called."""

    number: int | None
    label: str
    text: str
    context: str = ""


# --- Reading: statements from fragments, turns and events -----------------------------------------


def extract(model: ChatModel, items: Sequence[Item], language: str) -> Reply[Reading]:
    """What the undecided fragments say that is worth keeping."""
    return _read(model, "extract", _of_items(items), language)


def read_batch(model: ChatModel, lines: Sequence[Line], language: str) -> Reply[Reading]:
    """What the user's turns of a stretch of conversation say; nobody else's are a source."""
    return _read(model, "read", _of_lines(lines), language)


def compress_day(model: ChatModel, events: Sequence[str], language: str) -> Reply[Reading]:
    """What of a day's events is worth keeping; they are numbered from 1."""
    texts = [_Text(n, "", _shown(event)) for n, event in enumerate(events, 1)]
    return _read(model, "compress", texts, language)


def extract_that_fit(items: Sequence[Item], language: str, room: int | None) -> Sequence[Item]:
    """The first `items` that one question can ask about within `room` tokens; None is no limit."""
    return _that_fit(items, lambda some: _question("extract", _of_items(some), language), room)


def batch_that_fit(lines: Sequence[Line], language: str, room: int | None) -> Sequence[Line]:
    """The same of the lines of a conversation."""
    return _that_fit(lines, lambda some: _question("read", _of_lines(some), language), room)


def _that_fit(
    all: Sequence[One], question: Callable[[Sequence[One]], Question], room: int | None
) -> Sequence[One]:
    if room is None or cost(question(all)) <= room:
        return all
    fits, too_many = 0, len(all)
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if cost(question(all[:middle])) <= room:
            fits = middle
        else:
            too_many = middle
    return all[:fits]


def _of_items(items: Sequence[Item]) -> list[_Text]:
    texts = []
    for one in items:
        before = _shown(one.before)
        if before.strip():
            texts.append(_Text(None, "before", before))
        texts.append(_Text(one.number, "", _shown(one.text), before))
    return texts


def _of_lines(lines: Sequence[Line]) -> list[_Text]:
    """What people and the assistant said; what tools and systems put in is neither's."""
    texts: list[_Text] = []
    for one in lines:
        if one.role in ("user", "assistant"):
            # A name comes from outside like the text: only its letters are shown.
            name = "".join(c for c in one.speaker[:40] if c.isalnum() or c in " _-").strip()
            label = f"{one.role} ({name})" if name else one.role
            context = "\n".join(text.text for text in texts[-CONTEXT:])
            number = one.number if one.role == "user" and one.own else None
            texts.append(_Text(number, label, _shown(one.text), context))
    return texts


def _shown(text: str) -> str:
    """A text as the model sees it, and as its answer is compared with: not longer than a page."""
    return cut(text[: 10 * _LINE], _LINE)


def _asked(texts: Sequence[_Text]) -> list[_Text]:
    return [one for one in texts if one.number is not None]


def _question(name: str, texts: Sequence[_Text], language: str) -> Question:
    """The question about `texts`, those asked about numbered from 1 whatever their own numbers."""
    lines = []
    keys: list[str] = []
    for one in texts:
        if one.number is not None:
            keys.append(str(len(keys) + 1))
        label = f"{keys[-1]} {one.label}" if one.number is not None else one.label
        lines.append((label.strip(), one.text))
    statement = prompt(
        "statement", language, attributes=", ".join(OFFERED), categories=", ".join(_CATEGORIES)
    )
    system = prompt(name, language, statement=statement)
    most = max(_AT_LEAST, _PER_TEXT * len(keys))
    # A key for each number, so that a server that keeps to schemas makes the model answer each.
    schema = _object({key: {"$ref": "#/$defs/all"} for key in keys})
    schema = {**schema, "$defs": {"all": _list(_STATEMENT)}}
    return Question(name, language, system, fenced(lines), schema, most, _object({}))


def _read(model: ChatModel, name: str, texts: Sequence[_Text], language: str) -> Reply[Reading]:
    if not _asked(texts):
        return Reply(Reading([], [], [], 0), 0, 0)
    question = _question(name, texts, language)
    return model.ask(question, lambda value: _reading(value, _asked(texts), language))


def _reading(value: dict[str, object], texts: Sequence[_Text], language: str) -> Reading:
    """What can be believed of an answer; UnfitError where that is nothing at all."""
    found: list[Found] = []
    nothing, unanswered = [], []
    reasons = ["a number was not asked about"] * (len(value.keys() - _keys(texts)))
    for key, one in zip(_keys(texts), texts, strict=True):
        claims = value.get(key)
        number = cast(int, one.number)
        if claims == []:
            nothing.append(number)
            continue
        before = len(found)
        for claim in claims if isinstance(claims, list) else ():
            try:
                statement = _believed(claim, Source(one.text, one.context), language)
            except UnfitError as error:
                reasons.append(str(error))
            else:
                if all(statement.content != other.statement.content for other in found):
                    found.append(Found(number, statement))
        if len(found) == before:
            unanswered.append(number)
    if not found and not nothing:
        raise UnfitError(reasons[0] if reasons else "no number that was asked about is answered")
    return Reading(found, nothing, unanswered, len(reasons))


def _keys(texts: Sequence[_Text]) -> list[str]:
    return [str(n) for n in range(1, len(texts) + 1)]


def _believed(claim: object, source: Source, language: str) -> Statement:
    """A statement of an answer, checked; UnfitError with the reason where it is not believed."""
    check(claim, _STATEMENT, "a statement")
    given = cast(dict[str, Any], claim)
    content = given["content"].strip().rstrip("。.").rstrip()
    _check_length(content, _MOST_STATEMENT, language)
    if len(split(content)) > 1:
        raise UnfitError("content must be one sentence")
    if reason := grounding.objection(content, source, language):
        raise UnfitError(f"a statement is not what was said: {reason}")
    if not 0 < given["confidence"] <= 1:
        raise UnfitError("confidence must be above 0 and at most 1")
    return _statement(given, content, source)


def _statement(claim: dict[str, Any], content: str, source: Source) -> Statement:
    """The statement with what of its labels can be believed; the others stay empty."""
    subject = claim["subject"].strip()
    subject = USER if subject.lower() in _USERS else subject
    if subject != USER and not grounding.contains(source.whole, subject):
        raise UnfitError("a statement is about someone who was not spoken of")
    if not fold(content).startswith(("the user", "用户", fold(subject))):
        raise UnfitError("content must begin with the user or whom it is about")
    attribute = attribute_for(claim["attribute"], content)
    value = claim["value"].strip()
    if not grounding.contains(content, value) or (
        subject == USER and _of_another(attribute, content)
    ):
        attribute = ""
    value = value if attribute else ""
    clause = grounding.closest(content, source.said)
    confidence = float(claim["confidence"])
    if grounding.hedged(clause):
        confidence = min(confidence, _IF_HEDGED)
    return Statement(
        content,
        subject,
        attribute,
        value,
        _category(claim["category"], attribute),
        cast(Act, grounding.act_of(claim["act"], source.said)),
        tuple(over for over in claim["over"] if grounding.contains(source.whole, over))[:_MENTIONS],
        not grounding.negated(content),
        confidence,
        clause.strip()[:_BASIS] if confidence < 1 else "",
        _mentions(claim["mentions"], content, source),
    )


def _of_another(attribute: str, content: str) -> bool:
    """Whether what seems to be the user's is that of someone close to them."""
    known = ATTRIBUTES.get(attribute)
    return (known is None or known.about != "relation") and grounding.about_relative(content)


def _category(claimed: str, attribute: str) -> str:
    if attribute:
        return ATTRIBUTES[attribute].category
    return claimed if claimed in _CATEGORIES else "fact"


def _mentions(
    claims: Sequence[dict[str, str]], content: str, source: Source
) -> tuple[Mention, ...]:
    found = {}
    for one in claims:
        name = one["name"].strip()
        said = grounding.contains(content, name) and grounding.contains(source.whole, name)
        if said and name.lower() not in _USERS:
            type = one["type"] if one["type"] in get_args(EntityType) else "other"
            found[name] = Mention(name, cast(EntityType, type))
    return tuple(found.values())[:_MENTIONS]


def _check_length(text: str, most: Mapping[str, int], language: str) -> None:
    if not text:
        raise UnfitError("a sentence is empty")
    size = len(text) if language == "zh" else len(text.split())
    # Nobody's words have twelve letters on average: a long run without spaces is no sentence.
    if size > most[language] or len(text) > 12 * most["en"]:
        unit = "characters" if language == "zh" else "words"
        raise UnfitError(f"a text has more than {most[language]} {unit}")


# --- Weighing and summing up ----------------------------------------------------------------------


def weigh_belief(model: ChatModel, belief: str, fact: str, language: str) -> Reply[Verdict]:
    """What a new fact does to a belief. One that shares no word with it is not asked about."""
    if gist(belief).words.isdisjoint(gist(fact).words):
        return Reply("unrelated", 0, 0)
    user = fenced([("belief", _shown(belief)), ("fact", _shown(fact))])
    question = Question("weigh", language, prompt("weigh", language), user, _WEIGHING, 30)

    def read(value: dict[str, Any]) -> Verdict:
        verdict = cast(Verdict, value["verdict"])
        # A belief becomes a fact by this: what says the contrary cannot confirm it.
        contrary = grounding.negated(belief) != grounding.negated(fact)
        return "unrelated" if verdict == "confirm" and contrary else verdict

    return model.ask(question, read)


def summarise(model: ChatModel, facts: Sequence[str], language: str) -> Reply[str]:
    """The facts in one short sentence."""
    lines = [(str(n), _shown(fact)) for n, fact in enumerate(facts, 1)]
    return _text(model, "summary", "summarise", lines, MOST_SUMMARY, language)


def portrait(
    model: ChatModel, entries: Sequence[str], changes: Sequence[str], language: str
) -> Reply[str]:
    """Who the user is and what changed this week, in a few sentences."""
    lines = [("known", _shown(one)) for one in entries]
    lines += [("changed", _shown(one)) for one in changes]
    return _text(model, "portrait", "portrait", lines, MOST_PORTRAIT, language)


def _text(
    model: ChatModel, field: str, name: str, lines: Sequence[tuple[str, str]],
    most: Mapping[str, int], language: str,
) -> Reply[str]:  # fmt: skip
    """A text in which everything is from `lines`."""
    system = prompt(name, language, most=str(most[language]))
    schema = _object({field: _STRING})
    question = Question(name, language, system, fenced(lines), schema, 2 * most[language] + 20)
    source = Source("\n".join(text for _, text in lines))

    def read(value: dict[str, Any]) -> str:
        text = " ".join(cast(str, value[field]).split())
        _check_length(text, most, language)
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


# --- The shapes of the answers --------------------------------------------------------------------


def _object(properties: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_STRING: Schema = {"type": "string"}
_WEIGHING = _object({"verdict": {"type": "string", "enum": list(get_args(Verdict))}})
_STATEMENT = _object(
    {
        "content": _STRING,
        "subject": _STRING,
        "attribute": _STRING,
        "value": _STRING,
        "category": _STRING,
        "act": {"type": "string", "enum": list(get_args(Act))},
        "over": _list(_STRING),
        "confidence": {"type": "number"},
        "mentions": _list(_object({"name": _STRING, "type": _STRING})),
    }
)
