"""Examples for the description of the API: what one could send, and what could come back.

An answer's example is made of its schema: each field has the sample of its name, if one is of its
type, else the plainest value that there is. Tests hold all of them against the schemas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loxodon.http.wire import Schema
from loxodon.paging import ORDERS, cursor_of

BODIES: Mapping[str, Mapping[str, Any]] = {
    "add": {
        "session": "monday",
        "turns": [
            {"role": "user", "content": "我对花生过敏", "id": "m1"},
            {"role": "assistant", "content": "记住了！", "id": "m2"},
        ],
    },
    "capture": {"content": "The user prefers TypeScript", "importance": 0.8, "tags": ["coding"]},
    "edit": {"content": "The user lives in York", "version": 1},
    "archive": {"version": 1},
    "unarchive": {"version": 2},
    "confirm": {"version": 1},
    "reject": {"version": 1},
    "touch": {"ids": ["f_20260204_004"]},
    "refresh_profile": {"language": "zh"},
    "recall": {"query": "花生可以吃吗", "top": 5, "budget": 500},
    "context": {"message": "我能吃花生酱吗？", "history": ["你好"], "budget": 2000},
    "gate": {"message": "我能吃花生酱吗？"},
    "consolidate": {"if_due": True},
    "forget": {"entity": "Ada", "also": ["Ada Lovelace"], "dry_run": True},
    "pause": {"until": "2026-02-05T09:00:00+08:00"},
    "export": {"folder": "/home/ada/memory", "masked": True},
    "sync": {"dry_run": True},
    "import": {"path": "/home/ada/mem0.json", "format": "mem0"},
}
"""A request of each operation that takes a body."""
_PLACE: Mapping[type, int | str] = {int: 4, str: "2026-02-04"}

_SAMPLES: Mapping[str, Any] = {
    "also": "Ada",
    "as_of": "2026-01-01T00:00:00+08:00",
    "by": "http token:console",
    "category": "fact",
    "change": "captured",
    "code": "bad_input",
    "content": "The user lives in Leeds",
    "context": "[2026-02-04] The user lives in Leeds",
    "confidence": 1.0,
    "date": "2026-02-04",
    "day": "2026-02-04",
    "entities": ["Leeds"],
    "entity": "Ada",
    "erased": {"turns": 1, "memories": 1},
    "file": "/home/ada/notes/trip.md",
    "folder": "/home/ada/memory",
    "format": "mem0",
    "hash": "9f86d081884c7d65",
    "home": "/home/ada/.loxodon",
    "id": "f_20260204_004",
    "ids": ["f_20260204_004"],
    "in_view": ["t_512"],
    "importance": 0.8,
    "job": "heartbeat",
    "limit": 100,
    "message": "我能吃花生酱吗？",
    "name": "Ada",
    "op": "recall",
    "origin": "user",
    "outcome": "ok",
    "path": "/home/ada/.loxodon/backups/main-20260204T020000Z.loxodon",
    "positive": True,
    "profile": "# User\n\n- lives in Leeds",
    "project": "_global",
    "query": "花生可以吃吗",
    "reason": "asked",
    "ref": "t_512",
    "role": "user",
    "sensitivity": "low",
    "session": "monday",
    "sessions": ["monday"],
    "since": "2026-02-01T00:00:00+08:00",
    "snapshot": "# What is known\n\n- The user lives in Leeds",
    "space": "main",
    "spaces": ["main"],
    "speaker": "",
    "status": "ok",
    "strength": 0.8,
    "summary": "asked about peanuts",
    "surface": "http",
    "tag": "coding",
    "tags": ["Leeds"],
    "text": "I live in Leeds",
    "top": 5,
    "tokens": 80,
    "topic": "_general",
    "turn": "m1",
    "type": "person",
    "until": "2026-03-01T00:00:00+08:00",
    "version": 1,
    # Where a type has another than most.
    "Gate.recall": True,
    "Item.kind": "fact",
    "Entity.id": "e_003",
    "Held.id": "q_12",
    "Held.state": "held",
    "Receipt.id": "r_20260204_3f2a9c1d",
    "Receipt.what": "ids",
    "Session.id": "monday",
    "Turn.id": "m1",
    "Turn.content": "I live in Leeds",
}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_PLAINEST: Mapping[str, Any] = {"string": "", "integer": 0, "number": 0.5, "boolean": False}
_MOMENT = "2026-02-04T10:00:00+08:00"
_DEEPEST = 6
"""Values within values up to which an example shows what is in a list."""


def cursor_for(verb: str) -> str:
    """A cursor that a verb could give."""
    return cursor_of(verb, tuple(_PLACE[part] for part in ORDERS[verb].parts))


def example_of(schema: Schema, named: Mapping[str, Schema], name: str = "", depth: int = 0) -> Any:
    """A value that a schema allows, for a field called `name` (`Turn.id`, `id`)."""
    if "$ref" in schema:
        kind = schema["$ref"].rpartition("/")[2]
        return example_of(named[kind], named, f"{kind}.", depth)
    if "anyOf" in schema:
        kinds = schema["anyOf"]
        if {"type": "null"} in kinds:
            return None
        return example_of(kinds[0], named, name, depth)
    if "enum" in schema:
        return schema["enum"][0]
    type_ = schema.get("type", "string")
    type_ = type_ if isinstance(type_, str) else type_[0]
    sample = _SAMPLES.get(name, _SAMPLES.get(name.rpartition(".")[2]))
    if isinstance(sample, _TYPES[type_]) and _suits(sample, schema):
        return sample
    if type_ == "array":
        item = schema["items"]
        short = depth > _DEEPEST or item.get("type") == "string"
        return [] if short else [example_of(item, named, "", depth + 1)]
    if type_ == "object":
        return _object(schema, named, name, depth)
    if schema.get("format") == "date-time":
        return _MOMENT
    return max(_PLAINEST[type_], schema["minimum"]) if "minimum" in schema else _PLAINEST[type_]


def _suits(sample: Any, schema: Schema) -> bool:
    """Whether a sample of the name alone is of the right form: a list of names is not one of
    objects."""
    if isinstance(sample, list):
        return bool(schema["items"].get("type") == "string")
    return schema.get("format") != "date-time" or "T" in sample


def _object(schema: Schema, named: Mapping[str, Schema], name: str, depth: int) -> dict[str, Any]:
    owner = name if name.endswith(".") else ""
    return {
        field: example_of(one, named, f"{owner}{field}", depth + 1)
        for field, one in schema.get("properties", {}).items()
        if field in schema.get("required", ()) or "required" not in schema
    }
