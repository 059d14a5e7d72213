"""Answers a client: reads what it asks, adds what is remembered, forwards, streams back, journals.

A plain ASGI application, for streams pass through it byte by byte. Start at `_remembered`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from time import monotonic, perf_counter

from loxodon.errors import LoxodonError, ModelError, UnreachableModelError, UsageError
from loxodon.serve.http.guard import Caller, Door, RefusedError, admit, not_granted
from loxodon.serve.http.metrics import TYPE, Counted, Gauge, Metrics
from loxodon.serve.http.rates import GUESSES, Rates
from loxodon.serve.http.requests import GONE, ClientGoneError, Receive, Scope, Send
from loxodon.serve.logs import log
from loxodon.serve.proxy import requests
from loxodon.serve.proxy.connection import LateError, UnansweredError
from loxodon.serve.proxy.gather import decoded
from loxodon.serve.proxy.inject import NEXT, Manner, injected
from loxodon.serve.proxy.keeping import Exchange
from loxodon.serve.proxy.remember import OUTCOMES, Remembering
from loxodon.serve.proxy.requests import Asked, Kind
from loxodon.serve.proxy.speaking import OURS, Rule, bound, who_speaks
from loxodon.serve.proxy.upstream import Received, Upstream
from loxodon.serve.proxy.wire import (
    Answer,
    Body,
    Request,
    hung_up,
    read_body,
    request_of,
    while_there,
)
from loxodon.trust.access.acting import Actor, acting
from loxodon.working.overflow import is_overflow

_SMALL = 1 << 16
"""Bytes of a body that is read on the spot; a larger one would keep others waiting."""
_LARGE = 1 << 20
"""Bytes of a body that memories are put into on the spot."""
_REFUSALS = (400, 413, 422, 500)
"""Answers that may be about what was added."""
_MOST_MODELS = 256
_MANNER_SECONDS = 600.0
"""For how long a model that takes no memories at all is sent none."""


_COUNTED = {
    "proxy_memory": Counted("Requests, by what came of asking the memory.", "outcome", OUTCOMES)
}


class App:
    """One proxy. `key_is_ours` says that the client's key is for us: it must be the token."""

    def __init__(
        self,
        upstream: Upstream,
        remembering: Remembering,
        at: Door,
        rule: Rule,
        *,
        key_is_ours: bool = False,
        rate: float = 0,
    ) -> None:
        self._upstream = upstream
        self._remembering = remembering
        self._door = at
        self._rule = rule
        self._key_is_ours = key_is_ours
        self._rates = Rates(rate)
        self._manners = Manners()
        self._metrics = Metrics(_COUNTED)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # a websocket: there is none here
            await send({"type": "websocket.close", "code": 1008})
            return
        request = request_of(scope)
        reply = Answer(send, request)
        self._metrics.running += 1
        try:
            await self._answer(request, receive, reply)
        except RefusedError as refusal:
            await reply.fail(refusal.status, refusal.code, refusal.error, refusal.headers)
        except LoxodonError as error:
            await reply.fail(502, error.code, error)
        except UnansweredError as error:
            await reply.fail(*_unanswered(error))
        except ClientGoneError:
            reply.about["gone"] = True
        finally:
            self._metrics.running -= 1
        self._told(request, reply)

    def _told(self, request: Request, reply: Answer) -> None:
        """Log and count a request that was answered."""
        seconds = perf_counter() - reply.started
        ms = round(seconds * 1e3, 2)
        log("proxy", path=request.path, status=reply.status, ms=ms, **reply.about)
        self._metrics.request(request.kind or "other", reply.status or GONE, seconds)
        if memory := reply.about.get("memory"):
            self._metrics.count("proxy_memory", value=memory)

    async def _answer(self, request: Request, receive: Receive, reply: Answer) -> None:
        if request.path == "/health" and request.method in ("GET", "HEAD"):
            await reply.document(200, {"status": "ok"})
            return
        caller = self._let_in(request)
        if request.path == "/metrics" and request.method in ("GET", "HEAD"):
            await self._tell_metrics(caller, reply)
            return
        url = self._upstream.address(request.path, request.query)
        if url is None:
            raise RefusedError(400, "bad_path", UsageError("unknown path"))
        if request.kind is None or request.headers.get("content-encoding"):
            body = Body(receive)
            await while_there(self._passed_on(request, url, body, reply), body.gone())
            return
        head, whole = await read_body(receive)
        if not whole:
            body = Body(receive, head)
            await while_there(self._passed_on(request, url, body, reply), body.gone())
            return
        asked = await self._asked(request.kind, head)
        if asked is None:
            await while_there(self._untouched(request, url, head, reply), hung_up(receive))
            return
        with acting(Actor("proxy", caller.agent, caller.name)):
            await self._remembered(request, url, asked, caller, head, receive, reply)

    async def _tell_metrics(self, caller: Caller, reply: Answer) -> None:
        if not caller.owns_all:
            raise not_granted()
        waiting = Gauge(
            "calls_waiting",
            "Recalls that have not returned.",
            [("", (), self._remembering.waiting)],
        )
        await reply.text(200, self._metrics.text([waiting]), TYPE)

    def _let_in(self, request: Request) -> Caller:
        """Who asks; a RefusedError for who may not, or not so often."""
        try:
            caller = admit(self._door, self._with_token(request))
        except RefusedError as refusal:
            if refusal.status == 401:
                self._rates.take(f"wrong {request.peer}", most=GUESSES)
            raise
        self._rates.take(caller.name or request.peer)
        return caller

    def _with_token(self, request: Request) -> Mapping[str, str]:
        """Headers in which our token stands where the door looks for it."""
        if self._key_is_ours:
            key = request.headers.get("x-api-key")
            if key and "authorization" not in request.headers:
                return {**request.headers, "authorization": f"Bearer {key}"}
            return request.headers
        token = request.headers.get(f"{OURS}token", "")
        if not token and request.path == "/metrics":  # which no upstream's key is sent to
            return request.headers
        return {**request.headers, "authorization": f"Bearer {token}"}

    async def _asked(self, kind: Kind, body: bytes) -> Asked | None:
        if len(body) <= _SMALL:
            return requests.read(kind, body)
        return await asyncio.to_thread(requests.read, kind, body)

    # With memory

    async def _remembered(
        self,
        request: Request,
        url: str,
        asked: Asked,
        caller: Caller,
        body: bytes,
        receive: Receive,
        reply: Answer,
    ) -> None:
        """An exchange from the request to the journal."""
        who = bound(who_speaks(request.headers, asked, self._rule), caller)
        exchange = await self._remembering.prepared(asked, who)
        if exchange is None:
            reply.about = {"memory": "off"}
            await while_there(self._untouched(request, url, body, reply), hung_up(receive))
            return
        reply.about = exchange.about
        keeping = self._remembering.keeping(exchange)

        async def forward() -> None:
            keeping.begin()
            received = await self._accepted(request, url, exchange, body)
            await reply.stream(received, keeping if received.status < 400 else None)

        try:
            await while_there(forward(), hung_up(receive))
        finally:
            # Also when the client has hung up, or the upstream broke off: it was said so far.
            await keeping.ended(reply.headers)

    async def _accepted(
        self, request: Request, url: str, exchange: Exchange, body: bytes
    ) -> Received:
        """The upstream's answer to the request with memories, or to the bare one if it will not
        have them: the client never gets an error that is ours."""
        model = exchange.asked.text("model")
        manner = self._manners.of(model)
        learns = False
        while True:
            if len(body) <= _LARGE:
                data = _with_memories(exchange, manner, body)
            else:
                data = await asyncio.to_thread(_with_memories, exchange, manner, body)
            bare = data is body
            found = await self._upstream.send(request.method, url, request.raw, data, read=True)
            if bare or found.status not in _REFUSALS:
                if learns and found.status < 400:
                    self._manners.learn(model, manner)
                return found
            said = await _told(found)
            if not _refuses(found.status, said):
                return found
            found.close()
            log("proxy.refused", model=model[:100], status=found.status, manner=manner)
            # What is too long this once says nothing of the next.
            learns = not is_overflow(said, found.status)
            manner = NEXT[manner] if learns else "none"

    # Without

    async def _untouched(self, request: Request, url: str, body: bytes, reply: Answer) -> None:
        await reply.stream(await self._upstream.send(request.method, url, request.raw, body))

    async def _passed_on(self, request: Request, url: str, body: Body, reply: Answer) -> None:
        size = request.headers.get("content-length")
        streams = size is not None or "transfer-encoding" in request.headers
        found = await self._upstream.send(
            request.method,
            url,
            request.raw,
            body.chunks() if streams else b"",
            size=size.encode("latin-1") if size is not None else None,
        )
        await reply.stream(found)


