"""The program itself, over standard input and output and over HTTP, asked by the SDK's client."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from loxodon import Memory
from tests.serve.shell import typed

from .desk import ALONE, called

pytestmark = pytest.mark.anyio

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def _command(home: Path, *words: str) -> list[str]:
    return ["-m", "loxodon", "--home", str(home), "mcp", *words]


def _started(home: Path, *words: str) -> Client:
    return Client(
        stdio_client(
            StdioServerParameters(
                command=sys.executable, args=_command(home, *words), cwd=home.parent
            )
        )
    )


@contextmanager
def http_server(home: Path, *words: str) -> Iterator[str]:
    """A server on a port of its own, and its address."""
    command = [sys.executable, *_command(home, ALONE, "--http", "--port", "0", "--json", *words)]
    pipe = subprocess.PIPE
    server = subprocess.Popen(command, stdout=pipe, stderr=pipe, cwd=home.parent)
    try:
        assert server.stdout
        line = server.stdout.readline()
        assert line, server.stderr and server.stderr.read().decode()
        yield json.loads(line)["url"]
        server.terminate()
        assert server.wait(60) == 0
    finally:
        server.kill()
        server.communicate()


async def test_two_programs_share_one_memory(tmp_path: Path) -> None:
    home = tmp_path / "home"
    one, two = _started(home, ALONE), _started(home, ALONE, "--chat", "group")
    async with one, two:
        kept = await called(one, "remember", content="The team likes green tea", audience="group")
        await called(one, "remember", content="The user likes black tea")
        found = await called(two, "memory_search", query="tea")
        assert [hit["id"] for hit in found["results"]] == [kept["id"]]
        many = [
            called(client, "remember", content=f"The user owns book {n} of {name}")
            for n in range(5)
            for name, client in (("one", one), ("two", two))
        ]
        ids = [(await each)["id"] for each in many]
        assert len(set(ids)) == 10


async def test_over_http_of_both_generations(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory:
        memory.add([{"role": "user", "content": "I am allergic to peanuts."}], session="talk")
    steps: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    with http_server(tmp_path / "home") as url:
        async with Client(url) as modern, Client(url, mode="legacy") as legacy:
            done = await legacy.call_tool("consolidate", {}, progress_callback=note)
            assert done.structured_content["turns"] == 1
            assert steps[-1] == 7
            found = await called(modern, "memory_search", query="allergic peanuts")
            assert "peanuts" in found["results"][0]["snippet"]


async def test_a_token_is_asked_for(tmp_path: Path) -> None:
    with http_server(tmp_path / "home", "--host", "0.0.0.0", "--token", "s3cret") as url:
        url = url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.post(url, json=HELLO, timeout=60).status_code == 401
        wrong = {"Authorization": "Bearer other"}
        assert httpx.post(url, json=HELLO, headers=wrong, timeout=60).status_code == 401
        async with (
            httpx2.AsyncClient(headers={"Authorization": "Bearer s3cret"}, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            assert (await called(client, "list_memories"))["memories"] == []


def test_pages_of_elsewhere_and_what_is_no_message_are_refused(tmp_path: Path) -> None:
    with http_server(tmp_path / "home") as url, httpx.Client(timeout=60) as client:

        def status(method: str = "POST", to: str = url, **more: Any) -> int:
            headers = {"Accept": "application/json, text/event-stream", **more.pop("headers", {})}
            return client.request(method, to, headers=headers, **more).status_code

        assert status(json=HELLO) == 200
        assert status(json=HELLO, headers={"Origin": "https://evil.example"}) == 403
        assert status(json=HELLO, headers={"Host": "evil.example"}) == 403
        assert status(content=b"\xff{", headers={"Content-Type": "application/json"}) == 400
        assert (
            status(content=b"x" * 10_000_001, headers={"Content-Type": "application/json"}) == 413
        )
        assert status("GET") == 405
        assert status("DELETE") == 405
        assert status(to=url.replace("/mcp", "/")) == 404
        assert status(json=HELLO) == 200


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--http", "--host", "0.0.0.0"), "no access token is set"),
        (("--port", "8000"), "need --http"),
        (("--http", "--port", "70000"), "cannot listen"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    tmp_path: Path, words: tuple[str, ...], why: str
) -> None:
    done = typed("--home", str(tmp_path / "home"), "mcp", *words, env={"HOME": str(tmp_path)})
    assert done.returncode == 2
    assert why in done.stderr.decode()
    assert not (tmp_path / "home").exists()


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['mcp'] = None\n"
        "from loxodon.serve.cli import main\n"
        "sys.exit(main(['--home', sys.argv[1], 'mcp']))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "home")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, input="")
    assert done.returncode == 6
    assert '[mcp]"' in done.stderr
