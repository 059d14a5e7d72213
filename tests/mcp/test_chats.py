"""Where others hear it nothing private is told, by any tool."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from mcp import Client, MCPError
from tests.cli.shell import Shell

from .desk import ALONE, called, http_server, opened, piped, refused, tools_of, with_every_tool

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def ids(home: Path) -> tuple[str, str]:
    """A private memory, and one for the group that was private once."""
    with opened(home) as memory:
        private = memory.capture("The user is allergic to peanuts").id
        shared = memory.capture("The team meets on peanut farm 7").id
        memory.edit(shared, content="The team meets on Tuesdays", audience="group")
        memory.workspace.export()
    return private, shared


@pytest.fixture(scope="module")
def url(home: Path, ids: tuple[str, str]) -> Iterator[str]:
    with http_server(home, "--chat", "group") as at:
        yield at


async def test_group_finds_only_what_is_for_it(url: str, ids: tuple[str, str]) -> None:
    private, shared = ids
    async with Client(url) as client:
        for query in ("allergic peanuts", "team Tuesdays"):
            found = (await called(client, "memory_search", query=query))["results"]
            assert {one["id"] for one in found} <= {shared}
        told = await called(client, "recall_context", message="allergic to peanuts")
        assert "peanuts" not in str(told)
        listed = (await called(client, "list_memories", state="all"))["memories"]
        assert [one["id"] for one in listed] == [shared]
        steps = (await called(client, "history", id=shared))["versions"]
        assert [one["content"] for one in steps] == ["The team meets on Tuesdays"]
        for arguments in ({"id": private}, {"path": "memory/insights.md"}):
            assert (await called(client, "memory_get", **arguments))["status"] == "not_found"
        for tool, more in (
            ("history", {}),
            ("update_memory", {"archived": True}),
            ("update_memory", {"audience": "group"}),
        ):  # a private memory is as none
            there = await refused(client, tool, id=private, **more)
            missing = await refused(client, tool, id="f_20260204_099", **more)
            assert there.replace(private, "f_20260204_099") == missing


@pytest.mark.usefixtures("ids")
async def test_group_has_no_page_on_the_user(url: str, home: Path) -> None:
    async with Client(url) as client:
        assert not (await tools_of(client)).keys() & {"snapshot", "review", "journal"}
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("snapshot", {})
        told = await called(client, "recall_context", message="Am I allergic to anything?")
        assert "peanuts" not in str(told)
        assert "journal" not in (client.instructions or "")
    with opened(home) as memory:  # nothing that others said was journalled
        assert not [one for one in memory.journal() if "to anything" in one.content]


async def test_group_can_recall_what_it_remembered(url: str, home: Path) -> None:
    async with Client(url) as client:
        kept = await called(client, "remember", content="The team eats in room 12")
        found = await called(client, "memory_search", query="room 12")
        assert kept["id"] in [one["id"] for one in found["results"]]
        with opened(home) as memory:
            assert memory.get(kept["id"]).trust == "group"
        await called(client, "update_memory", id=kept["id"], archived=True)
        secret = await called(client, "remember", content="A surprise party", audience="private")
        assert "not_found" in await refused(client, "history", id=secret["id"])


async def test_what_may_have_been_said_in_private_stays_so(tmp_path: Path) -> None:
    """An agent that is in private chats and in groups, and does not tell them apart."""
    words = (ALONE, "--chat", "group", "--audience", "private")
    async with piped(tmp_path / "home", *words) as client:
        kept = await called(client, "remember", content="The user is allergic to peanuts")
        assert kept["audience"] == "private"
        assert (await called(client, "memory_search", query="peanuts"))["results"] == []


async def test_agent_by_option(tmp_path: Path) -> None:
    with opened(with_every_tool(tmp_path / "home")) as memory:
        memory.within("writer").capture("the writer's")
        memory.capture("shared")
    async with piped(tmp_path / "home", ALONE, "--agent", "coder", "--no-journal") as client:
        await called(client, "remember", content="the coder's")
        found = await called(client, "list_memories")
        assert {one["content"] for one in found["memories"]} == {"the coder's", "shared"}
        tools = await tools_of(client)
        assert not {"consolidate", "read_waiting", "journal"} & tools.keys()
        assert tools["recall_context"].annotations.read_only_hint
        await called(client, "recall_context", message="I live in Leeds")
        assert "journal" not in (client.instructions or "")
    with opened(tmp_path / "home") as memory:
        assert not memory.journal("Leeds")


def test_tokens_over_http(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    grants = {
        "alpha": ["--for", "main", "--for-agent", "alpha"],
        "group": ["--chat", "group"],
        "beta": ["--for", "main", "--for-agent", "beta", "--rights", "read"],
        "other": ["--for", "other"],
    }
    tokens = {name: shell.json("token", "add", name, *how)["token"] for name, how in grants.items()}

    def asked(url: str, token: str, name: str, **given: Any) -> httpx.Response:
        headers = {
            "authorization": f"Bearer {tokens.get(token, 'wrong')}",
            "accept": "application/json, text/event-stream",
        }
        params = {"name": name, "arguments": given}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return httpx.post(url, headers=headers, json=body, timeout=300)

    with http_server(shell.home) as url:
        assert asked(url, "nobody", "list_memories").status_code == 401
        assert asked(url, "other", "list_memories").status_code == 403
        assert "Canary" in asked(url, "alpha", "remember", content="Canary sings").text
        assert "Canary" in asked(url, "alpha", "list_memories").text
        for token in ("beta", "group"):
            told = asked(url, token, "list_memories").text
            assert "Canary" not in told
            assert '"memories":[]' in told
        assert "Unknown tool" in asked(url, "beta", "remember", content="x").text
        assert "Unknown tool" in asked(url, "group", "snapshot").text
