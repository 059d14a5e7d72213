"""One question about a stretch of talk: what of it is worth knowing, and what that does to what is
known.

The model sees the talk in order, the nearest memories (m1) and what the rules read (h1). For each
message asked about it answers a list of items: add, update or end a memory, the same as one, drop
what the rules read; an empty list is "nothing to remember" and drops that too. Every item quotes
the words it rests on, and brings no name and no number of its own (`grounding.py`). An answer of
which nothing can be used is a ModelError, never "nothing".
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from typing import Literal, NamedTuple, get_args

import msgspec

from loxodon.language import statements
from loxodon.language.attributes import ATTRIBUTES
from loxodon.language.statements import USER, EntityType, Mention, Statement
from loxodon.models import grounding
from loxodon.models.chat import ModelQuestion, RefusedError, UnfitError
from loxodon.models.prompts import TEXT, Schema, array, prompt, record
from loxodon.text.dates import find_moments
from loxodon.text.sentences import split
from loxodon.text.words import fold
from loxodon.tokens import cut
from loxodon.types import CATEGORIES, Turn

Do = Literal["add", "update", "end", "same", "drop"]

MOST_STATEMENT = {"zh": statements.MOST_CHARACTERS, "en": statements.MOST_WORDS}
LINE = 400  # tokens of one line that a model is shown; a pasted log is no conversation
_MENTIONS, _TAGS = 10, 5  # of one item
_LABEL = 30  # characters of a project, a topic or a tag
_BASIS = 200  # characters
_IF_HEDGED, _IF_BELIEF = 0.6, 0.7  # the most confidence
_MOST_OF_OTHERS = 0.9  # only who somebody is and their health matter wholly
_ENTITY_TYPES: Mapping[str, EntityType] = {one: one for one in get_args(EntityType)}
_USERS = ("user", "the user", "用户", "")
# A secret is for the rules, which know one when they see it; what was said is in the journal.
_CATEGORIES = tuple(one for one in CATEGORIES if one not in ("credential", "conversation"))
# The attributes that a model is told of: each name costs tokens, and the rules know others.
_ATTRIBUTES = tomllib.loads((files(__package__) / "attributes.toml").read_text("utf-8"))
_OFFERED = ", ".join((*_ATTRIBUTES["signs"], *_ATTRIBUTES["gathered"].split()))


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

    lines: Sequence[Turn]  # messages, or parts of them
    asked: Sequence[int]  # the places of those that the model is asked about, which are the user's
    known: Sequence[KnownMemory] = ()
    hints: Sequence[Hint] = ()
    language: str = "en"
    brief: bool = False  # asked in few words, and for few fields

    @property
    def labels(self) -> dict[int, str]:
        """The numbers of the messages that are asked about, by their places."""
        return {n: str(k) for k, n in enumerate(self.asked, 1)}


class ReadItem(NamedTuple):
    """One thing a model answered, checked."""

    line: int
    do: Do
    target: str = ""  # the memory it is about, by its own id
    hint: int = -1  # which of the hints is dropped
    statement: Statement | None = None
    tags: tuple[str, ...] = ()
    since: datetime | None = None  # since when it holds, where the words say so
    words: str = ""  # what it rests on


class ModelReading(NamedTuple):
    """What a model made of the lines that were asked about."""

    items: list[ReadItem]
    decided: set[int]  # the lines that it answered; the others are still undecided
    refused: Sequence[tuple[str, str]] = ()  # what is not believed: the message's number, and why


def question(batch: Batch) -> ModelQuestion:
    """The question about a batch; those asked about are numbered from 1."""
    labels, language = batch.labels, batch.language
    lines: list[tuple[str, str]] = []
    for n, one in enumerate(batch.lines):
        # A name comes from outside like the text: only its letters are shown.
        name = "".join(c for c in one.speaker[:40] if c.isalnum() or c in " _-").strip()
        who = f"{one.role} ({name})" if name else one.role
        lines.append((f"{labels.get(n, '-')} {one.at:%Y-%m-%d} {who}", shown(one.content)))
        lines += [(f"h{k}", shown(o.text)) for k, o in enumerate(batch.hints, 1) if o.line == n]
    for n, known in enumerate(batch.known, 1):  # last, as small models count lines from the first
        lines.append((f"m{n} {known.since:%Y-%m-%d}", shown(known.text)))
    name, (stated, each, least) = ("brief", _BRIEF) if batch.brief else ("reading", _WHOLE)
    system = prompt(name, language, attributes=_OFFERED, categories=", ".join(_CATEGORIES))
    # A key for each number, so that a server that keeps to schemas makes the model answer each.
    schema = record({key: {"$ref": "#/$defs/all"} for key in labels.values()})
    schema = {**schema, "$defs": {"all": array({"anyOf": [_DROPPED, stated]})}}
    return ModelQuestion("reading", language, system, lines, schema, max(least, each * len(labels)))


def shown(text: str) -> str:
    """A text as the model sees it, and as its answer is compared with: not longer than a page."""
    return cut(text[: 10 * LINE], LINE)


# --- What is believed -----------------------------------------------------------------------------


def believed(value: dict[str, object], batch: Batch) -> ModelReading:
    """What can be believed of an answer; UnfitError where that is nothing at all."""
    items, decided, refused = list[ReadItem](), set[int](), list[tuple[str, str]]()
    for n, key in batch.labels.items():
        claims = value.get(key)
        if not isinstance(claims, list):
            continue
        good, why = dict[ReadItem, None](), list[str]()
        for claim in claims:
            try:
                good[_item(msgspec.convert(claim, _Claim), n, batch)] = None
            except (UnfitError, msgspec.ValidationError) as error:
                why.append(str(error))
        # A note is not given up for something that is not believed.
        kept = [one for one in good if one.do != "drop" or not why]
        items += kept
        refused += [(key, reason) for reason in why]
        if kept or not why:
            decided.add(n)
    if not decided and refused:
        raise RefusedError("; ".join(f"{key}: {reason}" for key, reason in dict(refused).items()))
    if not decided:
        raise UnfitError("no number that was asked about is answered")
    return ModelReading(items, decided, refused)


class _Named(msgspec.Struct):
    name: str
    type: str = "other"


class _Claim(msgspec.Struct):
    """An item as a model answers it; a server without schemas may leave out what is empty."""

    do: Do
    id: str = ""
    words: str = ""
    content: str = ""
    subject: str = ""
    attribute: str = ""
    value: str = ""
    kind: str = ""
    importance: float = 0.5  # so far what a brief question asks for
    category: str = ""
    confidence: float = 1.0
    project: str = ""
    topic: str = ""
    tags: list[str] = []
    since: str = ""
    mentions: list[_Named] = []


_TYPES: dict[str, Schema] = {
    "do": {"type": "string", "enum": ["add", "update"]},
    "kind": {"type": "string", "enum": ["fact", "belief"]},
    "importance": {"type": "number"},
    "confidence": {"type": "number"},
    "tags": array(TEXT),
    "mentions": array(record({"name": TEXT, "type": TEXT})),
}
_GONE: Schema = {"type": "string", "enum": ["drop", "same", "end"]}
_DROPPED = record({"do": _GONE, "id": TEXT, "words": TEXT})
_FIELDS = {name: _TYPES.get(name, TEXT) for name in _Claim.__struct_fields__}
# What an item has; tokens of the answer for each message asked about, and in any case
_WHOLE = record(_FIELDS), 120, 400
_BRIEF = record(dict([*_FIELDS.items()][:9])), 80, 200


def _item(claim: _Claim, n: int, batch: Batch) -> ReadItem:
    """An item of an answer, checked; UnfitError with the reason where it is not believed."""
    named = re.fullmatch(r"\s*([hm])(\d{1,4})\s*", claim.id)
    kind, place = (named[1], int(named[2]) - 1) if named else ("", -1)
    if claim.do == "drop":
        if kind != "h" or not 0 <= place < len(batch.hints) or batch.hints[place].line != n:
            raise UnfitError("drop must name an h of the same message")
        return ReadItem(n, "drop", hint=place)
    is_known = kind == "m" and 0 <= place < len(batch.known)
    if claim.do != "add" and not is_known:
        raise UnfitError("update, end and same must name an m that was shown")
    target = batch.known[place] if claim.do != "add" else None
    if claim.do != "same" and not grounding.stands(shown(batch.lines[n].content), claim.words):
        raise UnfitError("the words of an item do not stand in its message")
    if target and claim.do != "update":
        return ReadItem(n, claim.do, target.id, words=claim.words)
    return _stated(claim, n, target, batch)


def _stated(claim: _Claim, n: int, target: KnownMemory | None, batch: Batch) -> ReadItem:
    """An item that says something, with what of its labels can be believed."""
    before = [shown(one.content) for one in batch.lines[max(0, n - statements.CONTEXT) : n]]
    said = shown(batch.lines[n].content)
    context = "\n".join((*before, target.text if target else ""))
    source = f"{said}\n{context}"
    words, content = claim.words.strip(), claim.content.strip().rstrip("。.").rstrip()
    if reason := grounding.bad_length(content, MOST_STATEMENT, batch.language):
        raise UnfitError(reason)
    if len(split(content)) > 1:
        raise UnfitError("content must be one sentence")
    averse = claim.attribute in _ATTRIBUTES["averse"].split()
    if reason := grounding.objection(
        content, said, batch.language, words=words, context=context, averse=averse
    ):
        raise UnfitError(f"an item is not what was said: {reason}")
    subject = USER if claim.subject.strip().lower() in _USERS else claim.subject.strip()
    if subject != USER and not grounding.contains(source, subject):
        raise UnfitError("an item is about someone who was not spoken of")
    if not any(name in fold(content) for name in ("the user", "用户", fold(subject))):
        raise UnfitError("content must name the user or whom it is about")
    if not 0 < claim.confidence <= 1:
        raise UnfitError("confidence must be above 0 and at most 1")
    believed = _IF_BELIEF if claim.kind == "belief" else 1
    hedged = _IF_HEDGED if grounding.has("hedged", words) else 1
    confidence = min(claim.confidence, believed, hedged)
    attribute, value = _attribute(claim, subject, content)
    known, category = ATTRIBUTES.get(attribute), claim.category
    if category not in _CATEGORIES or category == "fact":
        category = known.category if known else "fact"
    least, most = 0.1, _MOST_OF_OTHERS  # by the model, within what the scale says of such a thing
    if known is not None and known.about in ("identity", "health", "safety"):
        least, most = known.importance, 1.0
    elif category in ("identity", "health"):
        least, most = 0.8, 1.0

    def borne(labels: Sequence[str], text: str = source) -> list[str]:
        return [one for one in labels if len(one) <= _LABEL and grounding.contains(text, one)]

    types = {one.name.strip(): _ENTITY_TYPES.get(one.type, "other") for one in claim.mentions}
    names = [one for one in borne(borne([*types]), content) if one.lower() not in _USERS]
    topic = claim.topic.strip()
    plain = len(topic) <= _LABEL and all(c.isalnum() or c in " -_./+#" for c in topic)
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
        mentions=tuple(Mention(one, types[one]) for one in names[:_MENTIONS]),
        project="".join(borne([claim.project.strip()])),
        topic=topic if plain else "",
        importance=min(most, max(least, claim.importance)),
    )
    tags = borne([one.strip() for one in claim.tags], f"{content}\n{source}")
    return ReadItem(
        n,
        claim.do,
        target.id if target else "",
        statement=statement,
        tags=tuple(dict.fromkeys(tags))[:_TAGS],
        since=_since(claim.since, words, batch.lines[n].at),
        words=words,
    )


def _attribute(claim: _Claim, subject: str, content: str) -> tuple[str, str]:
    """The attribute and its value, where the sentence bears both.

    An attribute with one value at a time replaces what was known. A model that calls any word a
    `name` would overwrite who somebody is, so such an attribute is taken only where the sentence
    has a word for it, and says that it is so rather than that it was, might or should be.
    """
    name, value = claim.attribute.strip(), claim.value.strip()
    known, sign = ATTRIBUTES.get(name), _ATTRIBUTES["signs"].get(name)
    if known is None or not all(grounding.contains(content, part) for part in value.split(":")):
        return "", ""
    ahead = grounding.has("not_yet", content) and name not in _ATTRIBUTES["ahead"].split()
    if known.one and (ahead or not sign or not re.search(sign, fold(content))):
        return "", ""
    if subject == USER and known.about != "relation" and grounding.has("relatives", content):
        return "", ""  # what seems to be the user's is that of someone close to them
    return name, value


def _since(claimed: str, words: str, at: datetime) -> datetime | None:
    """A day that the words name, as the model reckoned it."""
    try:
        first = f"{claimed.strip()}-01-01"[:10]  # of a month or a year
        day = datetime.fromisoformat(first).replace(tzinfo=at.tzinfo)
    except ValueError:
        return None
    spoken = (one for one in find_moments(words, at) if not one.recurring)
    return day if day <= at and any(one.since <= day < one.until for one in spoken) else None
