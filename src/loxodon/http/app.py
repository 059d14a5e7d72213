"""Answers requests: finds the operation, lets it in, does it in a thread, tells what came of it."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from secrets import token_hex
from traceback import extract_tb
from typing import Any
from urllib.parse import unquote_to_bytes

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router
from starlette.types import Receive, Scope, Send

from loxodon.errors import ForbiddenError, InputError, LoxodonError
from loxodon.http import bodies, guard, openapi
from loxodon.http.bodies import PRIVATE, answer, encoded, language_of, peer_of
from loxodon.http.console import DIST, Console, Exchange
from loxodon.http.fields import given, given_in_query
from loxodon.http.health import GONE, Sending
from loxodon.http.host import Host
from loxodon.http.logs import log
from loxodon.http.operations import OPERATIONS, Operation
from loxodon.http.pages import PAGES, Pages
from loxodon.http.wire import document
from loxodon.layout import FILES, SPACES
from loxodon.security.actor import Actor, acting
from loxodon.security.paths import is_inside
from loxodon.spaces import folder_name, no_space
from loxodon.verbs import PATH, TEXT, Argument

_PROBES = ("/livez", "/readyz", "/health")
_CODE = (Argument("code", TEXT, "the code of the link that opened the page", required=True),)

Endpoint = Callable[[Request], Awaitable[Response]]


class App:
    """One server's answers. `runner` says why nothing runs in the background, if so."""

    def __init__(
        self,
        host: Host,
        at: guard.Door,
        *,
        runner: Callable[[], str] = lambda: "",
        exchange: Exchange | None = None,
    ) -> None:
        self._host, self._door, self._exchange = host, at, exchange
        self._console = Console(directory=DIST, check_dir=False)
        self._rates = guard.Rates(host.config.serve.rate)
        self._pages = Pages(host, at, runner)
        self._metrics = self._pages.counted
        self._stopping = False
        endpoints: dict[str, dict[str, tuple[str, Endpoint]]] = {
            "/": {"GET": ("console", self._root)},
            "/openapi.json": {"GET": ("openapi", self._openapi)},
            "/v1/exchange": {"POST": ("exchange", self._exchanged)},
        }
        for one in (*PAGES, *OPERATIONS):
            endpoint = partial(self._verb if one.run else self._page, one)
            endpoints.setdefault(one.address, {})[one.route.method] = (one.name, endpoint)
        # Paths without names in them first.
        paths = sorted(endpoints.items(), key=lambda item: item[0].count("{"))
        routes = [_route(path, methods) for path, methods in paths]
        self._routes = Router([*routes, Mount("/console", self._console)], redirect_slashes=False)

    def stop(self) -> None:
        """Give up long work: the server is about to end."""
        self._stopping = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = Sending(send)
        # Names keep their %2F until a route has taken the path apart.
        raw = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
        scope.update(path=raw.rstrip("/") or "/", app=self)
        request = Request(scope, receive)
        id = request.headers.get("x-request-id", "")[:64] or token_hex(8)
        about = request.state.about = {"request": id}
        request.state.operation = "refused"
        with self._metrics.running.track_inprogress():
            try:
                await self._let_in(request, receive, sending)
            except ClientDisconnect:
                pass
            except Exception as error:  # the last resort: a client gets a document, whatever fails
                told = self._told(error, request)
                about["code"] = told.code
                if sending.status == GONE:  # else the head is sent, and the connection breaks off
                    await bodies.failed(told, language_of(request))(scope, receive, sending)
        name = request.state.operation
        self._metrics.request(name, sending)
        if name != "console":
            log(name, status=sending.status, ms=sending.ms, **about)

    def _told(self, error: Exception, request: Request) -> LoxodonError:
        """The error that a client is told of."""
        if isinstance(error, LoxodonError):
            return error
        if isinstance(error, HTTPException):
            hint = "see /openapi.json for the available paths"
            return guard.RefusedError("not found", "no_route", hint=hint)
        # What the error says is not logged, because it may have words of the memory in it.
        kind, place = type(error).__name__, extract_tb(error.__traceback__)[-1]
        line = f"{place.filename}:{place.lineno}"
        log("defect", operation=request.state.operation, kind=kind, at_line=line)
        hint = "this is a bug; please report it"
        return LoxodonError("unexpected error: {kind}", hint=hint, kind=kind)

    async def _let_in(self, request: Request, receive: Receive, send: Send) -> None:
        """Let a request in; health, and what a browser has before a token, are for everybody."""
        path, peer = request.scope["path"], peer_of(request)
        self._rates.rate = self._host.config.serve.rate
        if path == "/" or path.startswith("/console/"):
            request.state.operation = "console"
        opens = path == "/v1/exchange" and self._exchange is not None
        if opens or request.state.operation == "console" or path in _PROBES:
            guard.check_place(self._door, request.headers)
            self._rates.take(peer)
            await self._routes(request.scope, receive, send)
            return
        metrics = path == "/metrics"
        caller = guard.let_in(self._door, self._rates, peer, request.headers, metrics=metrics)
        request.state.caller = caller
        if caller.grant.name:
            request.state.about["token"] = caller.grant.name
        with acting(Actor("http", caller.agent, caller.name)):
            await self._routes(request.scope, receive, send)

    async def _root(self, request: Request) -> Response:
        return await self._console.get_response("index.html", request.scope)

    async def _openapi(self, request: Request) -> Response:
        return answer(openapi.document())

    async def _exchanged(self, request: Request) -> Response:
        if self._exchange is None:
            raise HTTPException(404)
        code = given(_CODE, await bodies.json_body(request))["code"]
        try:
            return answer({"token": self._exchange.take(code)})
        except guard.RefusedError:
            self._rates.take(f"wrong {peer_of(request)}", most=guard.GUESSES)
            raise

    async def _given(self, operation: Operation, request: Request) -> dict[str, Any]:
        """The fields of a request, checked."""
        pairs = bodies.query_of(request)
        if operation.in_query:
            return given_in_query(operation.takes, pairs)
        given_in_query((), pairs)  # a field in the wrong place is told, not lost
        return given(operation.takes, await bodies.json_body(request))

    async def _page(self, operation: Operation, request: Request) -> Response:
        """Answer what is asked of the server itself."""
        if operation.right and not request.state.caller.may(operation.right):
            raise guard.not_granted()
        names = _path_names(request)
        fields = await self._given(operation, request)
        found = await getattr(self._pages, operation.name)(request, **fields, **names)
        if isinstance(found, str):
            return Response(found, headers={"content-type": CONTENT_TYPE_LATEST, **PRIVATE})
        healthy = not isinstance(found, dict) or found.get("status") != "failing"
        return answer(document(found), operation.route.status if healthy else 503)

    async def _verb(self, operation: Operation, request: Request) -> Response:
        """Answer what is asked of a space."""
        caller: guard.Caller = request.state.caller
        names = _path_names(request)
        space = request.state.about["space"] = names.pop("space")
        folder = folder_name(space)  # what can be no name is told alike to everybody
        if not caller.grant.reaches(space):
            raise no_space(space)
        if not caller.may(operation.right):
            raise guard.not_granted()
        fields = await self._given(operation, request)
        if fields.get("reveal") and not caller.may("owner"):
            raise guard.not_granted()
        for argument in operation.takes:
            if argument.name == "token" and (key := request.headers.get("idempotency-key")):
                fields.setdefault("token", key)
            elif argument.kind == PATH and argument.name in fields:
                path = os.path.join(self._host.home, SPACES, folder, FILES)
                fields[argument.name] = _inside(path, fields[argument.name])
        fields |= names
        if operation.route.long and "progress" in operation.verb.call.__annotations__:
            fields["progress"] = self._step
        do: Any = operation.run
        done = await self._host.call(
            space,
            lambda memory: encoded(document(do(memory, fields))),
            make=operation.route.makes_space,
            apart=operation.route.long,
            agent=caller.agent,
            chat=caller.chat,
            relays=caller.relays,
        )
        return answer(done, operation.route.status)

    def _step(self, *numbers: int) -> None:
        """Called by long work as it goes on: ends it when the server is about to end."""
        if self._stopping:
            raise LoxodonError("the operation was cancelled", hint="try again; nothing was lost")


