"""How the server is reached: by the program that started it, or over HTTP. Both are the SDK's
transports."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable

from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from loxodon.errors import LoxodonError
from loxodon.http import server as web
from loxodon.http.bodies import MOST_BYTES, failed, language_of, peer_of, status_of
from loxodon.http.guard import Caller, Door, Rates, RefusedError, let_in, no_method, not_granted
from loxodon.http.logs import log
from loxodon.mcp.server import Answers, Served, asked_by, server_of
from loxodon.security.actor import Actor, acting

PATH = "/mcp"
logging.getLogger("mcp").setLevel(logging.CRITICAL)  # what it says may have words of the memory


def serve_pipes(served: Served) -> None:
    """Serve whoever started this program, until it closes our standard input."""
    server = server_of(Answers(served))

    async def serve() -> None:
        async with stdio_server() as (heard, said):
            await server.run(heard, said, server.create_initialization_options())

    try:
        asyncio.run(serve())
    except* OSError:  # nobody listens any more
        pass


def serve_http(
    served: Served, listening: socket.socket, at: Door, ready: Callable[[], None]
) -> None:
    web.serve(App(served, at), listening, ready=ready)


class App:
    """The SDK's HTTP transport at `/mcp`, for those whom the door lets in.

    It keeps no sessions, so that clients do not notice a restart.
    """

    def __init__(self, served: Served, at: Door) -> None:
        self._served, self._door = served, at
        self._rates = Rates(served.host.config.serve.rate)
        hosts = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # the door does it
        self._manager = StreamableHTTPSessionManager(
            server_of(Answers(served, over_http=True)),
            stateless=True,
            max_request_body_size=MOST_BYTES,
            security_settings=hosts,
        )
        self._running: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        try:
            caller = self._let_in(request)
        except LoxodonError as refusal:
            log("mcp.refused", status=status_of(refusal), code=refusal.code)
            await failed(refusal, language_of(request))(scope, receive, send)
            return
        if self._running is None:
            self._running = asyncio.ensure_future(self._run())
        await self._ready.wait()
        with asked_by(caller), acting(Actor("mcp", caller.agent, caller.name)):
            await self._manager.handle_request(scope, receive, send)

    def _let_in(self, request: Request) -> Caller:
        """Who asks; an error for who may not, or not so often, or not this."""
        caller = let_in(self._door, self._rates, peer_of(request), request.headers)
        other = self._served.agent and caller.agent not in ("", self._served.agent)
        if other or not caller.grant.reaches(self._served.space):
            raise not_granted()
        if request.url.path.rstrip("/") != PATH:
            hint = "the MCP endpoint is {path}"
            raise RefusedError("not found", "no_route", hint=hint, path=PATH)
        if request.method != "POST":  # without sessions there is nothing to listen to
            raise no_method("POST")
        return caller

    async def _run(self) -> None:
        """The SDK begins and ends its work in one task: this one, which is cancelled at the end."""
        async with self._manager.run():
            self._ready.set()
            await asyncio.Event().wait()
