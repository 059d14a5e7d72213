"""The description of the API, OpenAPI 3.1, and a page for people; both made from the table."""

from __future__ import annotations

from html import escape
from typing import Any

import loxodon
from loxodon.serve.http.fields import described, schema_of
from loxodon.serve.http.operations import IN_QUERY, OPERATIONS, Operation, names_in
from loxodon.serve.http.streaming import EVENTS, LINES
from loxodon.serve.http.wire import Schema, page_schema
from loxodon.serve.http.wire import schema_of as value_schema

PREFIX = "/v1/spaces"

_ERROR: Schema = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "hint": {"type": "string"},
                "problems": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["line", "message", "hint"],
                        "properties": {
                            "line": {"type": "integer"},
                            "message": {"type": "string"},
                            "hint": {"type": "string"},
                        },
                    },
                },
            },
        }
    },
}
_FAILED = {
    "description": "What went wrong, and what to do about it.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}


def document() -> dict[str, Any]:
    """The whole description."""
    named: dict[str, Schema] = {"Error": _ERROR}
    paths: dict[str, dict[str, Any]] = _of_spaces()
    for one in OPERATIONS:
        path = paths.setdefault(f"{PREFIX}/{{space}}{one.path}", {})
        path[one.method.lower()] = _operation(one, named)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Loxodon",
            "version": loxodon.__version__,
            "description": "Long-term memory for AI agents, on your own machine.",
        },
        "paths": {**paths, **_of_server()},
        "components": {
            "schemas": dict(sorted(named.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _operation(one: Operation, named: dict[str, Schema]) -> dict[str, Any]:
    schema = value_schema(one.gives, named)
    if one.paged:
        schema = page_schema(schema)
    if one.field:
        schema = {"type": "object", "properties": {one.field: schema}, "required": [one.field]}
    content = {"application/json": {"schema": schema}}
    if one.long:
        content |= {form: {"schema": {"type": "string"}} for form in (LINES, EVENTS)}
    found: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.about,
        "parameters": [_in_path("space"), *map(_in_path, names_in(one.path))],
        "responses": {
            str(one.status): {"description": "What was asked for.", "content": content},
            "default": _FAILED,
        },
    }
    if one.method in IN_QUERY:
        found["parameters"] += [
            {
                "name": field.name,
                "in": "query",
                "required": field.required,
                "description": field.about,
                "schema": schema_of(field),
            }
            for field in one.takes
        ]
    elif one.takes:
        found["requestBody"] = {
            "required": any(field.required for field in one.takes),
            "content": {"application/json": {"schema": described(one.takes)}},
        }
    return found


def _in_path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _answer(schema: Schema, kind: str = "application/json") -> dict[str, Any]:
    content = {kind: {"schema": schema}}
    return {"200": {"description": "What was asked for.", "content": content}, "default": _FAILED}


def _of_spaces() -> dict[str, dict[str, Any]]:
    listed: Schema = {
        "type": "object",
        "required": ["spaces"],
        "properties": {"spaces": {"type": "array", "items": {"type": "string"}}},
    }
    made: Schema = {
        "type": "object",
        "required": ["home", "space", "created"],
        "properties": {
            "home": {"type": "string"},
            "space": {"type": "string"},
            "created": {"type": "boolean"},
        },
    }
    return {
        PREFIX: {
            "get": {
                "operationId": "spaces",
                "summary": "The names of the spaces.",
                "responses": _answer(listed),
            }
        },
        f"{PREFIX}/{{space}}": {
            "put": {
                "operationId": "make_space",
                "summary": "Make a space; harmless where there is one.",
                "parameters": [_in_path("space")],
                "responses": _answer(made),
            }
        },
    }


def _of_server() -> dict[str, Any]:
    text: Schema = {"type": "string"}
    health: Schema = {
        "type": "object",
        "required": ["status"],
        "properties": {
            "status": {"type": "string", "enum": ["ok", "failing"]},
            "reasons": {"type": "array", "items": {"type": "object"}},
            "paused": {"type": "array", "items": {"type": "string"}},
        },
    }
    red = {
        "description": "Somebody should see to it.",
        "content": {"application/json": {"schema": health}},
    }
    return {
        "/health": {
            "get": {
                "operationId": "health",
                "summary": "Whether all is well.",
                "security": [{}],
                "responses": {**_answer(health), "503": red},
            }
        },
        "/metrics": {
            "get": {
                "operationId": "metrics",
                "summary": "Numbers for Prometheus.",
                "responses": _answer(text, "text/plain"),
            }
        },
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
