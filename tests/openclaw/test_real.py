"""Loxodon in a real OpenClaw, from install to uninstall, told in order."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from socket import socket
from threading import Thread, Timer
from typing import Any

import pytest

from tests.openclaw.conftest import OpenClaw

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
GROUP = "agent:main:telegram:group:-100"
PRIVATE = "agent:main:telegram:direct:42"


@pytest.fixture(scope="module")
def before(openclaw: OpenClaw) -> dict[str, str]:
    """All that the user has, as it was before the install."""
    found = _files(openclaw)
    openclaw.loxodon("openclaw", "install", "--yes")
    return found


def _files(openclaw: OpenClaw) -> dict[str, str]:
    """Files that people and installs write; OpenClaw's own state changes as it runs."""
    roots = [openclaw.workspace, openclaw.state / "extensions", openclaw.config]
    paths = [path for root in roots for path in (root.rglob("*") if root.is_dir() else [root])]
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if path.is_file() and ".git" not in path.parts and "workspace-state" not in path.name
    }


@pytest.mark.usefixtures("before")
def test_the_skill_is_listed(openclaw: OpenClaw) -> None:
    skills = openclaw.asked("skills", "list")["skills"]
    (ours,) = [one for one in skills if one["name"] == "loxodon"]
    assert ours["eligible"]


@pytest.mark.usefixtures("before")
def test_the_plugin_is_loaded_into_the_memory_slot(openclaw: OpenClaw) -> None:
    found = openclaw.asked("plugins", "inspect", "loxodon", "--runtime")
    assert found["plugin"]["status"] == "loaded"
    assert found["plugin"]["memorySlotSelected"]
    assert sorted(found["plugin"]["toolNames"]) == ["memory_get", "memory_search"]
    hooks = {one["name"] for one in found["typedHooks"]}
    assert hooks >= {"before_prompt_build", "agent_end", "gateway_start", "gateway_stop"}


@pytest.mark.usefixtures("before")
def test_the_mcp_server_is_known(openclaw: OpenClaw) -> None:
    server = openclaw.asked("mcp", "show", "loxodon")
    assert server["args"][-5:] == ["mcp", "--chat", "group", "--audience", "private"]
    assert str(openclaw.memory) in server["args"]
    probed = openclaw.asked("mcp", "probe", "loxodon")
    assert probed["servers"]["loxodon"]["tools"] >= 9


@pytest.mark.usefixtures("before")
def test_what_is_told_in_one_conversation_is_in_the_prompt_of_the_next(openclaw: OpenClaw) -> None:
    openclaw.says("I am allergic to peanuts, please remember that.")
    assert "peanuts" in openclaw.says("What am I allergic to?", PRIVATE)


@pytest.mark.usefixtures("before")
def test_the_snapshot_starts_a_private_conversation_and_no_other(openclaw: OpenClaw) -> None:
    openclaw.loxodon("consolidate")
    assert "allergic to peanuts" in openclaw.says("Good morning!", "agent:main:telegram:direct:43")
    assert "peanuts" not in openclaw.says("Is the user allergic to anything?", GROUP)


@pytest.mark.usefixtures("before")
def test_the_model_can_search_and_read(openclaw: OpenClaw) -> None:
    _call(openclaw, "memory_search", query="allergic to peanuts", corpus="memory")
    found = openclaw.says("Look it up.", "agent:main:telegram:direct:44")
    assert "f_" in found
    _call(openclaw, "memory_get", path="memory/insights.md", lines=100)
    assert "peanuts" in openclaw.says("Read it.", "agent:main:telegram:direct:45")


@pytest.mark.usefixtures("before")
def test_the_model_finds_nothing_private_for_a_group(openclaw: OpenClaw) -> None:
    for tool, given in (
        ("memory_search", {"query": "allergic"}),
        ("memory_get", {"path": "MEMORY.md"}),
        ("memory_get", {"path": "memory/insights.md"}),
    ):
        _call(openclaw, tool, **given)
        assert "peanuts" not in openclaw.says("Look it up for all of us.", GROUP)


def _call(openclaw: OpenClaw, tool: str, **given: object) -> None:
    """Let the model call a tool; the newer OpenClaw keeps most of them behind `tool_call`."""
    if openclaw.older:
        openclaw.model.calls(tool, **given)
    else:
        openclaw.model.calls("tool_call", id=tool, args=given)


@pytest.mark.usefixtures("before")
def test_the_nightly_run_is_scheduled_while_the_gateway_runs(openclaw: OpenClaw) -> None:
    with _gateway(openclaw) as port:  # plugins are told a little after it is ready
        jobs = next(filter(None, (_jobs(openclaw, port) for _ in range(10))), [])
    assert [job["schedule"]["expr"] for job in jobs] == ["0 3 * * *"]
    assert jobs[0]["payload"]["argv"][-1] == "consolidate"
    openclaw.loxodon("openclaw", "uninstall", "--yes")
    with _gateway(openclaw) as port:
        assert _jobs(openclaw, port) == []
    openclaw.loxodon("openclaw", "install", "--yes")


@contextmanager
def _gateway(openclaw: OpenClaw) -> Iterator[int]:
    """A gateway that has started all it starts."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    gateway = subprocess.Popen(
        openclaw.command("gateway", "run", "--port", str(port)),
        env=openclaw.environment,
        cwd=openclaw.home,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert gateway.stdout
    late = Timer(180, gateway.kill)
    late.start()
    try:
        said = ""
        for line in gateway.stdout:
            said += line
            if "[gateway] ready" in _COLOURS.sub("", line):
                break
        assert gateway.poll() is None, said
        rest = Thread(target=gateway.stdout.read, daemon=True)  # or it waits for a reader
        rest.start()
        yield port
        gateway.terminate()
        rest.join()
    finally:
        gateway.kill()
        gateway.wait()
        gateway.stdout.close()
        late.cancel()


def _jobs(openclaw: OpenClaw, port: int) -> list[dict[str, Any]]:
    listed = openclaw.asked(
        "cron", "list", "--all", "--url", f"ws://127.0.0.1:{port}", "--token", "secret"
    )
    return [job for job in listed["jobs"] if "loxodon" in json.dumps(job).lower()]


def test_uninstalled_it_leaves_nothing(openclaw: OpenClaw, before: dict[str, str]) -> None:
    openclaw.loxodon("openclaw", "uninstall", "--yes")
    assert _files(openclaw) == before
    assert not (openclaw.workspace / "skills").exists()
    assert not (openclaw.workspace / "memory").exists()
    assert not (openclaw.state / "extensions").exists()
    assert "loxodon" not in openclaw.says("Anything left?").lower()
