"""The server in this process, asked by the SDK's own client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.types import CallToolResult, ElicitResult, TextContent

from loxodon import Memory
from loxodon.serve.host import Host
from loxodon.serve.mcp.server import Answers, Served, server_of
from loxodon.types import Audience, Chat
from tests.clock import Clock

ALONE = "--no-background"
"""The option of the program with which nothing is learned meanwhile, and no worker is started."""


class Desk:
    """A home, its server and its clients."""

    answers: Answers
    """Those of the last client."""

    def __init__(self, home: Path, clock: Clock) -> None:
        self.home = home
        self._clock = clock

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        """The memory behind the server, for what a tool cannot set up."""
        with Memory.open(self.home, clock=self._clock) as opened:
            yield opened

    @asynccontextmanager
    async def client(
        self,
        chat: Chat = "direct",
        audience: Audience = "private",
        mode: str = "auto",
        user: User | None = None,
        *,
        journals: bool = True,
    ) -> AsyncIterator[Client]:
        """A client; with a `user`, one that can ask them."""
        with Host(self.home, self._clock) as host:
            self.answers = Answers(Served(host, "main", chat, audience, journals=journals))
            asks = user.asked if user else None
            async with Client(
                server_of(self.answers), mode=mode, elicitation_callback=asks
            ) as client:
                yield client


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
