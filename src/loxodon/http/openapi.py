"""The description of the API, OpenAPI 3.1, made from the operations."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import loxodon
from loxodon.http.fields import body_schema, schema_of
from loxodon.http.operations import OPERATIONS, Operation, names_in
from loxodon.http.pages import PAGES
from loxodon.http.wire import Schema, object_schema
from loxodon.http.wire import schema_of as value_schema
from loxodon.spaces import MAX_NAME

_TEXT: Schema = {"type": "string"}
_ERRORS = (400, 401, 403, 404, 408, 409, 413, 415, 429, 502, 503, 507)
# What stands in a path; anything else is a name.
_PARTS: Mapping[str, Schema] = {
    "space": {  # not blank, nor with control characters
        "pattern": r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$",
        "minLength": 1,
        "maxLength": MAX_NAME,
    },
    "id": {"pattern": "^([fbs]_[0-9]{8}_[0-9]{3,9}|pending_[0-9a-f]{8}|[nq]_[0-9]+)$"},
    "ref": {"pattern": "^(t_[0-9]+|.+:.+)$"},
}
_HEADERS = {
    "X-Loxodon-Agent": "act as this agent",
    "X-Loxodon-Chat": "direct, group or room; in the last two private memories are left out",
    "Idempotency-Key": "repeating the call with the same key has no further effect",
}


def document() -> dict[str, Any]:
    """The whole description."""
    problem = {"line": {"type": "integer"}, "message": _TEXT, "hint": _TEXT}
    error = {
        **dict.fromkeys(("code", "message", "hint"), _TEXT),
        "problems": {"type": "array", "items": object_schema(problem)},
    }
    named: dict[str, Schema] = {"Error": object_schema({"error": object_schema(error)})}
    every = (*OPERATIONS, *PAGES)
    paths: dict[str, dict[str, Any]] = {}
    for one in every:
        paths.setdefault(one.address, {})[one.route.method.lower()] = _operation(one, named)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Loxodon",
            "version": loxodon.__version__,
            "description": "Long-term memory for AI agents, on your own machine.",
        },
        "tags": [{"name": name} for name in dict.fromkeys(map(_group, every))],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(named.items())),
            "responses": {
                str(one): _answer(HTTPStatus(one).phrase, {"$ref": "#/components/schemas/Error"})
                for one in _ERRORS
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _group(one: Operation) -> str:
    if one.run:
        return one.verb.routes[0].path.split("/")[1]
    return next((group for group in ("spaces", "tokens") if group in one.route.path), "server")


def _answer(about: str, schema: Schema, kind: str = "application/json") -> dict[str, Any]:
    return {"description": about, "content": {kind: {"schema": schema}}}


def _operation(one: Operation, named: dict[str, Schema]) -> dict[str, Any]:
    schema = value_schema(one.gives, named)
    if one.verb.paged:  # `next` is the cursor of the next one
        schema = object_schema({"items": schema, "next": {"type": ["string", "null"]}})
    if one.verb.field:
        schema = object_schema({one.verb.field: schema})
    kind = "text/plain" if one.right == "metrics" else "application/json"
    refusals = {
        str(status): {"$ref": f"#/components/responses/{status}"}
        for status in (_ERRORS if one.right else (400, 403, 429))
    }
    found: dict[str, Any] = {
        "operationId": one.name,
        "tags": [_group(one)],
        "summary": one.about.partition(". ")[0].rstrip("."),
        "description": one.about,
        "parameters": _parameters(one),
        "responses": {str(one.route.status): _answer("What was asked for.", schema, kind)}
        | refusals,
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


def _parameters(one: Operation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in names_in(one.address):
        schema = {**_TEXT, **_PARTS.get(name, {"minLength": 1})}
        found.append({"name": name, "in": "path", "required": True, "schema": schema})
    repeatable = any(field.name == "token" for field in one.takes)
    for name, about in _HEADERS.items() if one.run else ():
        if repeatable or name != "Idempotency-Key":
            found.append({"name": name, "in": "header", "description": about, "schema": _TEXT})
    for field in one.takes if one.in_query else ():
        schema = schema_of(field)
        asked = {"name": field.name, "in": "query", "required": field.required}
        found.append({**asked, "description": schema.pop("description"), "schema": schema})
    return found
