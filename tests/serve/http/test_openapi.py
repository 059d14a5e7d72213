"""The description is true: what the server answers is what it says."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import httpx
import pytest

from loxodon.fields import MAX_CONTENT, MAX_NAME
from loxodon.serve.http.examples import BODIES as BODIES_SHOWN
from loxodon.serve.http.fields import given
from loxodon.serve.http.openapi import document
from loxodon.serve.http.operations import IN_QUERY, OPERATIONS
from loxodon.verbs.arguments import CONTENT, ENTITIES, PROJECT, TAGS, TOPIC

DOCUMENT = document()
PREFIX = "/v1/spaces/{space}"


def validator(schema: dict[str, Any]) -> Any:
    kind = import_module("jsonschema").Draft202012Validator
    return kind({**schema, "components": DOCUMENT["components"]})


def answer_schema(name: str) -> dict[str, Any]:
    (one,) = (one for one in OPERATIONS if one.name == name)
    described = DOCUMENT["paths"][PREFIX + one.path][one.method.lower()]
    content = described["responses"][str(one.status)]["content"]
    found: dict[str, Any] = content["application/json"]["schema"]
    return found


def test_it_has_every_operation_once_and_is_served(http: httpx.Client) -> None:
    assert http.get("/openapi.json").json() == DOCUMENT
    ids = [
        operation["operationId"]
        for path in DOCUMENT["paths"].values()
        for operation in path.values()
    ]
    assert len(ids) == len(set(ids))
    assert {one.name for one in OPERATIONS} < set(ids)
    kind = import_module("jsonschema").Draft202012Validator
    for schema in DOCUMENT["components"]["schemas"].values():
        kind.check_schema(schema)


def test_references_lead_somewhere() -> None:
    def references(value: Any) -> Any:
        if isinstance(value, dict):
            yield from [value["$ref"]] if "$ref" in value else []
            value = list(value.values())
        for one in value if isinstance(value, list) else ():
            yield from references(one)

    known = {
        f"#/components/{part}/{name}"
        for part, names in DOCUMENT["components"].items()
        for name in names
    }
    assert set(references(DOCUMENT)) <= known


TALK = [
    {"role": "user", "content": "我对花生过敏。我妈妈叫王芳，住在大阪。", "id": "1"},
    {"role": "user", "content": "My manager Ada lives in Leeds and I might move there.", "id": "2"},
]
BODIES: dict[str, dict[str, Any]] = {
    "add": {"turns": TALK},
    "capture": {"content": "用户喜欢乌龙茶", "entities": ["用户"]},
    "recall": {"query": "花生 Leeds", "explain": True},
    "context": {"message": "我能吃花生酱吗？", "explain": True},
    "gate": {"message": "我能吃花生酱吗？"},
    "touch": {"ids": []},
    "edit": {"importance": 0.9},
    "import": {"path": "nowhere"},
    "forget": {"entity": "Ada", "dry_run": True},
}


@pytest.fixture(scope="module")
def names(server: Any) -> dict[str, str]:
    """What stands for the names in paths, in a space that has something of everything."""
    with server.client() as http:
        base = "/v1/spaces/described"
        http.post(f"{base}/turns", json=BODIES["add"])
        http.post(f"{base}/consolidate")
        made = http.post(f"{base}/memories", json=BODIES["capture"]).json()
        http.get(f"{base}/entities").json()
        return {
            "{id}": made["id"],
            "{ref}": "t_1",
            "{session}": "default",
            "{name}": "Ada",
            "{job}": "heartbeat",
        }


NO_EXAMPLE = {"note", "confirm", "reject", "import", "release", "drop"}
"""What needs more than a short talk to have an answer; their types are described by others."""


@pytest.mark.parametrize("name", [one.name for one in OPERATIONS if one.name not in NO_EXAMPLE])
def test_answers_are_as_described(http: httpx.Client, names: dict[str, str], name: str) -> None:
    (one,) = (one for one in OPERATIONS if one.name == name)
    path = "/v1/spaces/described" + one.path
    for brace, value in names.items():
        path = path.replace(brace, value)
    if one.method in IN_QUERY:
        params = {"query": "花生"} if "recall" in name else {}
        params |= {"dry_run": "true"} if one.method == "DELETE" else {}
        answer = http.request(one.method, path, params=params)
    else:
        answer = http.request(one.method, path, json=BODIES.get(name, {}))
    assert answer.status_code == one.status, answer.text
    validator(answer_schema(name)).validate(answer.json())


def operations() -> Iterator[dict[str, Any]]:
    for path in DOCUMENT["paths"].values():
        yield from path.values()


def resolved(one: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in one:
        return one
    place: Any = DOCUMENT
    for part in one["$ref"].split("/")[1:]:
        place = place[part]
    return dict(place)


def test_every_operation_is_filed_told_and_shown() -> None:
    """A summary, a tag that there is, and an example of all that is sent and answered, each as the
    schema has it."""
    tags = {one["name"] for one in DOCUMENT["tags"]}
    shown = 0
    for one in operations():
        assert one["summary"], one["operationId"]
        assert set(one["tags"]) <= tags
        answers = [resolved(answer) for answer in one["responses"].values()]
        bodies = [one["requestBody"]] if "requestBody" in one else []
        for place in (*map(resolved, one["parameters"]), *_contents(*answers, *bodies)):
            validator(place["schema"]).validate(place["example"])
            shown += 1
    assert shown > 500


def _contents(*places: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for place in places:
        yield from place["content"].values()


def test_what_is_sent_in_an_example_is_taken() -> None:
    for one in OPERATIONS:
        if one.method not in IN_QUERY:
            given(one.takes, BODIES_SHOWN.get(one.name, {}))
    bounded = {one.name: one.most for one in (CONTENT, TAGS, ENTITIES, PROJECT, TOPIC)}
    assert bounded.pop("content") == MAX_CONTENT
    assert set(bounded.values()) == {MAX_NAME}


def test_requests_are_as_described() -> None:
    for name, body in BODIES.items():
        (one,) = (one for one in OPERATIONS if one.name == name)
        described = DOCUMENT["paths"][PREFIX + one.path][one.method.lower()]
        check = validator(described["requestBody"]["content"]["application/json"]["schema"])
        check.validate(body)
        assert not check.is_valid({**body, "unknown": 1})
