"""One question about a stretch of talk: what of it is worth knowing, and what that does to what is
known.

The model sees the talk in order with dates and speakers, the nearest memories under short ids, and
what the rules read of the same messages. For each message that is asked about it answers a list of
items: add, update or end a memory, the same as one, drop what the rules read; an empty list is
"nothing to remember" and drops that too. A message that is not answered keeps what the rules read.
What of it is believed stands in the message: every item quotes the words it rests on, a memory that
ends or changes is one that was shown, and a sentence brings no name and no number of its own
(`grounding.py`). An answer of which nothing can be used is a ModelError, never "nothing".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple, cast, get_args

from loxodon.language.attributes import ATTRIBUTES
from loxodon.language.statements import (
    CONTEXT,
    MOST_CHARACTERS,
    MOST_WORDS,
    USER,
    EntityType,
    Mention,
    Statement,
)
from loxodon.models import grounding
from loxodon.models.attributes import OFFERED, attribute_for
from loxodon.models.chat import ChatModel, ModelQuestion, ModelReply, cost
from loxodon.models.grounding import Evidence
from loxodon.models.prompts import fenced, prompt
from loxodon.models.replies import (
    TEXT,
    RefusedError,
    Schema,
    UnfitError,
    array,
    check,
    check_length,
    record,
)
from loxodon.text.dates import find_moments
from loxodon.text.sentences import split
from loxodon.text.words import fold
from loxodon.tokens import cut
from loxodon.types import CATEGORIES

Do = Literal["add", "update", "end", "same", "drop"]

MOST_STATEMENT = {"zh": MOST_CHARACTERS, "en": MOST_WORDS}
LINE = 400
"""Tokens of one line that a model is shown; a pasted log is no conversation."""
_PER_LINE = 120
_AT_LEAST = 400
"""Tokens allowed for the answer: for each message asked about, and in any case."""
_REASONS = 3
"""Refusals that are told of an answer of which nothing is believed."""
_MENTIONS = 10
_TAGS = 5
_LABEL = 30
"""Characters of a project, a topic or a tag."""
_BASIS = 200
_IF_HEDGED = 0.6
_IF_BELIEF = 0.7
_MOST_OF_OTHERS = 0.9
"""Only who somebody is and their health matter wholly."""
_AVERSIONS = ("avoids", "dislikes", "diet", "allergy")
_USERS = ("user", "the user", "用户", "")
# A secret is for the rules, which know one when they see it; what was said is in the journal.
_CATEGORIES = tuple(one for one in CATEGORIES if one not in ("credential", "conversation"))


class PromptMessage(NamedTuple):
    """A message, or a part of one."""

    text: str
    at: datetime
    role: str = "user"
    speaker: str = ""
    asked: bool = True
    """Whether the model is asked about it; it is the user's then."""


class KnownMemory(NamedTuple):
    """A memory that the model is shown."""

    id: str
    text: str
    since: datetime


class Hint(NamedTuple):
    """What the rules read of a line."""

    line: int
    text: str


class Batch(NamedTuple):
    """What one question is about."""

    lines: Sequence[PromptMessage]
    known: Sequence[KnownMemory] = ()
    hints: Sequence[Hint] = ()
    language: str = "en"


class ReadItem(NamedTuple):
    """One thing a model answered, checked."""

    line: int
    do: Do
    target: str = ""
    """The memory it is about, by its own id."""
    hint: int = -1
    """Which of the hints is dropped."""
    statement: Statement | None = None
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    since: datetime | None = None
    """Since when it holds, where the words say so."""
    words: str = ""
    """What it rests on."""


class ModelReading(NamedTuple):
    """What a model made of the lines that were asked about."""

    items: list[ReadItem]
    decided: set[int]
    """The lines that it answered; the others are still undecided."""
    refused: Sequence[tuple[str, str]] = ()
    """What it said that is not believed: the number of the message, and why."""


def read(model: ChatModel, batch: Batch, task: str = "reading") -> ModelReply[ModelReading]:
    """What the lines of a batch say that is worth keeping."""
    if not any(one.asked for one in batch.lines):
        return ModelReply(ModelReading([], set()), 0, 0)
    return model.ask(question(batch, task), lambda value: believed(value, batch))


