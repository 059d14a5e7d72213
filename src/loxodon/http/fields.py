"""What a request may say: the arguments of a verb or a tool, as JSON. What checks a kind also
describes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from loxodon import verbs
from loxodon.clock import parse_instant
from loxodon.errors import InputError, LoxodonError
from loxodon.http.wire import Schema, state_of
from loxodon.paging import MOST, USUAL
from loxodon.types import CHATS, ORIGINS, ROLES
from loxodon.verbs import Argument

MOST_WHOLE = (1 << 53) - 1
"""What every reader of JSON takes for a whole number."""
Check = Callable[[str, Any], Any]
"""Makes the value of a field, by its name, of what JSON has; an InputError where it cannot."""


class Kind(NamedTuple):
    """What may stand in a field of a kind."""

    schema: Schema
    check: Check
    nullable: bool = False
    """Whether null says something; otherwise it is as if the field were not there."""
    from_text: Callable[[str], Any] = str
    """What the text of a query parameter is in JSON."""


def kind_of(field: Argument) -> Kind:
    """How a field is checked and described."""
    return _choice(field.kind) if isinstance(field.kind, tuple) else _KINDS[field.kind]


def given(fields: Sequence[Argument], data: object) -> dict[str, Any]:
    """What a request says, checked; an InputError names the first field that cannot be taken."""
    if not isinstance(data, Mapping):
        raise InputError(
            "the body must be a JSON object", hint="write it as {example}", example='{"query": "…"}'
        )
    known = {field.name: field for field in fields}
    for name in data:
        if name not in known:
            raise InputError(
                "unknown field {field}",
                hint="allowed fields: {fields}",
                field=repr(name)[:80],
                fields=", ".join(known) or "—",
            )
    found = {}
    for field in fields:
        value, kind = data.get(field.name), kind_of(field)
        if field.name not in data or (value is None and not kind.nullable):
            if field.required:
                raise InputError(
                    "the field {field} is missing",
                    hint="allowed fields: {fields}",
                    field=field.name,
                    fields=", ".join(known),
                )
            continue
        found[field.name] = None if value is None else kind.check(field.name, value)
    return found


def from_query(fields: Sequence[Argument], items: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Query parameters as the JSON they stand for; one of a list may be given several times."""
    known = {field.name: field for field in fields}
    data: dict[str, Any] = {}
    for name, text in items:
        kind = kind_of(known[name]) if name in known else _KINDS[verbs.TEXT]
        if kind.schema.get("type") == "array":
            data.setdefault(name, []).append(text)
        elif name in data:
            raise InputError("{field} appears twice", field=repr(name)[:80])
        else:
            data[name] = kind.from_text(text)
    return data


def described(fields: Sequence[Argument]) -> Schema:
    """The JSON schema of a body with these fields."""
    found: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {one.name: schema_of(one) for one in fields},
    }
    required = [one.name for one in fields if one.required]
    return {**found, "required": required} if required else found


def schema_of(field: Argument) -> Schema:
    kind = kind_of(field)
    schema = kind.schema
    if field.most:
        bounds = {"minLength": 1, "maxLength": field.most}
        listed = "items" in schema
        schema = {**schema, **({"items": {**schema["items"], **bounds}} if listed else bounds)}
    if kind.nullable:
        schema = {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "description": field.about}


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError("{field} must be text", field=name)
    return value


