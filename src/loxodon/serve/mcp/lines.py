"""MCP over pipes: a line of JSON each way, until the other side has no more to say.

The SDK has such a transport too. This one bounds the length of a line, says so where a line is no
message, and answers what was asked before the end of its input, so that a script may send a few
lines and read what comes back.
"""

from __future__ import annotations

import asyncio
import io
import os
import select
import sys
from collections.abc import AsyncIterator
from concurrent.futures import CancelledError
from threading import Thread
from typing import Any, TextIO

import anyio
import mcp_types as wire
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from loxodon.messages import t
from loxodon.serve.logs import log

MOST_BYTES = 16 << 20
"""Of one line."""
_GRACE = 1.5
"""Seconds for answers after the end of input; clients give a server about two to end."""
_CHUNK = 1 << 16


class Splitter:
    """Cuts what comes in into lines. One that is too long is cut off, so that it is no message."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._rest = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that end in `data`, without those that are blank."""
        *ends, rest = data.split(b"\n")
        lines = []
        for end in ends:
            self._take(end)
            lines.append(bytes(self._rest))
            self._rest.clear()
            self._skipping = False
        self._take(rest)
        return [line for line in lines if line.strip()]

    def _take(self, part: bytes) -> None:
        if self._skipping:
            return
        self._rest += part
        if len(self._rest) > self._most:
            del self._rest[16:]
            self._skipping = True


async def lines_of(fd: int) -> AsyncIterator[bytes]:
    """The lines that can be read from `fd`.

    They are read by a thread that nobody waits for: one that reads from a terminal could not be
    ended, and Python would wait for it at its own end.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[list[bytes] | None] = asyncio.Queue(1)

    def read() -> None:
        splitter = Splitter()
        try:
            while data := _some(fd):
                asyncio.run_coroutine_threadsafe(queue.put(splitter.feed(data)), loop).result()
            last = splitter.feed(b"\n")
            asyncio.run_coroutine_threadsafe(queue.put(last), loop).result()
            asyncio.run_coroutine_threadsafe(queue.put(None), loop).result()
        except (RuntimeError, CancelledError):  # the loop has ended
            return

    Thread(target=read, name="loxodon-input", daemon=True).start()
    while (lines := await queue.get()) is not None:
        for line in lines:
            yield line


def _some(fd: int) -> bytes:
    try:
        return os.read(fd, _CHUNK)
    except OSError:
        return b""


class Pipes:
    """One client at the other end of two pipes."""

    def __init__(self, into: int, out: int) -> None:
        self._in = into
        self._out = out
        self._asked: set[object] = set()
        """Requests that have no answer yet."""
        self._answered = asyncio.Condition()

    async def serve(self, server: Server[Any]) -> None:
        """Answer until there is no more to read, or nobody to tell."""
        heard, hear = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        say, said = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as group:
            group.start_soon(self._hear, heard, say.clone())
            group.start_soon(self._say, said, group.cancel_scope)
            await server.run(hear, say, server.create_initialization_options())
            group.cancel_scope.cancel()

    async def _hear(self, heard: Any, say: Any) -> None:
        async with heard, say:
            async for line in lines_of(self._in):
                try:
                    text = line.decode("utf-8", "replace")
                    message = wire.jsonrpc_message_adapter.validate_json(text, by_name=False)
                except ValidationError:
                    log("mcp.refused", bytes=len(line))
                    await say.send(SessionMessage(_no_message()))
                    continue
                self._note(message)
                await heard.send(SessionMessage(message))
            with anyio.move_on_after(_GRACE):
                async with self._answered:
                    await self._answered.wait_for(lambda: not self._asked)

    def _note(self, message: object) -> None:
        if isinstance(message, wire.JSONRPCRequest):
            self._asked.add(message.id)
        elif getattr(message, "method", "") == "notifications/cancelled":  # it gets no answer then
            self._asked.discard((getattr(message, "params", None) or {}).get("requestId"))

    async def _say(self, said: Any, scope: anyio.CancelScope) -> None:
        async with said:
            async for one in said:
                message = one.message
                text = message.model_dump_json(by_alias=True, exclude_unset=True)
                try:
                    await asyncio.to_thread(_write, self._out, text.encode() + b"\n")
                except OSError:  # nobody listens any more
                    scope.cancel()
                    return
                if isinstance(message, wire.JSONRPCResponse | wire.JSONRPCError):
                    async with self._answered:
                        self._asked.discard(message.id)
                        self._answered.notify_all()


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _no_message() -> wire.JSONRPCError:
    about = t("this line is not a JSON-RPC message, or is larger than {n} MB", n=MOST_BYTES >> 20)
    error = wire.ErrorData(code=wire.PARSE_ERROR, message=about)
    return wire.JSONRPCError(jsonrpc="2.0", id=None, error=error)


def claim_output() -> int:
    """Standard output, for messages alone: what anything else prints goes to stderr from now on."""
    out = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no stderr
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return out


def never_wait_to_log() -> None:
    """Drop log lines that nobody reads: a program that starts us may leave stderr as a pipe that
    fills up, and we would wait there for ever."""
    if sys.stderr is not None and hasattr(select, "poll"):
        sys.stderr = _Impatient(sys.stderr)


class _Impatient(io.TextIOBase):
    """Standard error, but what cannot be written at once is left out."""

    def __init__(self, stream: TextIO) -> None:
        self._fd = stream.fileno()
        self._poll = select.poll()
        self._poll.register(self._fd, select.POLLOUT)

    def write(self, text: str) -> int:
        data = text.encode("utf-8", "backslashreplace")
        if self._poll.poll(0) and len(data) <= select.PIPE_BUF:  # a pipe has room for that then
            os.write(self._fd, data)
        return len(text)
