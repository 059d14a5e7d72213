"""The doors of the three servers: who knocks too often, or with another's token, stays outside."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import anyio
import httpx
import pytest

from loxodon.mcp.server import Answers, Served
from loxodon.mcp.transports import App as McpApp
from loxodon.proxy.app import App as ProxyApp
from loxodon.serve.host import Host
from loxodon.serve.http.app import App as HttpApp
from loxodon.serve.http.guard import Door
from loxodon.trust.access import tokens as access
from loxodon.trust.access.tokens import Grant, Grants
from tests.clock import NOW, Clock
from tests.on_postgres import environment
from tests.serve.http.server import unscheduled

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
        name: access.add(host.root, Grant(name, agent=name), NOW)[1] for name in ("coder", "writer")
    }
    served = Served(host, "main", agent="coder")
    at = Door(grants=Grants(host.root))
    app = McpApp(Answers(served, over_http=True), at, served)
    assert knocked(app, "/mcp", tokens["writer"], 1) == [403]
    assert knocked(app, "/mcp", tokens["coder"], 1) == [405]  # let in, and to be asked by POST


def test_a_request_without_a_caller_is_nobodys(host: Host) -> None:
    """Over HTTP somebody asks; where that got lost, it must not be taken for the owner."""
    with pytest.raises(RuntimeError):
        Answers(Served(host, "main"), over_http=True)._served  # noqa: B018


@pytest.mark.parametrize("server", ["serve", "mcp", "proxy"])
def test_silent_connections_lock_nobody_out(tmp_path: Path, server: str) -> None:
    """Two hundred of them, at a real server that has room for fifty."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text("[serve]\nconnections = 50\n")
    words = {
        "serve": ["serve"],
        "mcp": ["mcp", "--http"],
        "proxy": ["proxy", "--upstream", "http://name:Zorvantik@127.0.0.1:9/v1"],
    }[server]
    with (
        unscheduled(home),
        (tmp_path / "log").open("w+b") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "loxodon", "--home", str(home), *words, "--port", "0", "--json"],
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **environment()},
        ) as process,
        ExitStack() as held,
    ):
        try:
            assert process.stdout
            line = process.stdout.readline()
            at = urlsplit(json.loads(line)["url"])
            for _ in range(200):
                held.enter_context(socket.create_connection((at.hostname or "", at.port or 0), 60))
            found = httpx.get(f"http://{at.netloc}/health", timeout=60, trust_env=False)
            assert found.status_code == (404 if server == "mcp" else 200)
            if server == "proxy":  # which tells nobody what is in its address
                sent = httpx.post(
                    f"http://{at.netloc}/v1/chat/completions",
                    timeout=60,
                    trust_env=False,
                    json={"messages": []},
                )
                assert sent.status_code == 502
                line += sent.content
        finally:
            process.terminate()
            process.wait(60)
        errors.seek(0)
        assert b"Zorvantik" not in line + errors.read()
