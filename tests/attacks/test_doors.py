"""The doors of the three servers: who knocks too often, or with another's token, stays outside."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.on_postgres import environment
from tests.serve.http.server import unscheduled
from tests.trust.tokens import token

UPSTREAM = "http://name:Zorvantik@127.0.0.1:9/v1"
ASK = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
SOME = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nsome"
SERVERS = {"http": ["serve"], "mcp": ["mcp", "--http"], "proxy": ["proxy", "--upstream", UPSTREAM]}


@contextmanager
def running(home: Path, server: str, *words: str) -> Iterator[str]:
    """The address of a server; it tells nobody what is in that of its upstream."""
    home.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "loxodon", "--home", str(home), *SERVERS[server], *words]
    with (
        unscheduled(home),
        (home.parent / f"{server}.log").open("w+b") as errors,
        subprocess.Popen(
            [*command, "--port", "0", "--json"],
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=home.parent,
            env={"PATH": os.environ["PATH"], "HOME": str(home.parent), **environment()},
        ) as process,
    ):
        try:
            assert process.stdout
            line = process.stdout.readline()
            yield f"http://{urlsplit(json.loads(line)['url']).netloc}"
        finally:
            process.terminate()
            process.wait(60)
        errors.seek(0)
        assert b"Zorvantik" not in line + errors.read()


def knocked(url: str, sent: str, times: int) -> list[int]:
    """The statuses of as many requests in a row."""
    headers = {"authorization": f"Bearer {sent}", "x-loxodon-token": sent}
    with httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
        return [client.get("/mcp").status_code for _ in range(times)]


@pytest.mark.parametrize("server", SERVERS)
def test_who_tries_tokens_or_asks_too_often_has_to_wait(tmp_path: Path, server: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text("[serve]\nrate = 2\n")
    mine = token(home, "mine")
    with running(home, server) as url:
        found = knocked(url, "a-guess", 60)
        assert (found[0], found[-1]) == (401, 429)
    if server == "proxy":
        return
    with running(home, server) as url:
        found = knocked(url, mine, 60)
        assert found[0] not in (401, 429)
        assert found[-1] == 429


def test_server_of_one_agent_is_not_for_the_token_of_another(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    tokens = {name: token(home, name, "--agent", name) for name in ("coder", "writer")}
    SERVERS["coder"] = ["--agent", "coder", "mcp", "--http"]
    with running(home, "coder") as url:
        assert knocked(url, tokens["writer"], 1) == [403]
        assert knocked(url, tokens["coder"], 1) == [405]  # let in, and to be asked by POST


@pytest.mark.parametrize("server", ["http", "mcp", "proxy"])
def test_silent_connections_lock_nobody_out(tmp_path: Path, server: str) -> None:
    """Two hundred of them, at a server that has room for fifty."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text("[serve]\nconnections = 50\n")
    with running(home, server) as url, ExitStack() as held:
        at = urlsplit(url)
        for n in range(200):
            way = socket.create_connection((at.hostname or "", at.port or 0), 60)
            held.enter_context(way)
            way.sendall((b"", b"GET / HT", SOME)[n % 3])  # nothing, or half a head or body
        found = httpx.get(f"{url}/health", timeout=60, trust_env=False)
        assert found.status_code == (404 if server == "mcp" else 200)
        if server == "proxy":
            path = f"{url}/v1/chat/completions"
            sent = httpx.post(path, timeout=60, trust_env=False, json={"messages": []})
            assert sent.status_code == 502
            assert b"Zorvantik" not in sent.content


@asynccontextmanager
async def listening(app: Any, *limits: float) -> AsyncIterator[tuple[str, int]]:
    """A server with the patience that ours have, or less."""
    import uvicorn

    from loxodon.serve.http.patience import protocol

    bound = socket.create_server(("127.0.0.1", 0))
    http: Any = protocol(*limits)  # type: ignore[arg-type]
    server = uvicorn.Server(uvicorn.Config(app, http=http, lifespan="off", log_config=None))
    serving = asyncio.ensure_future(server.serve([bound]))
    try:
        yield bound.getsockname()
    finally:
        server.should_exit = server.force_exit = True
        await serving


class Ways:
    """Connections to a server, each with what was sent first."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._address = address
        self.open: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def add(self, first: bytes) -> None:
        self.open.append(await asyncio.open_connection(*self._address))
        self.open[-1][1].write(first)
        await self.open[-1][1].drain()

    async def told(self, n: int) -> bytes:
        """The first of what comes back; empty where we are hung up on."""
        try:
            return await asyncio.wait_for(self.open[n][0].read(12), 60)
        except ConnectionError:
            return b""

    def close(self) -> None:
        for _, writer in self.open:
            writer.close()


def test_the_connection_too_many_is_hung_up_on() -> None:
    """Where all are being answered; none of those is given up for it."""

    async def crowded() -> list[bytes]:
        go_on, asked = asyncio.Event(), asyncio.Semaphore(0)

        async def answer(scope: Any, receive: Any, send: Any) -> None:
            asked.release()
            await go_on.wait()
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})

        async with listening(answer, 2) as address:
            ways = Ways(address)
            for _ in range(2):
                await ways.add(ASK)
                await asked.acquire()
            await ways.add(ASK)
            told = [await ways.told(2)]
            go_on.set()
            told += [await ways.told(n) for n in range(2)]
            ways.close()
            return told

    assert asyncio.run(crowded()) == [b"", b"HTTP/1.1 204", b"HTTP/1.1 204"]


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    """Whatever serves it, and however long that would wait."""

    async def dripped() -> tuple[bytes, list[str]]:
        came: list[str] = []

        async def answer(scope: Any, receive: Any, send: Any) -> None:
            while (message := await receive())["type"] != "http.disconnect":
                came.append(message["type"])
            came.append("gone")

        async with listening(answer, 50, 60, 0.05) as address:
            ways = Ways(address)
            await ways.add(SOME)
            told = await ways.told(0)
            ways.close()
        return told, came

    assert asyncio.run(dripped()) == (b"", ["http.request", "gone"])


def test_a_body_that_goes_on_coming_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """For longer than one that does not would be: it is looked at, and let go on."""
    looks: list[bool] = []
    call_later = asyncio.BaseEventLoop.call_later

    def noted(loop: Any, delay: float, call: Any, *given: Any, **more: Any) -> Any:
        def called() -> None:
            looks.append(True)
            call(*given)

        looked_at = getattr(call, "__name__", "") == "_look"
        return call_later(loop, delay, *((called,) if looked_at else (call, *given)), **more)

    monkeypatch.setattr(asyncio.BaseEventLoop, "call_later", noted)

    async def fed() -> bytes:
        async def answer(scope: Any, receive: Any, send: Any) -> None:
            while (await receive()).get("more_body"):
                pass
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})

        async with listening(answer, 50, 60, 0.2) as address:
            ways = Ways(address)
            head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            await ways.add(head)
            writer = ways.open[0][1]
            while len(looks) < 3:
                writer.write(b"8000\r\n" + b"a" * 0x8000 + b"\r\n")
                await writer.drain()
                await asyncio.sleep(0)
            writer.write(b"0\r\n\r\n")
            told = await ways.told(0)
            ways.close()
            return told

    assert asyncio.run(fed()) == b"HTTP/1.1 204"
