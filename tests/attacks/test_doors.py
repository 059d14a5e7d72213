"""The doors of the three servers: who knocks too often, or with another's token, stays outside."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import anyio
import httpx
import pytest

from loxodon.serve.host import Host
from loxodon.serve.http.app import App as HttpApp
from loxodon.serve.http.guard import Door
from loxodon.serve.mcp.server import Answers, Served
from loxodon.serve.mcp.transports import App as McpApp
from loxodon.serve.proxy.app import App as ProxyApp
from loxodon.trust import access
from loxodon.trust.access import Grant, Grants
from tests.conftest import NOW, Clock

OWNERS = Door("the-owners")


@pytest.fixture
def host(tmp_path: Path, clock: Clock) -> Iterator[Host]:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text("[serve]\nrate = 2\n")
    with Host(home, clock) as found:
        yield found


def app_of(name: str, host: Host) -> Any:
    if name == "http":
        return HttpApp(host, OWNERS)
    if name == "mcp":
        served = Served(host, "main")
        return McpApp(Answers(served, over_http=True), OWNERS, served, rate=2)
    nothing = cast(Any, None)  # nobody gets as far as the upstream
    return ProxyApp(nothing, nothing, OWNERS, nothing, rate=2)


def knocked(app: Any, path: str, token: str, times: int) -> list[int]:
    """The statuses of as many requests in a row."""

    async def knock() -> list[int]:
        headers = {"authorization": f"Bearer {token}", "x-loxodon-token": token}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers=headers
        ) as client:
            return [(await client.get(path)).status_code for _ in range(times)]

    return anyio.run(knock)


@pytest.mark.parametrize("name", ["http", "mcp", "proxy"])
def test_who_tries_tokens_has_to_wait(host: Host, name: str) -> None:
    found = knocked(app_of(name, host), "/anything", "a-guess", 40)
    assert found[0] == 401
    assert found[-1] == 429


@pytest.mark.parametrize(("name", "path", "status"), [("http", "/", 200), ("mcp", "/mcp", 405)])
def test_who_asks_too_often_has_to_wait(host: Host, name: str, path: str, status: int) -> None:
    found = knocked(app_of(name, host), path, OWNERS.token, 30)
    assert found[0] == status
    assert found[-1] == 429


def test_a_server_of_one_agent_is_not_for_the_token_of_another(host: Host) -> None:
    tokens = {
        name: access.add(str(host.home), Grant(name, agent=name), NOW)[1]
        for name in ("coder", "writer")
    }
    served = Served(host, "main", agent="coder")
    at = Door(grants=Grants(str(host.home)))
    app = McpApp(Answers(served, over_http=True), at, served)
    assert knocked(app, "/mcp", tokens["writer"], 1) == [403]
    assert knocked(app, "/mcp", tokens["coder"], 1) == [405]  # let in, and to be asked by POST


def test_a_request_without_a_caller_is_nobodys(host: Host) -> None:
    """Over HTTP somebody asks; where that got lost, it must not be taken for the owner."""
    with pytest.raises(RuntimeError):
        Answers(Served(host, "main"), over_http=True)._served  # noqa: B018


def test_the_connection_too_many_is_hung_up_on(tmp_path: Path) -> None:
    import asyncio

    import uvicorn

    from loxodon.serve.http.patience import protocol

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def crowded() -> list[bytes]:
        listening = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(answer, http=protocol(2), lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        serving = asyncio.ensure_future(server.serve([listening]))
        ways = []
        for _ in range(3):
            ways.append(await asyncio.open_connection(*listening.getsockname()))
            ways[-1][1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        told = []
        for reader, _ in ways:
            found = b""
            with suppress(ConnectionError):
                found = await reader.read(12)
            told.append(found)
        for _, writer in ways:
            writer.close()
        server.should_exit = True
        await serving
        return told

    assert asyncio.run(crowded()) == [b"HTTP/1.1 204", b"HTTP/1.1 204", b""]