def size(batch: Batch, task: str = "reading") -> int:
    """The most tokens that a question about a batch takes."""
    return cost(question(batch, task))


def question(batch: Batch, task: str = "reading") -> ModelQuestion:
    """The question about a batch; those asked about are numbered from 1."""
    names = _labels(batch)
    lines: list[tuple[str, str]] = []
    for n, one in enumerate(batch.lines):
        # A name comes from outside like the text: only its letters are shown.
        name = "".join(c for c in one.speaker[:40] if c.isalnum() or c in " _-").strip()
        who = f"{one.role} ({name})" if name else one.role
        lines.append((f"{names.get(n, '-')} {one.at:%Y-%m-%d} {who}", shown(one.text)))
        lines += [
            (f"h{k}", shown(hint.text)) for k, hint in enumerate(batch.hints, 1) if hint.line == n
        ]
    # Last, because small models count lines from the first.
    lines += [
        (f"m{n} {one.since:%Y-%m-%d}", shown(one.text)) for n, one in enumerate(batch.known, 1)
    ]
    item = prompt(
        "item", batch.language, attributes=", ".join(OFFERED), categories=", ".join(_CATEGORIES)
    )
    # A key for each number, so that a server that keeps to schemas makes the model answer each.
    schema = record({key: {"$ref": "#/$defs/all"} for key in names.values()})
    schema = {**schema, "$defs": {"all": array(_ITEM)}}
    most = max(_AT_LEAST, _PER_LINE * len(names))
    return ModelQuestion(
        task,
        batch.language,
        prompt(task, batch.language, item=item),
        fenced(lines),
        schema,
        most,
        record({}),
    )


def shown(text: str) -> str:
    """A text as the model sees it, and as its answer is compared with: not longer than a page."""
    return cut(text[: 10 * LINE], LINE)


def _labels(batch: Batch) -> dict[int, str]:
    asked = [n for n, one in enumerate(batch.lines) if one.asked]
    return {n: str(k) for k, n in enumerate(asked, 1)}


# --- What is believed -----------------------------------------------------------------------------


def believed(value: dict[str, object], batch: Batch) -> ModelReading:
    """What can be believed of an answer; UnfitError where that is nothing at all."""
    items: list[ReadItem] = []
    decided: set[int] = set()
    refused: list[tuple[str, str]] = []
    names = _labels(batch)
    for n, key in names.items():
        claims = value.get(key)
        if not isinstance(claims, list):
            continue
        good, why = _sorted(claims, n, batch)
        refused += [(key, reason) for reason in why]
        items += good
        if good or not why:
            decided.add(n)
    if not decided and refused:
        some = list(dict(refused).items())[:_REASONS]
        raise RefusedError("; ".join(f"{key}: {reason}" for key, reason in some))
    if not decided:
        raise UnfitError("no number that was asked about is answered")
    return ModelReading(items, decided, refused)


def _sorted(claims: Sequence[object], n: int, batch: Batch) -> tuple[list[ReadItem], list[str]]:
    """What of a message's items is believed, and why the others are not."""
    good: list[ReadItem] = []
    why: list[str] = []
    for claim in claims:
        if isinstance(claim, dict) and claim.get("do") == "nothing":
            continue
        try:
            item = _item(claim, n, batch)
        except UnfitError as error:
            why.append(str(error))
        else:
            good += [item] if item not in good else []
    # A note is not given up for something that is not believed.
    return [one for one in good if one.do != "drop" or not why], why


_DO: Schema = {"type": "string", "enum": [*get_args(Do)]}


def _item(claim: object, n: int, batch: Batch) -> ReadItem:
    """An item of an answer, checked; UnfitError with the reason where it is not believed."""
    check(claim, record({"do": _DO}), "an item")
    given = cast(dict[str, Any], claim)
    do = cast(Do, given["do"])
    if do == "drop":
        return ReadItem(n, do, hint=_hint(given, n, batch))
    target = _target(given, batch) if do != "add" else None
    words = _string(given, "words")
    line = batch.lines[n]
    if do != "same" and not grounding.stands(shown(line.text), words):
        raise UnfitError("the words of an item do not stand in its message")
    if do in ("same", "end"):
        return ReadItem(n, do, target.id if target else "", words=words)
    return _stated(given, n, words, target, batch)


