"""The description of the API, OpenAPI 3.1, and a page for people; both made from the verbs."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import loxodon
from loxodon.http.examples import BODIES, cursor_for, example_of
from loxodon.http.fields import described, schema_of
from loxodon.http.guard import Me
from loxodon.http.metrics import Served
from loxodon.http.operations import IN_QUERY, OPERATIONS, Operation, names_in
from loxodon.http.streaming import EVENTS, LINES
from loxodon.http.wire import MEMORY_ID, Schema, page_schema
from loxodon.http.wire import schema_of as value_schema
from loxodon.jobs.schedule import JOBS
from loxodon.journal.identity import MAX_SESSION
from loxodon.spaces import MAX_NAME
from loxodon.types import CHATS, Receipt
from loxodon.verbs import CURSOR, FLAG, Argument

PREFIX = "/v1/spaces"
DRY_RUN = Argument("dry_run", FLAG, "show what would be done, without doing it")
"""Of deleting a space, which is no verb of a memory."""

_TEXT: Schema = {"type": "string"}
_ERROR: Schema = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {
                "code": _TEXT,
                "message": _TEXT,
                "hint": _TEXT,
                "problems": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["line", "message", "hint"],
                        "properties": {
                            "line": {"type": "integer"},
                            "message": _TEXT,
                            "hint": _TEXT,
                        },
                    },
                },
            },
        }
    },
}
_ERRORS: Mapping[int, tuple[str, str, str]] = {
    400: ("bad_input", "A field is unknown, missing or invalid.", "the field query is missing"),
    401: ("unauthorized", "No token, or a wrong one.", "a valid token is required"),
    403: ("forbidden", "The token lacks the right.", "this token does not permit this"),
    404: ("not_found", "There is no such thing.", "no memory with the id 'f_20260204_004'"),
    408: ("too_slow", "The body took too long.", "timed out waiting for the request body"),
    409: ("stale_edit", "It conflicts with the current state.", "f_20260204_004 was changed"),
    413: ("too_large", "The body is too large.", "the body is larger than 10000000 bytes"),
    415: ("unsupported_media_type", "The body is not JSON.", "the body must be JSON"),
    422: ("bad_cursor", "The cursor is not valid.", "this cursor does not belong to this list"),
    429: ("too_many", "Too many requests; see Retry-After.", "too many requests"),
    502: ("model", "The model gave no usable answer.", "the model cannot be reached"),
    503: ("busy_store", "Try again later, or see /health.", "the database is busy"),
    507: ("full_store", "The disk is full.", "cannot write: the disk is full"),
}
"""By status: a code, what it means, and what such an error says."""
_PARTS: Mapping[tuple[str, str], Schema] = {
    ("memories", "id"): {"pattern": MEMORY_ID, "example": "f_20260204_004"},
    ("notes", "id"): {"pattern": "^n_[0-9]+$", "example": "n_12"},
    ("quarantine", "id"): {"pattern": "^q_[0-9]+$", "example": "q_12"},
    ("turns", "ref"): {"pattern": "^(t_[0-9]+|.+:.+)$", "example": "t_512"},
    ("sessions", "session"): {"minLength": 1, "maxLength": MAX_SESSION, "example": "monday"},
    ("schedule", "job"): {"enum": list(JOBS), "example": "heartbeat"},
}
"""What stands in a path, by what comes before it."""
_NAME: Schema = {"minLength": 1, "example": "Ada"}
_SPACE: Schema = {"minLength": 1, "maxLength": MAX_NAME, "example": "main"}
_HEADERS: Mapping[str, tuple[str, Schema, str]] = {
    "Agent": ("X-Loxodon-Agent", {**_TEXT, "maxLength": 64}, "act as this agent"),
    "Chat": (
        "X-Loxodon-Chat",
        {"type": "string", "enum": list(CHATS)},
        "who sees the answer; group leaves out private memories",
    ),
    "IdempotencyKey": (
        "Idempotency-Key",
        _TEXT,
        "repeating the call with the same key has no further effect",
    ),
}
_SAMPLES = {"Agent": "coder", "Chat": "group", "IdempotencyKey": "5f0c"}
_SPACES, _SERVER = "Spaces", "Server"
_WORK = "Consolidation and jobs"
"""The group of what may ask a model."""


def document() -> dict[str, Any]:
    """The whole description."""
    named: dict[str, Schema] = {"Error": _ERROR}
    paths: dict[str, dict[str, Any]] = _of_spaces(named)
    for one in OPERATIONS:
        path = paths.setdefault(f"{PREFIX}/{{space}}{one.path}", {})
        path[one.method.lower()] = _operation(one, named)
    groups = dict.fromkeys((_SPACES, *(one.group for one in OPERATIONS), _SERVER))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Loxodon",
            "version": loxodon.__version__,
            "description": "Long-term memory for AI agents, on your own machine.",
        },
        "tags": [{"name": name} for name in groups],
        "paths": {**paths, **_of_server(named)},
        "components": {
            "schemas": dict(sorted(named.items())),
            "responses": {str(status): _refusal(status) for status in _ERRORS},
            "parameters": {name: _header(name) for name in _HEADERS},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


# Parts


def _operation(one: Operation, named: dict[str, Schema]) -> dict[str, Any]:
    schema = value_schema(one.gives, named)
    if one.paged:
        schema = page_schema(schema)
    if one.field:
        schema = {"type": "object", "properties": {one.field: schema}, "required": [one.field]}
    content = {"application/json": _shown(schema, named)}
    if one.paged:
        content["application/json"]["example"]["next"] = cursor_for(one.paged)
    if one.long:
        steps = {LINES: '{"progress":{"done":1,"total":2}}\n', EVENTS: "event: progress\n"}
        content |= {form: {"schema": _TEXT, "example": said} for form, said in steps.items()}
    summary, _, _ = one.about.partition(". ")
    found: dict[str, Any] = {
        "operationId": one.name,
        "tags": [one.group],
        "summary": summary.rstrip("."),
        "description": one.about,
        "parameters": _parameters(one),
        "responses": {
            str(one.status): {"description": "What was asked for.", "content": content},
            **_refusals(*_statuses(one)),
        },
    }
    if one.takes and one.method not in IN_QUERY:
        body = {"schema": described(one.takes), "example": BODIES[one.name]}
        found["requestBody"] = {
            "required": any(field.required for field in one.takes),
            "content": {"application/json": body},
        }
    return found


def _parameters(one: Operation) -> list[dict[str, Any]]:
    first = one.path.split("/")[1]
    headers = ["Agent", "Chat"]
    headers += ["IdempotencyKey"] if any(field.name == "token" for field in one.takes) else []
    found = [
        _in_path("space", _SPACE),
        *(_in_path(name, _PARTS.get((first, name), _NAME)) for name in names_in(one.path)),
        *({"$ref": f"#/components/parameters/{name}"} for name in headers),
    ]
    if one.method in IN_QUERY:
        found += [
            {
                "name": field.name,
                "in": "query",
                "required": field.required,
                "description": field.about,
                "schema": (schema := schema_of(field)),
                "example": cursor_for(one.paged)
                if field.kind == CURSOR
                else example_of(schema, {}, field.name),
            }
            for field in one.takes
        ]
    return found


def _in_path(name: str, form: Schema) -> dict[str, Any]:
    schema = {"type": "string", **{key: one for key, one in form.items() if key != "example"}}
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": schema,
        "example": form["example"],
    }


def _header(name: str) -> dict[str, Any]:
    sent, schema, about = _HEADERS[name]
    return {
        "name": sent,
        "in": "header",
        "description": about,
        "schema": schema,
        "example": _SAMPLES[name],
    }


def _shown(schema: Schema, named: dict[str, Schema]) -> dict[str, Any]:
    return {"schema": schema, "example": example_of(schema, named)}


def _statuses(one: Operation) -> list[int]:
    """The errors that an operation can come to, besides those of a server that is out of order."""
    found = [400, 401, 403, 429, 503]
    found += [404] if not one.make or names_in(one.path) else []
    found += [422] if one.paged else []
    found += [408, 413, 415] if one.method not in IN_QUERY else []
    found += [409, 507] if one.right != "read" else []
    found += [502] if one.group == _WORK and one.long else []
    return sorted(found)


def _refusals(*statuses: int) -> dict[str, Any]:
    every = {str(one): {"$ref": f"#/components/responses/{one}"} for one in statuses}
    return {**every, "default": {"$ref": "#/components/responses/400"}}


def _refusal(status: int) -> dict[str, Any]:
    code, about, message = _ERRORS[status]
    example = {"error": {"code": code, "message": message, "hint": "", "problems": []}}
    schema = {"$ref": "#/components/schemas/Error"}
    return {
        "description": about,
        "content": {"application/json": {"schema": schema, "example": example}},
    }


def _plain(
    name: str,
    group: str,
    summary: str,
    answer: Mapping[str, Any],
    statuses: tuple[int, ...] = (),
    parameters: tuple[dict[str, Any], ...] = (),
) -> dict[str, Any]:
    """An operation that is no verb."""
    return {
        "operationId": name,
        "tags": [group],
        "summary": summary,
        "parameters": list(parameters),
        "responses": {
            "200": {"description": "What was asked for.", "content": answer},
            **_refusals(401, 403, 429, *statuses),
        },
    }


def _of_spaces(named: dict[str, Schema]) -> dict[str, dict[str, Any]]:
    listed: Schema = {
        "type": "object",
        "required": ["spaces"],
        "properties": {"spaces": {"type": "array", "items": _TEXT}},
    }
    made: Schema = {
        "type": "object",
        "required": ["home", "space", "created"],
        "properties": {"home": _TEXT, "space": _TEXT, "created": {"type": "boolean"}},
    }
    deleted = value_schema(Receipt, named)
    space = _in_path("space", _SPACE)
    dry = {
        "name": DRY_RUN.name,
        "in": "query",
        "description": DRY_RUN.about,
        "schema": schema_of(DRY_RUN),
        "example": True,
    }

    def json(schema: Schema) -> dict[str, Any]:
        return {"application/json": _shown(schema, named)}

    return {
        PREFIX: {"get": _plain("spaces", _SPACES, "List the spaces", json(listed))},
        f"{PREFIX}/{{space}}": {
            "put": _plain(
                "make_space",
                _SPACES,
                "Create a space; does nothing if it exists",
                json(made),
                (400, 503),
                (space,),
            ),
            "delete": _plain(
                "delete_space",
                _SPACES,
                "Delete a space permanently, with all its files",
                json(deleted),
                (400, 404, 503),
                (space, dry),
            ),
        },
    }


def _of_server(named: dict[str, Schema]) -> dict[str, Any]:
    health: Schema = {
        "type": "object",
        "required": ["status"],
        "properties": {
            "status": {"type": "string", "enum": ["ok", "failing"]},
            "reasons": {"type": "array", "items": {"type": "object"}},
            "paused": {"type": "array", "items": _TEXT},
        },
    }
    well = {"application/json": _shown(health, named)}
    failing = {"application/json": {"schema": health, "example": {"status": "failing"}}}

    def watched(name: str, about: str) -> dict[str, Any]:
        found = _plain(name, _SERVER, about, well)
        found["security"] = [{}]
        found["responses"]["503"] = {"description": "It needs attention.", "content": failing}
        return {"get": found}

    numbers = {"text/plain": {"schema": _TEXT, "example": "loxodon_up 1\n"}}
    me = {"application/json": _shown(value_schema(Me, named), named)}
    served = {"application/json": _shown(value_schema(Served, named), named)}
    return {
        "/v1/me": {"get": _plain("me", _SERVER, "Say what the token is good for", me)},
        "/v1/server": {"get": _plain("server", _SERVER, "Say what requests took", served)},
        "/livez": watched("livez", "Say that the process answers"),
        "/readyz": watched("readyz", "Say whether the store can be reached"),
        "/health": watched("health", "Say whether all is well"),
        "/metrics": {"get": _plain("metrics", _SERVER, "Numbers for Prometheus", numbers)},
    }


def page() -> str:
    """The same for people: one HTML page, nothing loaded from elsewhere."""
    rows = "\n".join(
        f"<tr><td><code>{one.method}</code></td><td><code>{escape(f'{PREFIX}/{{space}}{one.path}')}"
        f"</code></td><td>{escape(one.about)}<br><small>{_taken(one)}</small></td></tr>"
        for one in OPERATIONS
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Loxodon</title>"
        "<style>body{font:15px/1.5 system-ui;max-width:70em;margin:2em auto;padding:0 1em}"
        "td{padding:.3em .8em .3em 0;vertical-align:top}small{color:#555}</style>"
        "<h1>Loxodon</h1><p>Described for programs at <a href=/openapi.json>/openapi.json</a>; "
        "also <a href=/health>/health</a> and <a href=/metrics>/metrics</a>.</p>"
        f"<table>{rows}</table></html>"
    )


def _taken(one: Operation) -> str:
    return ", ".join(
        f"<code>{escape(field.name)}</code>{'*' if field.required else ''}" for field in one.takes
    )