def _route(path: str, named: Mapping[str, tuple[str, Endpoint]]) -> Route:
    """A route with its endpoints by method, each with the name of its operation."""
    methods = sorted({*named, *(["HEAD"] if "GET" in named else [])})

    async def endpoint(request: Request) -> Response:
        if request.method not in methods:
            raise guard.no_method(", ".join(methods))
        name, found = named["GET" if request.method == "HEAD" else request.method]
        request.state.operation = name
        return await found(request)

    return Route(path, endpoint, methods=[])


def _path_names(request: Request) -> dict[str, str]:
    """What stands in the path: the name of a space may have a slash in it, as %2F."""
    try:
        return {name: unquote_to_bytes(part).decode() for name, part in request.path_params.items()}
    except UnicodeDecodeError:
        raise InputError("the URL is not UTF-8", hint="use percent-encoded UTF-8") from None


def _inside(folder: str, path: str) -> str:
    """The full path of a file that a request names; a ForbiddenError for one outside `folder`."""
    full, named = os.path.join(folder, path), repr(path)[:80]
    if len(full) > 1_000 or any(len(os.fsencode(name)) > 255 for name in path.split("/")):
        raise InputError("{path} is too long", hint="use shorter names", path=named)
    if not path or "\0" in path or not is_inside(full, folder):
        hint = "name a file inside it, without .."
        raise ForbiddenError(
            "{path} is outside the folder for files of this space", hint=hint, path=named
        )
    return full
