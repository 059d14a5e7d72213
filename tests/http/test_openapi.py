"""The description is true: what the server answers is what it says."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import httpx
import pytest

from .server import Server, said

PREFIX = "/v1/spaces/{space}"
BODIES: dict[str, dict[str, Any]] = {
    "add": {
        "turns": [
            said("我对花生过敏。我妈妈叫王芳，住在大阪。", "1"),
            said("My manager Ada lives in Leeds and I might move there.", "2"),
        ]
    },
    "capture": {"content": "用户喜欢乌龙茶", "entities": ["用户"]},
    "recall": {"query": "花生 Leeds", "explain": True},
    "context": {"message": "我能吃花生酱吗？", "explain": True},
    "gate": {"message": "我能吃花生酱吗？"},
    "touch": {"ids": []},
    "edit": {"importance": 0.9},
    "import": {"path": "nowhere"},
    "forget": {"entity": "Ada", "dry_run": True},
}
NO_EXAMPLE = {"note", "confirm", "reject", "import", "release", "drop"}
"""What needs more than a short talk to have an answer; their types are described by others."""


@pytest.fixture(scope="module")
def document(server: Server) -> dict[str, Any]:
    with server.client() as http:
        found: dict[str, Any] = http.get("/openapi.json").json()
        return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Method, path and description of each."""
    for path, methods in document["paths"].items():
        for method, one in methods.items():
            yield method.upper(), path, one


def validator(document: dict[str, Any], schema: dict[str, Any]) -> Any:
    kind = import_module("jsonschema").Draft202012Validator
    return kind({**schema, "components": document["components"]})


def resolved(document: dict[str, Any], one: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in one:
        return one
    place: Any = document
    for part in one["$ref"].split("/")[1:]:
        place = place[part]
    return dict(place)


def test_operations_are_distinct_and_references_lead_somewhere(document: dict[str, Any]) -> None:
    ids = [one["operationId"] for _, _, one in operations(document)]
    assert len(ids) == len(set(ids)) > 60
    kind = import_module("jsonschema").Draft202012Validator
    for schema in document["components"]["schemas"].values():
        kind.check_schema(schema)

    def references(value: Any) -> Any:
        if isinstance(value, dict):
            yield from [value["$ref"]] if "$ref" in value else []
            value = list(value.values())
        for one in value if isinstance(value, list) else ():
            yield from references(one)

    assert all(resolved(document, {"$ref": one}) for one in set(references(document)))


def test_answers_are_as_described(http: httpx.Client, document: dict[str, Any]) -> None:
    """Every operation, in a space that has something of everything."""
    base = "/v1/spaces/described"
    http.post(f"{base}/turns", json=BODIES["add"])
    http.post(f"{base}/consolidate")
    names = {
        "id": http.post(f"{base}/memories", json=BODIES["capture"]).json()["id"],
        "ref": "t_1",
        "session": "default",
        "name": "Ada",
        "job": "heartbeat",
        "space": "described",
    }
    for method, path, one in operations(document):
        name = one["operationId"]
        if name in NO_EXAMPLE or not path.startswith(f"{PREFIX}/"):
            continue
        given: dict[str, Any] = {"json": BODIES.get(name, {})}
        if method in ("GET", "DELETE"):
            query = {"query": "花生"} if "recall" in name else {}
            given = {"params": {**query, **({"dry_run": "true"} if method == "DELETE" else {})}}
        answer = http.request(method, path.format(**names), **given)
        described = one["responses"].get(str(answer.status_code), {})
        assert answer.is_success, (name, answer.text)
        assert described, (name, answer.status_code)
        schema = described["content"]["application/json"]["schema"]
        validator(document, schema).validate(answer.json())


def test_requests_are_as_described(http: httpx.Client, document: dict[str, Any]) -> None:
    """What examples send is taken; what the schema refuses is refused."""
    http.put("/v1/spaces/shown")
    for method, path, one in operations(document):
        if "requestBody" not in one or not path.startswith(f"{PREFIX}/"):
            continue
        content = one["requestBody"]["content"]["application/json"]
        check = validator(document, content["schema"])
        if body := BODIES.get(one["operationId"]):
            check.validate(body)
        check.validate(content.get("example", {}) or BODIES.get(one["operationId"], {}))
        example = {**content.get("example", {}), "unknown": 1}
        assert not check.is_valid(example)
        path = path.replace("{space}", "shown").format(id="f_1", job="flush", ref="t_1", name="x")
        answer = http.request(method, path, json=example)
        assert (answer.status_code, "unknown" in answer.text) == (400, True), one["operationId"]
