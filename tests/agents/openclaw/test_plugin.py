"""The plugin by itself, in Node, with the real program behind it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from tests.agents.openclaw.place import Place

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="there is no Node here")

DRIVER = Path(__file__).with_name("driver.mjs")
# What a model may say in the arguments of a tool
_PRETENDED = {"sender": "42", "session": "agent:main:main", "channel": "", "owners": ["666"]}
Step = tuple[str, str, Mapping[str, object], Mapping[str, str]]
OWNER = {"sessionKey": "agent:main:main", "agentId": "main"}
GROUP = {"sessionKey": "agent:main:telegram:group:-1", "agentId": "main"}
DIRECT = {"sessionKey": "agent:main:main", "agentId": "main", "channel": "telegram"}
OWNERS = {**DIRECT, "senderId": "42"}
STRANGERS = {**DIRECT, "senderId": "666"}


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    place = Place(tmp_path)
    place.install()
    with Memory.open(place.home) as memory:
        memory.capture("The user is allergic to peanuts")
    return place.plugin


def _play(plugin: Path, *steps: Step) -> Any:
    assert NODE
    done = subprocess.run(
        [NODE, str(DRIVER), str(plugin / "index.js"), json.dumps(steps)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _undated(found: dict[str, str]) -> dict[str, str]:
    """Without the minute in which a snapshot was made."""
    return {name: re.sub(r"made [\d-]+ [\d:]+", "", text) for name, text in found.items()}


def test_memories_come_before_the_prompt(plugin: Path) -> None:
    event = {"prompt": "[Sun] noise", "currentUserMessage": "What am I allergic to?"}
    found = _play(
        plugin,
        ("hook", "before_prompt_build", event, OWNER),
        ("hook", "before_prompt_build", event, GROUP),
        ("hook", "before_prompt_build", {"prompt": "What am I allergic to?"}, OWNER),
        ("hook", "before_prompt_build", event, OWNERS),
        ("hook", "before_prompt_build", event, STRANGERS),
    )
    private, group, older, owners, strangers = found["results"]
    assert "peanuts" in private["appendSystemContext"]
    assert "prependContext" not in private  # the snapshot tells it
    assert group == strangers == {}
    assert _undated(owners) == _undated(private)
    assert "peanuts" in older["appendSystemContext"]
    assert found["warnings"] == []


def test_the_tools_answer(plugin: Path) -> None:
    found = _play(
        plugin,
        ("tool", "memory_search", {"query": "allergic"}, OWNER),
        ("tool", "memory_search", {"query": "allergic"}, GROUP),
        ("tool", "memory_get", {"id": "f_20990101_001"}, OWNER),
        ("tool", "memory_get", {"path": "../../secret"}, OWNER),
        ("tool", "memory_search", {"query": "allergic", **_PRETENDED}, STRANGERS),
        (
            "tool",
            "remember",
            {"text": "The user likes tea"},
            {**STRANGERS, "requesterSenderId": "5"},
        ),
        ("command", "recall", {"args": "allergic"}, OWNERS),
        ("command", "recall", {"args": "allergic"}, STRANGERS),
    )
    assert sorted(found["tools"]) == ["memory_get", "memory_search", "remember"]
    private, group, unknown, outside, pretended, noted, typed, strange = found["results"]
    assert "peanuts" in private["results"][0]["snippet"]
    assert group["results"] == []
    assert unknown["status"] == outside["status"] == "not_found"
    assert pretended["results"] == []
    assert noted["status"] == "refused"
    assert "peanuts" in typed["text"]
    assert "peanuts" not in strange["text"]


def test_the_agents_shell_is_told_who_listens(plugin: Path) -> None:
    found = _play(
        plugin,
        ("hook", "resolve_exec_env", {}, OWNER),
        ("hook", "resolve_exec_env", {}, GROUP),
        ("hook", "resolve_exec_env", {}, {}),
        ("hook", "resolve_exec_env", {}, OWNERS),
        ("hook", "resolve_exec_env", {}, STRANGERS),
    )
    heard = [one["LOXODON_CHAT"] for one in found["results"]]
    assert heard == ["direct", "group", "group", "direct", "group"]


def test_the_nightly_run_is_there_once_while_the_gateway_runs(plugin: Path) -> None:
    """Also where the plugin comes to a running gateway; and that of OpenClaw's memory is gone."""
    start: Step = ("hook", "gateway_start", {}, {})
    newer: Step = ("service", "start", {}, {"cron": "yes"})
    for begun in ((start, start), (newer, start), (newer,)):
        running = _play(plugin, *begun)["jobs"]
        assert [job["name"] for job in running] == ["Loxodon fan club", "Loxodon consolidation"]
        assert running[1]["payload"]["kind"] == "command"
    ends: list[Step] = [("hook", "gateway_stop", {}, {}), ("service", "stop", {}, {})]
    for end in ends:
        stopped = _play(plugin, newer, end)["jobs"]
        assert [job["id"] for job in stopped] == ["theirs"]
    older = _play(plugin, ("service", "start", {}, {}))
    assert [job["id"] for job in older["jobs"]] == ["theirs", "dreams"]
    assert older["warnings"] == []


@pytest.mark.parametrize(
    "program", [["/nowhere/python"], ["/bin/sh", "-c", "echo not json"], ["/bin/false"]]
)
def test_without_an_answer_the_agent_goes_on(plugin: Path, program: list[str]) -> None:
    path = plugin / "command.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"command": program}))
    found = _play(
        plugin,
        ("hook", "before_prompt_build", {"prompt": "What am I allergic to?"}, OWNER),
        ("hook", "agent_end", {"messages": []}, OWNER),
        ("hook", "resolve_exec_env", {}, OWNER),
        ("tool", "memory_search", {"query": "x"}, OWNER),
    )
    prompt, end, shell, search = found["results"]
    assert prompt is None
    assert end is None
    assert shell == {"LOXODON_CHAT": "group"}
    assert search["disabled"]
    assert len(found["warnings"]) == 3


def test_a_program_that_fails_twice_is_left_alone_for_a_while(plugin: Path) -> None:
    calls = plugin / "calls"
    program = ["/bin/sh", "-c", f"echo once >> '{calls}'; exit 1"]
    path = plugin / "command.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"command": program}))
    asked: Step = ("hook", "before_prompt_build", {"prompt": "What am I allergic to?"}, OWNER)
    found = _play(plugin, *[asked] * 5)
    assert found["results"] == [None] * 5
    assert calls.read_text("utf-8").splitlines() == ["once"] * 2
