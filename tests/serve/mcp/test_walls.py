"""Agents and tokens over MCP: the options of the server, and the token of whoever asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from loxodon import Memory
from loxodon.serve.host import Host
from loxodon.serve.mcp.server import Answers, Served, server_of
from loxodon.trust.access import tokens as access
from loxodon.trust.access.tokens import Grant
from tests.clock import NOW, Clock

from .desk import called
from .test_process import http_server

pytestmark = pytest.mark.anyio


async def test_an_agent_by_option(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path / "home", clock=clock) as memory:
        memory.as_agent("writer").capture("the writer's")
        memory.capture("shared")
    with Host(tmp_path / "home", clock) as host:
        answers = Answers(Served(host, "main", agent="coder"))
        async with Client(server_of(answers)) as client:
            await called(client, "remember", content="the coder's")
            found = await called(client, "list_memories")
            names = {one.name for one in (await client.list_tools()).tools}
        assert {one["content"] for one in found["memories"]} == {"the coder's", "shared"}
        assert not {"consolidate", "read_waiting"} & names


def test_tokens_over_http(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    grants = (
        Grant("alpha", ("main",), "alpha", rights="write"),
        Grant("group", chat="group"),
        Grant("beta", ("main",), "beta", rights="read"),
        Grant("other", ("other",)),
    )
    tokens = {one.name: access.add(home, one, NOW)[1] for one in grants}

    def asked(url: str, token: str, name: str, **given: Any) -> httpx.Response:
        headers = {
            "authorization": f"Bearer {tokens.get(token, 'wrong')}",
            "accept": "application/json, text/event-stream",
        }
        params = {"name": name, "arguments": given}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return httpx.post(url, headers=headers, json=body, timeout=60)

    with http_server(tmp_path / "home") as url:
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
