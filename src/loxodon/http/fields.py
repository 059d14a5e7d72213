"""What a request may say: msgspec checks the arguments of a verb or a tool, and describes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import msgspec
from msgspec import UNSET, Meta, UnsetType

from loxodon import verbs
from loxodon.clock import parse_instant
from loxodon.errors import InputError
from loxodon.http.wire import Schema, StateFields, inlined, state_of
from loxodon.paging import MOST, USUAL
from loxodon.types import CHATS, ORIGINS, ROLES
from loxodon.verbs import Argument

MOST_WHOLE = (1 << 53) - 1  # which every reader of JSON takes for a whole number
_MOMENT: Schema = {
    "format": "date-time",
    "description": "ISO 8601; without an offset in the user's own zone",
}
_TURN: Schema = {
    "type": "object",
    "required": ["role", "content"],
    "additionalProperties": False,
    "properties": {
        "role": {"enum": list(ROLES)},
        "content": {"anyOf": [{"type": "string", "minLength": 1}, {"type": "array"}]},
        "at": {"anyOf": [{"type": "string", **_MOMENT}, {"type": "number"}]},
        **{name: {"type": "string"} for name in ("speaker", "id", "session", "channel")},
        "chat": {"enum": list(CHATS)},
        "origin": {"enum": list(ORIGINS)},
    },
}


class Message(TypedDict):
    """A message of a history."""

    content: str
    role: NotRequired[str]


def _described(kind: Any, **schema: Any) -> Any:
    """A type with limits that the library checks, in its own words."""
    return Annotated[kind, Meta(extra_json_schema=schema)]


_TYPES: Mapping[str, Any] = {
    verbs.TEXT: str,
    verbs.PATH: _described(str, pattern=r"^[^/\x00][^\x00]*$"),
    verbs.WHOLE: Annotated[int, Meta(ge=0, le=MOST_WHOLE)],
    verbs.SIZE: Annotated[int, Meta(ge=1, le=MOST, extra_json_schema={"default": USUAL})],
    verbs.CURSOR: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]*$")],
    verbs.NUMBER: _described(float, minimum=0, maximum=1),
    verbs.FLAG: bool,
    verbs.MOMENT: _described(str, **_MOMENT),
    verbs.MOMENT_OR_NONE: _described(str, **_MOMENT),
    verbs.TEXTS: list[str],
    verbs.TURNS: _described(list[Any], items=_TURN),
    verbs.HISTORY: list[str | Message],
    verbs.CONVERSATION: StateFields,
}


def type_of(field: Argument) -> Any:
    """The type that the value of a field must have."""
    if isinstance(field.kind, tuple):
        return Literal[field.kind]
    if not field.most:
        return _TYPES[field.kind]
    text: Any = _described(str, minLength=1, maxLength=field.most)
    return list[text] if field.kind == verbs.TEXTS else text


def schema_of(field: Argument) -> Schema:
    """The JSON schema of a field."""
    return {**inlined(type_of(field)), "description": field.about}


def body_schema(fields: Sequence[Argument]) -> Schema:
    """The JSON schema of a body with these fields; null is as if an optional one were not there."""
    properties = {
        one.name: schema_of(one) if one.required else {"anyOf": [schema_of(one), {"type": "null"}]}
        for one in fields
    }
    found: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    required = [one.name for one in fields if one.required]
    return {**found, "required": required} if required else found


@cache
def _struct(fields: tuple[Argument, ...], null: bool) -> type[msgspec.Struct]:
    def optional(field: Argument) -> Any:
        kind = type_of(field) | UnsetType
        return kind | None if null else kind

    return msgspec.defstruct(
        "Request",
        [
            (one.name, type_of(one)) if one.required else (one.name, optional(one), UNSET)
            for one in fields
        ],
        forbid_unknown_fields=True,
        kw_only=True,
    )


def given(fields: Sequence[Argument], data: bytes | Mapping[str, Any]) -> dict[str, Any]:
    """What a request says, checked: JSON, or what was read of it."""
    struct = _struct(tuple(fields), True)
    try:
        if isinstance(data, bytes):
            return _made(fields, msgspec.json.decode(data or b"{}", type=struct))
        return _made(fields, msgspec.convert(data, struct))
    except msgspec.ValidationError as error:
        raise _invalid(fields, error) from None
    except RecursionError:
        raise InputError("the body is nested too deeply", hint="use less nesting") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError("the body is not JSON: {reason}", reason=error) from None


def given_in_query(fields: Sequence[Argument], pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The same of query parameters; one of a list may be given several times."""
    kinds = {field.name: field.kind for field in fields}
    data: dict[str, Any] = {}
    for name, text in pairs:
        if kinds.get(name) == verbs.TEXTS:
            data.setdefault(name, []).append(text)
        elif name in data:
            raise InputError("{field} appears twice", field=repr(name)[:80])
        else:
            data[name] = text
    try:
        return _made(fields, msgspec.convert(data, _struct(tuple(fields), False), strict=False))
    except msgspec.ValidationError as error:
        raise _invalid(fields, error) from None


def _invalid(fields: Sequence[Argument], error: msgspec.ValidationError) -> InputError:
    return InputError(
        "the request is invalid: {reason}",
        hint="allowed fields: {fields}",
        reason=str(error)[:300],
        fields=", ".join(one.name for one in fields) or "—",
    )


def _made(fields: Sequence[Argument], found: msgspec.Struct) -> dict[str, Any]:
    """The values of the fields that are there."""
    values = {}
    for field in fields:
        value = getattr(found, field.name)
        if value is UNSET or (value is None and field.kind != verbs.MOMENT_OR_NONE):
            continue
        make = _MADE.get(field.kind) if isinstance(field.kind, str) else None
        values[field.name] = make(field.name, value) if make and value is not None else value
    return values


def _moment(name: str, value: str) -> datetime:
    try:
        moment = parse_instant(value)
    except InputError as error:
        raise InputError("{field}: {error}", hint="{error_hint}", field=name, error=error) from None
    # One without an offset stays so: the memory knows the zone that it is meant in.
    naive = datetime.fromisoformat(value.strip()).tzinfo is None
    return moment.replace(tzinfo=None) if naive else moment


def _turns(name: str, value: list[Any]) -> list[Any]:
    known = _TURN["properties"]
    problems = [
        (place, InputError("unknown field {field}", field=repr(unknown[0])[:80]))
        for place, turn in enumerate(value, 1)
        if isinstance(turn, dict) and (unknown := [key for key in turn if key not in known])
    ]
    if problems:
        place, first = problems[0]
        raise InputError(
            "turn {place} is invalid: {error}",
            hint="allowed fields: {fields}",
            problems=problems,
            place=place,
            error=first,
            fields=", ".join(known),
        )
    return value


_MADE: Mapping[str, Callable[[str, Any], Any]] = {
    verbs.MOMENT: _moment,
    verbs.MOMENT_OR_NONE: _moment,
    verbs.TURNS: _turns,
    verbs.CONVERSATION: lambda name, value: state_of(value),
}
