"""What a request may say: msgspec checks the arguments of a verb or a tool, and describes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
_TEXT: Schema = {"type": "string"}
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
        "content": {"anyOf": [{**_TEXT, "minLength": 1}, {"type": "array"}]},
        "at": {"anyOf": [{**_TEXT, **_MOMENT}, {"type": "number"}]},
        **dict.fromkeys(("speaker", "id", "session", "channel"), _TEXT),
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


# A field that nobody reads is told, not lost; the journal says what else is wrong.
_Turn: Any = _described(dict[Literal[(*_TURN["properties"],)], Any], **_TURN)  # type: ignore[valid-type]
_TYPES: Mapping[str, Any] = {
    verbs.TEXT: str,
    verbs.PATH: _described(str, pattern=r"^[^/\x00][^\x00]*$"),
    verbs.WHOLE: Annotated[int, Meta(ge=0, le=MOST_WHOLE)],
    verbs.SIZE: Annotated[int, Meta(ge=1, le=MOST, extra_json_schema={"default": USUAL})],
    verbs.CURSOR: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]*$")],
    verbs.NUMBER: _described(float, minimum=0, maximum=1),
    verbs.FLAG: bool,
    **dict.fromkeys((verbs.MOMENT, verbs.MOMENT_OR_NONE), _described(str, **_MOMENT)),
    verbs.TEXTS: list[str],
    verbs.TURNS: list[_Turn],
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
    return inlined(_struct(tuple(fields), True))


@cache
def _struct(fields: tuple[Argument, ...], null: bool) -> type[msgspec.Struct]:
    """What msgspec decodes and describes a request as."""
    found: list[Any] = []
    for one in fields:
        kind: Any = Annotated[type_of(one), Meta(description=one.about)]
        optional = kind | UnsetType | None if null else kind | UnsetType
        found.append((one.name, kind) if one.required else (one.name, optional, UNSET))
    return msgspec.defstruct("Request", found, forbid_unknown_fields=True, kw_only=True)


def given(fields: Sequence[Argument], data: bytes | Mapping[str, Any]) -> dict[str, Any]:
    """What a request says, checked: JSON, or what was read of it."""
    try:
        if isinstance(data, bytes):
            data = msgspec.json.decode(data or b"{}", type=dict[str, Any])
    except RecursionError:
        raise InputError("the body is nested too deeply", hint="use less nesting") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError("the body is not JSON: {reason}", reason=error) from None
    return _checked(fields, data, null=True)


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
    return _checked(fields, data, null=False)


def _checked(fields: Sequence[Argument], data: Mapping[str, Any], *, null: bool) -> dict[str, Any]:
    """The values of the fields that are there; those of a query are all texts, and never null."""
    try:
        found = msgspec.convert(data, _struct(tuple(fields), null), strict=null)
    except msgspec.ValidationError as error:
        names = _TURN["properties"] if "`$.turns[" in str(error) else [one.name for one in fields]
        raise InputError(
            "the request is invalid: {reason}",
            hint="allowed fields: {fields}",
            reason=str(error)[:300],
            fields=", ".join(names) or "—",
        ) from None
    values = {}
    for field in fields:
        value = getattr(found, field.name)
        if value is not UNSET and (value is not None or field.kind == verbs.MOMENT_OR_NONE):
            values[field.name] = value if value is None else _made(field, value)
    return values


def _made(field: Argument, value: Any) -> Any:
    """The value that a verb takes."""
    if field.kind == verbs.CONVERSATION:
        return state_of(value)
    if field.kind not in (verbs.MOMENT, verbs.MOMENT_OR_NONE):
        return value
    try:
        moment = parse_instant(value)
    except InputError as error:
        raise InputError(
            "{field}: {error}", hint="{error_hint}", field=field.name, error=error
        ) from None
    # One without an offset stays so: the memory knows the zone that it is meant in.
    naive = datetime.fromisoformat(value.strip()).tzinfo is None
    return moment.replace(tzinfo=None) if naive else moment
