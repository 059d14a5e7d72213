"""The description of the API, OpenAPI 3.1, made from the operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import loxodon
from loxodon.http.bodies import LINES
from loxodon.http.fields import body_schema, schema_of
from loxodon.http.operations import OPERATIONS, SERVER, Operation, names_in
from loxodon.http.wire import MEMORY_ID, Schema, page_schema
from loxodon.http.wire import schema_of as value_schema
from loxodon.jobs.schedule import JOBS
from loxodon.journal.identity import MAX_SESSION
from loxodon.spaces import MAX_NAME
from loxodon.types import CHATS

_TEXT: Schema = {"type": "string"}
_ERRORS: Mapping[int, str] = {
    400: "A field is unknown, missing or invalid.",
    401: "No token, or a wrong one.",
    403: "The token lacks the right.",
    404: "There is no such thing.",
    408: "The body took too long.",
    409: "It conflicts with the current state.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The cursor is not valid.",
    429: "Too many requests; see Retry-After.",
    502: "The model gave no usable answer.",
    503: "Try again later, or see /health.",
    507: "The disk is full.",
}
_PARTS: Mapping[str, Schema] = {
    # Not blank, nor with control characters.
    "space": {"pattern": r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"}
    | {"minLength": 1, "maxLength": MAX_NAME},
    "memories/id": {"pattern": MEMORY_ID},
    "notes/id": {"pattern": "^n_[0-9]+$"},
    "quarantine/id": {"pattern": "^q_[0-9]+$"},
    "turns/ref": {"pattern": "^(t_[0-9]+|.+:.+)$"},
    "sessions/session": {"minLength": 1, "maxLength": MAX_SESSION},
    "schedule/job": {"enum": list(JOBS)},
}
"""What stands in a path, by what comes before it; anything else is a name."""
_HEADERS: Mapping[str, tuple[str, Schema, str]] = {
    "Agent": (
        "X-Loxodon-Agent",
        {**_TEXT, "maxLength": 64, "pattern": r"^[^@~/\\\x00-\x1f\x7f]*$"},
        "act as this agent",
    ),
    "Chat": (
        "X-Loxodon-Chat",
        {"enum": [*CHATS, ""]},
        "who sees the answer; group leaves out private memories",
    ),
    "IdempotencyKey": (
        "Idempotency-Key",
        _TEXT,
        "repeating the call with the same key has no further effect",
    ),
}


def document() -> dict[str, Any]:
    """The whole description."""
    problem = {"line": {"type": "integer"}, "message": _TEXT, "hint": _TEXT}
    error = {
        **dict.fromkeys(("code", "message", "hint"), _TEXT),
        "problems": {"type": "array", "items": _object(problem)},
    }
    named: dict[str, Schema] = {"Error": _object({"error": _object(error)})}
    paths: dict[str, dict[str, Any]] = {}
    for one in (*OPERATIONS, *SERVER):
        paths.setdefault(one.address, {})[one.method.lower()] = _operation(one, named)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Loxodon",
            "version": loxodon.__version__,
            "description": "Long-term memory for AI agents, on your own machine.",
        },
        "tags": [{"name": name} for name in dict.fromkeys(o.group for o in (*OPERATIONS, *SERVER))],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(named.items())),
            "responses": {
                str(status): _answer(about, {"$ref": "#/components/schemas/Error"})
                for status, about in _ERRORS.items()
            },
            "parameters": {
                name: {"name": sent, "in": "header", "description": about, "schema": schema}
                for name, (sent, schema, about) in _HEADERS.items()
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _object(properties: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "required": list(properties), "properties": dict(properties)}


def _answer(about: str, schema: Schema, kind: str = "application/json") -> dict[str, Any]:
    return {"description": about, "content": {kind: {"schema": schema}}}


def _operation(one: Operation, named: dict[str, Schema]) -> dict[str, Any]:
    schema = value_schema(one.gives, named)
    if one.paged:
        schema = page_schema(schema)
    if one.field:
        schema = _object({one.field: schema})
    answer = _answer(
        "What was asked for.",
        schema,
        "text/plain" if one.right == "metrics" else "application/json",
    )
    if one.long:
        answer["content"][LINES] = {"schema": _TEXT}
    refusals: dict[str, Any] = {
        str(status): {"$ref": f"#/components/responses/{status}"} for status in _statuses(one)
    }
    found: dict[str, Any] = {
        "operationId": one.name,
        "tags": [one.group],
        "summary": one.about.partition(". ")[0].rstrip("."),
        "description": one.about,
        "parameters": _parameters(one),
        "responses": {str(one.status): answer, **refusals},
    }
    if not one.right:
        found["security"] = [{}]
        found["responses"]["503"] = _answer("It needs attention.", schema)
    if one.takes and not one.in_query:
        found["requestBody"] = {
            "required": any(field.required for field in one.takes),
            "content": {"application/json": {"schema": body_schema(one.takes)}},
        }
    return found


def _statuses(one: Operation) -> list[int]:
    """The errors that an operation can come to."""
    if not one.right:
        return [400, 403, 429]
    found = [400, 401, 403, 404, 429, 503]
    found += [422] if one.paged else []
    found += [408, 413, 415] if not one.in_query else []
    found += [409, 507] if one.right not in ("read", "any", "metrics") else []
    found += [502] if one.long == "kept" else []
    return sorted(found)


def _parameters(one: Operation) -> list[dict[str, Any]]:
    headers = ["Agent", "Chat"] if one.run else []
    headers += ["IdempotencyKey"] if any(field.name == "token" for field in one.takes) else []
    parts = one.address.split("/")
    found: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {**_TEXT, **(_PARTS.get(name) or _PARTS.get(before, {"minLength": 1}))},
        }
        for name in names_in(one.address)
        for before in [f"{parts[parts.index(f'{{{name}}}') - 1]}/{name}"]
    ]
    found += [{"$ref": f"#/components/parameters/{name}"} for name in headers]
    for field in one.takes if one.in_query else ():
        schema = schema_of(field)
        about = schema.pop("description")
        found.append(
            {"name": field.name, "in": "query", "required": field.required}
            | {"description": about, "schema": schema}
        )
    return found