def _hint(given: Mapping[str, Any], n: int, batch: Batch) -> int:
    named = re.fullmatch(r"h(\d{1,4})", _string(given, "id"))
    hint = int(named[1]) - 1 if named else -1
    if not 0 <= hint < len(batch.hints) or batch.hints[hint].line != n:
        raise UnfitError("drop must name an h of the same message")
    return hint


def _target(given: Mapping[str, Any], batch: Batch) -> KnownMemory:
    named = re.fullmatch(r"m(\d{1,4})", _string(given, "id"))
    if named is None or not 0 < int(named[1]) <= len(batch.known):
        raise UnfitError("update, end and same must name an m that was shown")
    return batch.known[int(named[1]) - 1]


def _stated(
    given: Mapping[str, Any], n: int, words: str, target: KnownMemory | None, batch: Batch
) -> ReadItem:
    """An item that says something, with what of its labels can be believed."""
    line = batch.lines[n]
    before = [shown(one.text) for one in batch.lines[max(0, n - CONTEXT) : n]]
    source = Evidence(shown(line.text), "\n".join((*before, target.text if target else "")))
    content = _content(given, words, source, batch.language)
    subject = _subject(given, content, source)
    attribute, value = _labelled(given, subject, content)
    confidence = _confidence(given, words)
    category = _category(_string(given, "category"), attribute)
    statement = Statement(
        content,
        subject,
        attribute,
        value,
        category,
        "change" if target else "state",
        positive=not grounding.negated(content),
        confidence=confidence,
        basis=words[:_BASIS] if confidence < 1 else "",
        mentions=_mentions(given, content, source),
        project=_label(given, "project", source.whole),
        topic=_label(given, "topic"),
    )
    return ReadItem(
        n,
        "update" if target else "add",
        target.id if target else "",
        -1,
        statement,
        _importance(given, category, attribute),
        _tags(given, content, source),
        _since(given, words, line.at),
        words,
    )


def _content(given: Mapping[str, Any], words: str, source: Evidence, language: str) -> str:
    content = _string(given, "content").rstrip("。.").rstrip()
    check_length(content, MOST_STATEMENT, language)
    if len(split(content)) > 1:
        raise UnfitError("content must be one sentence")
    averse = _string(given, "attribute") in _AVERSIONS
    if reason := grounding.misread(content, words, source, language, averse=averse):
        raise UnfitError(f"an item is not what was said: {reason}")
    return content


def _subject(given: Mapping[str, Any], content: str, source: Evidence) -> str:
    subject = _string(given, "subject")
    if subject.lower() in _USERS:
        subject = USER
    elif not grounding.contains(source.whole, subject):
        raise UnfitError("an item is about someone who was not spoken of")
    folded = fold(content)
    if not any(name in folded for name in ("the user", "用户", fold(subject))):
        raise UnfitError("content must name the user or whom it is about")
    return subject


def _labelled(given: Mapping[str, Any], subject: str, content: str) -> tuple[str, str]:
    """The attribute and its value, where the sentence bears both."""
    attribute = attribute_for(_string(given, "attribute"), content)
    value = _string(given, "value")
    if not value or not all(grounding.contains(content, part) for part in value.split(":")):
        return "", ""
    known = ATTRIBUTES.get(attribute)
    others = known is None or known.about != "relation"
    if subject == USER and others and grounding.about_relative(content):
        return "", ""  # what seems to be the user's is that of someone close to them
    return (attribute, value) if attribute else ("", "")


def _category(claimed: str, attribute: str) -> str:
    if claimed in _CATEGORIES and claimed != "fact":
        return claimed
    return ATTRIBUTES[attribute].category if attribute else "fact"