def _whole(name: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_WHOLE:
        raise InputError("{field} must be a whole number, 0 or more", field=name)
    return value


def _size(name: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST:
        raise InputError(
            "{field} must be a whole number from 1 to {most}",
            hint="`next` of the answer leads to the rest",
            field=name,
            most=MOST,
        )
    return value


def _number(name: str, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise InputError("{field} must be a number", field=name)
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError("{field} must be true or false", field=name)
    return value


def _moment(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        raise InputError("{field} must be a date and time", field=name)
    # One without an offset stays so: the memory knows the zone that it is meant in.
    try:
        moment = parse_instant(value)
    except InputError as error:
        raise InputError("{field}: {error}", hint="{error_hint}", field=name, error=error) from None
    return moment if _has_offset(value) else moment.replace(tzinfo=None)


def _has_offset(text: str) -> bool:
    from datetime import datetime

    return datetime.fromisoformat(text.strip()).tzinfo is not None


def _texts(name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InputError("{field} must be a list of strings", field=name)
    return value


_TURN = ("role", "content", "at", "speaker", "id", "session", "channel", "chat", "origin")


def _turns(name: str, value: Any) -> list[Mapping[str, object]]:
    if not isinstance(value, list):
        raise InputError("{field} must be a list", field=name)
    problems: list[tuple[int, LoxodonError]] = []
    for place, turn in enumerate(value, 1):
        unknown = [key for key in turn if key not in _TURN] if isinstance(turn, dict) else []
        if unknown:
            problems.append(
                (
                    place,
                    InputError(
                        "unknown field {field}",
                        hint="allowed fields: {fields}",
                        field=repr(unknown[0])[:80],
                        fields=", ".join(_TURN),
                    ),
                )
            )
    if problems:
        place, first = problems[0]
        raise InputError(
            "turn {place} is invalid: {error}",
            hint="{error_hint}",
            problems=problems,
            place=place,
            error=first,
        )
    return value


def _history(name: str, value: Any) -> list[Any]:
    good = isinstance(value, list) and all(
        isinstance(one, str) or (isinstance(one, dict) and isinstance(one.get("content"), str))
        for one in value
    )
    if not good:
        raise InputError(
            "{field} must be a list of messages",
            hint="a message is a string, or an object with a role and content",
            field=name,
        )
    return list(value)


def _conversation(name: str, value: Any) -> Any:
    try:
        return state_of(value)
    except (KeyError, TypeError, AttributeError):
        raise InputError(
            "{field} is not a conversation state",
            hint="send the state from the previous answer, unchanged",
            field=name,
        ) from None


def _as_number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text


def _as_flag(text: str) -> Any:
    return {"true": True, "1": True, "": True, "false": False, "0": False}.get(text.lower(), text)


@cache
def _choice(names: tuple[str, ...]) -> Kind:
    """One of some names."""

    def check(field: str, value: Any) -> str:
        if value not in names:
            raise InputError(
                "{field} cannot be {value}",
                hint="choose one of {choices}",
                field=field,
                value=repr(value)[:80],
                choices=", ".join(names),
            )
        return str(value)

    return Kind({"type": "string", "enum": list(names)}, check)


_MOMENT: Schema = {
    "type": "string",
    "format": "date-time",
    "description": "ISO 8601; without an offset in the user's own zone",
}
_KINDS: Mapping[str, Kind] = {
    verbs.TEXT: Kind({"type": "string"}, _text),
    verbs.PATH: Kind({"type": "string"}, _text),
    verbs.WHOLE: Kind(
        {"type": "integer", "minimum": 0, "maximum": MOST_WHOLE}, _whole, from_text=_as_number
    ),
    verbs.SIZE: Kind(
        {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL},
        _size,
        from_text=_as_number,
    ),
    verbs.CURSOR: Kind({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"}, _text),
    verbs.NUMBER: Kind({"type": "number", "minimum": 0, "maximum": 1}, _number),
    verbs.FLAG: Kind({"type": "boolean"}, _flag, from_text=_as_flag),
    verbs.MOMENT: Kind(_MOMENT, _moment),
    verbs.MOMENT_OR_NONE: Kind(_MOMENT, _moment, nullable=True),
    verbs.TEXTS: Kind({"type": "array", "items": {"type": "string"}}, _texts),
    verbs.TURNS: Kind(
        {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["role", "content"],
                "additionalProperties": False,
                "properties": {
                    "role": {"type": "string", "enum": list(ROLES)},
                    "content": {"anyOf": [{"type": "string"}, {"type": "array"}]},
                    "at": {"anyOf": [_MOMENT, {"type": "number"}]},
                    **{
                        name: {"type": "string"} for name in ("speaker", "id", "session", "channel")
                    },
                    "chat": {"type": "string", "enum": list(CHATS)},
                    "origin": {"type": "string", "enum": list(ORIGINS)},
                },
            },
        },
        _turns,
    ),
    verbs.HISTORY: Kind(
        {
            "type": "array",
            "items": {
                "anyOf": [
                    {"type": "string"},
                    {
                        "type": "object",
                        "required": ["content"],
                        "properties": {"role": {"type": "string"}, "content": {"type": "string"}},
                    },
                ]
            },
        },
        _history,
    ),
    verbs.CONVERSATION: Kind({"type": "object"}, _conversation),
}
