"""How the server is reached: by the program that started it, or over HTTP.

Both are the SDK's transports. Over pipes it gets its lines from us: it would read one of any
length, would wait for another though nobody listens any more, and would give up at the end of input
what was just asked, so that a script could not send a few lines and read what comes back.
"""

from __future__ import annotations

import asyncio
import io
import logging
import os
import select
import socket
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from threading import Thread
from typing import Any, TextIO

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from loxodon.errors import UsageError
from loxodon.http import server as web
from loxodon.http.guard import GUESSES, Caller, Door, Rates, RefusedError, admit
from loxodon.http.logs import log
from loxodon.http.replies import failed
from loxodon.http.requests import MOST_BYTES, language_of, peer_of
from loxodon.mcp.server import Answers, Served, asked_by, server_of
from loxodon.security.actor import Actor, acting

PATH = "/mcp"
LINE_BYTES = 16 << 20
_GRACE = 1.5  # seconds for answers after the end of input; clients give a server about two to end
_MOMENT = 0.05  # seconds


# Pipes


def serve_pipes(served: Served) -> None:
    """Serve whoever started this program, until it closes our standard input."""
    answers = Answers(served)
    server = server_of(answers)

    async def serve() -> None:
        lines: Any = _lines(0, answers)
        async with stdio_server(stdin=lines) as (heard, said):
            await server.run(heard, said, server.create_initialization_options())

    if sys.stderr is not None and hasattr(select, "poll"):
        sys.stderr = _Impatient(sys.stderr)
    _log_trouble()
    try:
        asyncio.run(serve())
    except* OSError:  # nobody listens any more
        pass
    finally:
        answers.stop()


async def _lines(fd: int, answers: Answers) -> AsyncIterator[str]:
    """The lines that can be read from `fd`; of one that is too long, a piece that is no message.

    They are read by a thread that nobody waits for: one that reads from a terminal could not be
    ended, and Python would wait for it at its own end.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue(1)

    def read() -> None:
        stream = os.fdopen(fd, "rb", closefd=False)
        with suppress(RuntimeError, CancelledError):  # the loop has ended
            line = b"\n"
            while line:
                line = rest = stream.readline(LINE_BYTES)
                while len(rest) == LINE_BYTES:
                    line, rest = line[:16], stream.readline(LINE_BYTES)
                asyncio.run_coroutine_threadsafe(queue.put(line), loop).result()

    Thread(target=read, name="loxodon-input", daemon=True).start()
    while line := await queue.get():
        yield line.decode("utf-8", "replace")
    with anyio.move_on_after(_GRACE):
        await anyio.sleep(_MOMENT)  # in which the last line becomes a call
        while answers.underway:
            await anyio.sleep(_MOMENT)
        await anyio.sleep(_MOMENT)  # in which its answer is written


class _Impatient(io.TextIOBase):
    """Standard error, but what cannot be written at once is left out: a program that starts us may
    leave it as a pipe that fills up, and we would wait there for ever."""

    def __init__(self, stream: TextIO) -> None:
        self._fd = stream.fileno()
        self._poll = select.poll()
        self._poll.register(self._fd, select.POLLOUT)

    def write(self, text: str) -> int:
        data = text.encode("utf-8", "backslashreplace")
        if self._poll.poll(0) and len(data) <= select.PIPE_BUF:  # a pipe has room for that then
            os.write(self._fd, data)
        return len(text)


# HTTP


def serve_http(
    served: Served, listening: socket.socket, at: Door, ready: Callable[[], None]
) -> None:
    """Serve over HTTP until the process is told to stop."""
    answers = Answers(served, over_http=True)
    bears = served.host.config.serve
    app = App(answers, at, served, bears.rate)
    _log_trouble()
    web.serve(app, listening, ready=ready, stopping=answers.stop, connections=bears.connections)


class App:
    """The SDK's HTTP transport at `/mcp`, for those whom the door lets in.

    It keeps no sessions, so that clients do not notice a restart.
    """

    def __init__(self, answers: Answers, at: Door, served: Served, rate: float = 0) -> None:
        self._door = at
        self._served = served
        self._rates = Rates(rate)
        self._manager = StreamableHTTPSessionManager(
            server_of(answers),
            stateless=True,
            max_request_body_size=MOST_BYTES,
            security_settings=TransportSecuritySettings(  # the door sees to that
                enable_dns_rebinding_protection=False
            ),
        )
        self._running: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        request = Request(scope)
        try:
            caller = self._let_in(request)
        except RefusedError as refusal:
            log("mcp.refused", status=refusal.status, code=refusal.code)
            language = language_of(request.headers.get("accept-language", ""))
            await failed(refusal, language)(scope, receive, send)
            return
        if self._running is None:
            self._running = asyncio.ensure_future(self._run())
        await self._ready.wait()
        with asked_by(caller), acting(Actor("mcp", caller.agent, caller.name)):
            await self._manager.handle_request(scope, receive, send)

    def _let_in(self, request: Request) -> Caller:
        """Who asks; a RefusedError for who may not, or not so often, or not this."""
        try:
            caller = admit(self._door, request.headers)
        except RefusedError as refusal:
            if refusal.status == 401:
                self._rates.take(f"wrong {peer_of(request)}", most=GUESSES)
            raise
        self._rates.take(caller.name or peer_of(request))
        served = self._served
        other = served.agent and caller.agent not in ("", served.agent)
        if other or not caller.grant.reaches(served.space):
            error = UsageError(
                "this token does not have permission for this",
                hint="use a token with owner permission",
            )
            raise RefusedError(403, "forbidden", error)
        if request.url.path.rstrip("/") != PATH:
            error = UsageError("not found", hint="the MCP endpoint is {path}", path=PATH)
            raise RefusedError(404, "no_route", error)
        if request.method != "POST":  # without sessions there is nothing to listen to
            error = UsageError("this path only accepts {methods}", methods="POST")
            raise RefusedError(405, "no_method", error, {"allow": "POST"})
        return caller

    async def _run(self) -> None:
        """The SDK begins and ends its work in one task: this one, which is cancelled at the end."""
        async with self._manager.run():
            self._ready.set()
            await asyncio.Event().wait()


class _Trouble(logging.Handler):
    """What the SDK has to say, as lines like ours: what kind of trouble, never its words."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        level = record.levelname.lower()
        log("mcp.trouble", level=level, logger=record.name, line=record.lineno, error=error)


def _log_trouble() -> None:
    logger = logging.getLogger("mcp")
    logger.addHandler(_Trouble(logging.WARNING))
    logger.propagate = False
