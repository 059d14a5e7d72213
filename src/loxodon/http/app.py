"""Answers requests: finds the operation, lets it in, does it in a thread, tells what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from secrets import token_hex
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Message, Receive, Scope, Send

from loxodon.errors import InputError, LoxodonError, StoreError, UsageError
from loxodon.http.console import Console, Exchange
from loxodon.http.fields import from_query, given
from loxodon.http.guard import (
    FORWARDED,
    Caller,
    Door,
    RefusedError,
    admit,
    check_place,
    is_loopback,
    not_granted,
)
from loxodon.http.health import Watch
from loxodon.http.host import Host
from loxodon.http.logs import log, log_fields
from loxodon.http.metrics import Metrics
from loxodon.http.operations import IN_QUERY, OPERATIONS, Operation
from loxodon.http.pages import ServerPages
from loxodon.http.rates import GUESSES, Rates
from loxodon.http.replies import PRIVATE, document, encoded, error_of, failed, text
from loxodon.http.requests import MOST_BYTES, body_of, json_of, language_of, peer_of, query_of
from loxodon.http.streaming import Steps, form_of, given_up, written
from loxodon.http.wire import plain
from loxodon.memory import Memory
from loxodon.security.actor import Actor, acting
from loxodon.security.paths import full_path
from loxodon.spaces import folder_name, no_space
from loxodon.types import Added, Record
from loxodon.verbs import TEXT, Argument

GONE = 499  # the status that is counted where nobody is there to get one
_SMALL = 1 << 16  # bytes of a body that is parsed on the event loop
_CODE = (Argument("code", TEXT, "the code of the link that opened the page", required=True),)

Endpoint = Callable[[Request], Awaitable[Response]]


class Done(NamedTuple):
    """What an operation came to: the document as JSON, and what may be logged of it."""

    text: str
    about: Mapping[str, Any]
    result: object


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
        self.metrics = Metrics()
        self._host = host
        self._door = at
        self._most = most_bytes
        self._console = console or Console()
        self._exchange = exchange
        self._rates = Rates(host.config.serve.rate)
        self._watch = Watch(host, runner)
        self._at_work: set[Steps] = set()
        self._stopping = False
        pages = ServerPages(host, at, self._watch, self.metrics)
        self._root = pages.root
        self._routes = Router(
            [
                _route("/livez", livez=("GET", pages.livez)),
                _route("/readyz", readyz=("GET", pages.readyz)),
                _route("/health", health=("GET", pages.health)),
                _route("/v1/exchange", exchange=("POST", self._exchanged)),
                Mount("/console", self._console),
                _route("/", root=("GET", self._root_or_console)),
                _route("/metrics", metrics=("GET", pages.numbers)),
                _route("/openapi.json", openapi=("GET", pages.openapi)),
                _route("/docs", docs=("GET", pages.docs)),
                _route("/v1/me", me=("GET", pages.me)),
                _route("/v1/server", server=("GET", pages.server)),
                _route("/v1/spaces", spaces=("GET", pages.spaces)),
                _route(
                    "/v1/spaces/{space:name}",
                    make_space=("PUT", pages.make_space),
                    delete_space=("DELETE", pages.delete_space),
                ),
                *self._operations(),
            ],
            redirect_slashes=False,
        )

    def _operations(self) -> list[BaseRoute]:
        """A route for each path, those without names in them first."""
        paths: dict[str, dict[str, Operation]] = {}
        for one in OPERATIONS:
            path = one.path.replace("}", ":name}")
            paths.setdefault(f"/v1/spaces/{{space:name}}{path}", {})[one.method] = one
        return [
            _route(path, **{one.name: (one.method, self._endpoint(one)) for one in found.values()})
            for path, found in sorted(paths.items(), key=lambda one: one[0].count("{"))
        ]

    def stop(self) -> None:
        """Give up long work: the server is about to end."""
        self._stopping = True
        for steps in self._at_work:
            steps.halt()

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
        request.state.operation, request.state.about = "refused", {}
        about: dict[str, Any] = request.state.about
        with self.metrics.running.track_inprogress():
            try:
                await self._answer(request, receive, sending)
            except ClientDisconnect:
                pass
            except Exception as error:
                reply, about["code"] = self._failed(error, request)
                if status == GONE:  # else the head is sent, and the connection breaks off
                    await reply(scope, receive, sending)
        name, seconds = request.state.operation, perf_counter() - started
        self.metrics.request(name, status, seconds)
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
        kind, operation = type(error).__name__, request.state.operation
        log("defect", operation=operation, kind=kind, at_line=_line_of(error))
        defect = LoxodonError(
            "unexpected error: {kind}", hint="this is a bug; please report it", kind=kind
        )
        return failed(defect, language), defect.code

    async def _answer(self, request: Request, receive: Receive, send: Send) -> None:
        about = request.state.about
        about["request"] = request.headers.get("x-request-id", "")[:64] or token_hex(8)
        if self._needs_no_token(request):
            check_place(self._door, request.headers)
            self._rates.take(peer_of(request))
            await self._routes(request.scope, receive, send)
            return
        caller = request.state.caller = self._let_in(request)
        about |= {"token": caller.grant.name} if caller.grant.name else {}
        with acting(Actor("http", caller.agent, caller.name)):
            await self._routes(request.scope, receive, send)

    def _needs_no_token(self, request: Request) -> bool:
        """Health, for whoever watches the machine, and what a browser must have before it can have
        a token."""
        path = request.scope["path"]
        if path == "/v1/exchange":
            return self._exchange is not None
        if path.startswith("/console/"):
            request.state.operation = "console"
        is_file = path.startswith("/console/") or (path == "/" and self._wants_page(request))
        return is_file or path in ("/livez", "/readyz", "/health")

    def _wants_page(self, request: Request) -> bool:
        return self._console.built and "text/html" in request.headers.get("accept", "")

    def _let_in(self, request: Request) -> Caller:
        """Return who asks; raise RefusedError if they may not, or not so often."""
        self._rates.set(self._host.config.serve.rate)
        peer = peer_of(request)
        try:
            caller = admit(self._door, request.headers)
        except RefusedError as refusal:
            if refusal.status == 401:
                self._rates.take(f"wrong {peer}", most=GUESSES)
            raise
        self._rates.take(caller.name or peer)
        return caller

    async def _root_or_console(self, request: Request) -> Response:
        if self._wants_page(request):
            request.state.operation = "console"
            return self._console.page(request.scope)
        return await self._root(request)

    async def _exchanged(self, request: Request) -> Response:
        if self._exchange is None:
            raise HTTPException(404)
        sent = json_of(await body_of(request, _SMALL), request.headers)
        try:
            return document({"token": self._exchange.take(given(_CODE, sent)["code"])})
        except RefusedError:
            self._rates.take(f"wrong {peer_of(request)}", most=GUESSES)
            raise

    # Operations on a space

    def _endpoint(self, operation: Operation) -> Endpoint:
        async def answer(request: Request) -> Response:
            caller: Caller = request.state.caller
            space = request.path_params.pop("space")
            request.state.about["space"] = space
            _check_reach(operation, space, caller)
            fields = await self._given(operation, request)
            form = form_of(request.headers.get("accept", "")) if operation.long else ""
            if form:
                return self._streamed(operation, space, fields, form, request)
            steps = self._steps() if operation.long else None
            work = asyncio.ensure_future(self._work(operation, space, caller, fields, steps))
            done = await self._while_there(work, operation, steps, request)
            request.state.about |= done.about
            return text(done.text, operation.status)

        return answer

    async def _given(self, operation: Operation, request: Request) -> dict[str, Any]:
        """The fields of a request, checked, with those of its path."""
        pairs = query_of(request)
        if operation.method in IN_QUERY:
            found = given(operation.takes, from_query(operation.takes, pairs))
        else:
            given((), dict(pairs))  # a field in the wrong place is told, not lost
            body = await body_of(request, self._most)

            def parse() -> dict[str, Any]:
                return given(operation.takes, json_of(body, request.headers))

            found = parse() if len(body) <= _SMALL else await self._host.run(parse)
        caller: Caller = request.state.caller
        for name in operation.local:
            if name in found:
                self._check_file(caller, request)
                full_path(name, found[name])
        owner = caller.grant.may("owner") and not caller.agent and caller.chat == "direct"
        if found.get("reveal") and not owner:
            raise not_granted()
        key = request.headers.get("idempotency-key", "")
        if key and any(field.name == "token" for field in operation.takes):
            found.setdefault("token", key)
        return {**found, **request.path_params}

    def _check_file(self, caller: Caller, request: Request) -> None:
        """A file of this machine can be named only from it, by the owner of all spaces."""
        passed_on = any(name in request.headers for name in FORWARDED)
        if not self._door.local or not is_loopback(peer_of(request)) or passed_on:
            error = UsageError(
                "local files can only be used from this machine",
                hint="run the command on the server's machine, or serve on 127.0.0.1",
            )
            raise RefusedError(403, "forbidden", error)
        if not caller.owns_all:
            raise not_granted()

    def _steps(self) -> Steps:
        steps = Steps()
        self._at_work.add(steps)
        if self._stopping:
            steps.halt()
        return steps

    async def _while_there(
        self,
        work: asyncio.Future[Done],
        operation: Operation,
        steps: Steps | None,
        request: Request,
    ) -> Done:
        """Return what `work` returns. Give it up if the client leaves, or the server stops."""
        gone = asyncio.ensure_future(_hung_up(request))
        halted = asyncio.ensure_future(steps.halted.wait()) if steps else gone
        try:
            await asyncio.wait({work, gone, halted}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            work.add_done_callback(_quietly)
            if steps and steps.halted.is_set():
                raise given_up()
            if steps is None:
                work.cancel()  # one that waits for its turn does nothing
            elif operation.long == "cut":
                steps.cut.set()
            raise ClientDisconnect
        finally:
            gone.cancel()
            halted.cancel()
            if steps:
                self._at_work.discard(steps)

    def _streamed(
        self, operation: Operation, space: str, fields: dict[str, Any], form: str, request: Request
    ) -> Response:
        """Long work, told step by step; the last line has the result or the error."""
        language = language_of(request.headers.get("accept-language", ""))
        about = request.state.about
        steps = self._steps()
        caller: Caller = request.state.caller

        async def lines() -> AsyncIterator[bytes]:
            work = asyncio.ensure_future(self._work(operation, space, caller, fields, steps))
            work.add_done_callback(_quietly)
            try:
                async for step in steps:
                    yield written(form, "progress", encoded(step))
                if steps.halted.is_set():
                    raise given_up()
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
            finally:
                self._at_work.discard(steps)

        return StreamingResponse(lines(), headers={"content-type": form, **PRIVATE})

    async def _work(
        self,
        operation: Operation,
        space: str,
        caller: Caller,
        fields: dict[str, Any],
        steps: Steps | None,
    ) -> Done:
        if steps is not None and operation.progress:
            fields = {**fields, "progress": steps.progress}

        def run(memory: Memory) -> Done:
            result = operation.run(memory, fields)
            return Done(encoded(plain(result)), log_fields(result), result)  # here: it may be long

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
                steps.end()
        if operation.make:
            self._watch.wrote(space, None)
        if isinstance(done.result, Added):
            self.metrics.count("turns_added", done.result.added)
        elif isinstance(done.result, Record) and operation.name == "capture":
            self.metrics.count("memories_captured")
        return done


def _route(path: str, **endpoints: tuple[str, Endpoint]) -> Route:
    """A route with its operations by name, each with its method."""
    named = {method: (name, endpoint) for name, (method, endpoint) in endpoints.items()}
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


def _check_reach(operation: Operation, space: str, caller: Caller) -> None:
    """A space that a token does not reach is one that is not there."""
    folder_name(space)  # what can be no name is told alike to everybody
    if not caller.grant.reaches(space):
        raise no_space(space)
    walled = bool(caller.agent) or caller.chat != "direct"
    if not caller.grant.may(operation.right) or (operation.right == "owner" and walled):
        raise not_granted()


async def _hung_up(request: Request) -> None:
    """Return once the client is gone; what it sends beyond its body is dropped."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _quietly(work: asyncio.Future[Any]) -> None:
    """Work that nobody waits for may fail without a word from Python; `status` tells why."""
    if not work.cancelled():
        work.exception()


def _line_of(error: Exception) -> str:
    """Where an error came from, without what it says."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_globals.get('__name__', '')}:{trace.tb_lineno}" if trace else ""