def _confidence(given: Mapping[str, Any], words: str) -> float:
    sure = _number(given, "confidence", 1.0)
    if not 0 < sure <= 1:
        raise UnfitError("confidence must be above 0 and at most 1")
    if _string(given, "kind") == "belief":
        sure = min(sure, _IF_BELIEF)
    return min(sure, _IF_HEDGED) if grounding.hedged(words) else sure


def _importance(given: Mapping[str, Any], category: str, attribute: str) -> float:
    """By the model, within what the scale says of such a thing."""
    claimed = min(1.0, max(0.1, _number(given, "importance", 0.5)))
    known = ATTRIBUTES.get(attribute)
    vital = known is not None and known.about in ("identity", "health", "safety")
    if vital or category in ("identity", "health"):
        return max(claimed, known.importance if known and vital else 0.8)
    return min(claimed, _MOST_OF_OTHERS)


def _since(given: Mapping[str, Any], words: str, at: datetime) -> datetime | None:
    """A day that the words name, as the model reckoned it."""
    named = re.fullmatch(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", _string(given, "since"))
    if named is None:
        return None
    try:
        since = at.replace(
            year=int(named[1]),
            month=int(named[2] or 1),
            day=int(named[3] or 1),
            hour=0,
            minute=0,
            second=0,
            microsecond=0,
        )
    except ValueError:
        return None
    spoken = [one for one in find_moments(words, at) if not one.recurring]
    return since if since <= at and any(one.since <= since < one.until for one in spoken) else None


def _tags(given: Mapping[str, Any], content: str, source: Evidence) -> tuple[str, ...]:
    claimed = given.get("tags")
    texts = [one for one in claimed if isinstance(one, str)] if isinstance(claimed, list) else []
    good = [one.strip() for one in texts if 0 < len(one.strip()) <= _LABEL]
    whole = f"{content}\n{source.whole}"
    return tuple(dict.fromkeys(one for one in good if grounding.contains(whole, one)))[:_TAGS]


def _label(given: Mapping[str, Any], name: str, within: str | None = None) -> str:
    """A project (as it was said) or a topic (a word or two)."""
    claimed = _string(given, name)
    plain = len(claimed) <= _LABEL and all(c.isalnum() or c in " -_./+#" for c in claimed)
    return claimed if plain and (within is None or grounding.contains(within, claimed)) else ""


def _mentions(given: Mapping[str, Any], content: str, source: Evidence) -> tuple[Mention, ...]:
    found = {}
    claims = given.get("mentions")
    for one in claims if isinstance(claims, list) else ():
        name = _string(one, "name") if isinstance(one, dict) else ""
        said = grounding.contains(content, name) and grounding.contains(source.whole, name)
        if said and name.lower() not in _USERS:
            type = one["type"] if one.get("type") in get_args(EntityType) else "other"
            found[name] = Mention(name, cast(EntityType, type))
    return tuple(found.values())[:_MENTIONS]


def _string(given: Mapping[str, Any], name: str) -> str:
    """A field of an item; a server without schemas may leave out what is empty."""
    value = given.get(name, "")
    if not isinstance(value, str):
        raise UnfitError(f"{name} must be of type string")
    return value.strip()


def _number(given: Mapping[str, Any], name: str, otherwise: float) -> float:
    value = given.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnfitError(f"{name} must be of type number")
    return float(value)


_KEPT = record(
    {"do": {"type": "string", "enum": ["drop", "same", "end"]}, "id": TEXT, "words": TEXT}
)
_STATED = record(
    {
        "do": {"type": "string", "enum": ["add", "update"]},
        "id": TEXT,
        "words": TEXT,
        "content": TEXT,
        "subject": TEXT,
        "attribute": TEXT,
        "value": TEXT,
        "kind": {"type": "string", "enum": ["fact", "belief"]},
        "category": TEXT,
        "importance": {"type": "number"},
        "confidence": {"type": "number"},
        "project": TEXT,
        "topic": TEXT,
        "tags": array(TEXT),
        "since": TEXT,
        "mentions": array(record({"name": TEXT, "type": TEXT})),
    }
)
_ITEM: Schema = {"anyOf": [_KEPT, _STATED]}
