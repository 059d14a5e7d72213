"""The program itself, over standard input and output and over HTTP, asked by the SDK's client."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from mcp import Client
from tests.cli.shell import typed
from tests.each import each
from tests.forked import COLD

from .desk import ALONE, called, http_server, piped

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.mark.anyio
async def test_two_programs_share_one_memory(tmp_path: Path) -> None:
    home = tmp_path / "home"
    one, two = piped(home, ALONE), piped(home, ALONE, "--chat", "group")
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
        assert len({(await each)["id"] for each in many}) == 10


@pytest.mark.anyio
async def test_token_is_required(tmp_path: Path) -> None:
    with http_server(tmp_path / "home", "--host", "0.0.0.0", "--token", "s3cret") as url:
        url = url.replace("0.0.0.0", "127.0.0.1")
        for headers in ({}, {"Authorization": "Bearer other"}):
            assert httpx.post(url, json=HELLO, headers=headers, timeout=300).status_code == 401
        async with (
            httpx2.AsyncClient(headers={"Authorization": "Bearer s3cret"}, timeout=300) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            assert (await called(client, "list_memories"))["memories"] == []


def test_web_pages_of_elsewhere_and_invalid_requests_are_refused(tmp_path: Path) -> None:
    with http_server(tmp_path / "home") as url, httpx.Client(timeout=300) as client:

        def status(method: str = "POST", to: str = url, **more: Any) -> int:
            headers = {"Accept": "application/json, text/event-stream", **more.pop("headers", {})}
            return client.request(method, to, headers=headers, **more).status_code

        kind = {"Content-Type": "application/json"}
        assert status(json=HELLO) == 200
        assert status(json=HELLO, headers={"Origin": "https://evil.example"}) == 403
        assert status(json=HELLO, headers={"Host": "evil.example"}) == 403
        assert status(content=b"\xff{", headers=kind) == 400
        assert status(content=b"x" * 10_000_001, headers=kind) == 413
        assert status("GET") == status("DELETE") == 405
        assert status(to=url.replace("/mcp", "/")) == 404
        assert status(json=HELLO) == 200


@each(
    ("words", "why"),
    [
        (("--http", "--host", "0.0.0.0"), "no access token is set"),
        (("--port", "8000"), "need --http"),
        (("--http", "--port", "70000"), "cannot listen"),
    ],
)
def test_invalid_options_are_refused(tmp_path: Path, words: tuple[str, ...], why: str) -> None:
    done = typed("--home", str(tmp_path / "home"), "mcp", *words, env={"HOME": str(tmp_path)})
    assert done.returncode == 2
    assert why in done.stderr.decode()
    assert not (tmp_path / "home").exists()


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import runpy, sys; sys.modules['mcp'] = None; "
        f"sys.argv[1:] = ['--home', {str(tmp_path / 'home')!r}, 'mcp']; "
        "runpy.run_module('loxodon', run_name='__main__')"
    )
    command = [*COLD, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, input="")
    assert done.returncode == 6
    assert '[mcp]"' in done.stderr
