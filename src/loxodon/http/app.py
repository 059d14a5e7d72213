"""Answers requests: finds the operation, lets it in, does it in a thread, tells what came of it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import datetime
from secrets import token_hex
from time import perf_counter
from typing import Any
from urllib.parse import unquote_to_bytes

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route, Router
from starlette.types import Message, Receive, Scope, Send

import loxodon
from loxodon.errors import ForbiddenError, InputError, LoxodonError, StoreError, UsageError
from loxodon.forget.receipts import Receipt
from loxodon.http import openapi
from loxodon.http.bodies import (
    LINES,
    PRIVATE,
    Steps,
    answer,
    cancelled,
    encoded,
    error_of,
    failed,
    json_body,
    language_of,
    peer_of,
    query_of,
)
from loxodon.http.console import Console, Exchange
from loxodon.http.fields import given, given_in_query
from loxodon.http.guard import (
    GUESSES,
    Caller,
    Door,
    Rates,
    RefusedError,
    check_place,
    granted,
    let_in,
    not_granted,
)
from loxodon.http.health import Metrics, Watch, reasons
from loxodon.http.host import Host
from loxodon.http.logs import log, log_fields
from loxodon.http.operations import (
    OPERATIONS,
    SERVER,
    Condition,
    Health,
    Made,
    Me,
    NewToken,
    Operation,
    Served,
    Spaces,
    TokenGrant,
)
from loxodon.http.wire import document, plain
from loxodon.layout import FILES, SPACES
from loxodon.memory import Memory
from loxodon.security import tokens
from loxodon.security.actor import Actor, acting
from loxodon.security.paths import is_inside
from loxodon.security.tokens import Grant, Grants
from loxodon.spaces import folder_name, no_space
from loxodon.types import Added, Record
from loxodon.verbs import PATH, TEXT, Argument

GONE = 499  # the status that is counted where nobody is there to get one
_SMALL = 1 << 16  # bytes of a body that is parsed on the event loop
_PROBES = ("/livez", "/readyz", "/health")
_CODE = (Argument("code", TEXT, "the code of the link that opened the page", required=True),)

Fields = dict[str, Any]
Endpoint = Callable[[Request], Awaitable[Response]]


class _Name(Convertor[str]):
    """A part of a path as it was sent: the name of a space may have a slash in it, as %2F."""

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        try:
            return unquote_to_bytes(value).decode()
        except UnicodeDecodeError:
            raise InputError("the URL is not UTF-8", hint="use percent-encoded UTF-8") from None

    def to_string(self, value: str) -> str:
        raise NotImplementedError


register_url_convertor("name", _Name())


class App:
    """One server's answers. `runner` says why nothing runs in the background, if so."""

    def __init__(
        self,
        host: Host,
        at: Door,
        *,
        runner: Callable[[], str] = lambda: "",
        exchange: Exchange | None = None,
    ) -> None:
        self._started = perf_counter()
        self._metrics = Metrics()
        self._host = host
        self._door = at
        self._console = Console()
        self._exchange = exchange
        self._rates = Rates(host.config.serve.rate)
        self._watch = Watch(host, runner)
        self._at_work: set[Steps] = set()
        self._stopping = False
        endpoints: dict[str, dict[str, tuple[str, Endpoint]]] = {
            "/": {"GET": ("root", self._root)},
            "/openapi.json": {"GET": ("openapi", self._openapi)},
            "/v1/exchange": {"POST": ("exchange", self._exchanged)},
        }
        of_server = (self.livez, self.readyz, self.health, self.me, self.server, self.spaces)
        of_home = (self.make_space, self.delete_space, self.tokens, self.add_token)
        pages = (*of_server, *of_home, self.metrics, self.revoke_token)
        named = {page.__name__: page for page in pages}
        for one in (*SERVER, *OPERATIONS):
            endpoint = self._verb(one) if one.run else self._page(one, named[one.name])
            endpoints.setdefault(one.address, {})[one.method] = (one.name, endpoint)
        # Paths without names in them first.
        paths = sorted(endpoints.items(), key=lambda item: item[0].count("{"))
        routes = [_route(path.replace("}", ":name}"), methods) for path, methods in paths]
        self._routes = Router([*routes, Mount("/console", self._console)], redirect_slashes=False)

    def stop(self) -> None:
        """Give up long work: the server is about to end."""
        self._stopping = True
        for steps in tuple(self._at_work):
            steps.cut.set()
            steps.end()  # whoever follows it need not wait until it has stopped

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        started, status = perf_counter(), GONE

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        # Names keep their %2F until a route has taken the path apart.
        raw = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
        scope.update(path=raw.rstrip("/") or "/", app=self)
        request = Request(scope, receive)
        id = request.headers.get("x-request-id", "")[:64] or token_hex(8)
        about = request.state.about = {"request": id}
        request.state.operation = "refused"
        with self._metrics.running.track_inprogress():
            try:
                await self._answer(request, receive, sending)
            except ClientDisconnect:
                pass
            except Exception as error:
                told = self._told(error, request)
                about["code"] = told.code
                if status == GONE:  # else the head is sent, and the connection breaks off
                    await failed(told, language_of(request))(scope, receive, sending)
        name, seconds = request.state.operation, perf_counter() - started
        self._metrics.request(name, status, seconds)
        if name != "console":
            log(name, status=status, ms=round(1e3 * seconds, 2), **about)

    def _told(self, error: Exception, request: Request) -> LoxodonError | RefusedError:
        """The error that a client is told of."""
        if isinstance(error, RefusedError | LoxodonError):
            return error
        if isinstance(error, HTTPException) and error.status_code == 405:
            methods = ", ".join(sorted(dict(error.headers or {}).get("Allow", "").split(", ")))
            said = UsageError("this path only accepts {methods}", methods=methods)
            return RefusedError(405, "no_method", said, {"allow": methods})
        if isinstance(error, HTTPException):
            said = UsageError("not found", hint="see /openapi.json for the available paths")
            return RefusedError(404, "no_route", said)
        # The last resort: a client gets a document, whatever is wrong with us. What the error says
        # is not logged, because it may have words of the memory in it.
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        line = f"{trace.tb_frame.f_globals.get('__name__', '')}:{trace.tb_lineno}" if trace else ""
        kind = type(error).__name__
        log("defect", operation=request.state.operation, kind=kind, at_line=line)
        return LoxodonError(
            "unexpected error: {kind}", hint="this is a bug; please report it", kind=kind
        )

    async def _answer(self, request: Request, receive: Receive, send: Send) -> None:
        """Let a request in, unless it needs no token: health, for whoever watches the machine, and
        what a browser must have before it can have one."""
        path, peer = request.scope["path"], peer_of(request)
        self._rates.rate = self._host.config.serve.rate
        if path.startswith("/console/") or (path == "/" and self._wants_page(request)):
            request.state.operation = "console"
        opens = path == "/v1/exchange" and self._exchange is not None
        if opens or request.state.operation == "console" or path in _PROBES:
            check_place(self._door, request.headers)
            self._rates.take(peer)
            await self._routes(request.scope, receive, send)
            return
        metrics = path == "/metrics"
        caller = let_in(self._door, self._rates, peer, request.headers, metrics=metrics)
        request.state.caller = caller
        if caller.grant.name:
            request.state.about["token"] = caller.grant.name
        with acting(Actor("http", caller.agent, caller.name)):
            await self._routes(request.scope, receive, send)

    def _wants_page(self, request: Request) -> bool:
        return self._console.built and "text/html" in request.headers.get("accept", "")

    async def _given(self, operation: Operation, request: Request) -> Fields:
        """The fields of a request, checked."""
        pairs = query_of(request)
        if operation.in_query:
            return given_in_query(operation.takes, pairs)
        given_in_query((), pairs)  # a field in the wrong place is told, not lost
        body = await json_body(request)
        if len(body) <= _SMALL:
            return given(operation.takes, body)
        return await self._host.run(lambda: given(operation.takes, body))

    # What is asked of the server itself

    async def _root(self, request: Request) -> Response:
        if self._wants_page(request):
            request.state.operation = "console"
            return self._console.page(request.scope)
        version = loxodon.__version__
        about = {"name": "loxodon", "version": version, "openapi": "/openapi.json"}
        return answer(encoded(about))

    async def _openapi(self, request: Request) -> Response:
        return answer(encoded(openapi.document()))

    async def _exchanged(self, request: Request) -> Response:
        if self._exchange is None:
            raise HTTPException(404)
        code = given(_CODE, await json_body(request, _SMALL))["code"]
        try:
            return answer(encoded({"token": self._exchange.take(code)}))
        except RefusedError:
            self._rates.take(f"wrong {peer_of(request)}", most=GUESSES)
            raise

    def _page(
        self, operation: Operation, page: Callable[[Request, Fields], Awaitable[Any]]
    ) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            if operation.right and not request.state.caller.may(operation.right):
                raise not_granted()
            fields = await self._given(operation, request)
            found = await page(request, {**fields, **request.path_params})
            if isinstance(found, bytes):
                return answer(found, kind=CONTENT_TYPE_LATEST)
            healthy = getattr(found, "status", "ok") != "failing"
            return answer(encoded(plain(found)), operation.status if healthy else 503)

        return endpoint

    async def livez(self, request: Request, fields: Fields) -> Condition:
        return Condition("ok")

    async def readyz(self, request: Request, fields: Fields) -> Condition:
        """Takes the same time however many spaces there are."""
        return Condition("ok" if await self._watch.ready() else "failing")

    async def health(self, request: Request, fields: Fields) -> Health | Condition:
        look = await self._watch.look()
        found = reasons(look, language_of(request))
        state = Condition("failing" if found else "ok")
        grant = granted(self._door, request.headers)
        if grant is None or not grant.may("owner") or grant.spaces:
            return state  # the names of spaces are not for everybody
        paused = [space for space, status in look.spaces.items() if status.paused]
        return Health(state.status, found, paused)

    async def metrics(self, request: Request, fields: Fields) -> bytes:
        return self._metrics.text(await self._watch.look(), self._host.waiting)

    async def me(self, request: Request, fields: Fields) -> Me:
        caller: Caller = request.state.caller
        return Me(
            caller.grant.name,
            caller.grant.rights,
            caller.agent,
            caller.chat,
            caller.owns_all,
            tuple((await self.spaces(request, fields)).spaces),
            loxodon.__version__,
            self._host.home if caller.owns_all else "",
        )

    async def server(self, request: Request, fields: Fields) -> Served:
        up = round(perf_counter() - self._started)
        return Served(loxodon.__version__, up, self._metrics.figures())

    async def spaces(self, request: Request, fields: Fields) -> Spaces:
        found = await self._host.run(self._host.spaces)
        return Spaces([name for name in found if request.state.caller.grant.reaches(name)])

    async def make_space(self, request: Request, fields: Fields) -> Made:
        space = fields["space"]
        known = await self._host.run(self._host.spaces)
        home = await self._host.call(space, lambda memory: memory.home)
        request.state.about |= {"space": space, "created": space not in known}
        return Made(home, space, space not in known)

    async def delete_space(self, request: Request, fields: Fields) -> Receipt:
        receipt = await self._host.run(lambda: self._host.delete(**fields))
        self._watch.wrote(fields["space"], None)
        request.state.about |= {**fields, "receipt": receipt.id}
        return receipt

    async def tokens(self, request: Request, fields: Fields) -> list[TokenGrant]:
        found = await self._host.run(lambda: tokens.read(self._host.root))
        return [TokenGrant.of(one) for one in found]

    async def add_token(self, request: Request, fields: Fields) -> NewToken:
        fields["spaces"] = tuple(fields.get("spaces", ()))
        if expires := fields.get("expires"):
            fields["expires"] = expires.astimezone().isoformat(timespec="seconds")
        wanted, now = Grant(**{"rights": "write", **fields}), datetime.now().astimezone()
        grant, token = await self._host.run(lambda: tokens.add(self._host.root, wanted, now))
        return NewToken(token, self._grant_changed(request, grant))

    async def revoke_token(self, request: Request, fields: Fields) -> TokenGrant:
        gone = await self._host.run(lambda: tokens.revoke(self._host.root, fields["name"]))
        return self._grant_changed(request, gone)

    def _grant_changed(self, request: Request, grant: Grant) -> TokenGrant:
        request.state.about["name"] = grant.name
        if isinstance(self._door.grants, Grants):
            self._door.grants.renew()
        return TokenGrant.of(grant)

    # Verbs

    def _verb(self, operation: Operation) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            caller: Caller = request.state.caller
            space = request.path_params.pop("space")
            request.state.about["space"] = space
            folder = folder_name(space)  # what can be no name is told alike to everybody
            if not caller.grant.reaches(space):
                raise no_space(space)
            if not caller.may(operation.right):
                raise not_granted()
            fields = await self._given(operation, request)
            if fields.get("reveal") and not caller.may("owner"):
                raise not_granted()
            for argument in operation.takes:
                if argument.name == "token" and (key := request.headers.get("idempotency-key")):
                    fields.setdefault("token", key)
                elif argument.kind == PATH and argument.name in fields:
                    path = os.path.join(self._host.home, SPACES, folder, FILES)
                    fields[argument.name] = _inside(path, fields[argument.name])
            fields |= request.path_params
            if operation.long and LINES in request.headers.get("accept", "").lower():
                return self._streamed(operation, space, fields, request)
            return answer(await self._work(operation, space, fields, request), operation.status)

        return endpoint

    def _streamed(
        self, operation: Operation, space: str, fields: Fields, request: Request
    ) -> Response:
        """Long work, told step by step; the last line has the result or the error."""
        steps = Steps()

        async def lines() -> AsyncIterator[bytes]:
            work = asyncio.ensure_future(self._work(operation, space, fields, request, steps))
            work.add_done_callback(lambda work: work.cancelled() or work.exception())
            try:
                async for step in steps:
                    yield encoded({"progress": step}) + b"\n"
                if self._stopping and not work.done():
                    raise cancelled()
                yield b'{"result":' + await work + b"}\n"
            except LoxodonError as error:  # the head is sent: the last line says so
                request.state.about["code"] = error.code
                yield encoded(error_of(error, language_of(request))) + b"\n"
            except asyncio.CancelledError:  # the client is gone
                if operation.long == "cut":
                    steps.cut.set()
                raise

        return StreamingResponse(lines(), headers={"content-type": LINES, **PRIVATE})

    async def _work(
        self,
        operation: Operation,
        space: str,
        fields: Fields,
        request: Request,
        steps: Steps | None = None,
    ) -> bytes:
        """Do an operation in a thread; what came of it, as JSON."""
        caller, do = request.state.caller, operation.run or (lambda *given: None)
        if operation.long:
            steps = steps or Steps()
            self._at_work.add(steps)
            if self._stopping:
                steps.cut.set()
            if operation.progress:
                fields["progress"] = steps.progress

        def run(memory: Memory) -> tuple[bytes, Mapping[str, Any]]:
            result = do(memory, fields)
            if isinstance(result, Added):
                self._metrics.count("turns_added", result.added)
            elif isinstance(result, Record) and operation.name == "capture":
                self._metrics.count("memories_captured")
            return encoded(document(result)), log_fields(result)  # here: it may be long

        error: StoreError | None = None
        try:
            who = {"agent": caller.agent, "chat": caller.chat, "relays": caller.relays}
            how: Any = {"make": operation.make, "apart": bool(operation.long), **who}
            done, about = await self._host.call(space, run, **how)
            request.state.about |= about
            return done
        except StoreError as failure:
            error = failure
            raise
        finally:
            if operation.make:
                self._watch.wrote(space, error)
            if steps is not None:
                self._at_work.discard(steps)
                steps.end()


def _route(path: str, named: Mapping[str, tuple[str, Endpoint]]) -> Route:
    """A route with its endpoints by method, each with the name of its operation."""
    methods = sorted({*named, "OPTIONS", *(["HEAD"] if "GET" in named else [])})

    async def endpoint(request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"allow": ", ".join(methods)})
        name, found = named["GET" if request.method == "HEAD" else request.method]
        request.state.operation = name
        return await found(request)

    return Route(path, endpoint, methods=methods)


def _inside(folder: str, path: str) -> str:
    """The full path of a file that a request names; a ForbiddenError for one outside `folder`."""
    full = os.path.join(folder, path)
    if not path or "\0" in path or not is_inside(full, folder):
        raise ForbiddenError(
            "{path} is outside the folder for files of this space",
            hint="name a file inside it, without ..",
            path=repr(path)[:200],
        )
    return full
