"""Answers a client: reads what it asks, adds what is remembered, forwards, streams back, journals.

Start at `App.forward`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import aclosing
from typing import Any

import httpx
from prometheus_client import CONTENT_TYPE_LATEST, Counter
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route, Router
from starlette.types import Receive, Scope, Send

from loxodon.errors import LoxodonError
from loxodon.http.bodies import language_of, peer_of, status_of
from loxodon.http.guard import Caller, Door, Rates, RefusedError, let_in, not_granted
from loxodon.http.health import GONE, Metrics, Sending
from loxodon.http.logs import log
from loxodon.proxy import requests
from loxodon.proxy.exchange import OUTCOMES, Exchange, Memories
from loxodon.proxy.inject import NEXT, Placement, injected
from loxodon.proxy.requests import OURS, Kind, SpaceRule, speaker_of
from loxodon.proxy.upstream import Headers, Upstream, decoded, end_to_end
from loxodon.security.actor import Actor, acting
from loxodon.working.overflow import is_overflow

_MOST_READ = 32 << 20  # bytes of a request that are looked at; a larger one has no memory
_REFUSALS = (400, 413, 422, 500)  # statuses that may be about what was added
_TEMPLATE_WORDS = (b"template", b"jinja", b"system", b"role", b"alternat")
_KINDS: dict[str, Kind] = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/messages": "messages",
}


class App:
    """One proxy. `key_is_ours` says that the client's key is for us: it must be the token."""

    def __init__(
        self,
        upstream: Upstream,
        memories: Memories,
        door: Door,
        rule: SpaceRule,
        *,
        key_is_ours: bool = False,
        rate: float = 0,
    ) -> None:
        self._upstream, self._memories = upstream, memories
        self._door, self._rule, self._key_is_ours = door, rule, key_is_ours
        self._rates = Rates(rate)
        self._placements: dict[str, Placement] = {}  # by model, where not the usual one
        self._metrics = Metrics()
        about, registry = "Requests, by what came of asking the memory.", self._metrics.registry
        self._outcomes = Counter("loxodon_proxy_memory", about, ["outcome"], registry=registry)
        for outcome in OUTCOMES:
            self._outcomes.labels(outcome)  # so that it is there with 0
        health = Route("/health", lambda _: JSONResponse({"status": "ok"}))
        metrics = Route("/metrics", self._show_metrics)
        self._router = Router([health, metrics, Mount("/", self.forward)])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = Sending(send)
        about: dict[str, Any] = {}  # what the log says of this request
        scope["about"] = about
        with self._metrics.running.track_inprogress():
            try:
                await self._router(scope, receive, sending)
            except (LoxodonError, httpx.TransportError) as error:
                refusal = error if isinstance(error, LoxodonError) else _failure(error)
                if sending.status != GONE:  # it is broken off, so that the client sees it
                    about["broken"] = refusal.code
                else:
                    reply = _error_reply(refusal, language_of(Request(scope)))
                    await reply(scope, receive, sending)
            except ClientDisconnect:
                about["gone"] = True
        path = scope["raw_path"].decode("latin-1")
        log("proxy", path=path, status=sending.status, ms=sending.ms, **about)
        self._metrics.request(_kind(scope["method"], path) or "other", sending)
        if "memory" in about:
            self._outcomes.labels(about["memory"]).inc()

    async def _show_metrics(self, request: Request) -> Response:
        if not self._let_in(request, metrics=True).may("metrics"):
            raise not_granted()
        text = self._metrics.text(waiting=self._memories.host.waiting)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    def _let_in(self, request: Request, *, metrics: bool = False) -> Caller:
        headers = dict(request.headers.items())
        token = headers.get(f"{OURS}token", "")
        if self._key_is_ours:
            if "x-api-key" in headers and "authorization" not in headers:
                headers["authorization"] = f"Bearer {headers['x-api-key']}"
        elif token or not metrics:  # for which no upstream's key is sent
            headers["authorization"] = f"Bearer {token}"
        headers.pop(f"{OURS}chat", None)  # a chat of no known kind is a group here, not an error
        return let_in(self._door, self._rates, peer_of(request), headers, metrics=metrics)

    async def forward(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on to the upstream, with what is remembered where it asks for a reply."""
        request = Request(scope, receive)
        caller = self._let_in(request)
        path, about = scope["raw_path"].decode("latin-1"), scope["about"]
        url = self._upstream.address(path, scope["query_string"].decode("latin-1"))
        if url is None:
            raise RefusedError("unknown path", "bad_path")
        body = await request.body()
        with acting(Actor("proxy", caller.agent, caller.name)):
            exchange, kind = None, _kind(request.method, path)
            readable = "content-encoding" not in request.headers and len(body) <= _MOST_READ
            asked = requests.read(kind, body) if kind and readable else None
            if asked is not None:
                speaker = speaker_of(dict(request.headers.items()), asked, self._rule, caller)
                about["memory"] = "off"
                if speaker.remembers and asked.is_said:
                    exchange = Exchange(self._memories, asked, speaker, about)
                    await exchange.recall()

            async def answer() -> None:
                if exchange is None:
                    head = request.headers.raw
                    received = await self._upstream.send(request.method, url, head, body)
                else:
                    exchange.begin()
                    received = await self._accepted(request, url, exchange, body)
                stream: Any = received.stream
                async with aclosing(stream):
                    chunks: AsyncIterator[bytes] = aiter(stream)
                    if exchange is not None and received.status_code < 400:
                        await exchange.heard(received.headers)
                        chunks = _recorded(received, exchange)
                    response = StreamingResponse(chunks, received.status_code)
                    response.raw_headers = [*end_to_end(received.headers.raw), *_told(about)]
                    await response.stream_response(send)

            try:
                await _while_connected(request, answer())
            finally:
                # Also when the client has hung up, or the upstream broke off: it was said so far.
                if exchange is not None:
                    await exchange.ended()

    async def _accepted(
        self, request: Request, url: httpx.URL, exchange: Exchange, body: bytes
    ) -> httpx.Response:
        """The upstream's answer to the request with memories, or to the bare one if it will not
        have them: the client never gets an error that is ours."""
        model = exchange.request.text("model")
        placement, learns = self._placements.get(model, "turn"), False
        while True:
            text = injected(exchange.request, *exchange.additions, placement)
            data = body if text is exchange.request.body else text.encode()
            head = request.headers.raw
            received = await self._upstream.send(request.method, url, head, data, read=True)
            status = received.status_code
            if data is body or status not in _REFUSALS:
                if learns and status < 400:
                    self._placements[model] = placement
                return received
            stream: Any = received.stream
            async with aclosing(stream):
                raw = b"".join([chunk async for chunk in stream])
            received.stream = httpx.ByteStream(raw)
            said = decoded(raw, received.headers)
            if status == 500 and not any(word in said.lower() for word in _TEMPLATE_WORDS):
                return received  # a failure is about what was added only if it speaks of messages
            log("proxy.refused", model=model[:100], status=status, manner=placement)
            # What is too long this once says nothing of the next.
            learns = not is_overflow(said, status)
            placement = NEXT[placement] if learns else "none"


async def _while_connected(request: Request, work: Coroutine[Any, Any, None]) -> None:
    """Do something for a client, and break it off when the client hangs up."""

    async def disconnected() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working, waiting = asyncio.create_task(work), asyncio.create_task(disconnected())
    try:
        await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
        working.cancel()
        await asyncio.wait({working, waiting})
    if not working.cancelled():
        working.result()


async def _recorded(received: httpx.Response, exchange: Exchange) -> AsyncIterator[bytes]:
    """What the client is sent, journalled before it can rely on that: the last event of a stream
    waits, and the last bytes of a document, which is of no use before them."""
    streamed = "event-stream" in received.headers.get("content-type", "")
    held = b""
    stream: Any = received.stream
    async for chunk in stream:
        exchange.reply_bytes.take(chunk)
        if not streamed:
            ready, held = held, chunk
        elif exchange.reply_bytes.complete:
            cut = max(0, chunk.rfind(b"event:" if b"event:" in chunk else b"data:"))
            ready, held = chunk[:cut], chunk[cut:]
        else:
            ready = chunk
        if ready:
            yield ready
        if streamed and held:
            await exchange.replied()
            yield held
            held = b""
    await exchange.replied()
    if held:
        yield held


def _told(about: Mapping[str, Any]) -> Headers:
    """The header that tells what came of asking the memory."""
    if "memory" not in about:
        return []
    told = about["memory"]
    told += f"; items={about['recalled']}" if told == "used" else ""
    told += "; paused" if about.get("paused") else ""
    return [(f"{OURS}memory".encode(), told.encode())]


def _kind(method: str, path: str) -> Kind | None:
    """What kind of reply a request asks for, where it does."""
    return _KINDS.get(path.rstrip("/").removeprefix("/v1")) if method == "POST" else None


def _failure(error: httpx.TransportError) -> RefusedError:
    reason = str(error) or type(error).__name__
    if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout):
        return RefusedError(
            "the upstream did not answer in time: {reason}",
            "upstream_timeout",
            hint="raise the limit with --timeout",
            reason=reason,
        )
    hint = "check that it is running, and that --upstream is correct"
    return RefusedError(
        "cannot reach the upstream: {reason}", "upstream_unreachable", hint=hint, reason=reason
    )


def _error_reply(error: LoxodonError, language: str) -> Response:
    """In a shape that clients of OpenAI's and Anthropic's APIs know."""
    message, hint = error.localized(language)
    told = f"{message} ({hint})" if hint else message
    detail = {"message": told, "type": "loxodon_proxy", "param": None, "code": error.code}
    headers = error.headers if isinstance(error, RefusedError) else None
    return JSONResponse({"type": "error", "error": detail}, status_of(error), headers)
