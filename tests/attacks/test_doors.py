"""The doors of the three servers: who knocks too often, or with another's token, stays outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.http.server import unscheduled
from tests.on_postgres import environment
from tests.security.tokens import token
from tests.waiting import until

UPSTREAM = "http://127.0.0.1:9/v1"
SOME = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nsome"
SERVERS = {"http": ["serve"], "mcp": ["mcp", "--http"], "proxy": ["proxy", "--upstream", UPSTREAM]}


@contextmanager
def running(home: Path, server: str, *words: str) -> Iterator[str]:
    """The address of a server."""
    home.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "loxodon", "--home", str(home), *SERVERS[server], *words]
    with (
        unscheduled(home),
        (home.parent / f"{server}.log").open("wb") as errors,
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
            process.wait(300)


def knocked(url: str, sent: str, times: int) -> list[int]:
    """The statuses of as many requests in a row."""
    headers = {"authorization": f"Bearer {sent}", "x-loxodon-token": sent}
    with httpx.Client(base_url=url, headers=headers, timeout=300, trust_env=False) as client:
        return [client.get("/mcp").status_code for _ in range(times)]


@pytest.mark.parametrize("server", SERVERS)
def test_who_tries_tokens_or_asks_too_often_has_to_wait(tmp_path: Path, server: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text("[serve]\nrate = 2\n")
    mine = token(home, "mine")
    with running(home, server) as url:
        assert knocked(url, "a-guess", 1) == [401]
        until(lambda: 429 in knocked(url, "a-guess", 30))
    if server == "proxy":
        return
    with running(home, server) as url:
        assert knocked(url, mine, 1)[0] not in (401, 429)
        until(lambda: 429 in knocked(url, mine, 30))


def test_server_of_one_agent_is_not_for_the_token_of_another(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    tokens = {name: token(home, name, "--for-agent", name) for name in ("coder", "writer")}
    SERVERS["coder"] = ["--agent", "coder", "mcp", "--http"]
    with running(home, "coder") as url:
        assert knocked(url, tokens["writer"], 1) == [403]
        assert knocked(url, tokens["coder"], 1) == [405]  # let in, and to be asked by POST
