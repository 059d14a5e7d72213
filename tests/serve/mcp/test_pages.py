"""Resources and the prompt."""

from __future__ import annotations

import pytest
from mcp import MCPError
from mcp.types import TextContent, TextResourceContents

from loxodon.messages import use

from .desk import Desk, called

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_snapshot_and_memories_can_be_read(desk: Desk, mode: str) -> None:
    async with desk.client(mode=mode) as client:
        with desk.memory() as memory:
            id = memory.capture("用户对花生过敏").id
        (listed,) = (await client.list_resources()).resources
        (template,) = (await client.list_resource_templates()).resource_templates
        assert (listed.uri, template.uri_template) == (
            "loxodon://snapshot",
            "loxodon://memory/{id}",
        )
        for uri in (listed.uri, f"loxodon://memory/{id}"):
            (page,) = (await client.read_resource(uri)).contents
            assert isinstance(page, TextResourceContents)
            assert "花生" in page.text
            assert page.mime_type == "text/markdown"


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_page_and_the_tool_speak_the_language_of_the_server(
    desk: Desk, language: str
) -> None:
    use(language)
    try:
        async with desk.client() as client:
            await called(client, "remember", content="用户对花生过敏")
            (page,) = (await client.read_resource("loxodon://snapshot")).contents
            assert isinstance(page, TextResourceContents)
            assert page.text == (await called(client, "snapshot"))["text"]
            assert page.text == (await called(client, "snapshot", language=language))["text"]
    finally:
        use("en")


async def test_an_address_where_nothing_is_is_refused(desk: Desk) -> None:
    async with desk.client() as client:
        for uri in ("loxodon://memory/f_20260204_001", "loxodon://memory/", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="not_found"):
                await client.read_resource(uri)


async def test_the_prompt_puts_memories_before_a_message(desk: Desk) -> None:
    async with desk.client() as client:
        await called(client, "remember", content="The user is allergic to peanuts")
        (prompt,) = (await client.list_prompts()).prompts
        assert prompt.name == "recall"
        made = await client.get_prompt("recall", {"message": "Am I allergic to peanuts?"})
        content = made.messages[0].content
        assert isinstance(content, TextContent)
        assert "The user is allergic to peanuts" in content.text
        assert content.text.endswith("\n\nAm I allergic to peanuts?")
        with pytest.raises(MCPError, match="message"):
            await client.get_prompt("recall", {})
        with pytest.raises(MCPError, match="recall"):
            await client.get_prompt("other", {"message": "x"})