class Manners:
    """How each model takes memories, once the usual way was refused."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Manner, float]] = {}

    def of(self, model: str) -> Manner:
        manner, until = self._known.get(model, ("turn", 0.0))
        return manner if manner == "system" or monotonic() < until else "turn"

    def learn(self, model: str, manner: Manner) -> None:
        self._known[model] = manner, monotonic() + _MANNER_SECONDS
        while len(self._known) > _MOST_MODELS:
            del self._known[next(iter(self._known))]


def _with_memories(exchange: Exchange, manner: Manner, body: bytes) -> bytes:
    """The body to send: the very `body` that came where nothing is added."""
    text = injected(exchange.asked, exchange.additions, manner)
    return body if text is exchange.asked.body else text.encode()


_TEMPLATE = (b"template", b"jinja", b"system", b"role", b"alternat")


async def _told(found: Received) -> bytes:
    """The body of an error, as it reads."""
    try:
        return decoded(await found.whole(), found.headers.get("content-encoding", ""))
    except BaseException:  # it broke off, or the client did
        found.close()
        raise


def _refuses(status: int, said: bytes) -> bool:
    """Whether an error may be about what was added: a failure only if it speaks of messages."""
    return status != 500 or any(word in said[:_SMALL].lower() for word in _TEMPLATE)


def _unanswered(error: UnansweredError) -> tuple[int, str, ModelError]:
    """The status, code and words for an upstream that gave no answer."""
    if isinstance(error, LateError):
        return (
            504,
            "upstream_timeout",
            UnreachableModelError(
                "the upstream did not answer in time: {reason}",
                hint="raise the limit with --timeout",
                reason=error,
            ),
        )
    return (
        502,
        "upstream_unreachable",
        UnreachableModelError(
            "cannot reach the upstream: {reason}",
            hint="check that it is running, and that --upstream is correct",
            reason=error,
        ),
    )
