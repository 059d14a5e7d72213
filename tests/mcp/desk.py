"""`loxodon mcp` as a program, over pipes or HTTP, asked by the SDK's own client."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp.types import CallToolResult, ElicitResult, TextContent

from loxodon import Memory
from mcp import Client, StdioServerParameters, stdio_client
from tests.clock import NOW, Clock
from tests.http.server import INHERITED
from tests.waiting import PATIENCE

# The option of the program with which nothing is learned meanwhile, and no worker is started
ALONE = "--no-background"


# Settings with which the tools are offered that few agents need
EVERY_TOOL = '[mcp]\ntools = "consolidate forget history quarantine"\n'


def with_every_tool(home: Path) -> Path:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(EVERY_TOOL)
    return home


def command(home: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "loxodon", "--home", str(home), "--now", NOW.isoformat(), *words]


def piped(
    home: Path, *words: str, mode: str = "auto", user: User | None = None, **more: str
) -> Client:
    """A client of a program of its own, which starts with it; with a `user`, one that can ask
    them."""
    program, *args = command(home, "mcp", *words)
    env = {**INHERITED, "HOME": str(home.parent), **more}
    server = StdioServerParameters(command=program, args=args, cwd=home.parent, env=env)
    return Client(
        stdio_client(server), mode=mode, elicitation_callback=user.asked if user else None
    )


@contextmanager
def http_server(home: Path, *words: str) -> Iterator[str]:
    """A server on a port of its own, and its address."""
    words = ("mcp", ALONE, "--http", "--port", "0", "--json", *words)
    pipe = subprocess.PIPE
    server = subprocess.Popen(command(home, *words), stdout=pipe, stderr=pipe, cwd=home.parent)
    try:
        assert server.stdout
        line = server.stdout.readline()
        assert line, server.stderr and server.stderr.read().decode()
        yield json.loads(line)["url"]
        server.terminate()
        assert server.wait(PATIENCE) == 0
    finally:
        server.kill()
        server.communicate()


def opened(home: Path) -> Memory:
    """The memory behind a server, for what a tool cannot set up."""
    return Memory.open(home, clock=Clock())


class User:
    """Answers what a client asks them."""

    def __init__(self, agrees: bool = True) -> None:
        self.agrees = agrees
        self.questions: list[str] = []

    async def asked(self, context: object, params: Any) -> ElicitResult:
        self.questions.append(params.message)
        await self.meanwhile()
        return ElicitResult(action="accept", content={"agree": self.agrees})

    async def meanwhile(self) -> None:
        """What happens while the question is open."""


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def called(client: Client, name: str, **given: Any) -> Any:
    """What a tool gives; it must not fail."""
    result = await client.call_tool(name, given)
    assert not result.is_error, text_of(result)
    return result.structured_content


async def refused(client: Client, name: str, **given: Any) -> str:
    """Why a tool refuses."""
    result = await client.call_tool(name, given)
    assert result.is_error, result.structured_content
    assert result.structured_content is None
    return text_of(result)


async def tools_of(client: Client) -> dict[str, Any]:
    return {one.name: one for one in (await client.list_tools()).tools}
