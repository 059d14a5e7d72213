"""The values of the library as JSON: written, described, and read back.

What is written is what `loxodon --json` prints. Descriptions and readers are made from the value
types themselves, so that they cannot say something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypedDict, Union, get_args, get_origin, get_type_hints

from loxodon.jobs.schedule import Job
from loxodon.paging import Page
from loxodon.recall.gate import State as Conversation
from loxodon.recall.gate import Topic
from loxodon.recall.understand import Question
from loxodon.store import Spent
from loxodon.types import Entity, Item, Recall, Source

Schema = dict[str, Any]

_SHARED = {"Question": Question, "Conversation": Conversation, "Spent": Spent, "Job": Job}
_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "pattern": "^([0-9a-f]{2})*$"},
    datetime: {"type": "string", "format": "date-time"},
    NoneType: {"type": "null"},
}
_AS_THEY_ARE = frozenset((str, int, float, bool, NoneType))


class TopicFields(TypedDict):
    words: list[str]
    kind: str


class StateFields(TypedDict):
    """What the gate knows of the conversation; hand it in with the next message."""

    recalled: list[TopicFields]


def plain(value: Any) -> Any:
    """A value as JSON has it: records as objects, times as ISO 8601, bytes as hex digits."""
    if type(value) in _AS_THEY_ARE:  # most of what a server writes, hundreds in one answer
        return value
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds")
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Source):
        names = ("file", "line") if value.file else ("session", "turn")
        return {name: getattr(value, name) for name in names}
    if isinstance(value, Conversation):
        return {"recalled": [{"words": sorted(one.words), "kind": one.kind} for one in value[0]]}
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if not hasattr(value, "_asdict"):
        return [plain(one) for one in value] if isinstance(value, list | tuple) else value
    fields = value._asdict()
    if isinstance(value, Item):  # defaults go without saying
        usual = Item._field_defaults
        fields = {name: one for name, one in fields.items() if (name, one) not in usual.items()}
    elif isinstance(value, Recall) and value.trace is None:
        del fields["trace"]
    elif isinstance(value, Entity):
        del fields["no"]
        fields = {"id": value.id, **fields}
    return {name: plain(one) for name, one in fields.items()}


def document(value: object) -> Any:
    """What a server answers with a value; a page of a list with the cursor of the next."""
    return {"items": plain(value), "next": value.next} if isinstance(value, Page) else plain(value)


def state_of(data: Mapping[str, Any]) -> Conversation:
    """The state of a conversation that `plain` wrote; raises where it is none."""
    topics = ((frozenset(map(str, one["words"])), one["kind"]) for one in data["recalled"])
    return Conversation(tuple(Topic(*one) for one in topics))


@cache
def _fields(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, localns=_SHARED)


def read(kind: Any, data: Any) -> Any:
    """The value of a `kind` out of the JSON that `plain` wrote."""
    if kind is datetime:
        return datetime.fromisoformat(data)
    if kind is float:
        return float(data)
    if kind is bytes:
        return bytes.fromhex(data)
    if kind in _PLAIN or kind is Any or kind is object or get_origin(kind) is Literal:
        return data
    if kind is Conversation:
        return state_of(data)
    origin, given = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        some = [one for one in given if one is not NoneType]
        return data if data is None or len(some) > 1 else read(some[0], data)
    if origin in (tuple, list):
        return origin(read(given[0], one) for one in data)
    if origin is not None and issubclass(origin, Mapping):
        key = int if given[0] is int else str  # JSON has only texts as keys
        return {key(name): read(given[1], one) for name, one in data.items()}
    if kind is Entity:
        data = {**data, "no": int(data["id"].removeprefix("e_"))}
    found = {name: read(type_, data[name]) for name, type_ in _fields(kind).items() if name in data}
    return kind(**found)


def schema_of(kind: Any, named: dict[str, Schema]) -> Schema:
    """The JSON schema of what `plain` makes of a `kind`; `named` gets those with a name."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind is Any or kind is object:
        return {}
    origin, given = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(given)}
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(one, named) for one in given]}
    if origin in (tuple, list):
        return {"type": "array", "items": schema_of(given[0], named)}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(given[1], named)}
    if kind.__name__ not in named:
        named[kind.__name__] = {}  # so that a type which holds itself comes to an end
        named[kind.__name__] = _object(kind, named)
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def object_schema(properties: Mapping[str, Schema]) -> Schema:
    """The schema of an object that has all of these."""
    return {"type": "object", "required": list(properties), "properties": dict(properties)}


def _object(kind: Any, named: dict[str, Schema]) -> Schema:
    """The schema of a NamedTuple, with what `plain` makes of it that is special."""
    fields = _fields(kind)
    if kind is Source:
        places = ({"session": str, "turn": str}, {"file": str, "line": int})
        return {"anyOf": [object_schema({k: _PLAIN[t] for k, t in one.items()}) for one in places]}
    found = object_schema(
        {
            name: inlined(StateFields) if type_ is Conversation else schema_of(type_, named)
            for name, type_ in fields.items()
        }
    )
    if kind is Item:
        found["required"] = [name for name in fields if name not in Item._field_defaults]
    if kind is Recall:
        found["required"].remove("trace")
    if kind is Entity:
        del found["properties"]["no"]
        id = {"type": "string", "pattern": "^e_[0-9]+$"}
        found = object_schema({"id": id, **found["properties"]})
    return found


def inlined(kind: Any) -> Schema:
    """The JSON schema of a type that msgspec knows, without references."""
    import msgspec  # not for those who only print JSON

    schema = msgspec.json.schema(kind)
    named = schema.pop("$defs", {})

    def inline(part: Any) -> Any:
        if isinstance(part, list):
            return [inline(one) for one in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return inline(named[part["$ref"].rpartition("/")[2]])
        return {key: inline(one) for key, one in part.items() if key != "title"}

    found: Schema = inline(schema)
    return found
