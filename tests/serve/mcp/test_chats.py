"""Where others hear it nothing private is told, by any tool, page or prompt."""

from __future__ import annotations

import pytest
from mcp import MCPError

from .desk import Desk, called, refused

pytestmark = pytest.mark.anyio


@pytest.fixture
def ids(desk: Desk) -> tuple[str, str]:
    """A private memory, and one for the group that was private once."""
    with desk.memory() as memory:
        private = memory.capture("The user is allergic to peanuts").id
        shared = memory.capture("The team meets on peanut farm 7").id
        memory.edit(shared, content="The team meets on Tuesdays", audience="group")
        memory.workspace.export()
    return private, shared


async def test_a_group_finds_only_what_is_for_it(desk: Desk, ids: tuple[str, str]) -> None:
    private, shared = ids
    async with desk.client("group") as client:
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


async def test_a_group_cannot_tell_a_private_memory_from_none(
    desk: Desk, ids: tuple[str, str]
) -> None:
    private, _ = ids
    async with desk.client("group") as client:
        for tool, more in (
            ("history", {}),
            ("archive_memory", {}),
            ("update_memory", {"audience": "group"}),
        ):
            there = await refused(client, tool, id=private, **more)
            missing = await refused(client, tool, id="f_20260204_099", **more)
            assert there.replace(private, "f_20260204_099") == missing


async def test_a_group_has_no_page_on_the_user(desk: Desk, ids: tuple[str, str]) -> None:
    private, shared = ids
    async with desk.client("group") as client:
        names = {one.name for one in (await client.list_tools()).tools}
        assert not names & {"snapshot", "review"}
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("snapshot", {})
        assert (await client.list_resources()).resources == []
        for uri in ("loxodon://snapshot", f"loxodon://memory/{private}"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        assert "Tuesdays" in str(await client.read_resource(f"loxodon://memory/{shared}"))
        prompt = await client.get_prompt("recall", {"message": "Am I allergic to anything?"})
        assert "peanuts" not in str(prompt)


async def test_what_a_group_has_remembered_it_can_recall(desk: Desk) -> None:
    async with desk.client("group", "group") as client:
        kept = await called(client, "remember", content="The team meets in room 12")
        found = await called(client, "memory_search", query="room 12")
        assert [one["id"] for one in found["results"]] == [kept["id"]]
        secret = await called(client, "remember", content="A surprise party", audience="private")
        assert "not_found" in await refused(client, "history", id=secret["id"])
    with desk.memory() as memory:
        assert memory.get(kept["id"]).trust == "group"


async def test_what_may_have_been_said_in_private_stays_so(desk: Desk) -> None:
    """An agent that is in private chats and in groups, and does not tell them apart."""
    async with desk.client("group", "private") as client:
        kept = await called(client, "remember", content="The user is allergic to peanuts")
        assert kept["audience"] == "private"
        assert (await called(client, "memory_search", query="peanuts"))["results"] == []
