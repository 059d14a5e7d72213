from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.serve.http.health import LEAST_FREE, PATIENCE, Look, gauges, reasons
from loxodon.standing import Status

from .server import Server


def look(status: Status, **more: Any) -> Look:
    return Look({"main": status}, {}, {}, {})._replace(**more)


def test_all_is_well(memory: Memory) -> None:
    assert reasons(look(memory.status())) == []


@pytest.mark.parametrize(
    ("fields", "more", "code"),
    [
        ({"attempts": 1, "error": "the disk"}, {}, "consolidation"),
        ({"attempts": 3, "stopped": True}, {}, "consolidation"),
        ({"failing": ("weekly",)}, {}, "schedule"),
        ({"pending": 9}, {"due_for": {"main": PATIENCE + 1}}, "backlog"),
        ({}, {"broken": {"other": "damaged_store"}}, "store"),
        ({}, {"refused": {"main": "full_store"}}, "ingestion"),
        ({}, {"writable": False}, "disk"),
        ({}, {"free": LEAST_FREE - 1}, "disk"),
        ({}, {"settings": "config"}, "settings"),
        ({}, {"runner": "it died"}, "runner"),
    ],
)
def test_what_makes_it_red(
    memory: Memory, fields: dict[str, Any], more: dict[str, Any], code: str
) -> None:
    found = reasons(look(memory.status()._replace(**fields), **more))
    assert [one.code for one in found] == [code]
    (chinese,) = reasons(look(memory.status()._replace(**fields), **more), "zh")
    assert chinese.message != found[0].message


@pytest.mark.parametrize(
    ("fields", "more"),
    [
        ({"attempts": 1, "phase": 3}, {}),  # one is running
        ({"pending": 9}, {"due_for": {"main": 60.0}}),  # somebody will see to it
        ({"waiting": 5, "reviews": 2, "failed": 1}, {}),
    ],
)
def test_what_does_not(memory: Memory, fields: dict[str, Any], more: dict[str, Any]) -> None:
    assert reasons(look(memory.status()._replace(**fields), **more)) == []


def test_the_look_as_numbers(memory: Memory) -> None:
    memory.capture("I like tea")
    found = {one.name: list(one.samples) for one in gauges(look(memory.status()), 4)}
    assert found["up"] == [("", (), 1)]
    assert found["calls_waiting"] == [("", (), 4)]
    assert ("", (("space", "main"), ("state", "active")), 1) in found["memories"]


def test_a_server_whose_settings_were_spoilt_says_so_and_goes_on(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Server(home) as server, server.client() as http:
        assert http.get("/health").json() == {"status": "ok", "reasons": []}
        assert http.post("/v1/spaces/main/memories", json={"content": "tea"}).status_code == 201
        (home / "config.toml").write_text("recall = {")
        assert http.get("/v1/spaces/main/recall?query=tea").json()["items"]
    with Server(home.parent / "other") as server, server.client() as http:
        (server.home / "config.toml").write_text("recall = {")
        answer = http.get("/health", headers={"accept-language": "zh"})
        assert answer.status_code == 503
        assert [one["code"] for one in answer.json()["reasons"]] == ["settings"]


def test_a_space_that_is_damaged_makes_it_red(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home, "broken") as memory:
        memory.capture("something")
    (home / "spaces" / "broken" / "loxodon.db").write_bytes(b"no database at all" * 1000)
    for end in ("-wal", "-shm"):
        (home / "spaces" / "broken" / f"loxodon.db{end}").unlink(missing_ok=True)
    with Server(home) as server, server.client() as http:
        answer = http.get("/v1/spaces/broken/status")
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "damaged_store"
        written = http.post("/v1/spaces/broken/memories", json={"content": "x"})
        assert written.status_code == 503
        red = http.get("/health")
        assert red.status_code == 503
        found = [(one["code"], one["space"]) for one in red.json()["reasons"]]
        assert found == [("store", "broken"), ("ingestion", "broken")]
        assert "loxodon_up 0" in http.get("/metrics").text
