"""Answers requests: finds the operation, lets it in, does it in a thread, tells what came of it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import datetime
from secrets import token_hex
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

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
from loxodon.http.health import Watch, gauges, reasons
from loxodon.http.host import Host
from loxodon.http.logs import log, log_fields
from loxodon.http.metrics import TYPE, Metrics
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
from loxodon.http.replies import PRIVATE, document, encoded, error_of, failed, text
from loxodon.http.requests import MOST_BYTES, json_body, language_of, peer_of, query_of
from loxodon.http.streaming import EVENTS, LINES, Steps, cancelled, written
from loxodon.http.wire import document as described
from loxodon.http.wire import plain
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
_CODE = (Argument("code", TEXT, "the code of the link that opened the page", required=True),)

Fields = dict[str, Any]
Endpoint = Callable[[Request], Awaitable[Response]]


class Done(NamedTuple):
    """What an operation came to: the document as JSON, and what may be logged of it."""

    text: str
    about: Mapping[str, Any]


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
        most_bytes: int = MOST_BYTES,
        console: Console | None = None,
        exchange: Exchange | None = None,
    ) -> None:
        self._started = perf_counter()
        self._metrics = Metrics()
        self._host = host
        self._door = at
        self._most = most_bytes
        self._console = console or Console()
        self._exchange = exchange
        self._rates = Rates(host.config.serve.rate)
        self._watch = Watch(host, runner)
        self._at_work: set[Steps] = set()
        self._stopping = False
        endpoints: dict[str, dict[str, tuple[str, Endpoint]]] = {
            "/": {"GET": ("root", self._root)},
            "/docs": {"GET": ("docs", self._docs)},
            "/openapi.json": {"GET": ("openapi", self._openapi)},
            "/v1/exchange": {"POST": ("exchange", self._exchanged)},
        }
        for one in (*SERVER, *OPERATIONS):
            endpoint = self._verb(one) if one.run else self._page(one)
            endpoints.setdefault(one.address, {})[one.method] = (one.name, endpoint)
        # Paths without names in them first.
        paths = sorted(endpoints.items(), key=lambda item: item[0].count("{"))
        routes = [_route(path.replace("}", ":name}"), named) for path, named in paths]
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
                reply, about["code"] = self._failed(error, request)
                if status == GONE:  # else the head is sent, and the connection breaks off
                    await reply(scope, receive, sending)
        name, seconds = request.state.operation, perf_counter() - started
        self._metrics.request(name, status, seconds)
        if name != "console":
            log(name, status=status, ms=round(1e3 * seconds, 2), **about)

    def _failed(self, error: Exception, request: Request) -> tuple[Response, str]:
        """The answer to a request that failed, and the code that is logged."""
        language = language_of(request.headers.get("accept-language", ""))
        if isinstance(error, HTTPException):
            error = _unrouted(error)
        if isinstance(error, RefusedError | LoxodonError):
            return failed(error, language), error.code
        # The last resort: a client gets a document, whatever is wrong with us. What the error says
        # is not logged, because it may have words of the memory in it.
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        line = f"{trace.tb_frame.f_globals.get('__name__', '')}:{trace.tb_lineno}" if trace else ""
        kind = type(error).__name__
        log("defect", operation=request.state.operation, kind=kind, at_line=line)
        defect = LoxodonError(
            "unexpected error: {kind}", hint="this is a bug; please report it", kind=kind
        )
        return failed(defect, language), defect.code

    async def _answer(self, request: Request, receive: Receive, send: Send) -> None:
        """Let a request in, unless it needs no token: health, for whoever watches the machine, and
        what a browser must have before it can have one."""
        path = request.scope["path"]
        if path.startswith("/console/") or (path == "/" and self._wants_page(request)):
            request.state.operation = "console"
        opens = path == "/v1/exchange" and self._exchange is not None
        if (
            opens
            or request.state.operation == "console"
            or path in ("/livez", "/readyz", "/health")
        ):
            check_place(self._door, request.headers)
            self._rates.take(peer_of(request))
            await self._routes(request.scope, receive, send)
            return
        self._rates.rate = self._host.config.serve.rate
        peer, metrics = peer_of(request), path == "/metrics"
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
        body = await json_body(request, self._most)
        if len(body) <= _SMALL:
            return given(operation.takes, body)
        return await self._host.run(lambda: given(operation.takes, body))

    # Pages

    async def _root(self, request: Request) -> Response:
        if self._wants_page(request):
            request.state.operation = "console"
            return self._console.page(request.scope)
        version = loxodon.__version__
        return document(
            {"name": "loxodon", "version": version, "docs": "/docs", "openapi": "/openapi.json"}
        )

    async def _docs(self, request: Request) -> Response:
        return text(openapi.page(), kind="text/html; charset=utf-8")

    async def _openapi(self, request: Request) -> Response:
        return document(openapi.document())

    async def _exchanged(self, request: Request) -> Response:
        if self._exchange is None:
            raise HTTPException(404)
        code = given(_CODE, await json_body(request, _SMALL))["code"]
        try:
            return document({"token": self._exchange.take(code)})
        except RefusedError:
            self._rates.take(f"wrong {peer_of(request)}", most=GUESSES)
            raise

    def _page(self, operation: Operation) -> Endpoint:
        """Answers what is asked of the server itself."""
        answers: dict[str, Callable[[Request, Fields], Awaitable[Any]]] = {
            "livez": self._livez,
            "readyz": self._readyz,
            "health": self._health,
            "metrics": self._numbers,
            "me": self._me,
            "server": self._server,
            "spaces": self._spaces,
            "make_space": self._make_space,
            "delete_space": self._delete_space,
            "tokens": self._tokens,
            "add_token": self._add_token,
            "revoke_token": self._revoke_token,
        }

        async def answer(request: Request) -> Response:
            if operation.right and not request.state.caller.may(operation.right):
                raise not_granted()
            fields = await self._given(operation, request)
            found = await answers[operation.name](request, {**fields, **request.path_params})
            if isinstance(found, str):
                return text(found, kind=TYPE)
            healthy = getattr(found, "status", "ok") != "failing"
            return document(plain(found), operation.status if healthy else 503)

        return answer

    async def _livez(self, request: Request, fields: Fields) -> Condition:
        return Condition("ok")

    async def _readyz(self, request: Request, fields: Fields) -> Condition:
        """Takes the same time however many spaces there are."""
        return Condition("ok" if await self._watch.ready() else "failing")

    async def _health(self, request: Request, fields: Fields) -> Health | Condition:
        look = await self._watch.look()
        found = reasons(look, language_of(request.headers.get("accept-language", "")))
        state = Condition("failing" if found else "ok")
        grant = granted(self._door, request.headers)
        if grant is None or not grant.may("owner") or grant.spaces:
            return state  # the names of spaces are not for everybody
        paused = [space for space, status in look.spaces.items() if status.paused]
        return Health(state.status, found, paused)

    async def _numbers(self, request: Request, fields: Fields) -> str:
        look = await self._watch.look()
        return self._metrics.text(gauges(look, self._host.waiting))

    async def _me(self, request: Request, fields: Fields) -> Me:
        caller: Caller = request.state.caller
        return Me(
            caller.grant.name,
            caller.grant.rights,
            caller.agent,
            caller.chat,
            caller.owns_all,
            tuple((await self._spaces(request, fields)).spaces),
            loxodon.__version__,
            self._host.home if caller.owns_all else "",
        )

    async def _server(self, request: Request, fields: Fields) -> Served:
        up = round(perf_counter() - self._started)
        return Served(loxodon.__version__, up, self._metrics.figures())

    async def _spaces(self, request: Request, fields: Fields) -> Spaces:
        found = await self._host.run(self._host.spaces)
        return Spaces([name for name in found if request.state.caller.grant.reaches(name)])

    async def _make_space(self, request: Request, fields: Fields) -> Made:
        space = fields["space"]
        known = await self._host.run(self._host.spaces)
        home = await self._host.call(space, lambda memory: memory.home)
        request.state.about |= {"space": space, "created": space not in known}
        return Made(home, space, space not in known)

    async def _delete_space(self, request: Request, fields: Fields) -> Receipt:
        receipt = await self._host.run(lambda: self._host.delete(**fields))
        self._watch.wrote(fields["space"], None)
        request.state.about |= {**fields, "receipt": receipt.id}
        return receipt

    async def _tokens(self, request: Request, fields: Fields) -> list[TokenGrant]:
        found = await self._host.run(lambda: tokens.read(self._host.root))
        return [_told(one) for one in found]

    async def _add_token(self, request: Request, fields: Fields) -> NewToken:
        fields["spaces"] = tuple(fields.get("spaces", ()))
        if expires := fields.get("expires"):
            fields["expires"] = expires.astimezone().isoformat(timespec="seconds")
        wanted, now = Grant(**{"rights": "write", **fields}), datetime.now().astimezone()
        grant, token = await self._host.run(lambda: tokens.add(self._host.root, wanted, now))
        self._grants_changed(request, grant)
        return NewToken(token, _told(grant))

    async def _revoke_token(self, request: Request, fields: Fields) -> TokenGrant:
        gone = await self._host.run(lambda: tokens.revoke(self._host.root, fields["name"]))
        self._grants_changed(request, gone)
        return _told(gone)

    def _grants_changed(self, request: Request, grant: Grant) -> None:
        request.state.about["name"] = grant.name
        if isinstance(self._door.grants, Grants):
            self._door.grants.renew()

    # Verbs

    def _verb(self, operation: Operation) -> Endpoint:
        async def answer(request: Request) -> Response:
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
            accept = request.headers.get("accept", "").lower()
            form = next((form for form in (LINES, EVENTS) if form in accept), "")
            if operation.long and form:
                return self._streamed(operation, space, fields, form, request)
            done = await self._work(operation, space, caller, fields)
            request.state.about |= done.about
            return text(done.text, operation.status)

        return answer

    def _streamed(
        self, operation: Operation, space: str, fields: Fields, form: str, request: Request
    ) -> Response:
        """Long work, told step by step; the last line has the result or the error."""
        language = language_of(request.headers.get("accept-language", ""))
        about, caller, steps = request.state.about, request.state.caller, Steps()

        async def lines() -> AsyncIterator[bytes]:
            work = asyncio.ensure_future(self._work(operation, space, caller, fields, steps))
            work.add_done_callback(lambda work: work.cancelled() or work.exception())
            try:
                async for step in steps:
                    yield written(form, "progress", encoded(step))
                if self._stopping and not work.done():
                    raise cancelled()
                done = await work
            except LoxodonError as error:  # the head is sent: the last line says so
                about["code"] = error.code
                yield written(form, "error", encoded(error_of(error, language)["error"]))
            except asyncio.CancelledError:  # the client is gone
                if operation.long == "cut":
                    steps.cut.set()
                raise
            else:
                about.update(done.about)
                yield written(form, "result", done.text)

        return StreamingResponse(lines(), headers={"content-type": form, **PRIVATE})

    async def _work(
        self,
        operation: Operation,
        space: str,
        caller: Caller,
        fields: Fields,
        steps: Steps | None = None,
    ) -> Done:
        if operation.long:
            steps = steps or Steps()
            self._at_work.add(steps)
            if self._stopping:
                steps.cut.set()
            if operation.progress:
                fields["progress"] = steps.progress

        do = operation.run or (lambda *given: None)

        def run(memory: Memory) -> Done:
            result = do(memory, fields)
            if isinstance(result, Added):
                self._metrics.count("turns_added", result.added)
            elif isinstance(result, Record) and operation.name == "capture":
                self._metrics.count("memories_captured")
            return Done(encoded(described(result)), log_fields(result))  # here: it may be long

        try:
            done = await self._host.call(
                space,
                run,
                make=operation.make,
                apart=bool(operation.long),
                agent=caller.agent,
                chat=caller.chat,
                relays=caller.relays,
            )
        except StoreError as error:
            if operation.make:
                self._watch.wrote(space, error)
            raise
        finally:
            if steps is not None:
                self._at_work.discard(steps)
                steps.end()
        if operation.make:
            self._watch.wrote(space, None)
        return done


def _route(path: str, named: Mapping[str, tuple[str, Endpoint]]) -> Route:
    """A route with its endpoints by method, each with the name of its operation."""
    methods = sorted({*named, "OPTIONS", *(["HEAD"] if "GET" in named else [])})

    async def answer(request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"allow": ", ".join(methods)})
        name, endpoint = named["GET" if request.method == "HEAD" else request.method]
        request.state.operation = name
        return await endpoint(request)

    return Route(path, answer, methods=methods)


def _unrouted(error: HTTPException) -> RefusedError:
    """What a route that does not exist, or not for this method, is answered with."""
    if error.status_code == 405:
        methods = ", ".join(sorted(dict(error.headers or {}).get("Allow", "").split(", ")))
        said = UsageError("this path only accepts {methods}", methods=methods)
        return RefusedError(405, "no_method", said, {"allow": methods})
    said = UsageError("not found", hint="see /openapi.json or /docs for the available paths")
    return RefusedError(404, "no_route", said)


def _told(grant: Grant) -> TokenGrant:
    """A grant without the digest of its token."""
    return TokenGrant(*(getattr(grant, name) for name in TokenGrant._fields))


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
