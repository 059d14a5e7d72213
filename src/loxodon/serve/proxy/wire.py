"""The client's side of an exchange: what comes in, what goes back, and whether anyone is there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine, Mapping
from time import perf_counter
from typing import Any, NamedTuple

from loxodon.errors import LoxodonError
from loxodon.serve.http.requests import (
    ClientGoneError,
    Message,
    Receive,
    Scope,
    Send,
    language_of,
    peer_of,
)
from loxodon.serve.proxy.keeping import Keeping
from loxodon.serve.proxy.requests import Kind
from loxodon.serve.proxy.speaking import OURS
from loxodon.serve.proxy.upstream import Received, returned_headers

MOST_READ = 32 * 2**20
"""Bytes of a request that are looked at; a larger one is handed on as it comes, without memory."""
_RECALLED = f"{OURS}recalled".encode()
_MEMORY = f"{OURS}memory".encode()
_KINDS: dict[str, Kind] = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/messages": "messages",
}


class Request(NamedTuple):
    """What came in, apart from its body."""

    method: str
    path: str
    query: str
    raw: list[tuple[bytes, bytes]]
    headers: Mapping[str, str]
    """By lower-case name; the last where one is given twice."""
    peer: str = ""
    """The address that it came from."""

    @property
    def kind(self) -> Kind | None:
        """What kind of reply it asks for, where it does."""
        if self.method != "POST":
            return None
        return _KINDS.get(self.path.rstrip("/").removeprefix("/v1"))


class Answer:
    """What goes back to a client."""

    def __init__(self, send: Send, request: Request) -> None:
        self._send = send
        self._language = language_of(request.headers.get("accept-language", ""))
        self.started = perf_counter()
        self.status = 0
        """The status that was sent; 0 while none was."""
        self.headers: Mapping[str, str] = {}
        self.about: dict[str, Any] = {}

    async def stream(self, received: Received, keeping: Keeping | None = None) -> None:
        """Hand on an answer as it comes. One that breaks off breaks off for the client too.

        With `keeping`, what the client is sent is kept before it can rely on that.
        """
        try:
            if keeping is not None:
                await keeping.heard()
            headers = returned_headers(received.raw)
            headers += _about_memory(self.about)
            self.headers = received.headers
            self.status = received.status
            await self._send(
                {"type": "http.response.start", "status": self.status, "headers": headers}
            )
            if keeping is None:
                async for chunk in received.chunks():
                    await self._pass_on(chunk)
            elif "event-stream" in self.headers.get("content-type", ""):
                await self._events(received, keeping)
            else:
                await self._document(received, keeping)
            await self._send({"type": "http.response.body", "body": b""})
        finally:
            received.close()

    async def _events(self, received: Received, keeping: Keeping) -> None:
        """Hand on events as they come, the last of them when all of them are kept."""
        async for chunk in received.chunks():
            keeping.take(chunk)
            if keeping.complete:
                await keeping.replied(self.headers)
            await self._pass_on(chunk)
        await keeping.replied(self.headers)

    async def _document(self, received: Received, keeping: Keeping) -> None:
        """Hand on a document, which is of no use before its last byte: that waits."""
        held = b""
        async for chunk in received.chunks():
            keeping.take(chunk)
            if held:
                await self._pass_on(held)
            held = chunk
        await keeping.replied(self.headers)
        if held:
            await self._pass_on(held)

    async def _pass_on(self, chunk: bytes) -> None:
        await self._send({"type": "http.response.body", "body": chunk, "more_body": True})

    async def fail(
        self, status: int, code: str, error: LoxodonError, headers: Mapping[str, str] | None = None
    ) -> None:
        """Say what went wrong, in a shape that clients of OpenAI's and Anthropic's APIs know."""
        if self.status:  # it has begun: the connection is closed, so that the client sees it
            self.about["broken"] = code
            return
        message, hint = error.localized(self._language)
        told = f"{message} ({hint})" if hint else message
        about = {"message": told, "type": "loxodon_proxy", "param": None, "code": code}
        await self.document(status, {"type": "error", "error": about}, headers or {})

    async def document(
        self, status: int, data: object, more: Mapping[str, str] | None = None
    ) -> None:
        text = json.dumps(data, ensure_ascii=False)
        await self.text(status, text, "application/json", more)

    async def text(
        self, status: int, text: str, kind: str, more: Mapping[str, str] | None = None
    ) -> None:
        body = text.encode("utf-8", "replace")
        self.status = status
        headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode())]
        headers += [(name.encode(), value.encode()) for name, value in (more or {}).items()]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


class Body:
    """The body of a request, handed on as it comes, and whether the client is there still."""

    def __init__(self, receive: Receive, head: bytes = b"") -> None:
        self._receive = receive
        self._head = head
        self._read = asyncio.Event()

    async def chunks(self) -> AsyncIterator[bytes]:
        if self._head:
            yield self._head
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            yield message.get("body", b"")
            if not message.get("more_body"):
                self._read.set()
                return

    async def gone(self) -> None:
        await self._read.wait()
        await hung_up(self._receive)


def request_of(scope: Scope) -> Request:
    """The request that an ASGI server hands in."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    headers = {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
    }
    return Request(
        scope["method"],
        raw.decode("latin-1"),
        scope["query_string"].decode("latin-1"),
        scope["headers"],
        headers,
        peer_of(scope),
    )


def _about_memory(about: Mapping[str, Any]) -> list[tuple[bytes, bytes]]:
    """The headers that say what came of asking the memory."""
    if "memory" not in about:
        return []
    told, items = about["memory"], about.get("recalled", 0)
    if told == "used":
        told += f"; items={items}"
    if about.get("paused"):
        told += "; paused"
    found = [(_MEMORY, told.encode())]
    return found if told == "off" else [*found, (_RECALLED, str(items).encode())]


async def read_body(receive: Receive) -> tuple[bytes, bool]:
    """The body of a request, as far as it is looked at, and whether that is all of it."""
    chunks: list[bytes] = []
    size = 0
    while size <= MOST_READ:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if not message.get("more_body"):
            return b"".join(chunks), True
    return b"".join(chunks), False


async def hung_up(receive: Receive) -> None:
    """Wait until the client has hung up."""
    message: Message = {"type": ""}
    while message["type"] != "http.disconnect":
        message = await receive()


async def while_there(work: Coroutine[Any, Any, None], gone: Coroutine[Any, Any, None]) -> None:
    """Do something for a client, and break it off when the client hangs up."""
    working, waiting = asyncio.create_task(work), asyncio.create_task(gone)
    try:
        await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
        if not working.done():
            working.cancel()
        await asyncio.wait({working, waiting})
    if not working.cancelled():
        working.result()
