"""Answers requests: finds the operation, lets it in, does it in a thread, tells what came of it.

A plain ASGI application. It finds its routes by the parts of the path as they were sent, because
the name of a space may have a slash in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

from loxodon.errors import LoxodonError, StoreError, UsageError
from loxodon.memory import Memory
from loxodon.serve.host import Host
from loxodon.serve.http.console import Console, Exchange
from loxodon.serve.http.fields import from_query, given
from loxodon.serve.http.guard import (
    FORWARDED,
    Caller,
    Door,
    RefusedError,
    admit,
    check_place,
    is_loopback,
    not_granted,
)
from loxodon.serve.http.health import Watch
from loxodon.serve.http.metrics import Metrics
from loxodon.serve.http.operations import IN_QUERY, OPERATIONS, Operation, names_in
from loxodon.serve.http.own import OWNERS, ServerPages
from loxodon.serve.http.rates import GUESSES, Rates
from loxodon.serve.http.replies import (
    Reply,
    bytes_of,
    document,
    encoded,
    error_of,
    failed,
    refused,
    send_reply,
    start_of,
)
from loxodon.serve.http.requests import (
    GONE,
    MOST_BYTES,
    ClientGoneError,
    Message,
    Receive,
    Request,
    Scope,
    Send,
    body_of,
    json_of,
    request_of,
)
from loxodon.serve.http.streaming import Steps, form_of, given_up, written
from loxodon.serve.http.wire import plain
from loxodon.serve.logs import log, log_fields
from loxodon.spaces import folder_name, no_space
from loxodon.trust.access.acting import Actor, acting
from loxodon.trust.access.places import full_path
from loxodon.types import Added, Record
from loxodon.verbs import TEXT, Argument

Result = TypeVar("Result")

_SMALL = 1 << 16
"""Bytes of a body that is read on the spot; a larger one would keep others waiting."""
_CODE = (Argument("code", TEXT, "the code of the link that opened the page", required=True),)


class Match(NamedTuple):
    """An operation that a path asks for."""

    operation: Operation
    space: str
    names: Mapping[str, str]
    caller: Caller = Caller()


class Done(NamedTuple):
    """What an operation came to: the document as JSON, and what may be logged of it."""

    text: str
    about: Mapping[str, Any]
    result: object


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
        self._console = console or Console()
        self._exchange = exchange
        self._at_work: set[Steps] = set()
        self._stopping = False
        self._host = host
        self._door = at
        self._most = most_bytes
        self._rates = Rates(host.config.serve.rate)
        self._watch = Watch(host, runner)
        self._own = ServerPages(host, at, self._watch, self.metrics)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # a websocket: there is none here
            await send({"type": "websocket.close", "code": 1008})
            return
        started = perf_counter()
        self.metrics.running += 1
        name, status = "none", GONE
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            name, status = await self._safely(scope, receive, sending)
        except ClientGoneError:
            pass
        except Exception as error:
            # The last resort: a client gets a document, whatever is wrong with us. What the error
            # says is not logged, because it may have words of the memory in it.
            status = 500
            log("defect", operation=name, kind=type(error).__name__, at_line=_line_of(error))
            if not begun:
                await send_reply(send, failed(_defect(error), "en"))
        finally:
            self.metrics.running -= 1
            self.metrics.request(name, status, perf_counter() - started)

    async def _safely(self, scope: Scope, receive: Receive, send: Send) -> tuple[str, int]:
        """Answer a request, or say why not; what it was, and the status."""
        language = "en"
        try:
            request = request_of(scope)
            language = request.language
            return await self._answer(request, receive, send)
        except RefusedError as refusal:
            reply, code = refused(refusal, language), refusal.code
        except LoxodonError as error:
            reply, code = failed(error, language), error.code
        log("refused", status=reply.status, code=code)
        await send_reply(send, reply)
        return "refused", reply.status

    # Finding out what is asked

    async def _answer(self, request: Request, receive: Receive, send: Send) -> tuple[str, int]:
        """Answer a request; what it was, and the status."""
        open_to_all = self._open_to_all(request, receive)
        if open_to_all is not None:
            name, method, answer = open_to_all
            check_place(self._door, request.headers)
            self._rates.take(request.peer)
            return name, await self._sent(send, await self._only(method, request, answer))
        caller = self._let_in(request)
        own = self._own.at(request.parts)
        if own is not None:
            name, methods = own
            if name in OWNERS and not caller.owns_all:
                raise not_granted()
            if request.method == "OPTIONS":
                return name, await self._sent(send, _options(methods))
            method = "GET" if request.method == "HEAD" else request.method
            if method not in methods:
                raise _not_allowed(methods)
            return name, await self._sent(send, await methods[method](request, caller))
        found = _matches(request.parts)
        if not found:
            raise RefusedError(
                404,
                "no_route",
                UsageError("not found", hint="see /openapi.json or /docs for the available paths"),
            )
        if request.method == "OPTIONS":
            return "options", await self._sent(send, _options(found))
        match = found.get("GET" if request.method == "HEAD" else request.method)
        if match is None:
            raise _not_allowed(found)
        self._check_reach(match, caller)
        with acting(Actor("http", caller.agent, caller.name)):
            match = match._replace(caller=caller)
            return match.operation.name, await self._operate(match, request, receive, send)

    def _open_to_all(
        self, request: Request, receive: Receive
    ) -> tuple[str, str, Callable[[Request], Awaitable[Reply]]] | None:
        """What needs no token: the health, for whoever watches the machine, and what a browser must
        have before it can have one."""
        if request.parts == ("health",):
            return "health", "GET", self._own.health
        if request.parts == ("v1", "exchange") and self._exchange is not None:
            return "exchange", "POST", partial(self._exchanged, self._exchange, receive)
        file = self._console.asked(request)
        if file is not None:
            return "console", "GET", partial(self._file, file)
        return None

    def _let_in(self, request: Request) -> Caller:
        """Who asks; a RefusedError for who may not, or not so often."""
        self._rates.set(self._host.config.serve.rate)
        try:
            caller = admit(self._door, request.headers)
        except RefusedError as refusal:
            if refusal.status == 401:
                self._rates.take(f"wrong {request.peer}", most=GUESSES)
            raise
        self._rates.take(caller.name or request.peer)
        return caller

    def _check_reach(self, match: Match, caller: Caller) -> None:
        """A space that a token does not reach is one that is not there."""
        folder_name(match.space)  # what can be no name is told alike to everybody
        if not caller.grant.reaches(match.space):
            raise no_space(match.space)
        right = match.operation.right
        walled = bool(caller.agent) or caller.chat != "direct"
        if not caller.grant.may(right) or (right == "owner" and walled):
            raise not_granted()

    def _check_file(self, caller: Caller, request: Request) -> None:
        """A file of this machine is named by who is on it, and owns all that is here."""
        passed_on = any(name in request.headers for name in FORWARDED)
        if not self._door.local or not is_loopback(request.peer) or passed_on:
            raise RefusedError(
                403,
                "forbidden",
                UsageError(
                    "local files can only be used from this machine",
                    hint="run the command on the server's machine, or serve on 127.0.0.1",
                ),
            )
        if not caller.owns_all:
            raise not_granted()

    async def _only(
        self, method: str, request: Request, answer: Callable[[Request], Awaitable[Reply]]
    ) -> Reply:
        if request.method == "OPTIONS":
            return _options([method])
        if request.method not in (method, "HEAD"):
            raise _not_allowed([method])
        return await answer(request)

    async def _file(self, name: str, request: Request) -> Reply:
        return self._console.reply(name, request.headers)

    async def _exchanged(self, exchange: Exchange, receive: Receive, request: Request) -> Reply:
        sent = json_of(await body_of(receive, request.headers, _SMALL), request.headers)
        try:
            return document({"token": exchange.take(given(_CODE, sent)["code"])})
        except RefusedError:
            self._rates.take(f"wrong {request.peer}", most=GUESSES)
            raise

    async def _sent(self, send: Send, reply: Reply) -> int:
        await send_reply(send, reply)
        return reply.status

    # Doing it

    async def _operate(self, match: Match, request: Request, receive: Receive, send: Send) -> int:
        """Do an operation and answer with what came of it; the status."""
        operation, started = match.operation, perf_counter()
        form = form_of(request.headers.get("accept", "")) if operation.long else ""
        status = GONE
        about: dict[str, Any] = {}
        try:
            fields = await self._given(match, request, receive)
            if form:
                status, about = await self._stream(match, fields, form, request, receive, send)
            else:
                done = await self._call(match, fields, receive)
                about = dict(done.about)
                status = await self._sent(send, Reply(operation.status, bytes_of(done.text)))
        except LoxodonError as error:
            about = {"code": error.code}
            status = await self._sent(send, failed(error, request.language))
        except RefusedError as refusal:
            about = {"code": refusal.code}
            status = await self._sent(send, refused(refusal, request.language))
        finally:
            log(
                operation.name,
                space=match.space,
                status=status,
                ms=round((perf_counter() - started) * 1e3, 2),
                **about,
            )
        return status

    async def _given(self, match: Match, request: Request, receive: Receive) -> dict[str, Any]:
        """The fields of a request, checked, with those of its path."""
        operation = match.operation
        if operation.method in IN_QUERY:
            found = given(operation.takes, from_query(operation.takes, request.pairs()))
        else:
            if request.query:
                given((), dict(request.pairs()))  # a field in the wrong place is told, not lost
            body = await body_of(receive, request.headers, self._most)

            def parse() -> dict[str, Any]:
                return given(operation.takes, json_of(body, request.headers))

            found = parse() if len(body) <= _SMALL else await self._host.run(parse)
        for name in operation.local:
            if name in found:
                self._check_file(match.caller, request)
                full_path(name, found[name])
        if found.get("reveal") and not _may_reveal(match.caller):
            raise not_granted()
        key = request.headers.get("idempotency-key", "")
        if key and any(field.name == "token" for field in operation.takes):
            found.setdefault("token", key)
        return {**found, **match.names}

    def stop(self) -> None:
        """Give up long work: the server is about to end."""
        self._stopping = True
        for steps in self._at_work:
            steps.halt()

    async def _call(self, match: Match, fields: dict[str, Any], receive: Receive) -> Done:
        """Do it, and give it up where it can be once whoever asked is gone."""
        if match.operation.long:
            return await self._long(match, fields, receive, _untold)
        return await _while_there(self._work(match, fields, None), receive)

    async def _long(
        self,
        match: Match,
        fields: dict[str, Any],
        receive: Receive,
        tell: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> Done:
        """Do long work and tell each step; it is left to itself where nobody waits for it."""
        steps = Steps()
        self._at_work.add(steps)
        if self._stopping:
            steps.halt()
        work = asyncio.ensure_future(self._work(match, fields, steps))
        gone = asyncio.ensure_future(_hung_up(receive))
        gone.add_done_callback(lambda _: steps.end())
        try:
            while (step := await steps.next()) is not None:
                await tell(step)
            if not steps.halted and not gone.done():
                return await work
            work.add_done_callback(_quietly)
            if steps.halted:
                raise given_up()
            if match.operation.long == "cut":
                steps.cut.set()
            raise ClientGoneError
        finally:
            self._at_work.discard(steps)
            gone.cancel()

    async def _work(self, match: Match, fields: dict[str, Any], steps: Steps | None) -> Done:
        operation = match.operation
        if steps is not None and operation.progress:
            fields = {**fields, "progress": steps.progress}

        def run(memory: Memory) -> Done:
            result = operation.run(memory, fields)
            return Done(encoded(plain(result)), log_fields(result), result)  # here: it may be long

        try:
            done = await self._host.call(
                match.space,
                run,
                make=operation.make,
                apart=bool(operation.long),
                agent=match.caller.agent,
                chat=match.caller.chat,
                relays=match.caller.relays,
            )
        except StoreError as error:
            if operation.make:
                self._watch.wrote(match.space, error)
            raise
        finally:
            if steps is not None:
                steps.end()
        self._count(match, done.result)
        return done

    def _count(self, match: Match, result: object) -> None:
        if match.operation.make:
            self._watch.wrote(match.space, None)
        if isinstance(result, Added):
            self.metrics.count("turns_added", result.added)
        elif isinstance(result, Record) and match.operation.name == "capture":
            self.metrics.count("memories_captured")

    async def _stream(
        self,
        match: Match,
        fields: dict[str, Any],
        form: str,
        request: Request,
        receive: Receive,
        send: Send,
    ) -> tuple[int, dict[str, Any]]:
        """Do long work and answer with each step; the status, and what may be logged."""

        async def tell(event: str, text: str, more: bool = True) -> None:
            body = bytes_of(written(form, event, text))
            await send({"type": "http.response.body", "body": body, "more_body": more})

        await send(start_of(200, form, {}))
        try:
            done = await self._long(
                match, fields, receive, lambda step: tell("progress", encoded(step))
            )
        except LoxodonError as error:  # the head is sent: the last line says so
            said = error_of(error, request.language)["error"]
            await tell("error", encoded(said), more=False)
            return 200, {"code": error.code}
        await tell("result", done.text, more=False)
        return 200, dict(done.about)


async def _while_there(work: Awaitable[Result], receive: Receive) -> Result:
    """What `work` returns; where whoever asked hangs up first, it is cancelled."""
    waiting = asyncio.current_task()

    def leave(watch: asyncio.Future[None]) -> None:
        if waiting is not None and not watch.cancelled():
            waiting.cancel()

    gone = asyncio.ensure_future(_hung_up(receive))
    gone.add_done_callback(leave)
    try:
        return await work
    except asyncio.CancelledError:
        if gone.done() and waiting is not None and not waiting.uncancel():
            raise ClientGoneError from None
        raise
    finally:
        waiting = None  # who hangs up from here on breaks nothing off
        gone.cancel()


async def _untold(step: Mapping[str, Any]) -> None:
    """Nobody asked how it comes along."""


async def _hung_up(receive: Receive) -> None:
    """Return once the client is gone; what it sends beyond its body is dropped."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _quietly(task: asyncio.Future[Any]) -> None:
    """Work that nobody waits for may fail without a word from Python; `status` tells why."""
    if not task.cancelled():
        task.exception()


def _tree() -> dict[tuple[str, ...], dict[str, Operation]]:
    """The operations by the parts of their path, in which a name in braces is empty."""
    found: dict[tuple[str, ...], dict[str, Operation]] = {}
    for one in OPERATIONS:
        parts = tuple("" if part[0] == "{" else part for part in one.path.split("/")[1:])
        found.setdefault(parts, {})[one.method] = one
    return found


_TREE = _tree()


def _matches(parts: tuple[str, ...]) -> dict[str, Match]:
    """What a path can mean, by method."""
    if parts[:2] != ("v1", "spaces") or len(parts) < 4:
        return {}
    rest = parts[3:]
    found = _TREE.get(rest)
    named = ""
    if found is None and len(rest) > 1:  # the second part of a path may be a name
        found = _TREE.get((rest[0], "", *rest[2:]))
        named = rest[1]
    matches = {}
    for method, operation in (found or {}).items():
        names = names_in(operation.path)
        matches[method] = Match(operation, parts[2], dict.fromkeys(names, named))
    return matches


def _may_reveal(caller: Caller) -> bool:
    """Whether what is masked may be shown: to the owner, where nobody else hears it."""
    return caller.grant.may("owner") and not caller.agent and caller.chat == "direct"


def _options(methods: Any) -> Reply:
    return Reply(204, b"", headers={"allow": _allowed(methods)})


def _not_allowed(methods: Any) -> RefusedError:
    return RefusedError(
        405,
        "no_method",
        UsageError("this path only accepts {methods}", methods=_allowed(methods)),
        {"allow": _allowed(methods)},
    )


def _allowed(methods: Any) -> str:
    every = set(methods) | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    return ", ".join(sorted(every))


def _defect(error: Exception) -> LoxodonError:
    return LoxodonError(
        "unexpected error: {kind}",
        hint="this is a bug; please report it",
        kind=type(error).__name__,
    )


def _line_of(error: Exception) -> str:
    """Where an error came from, without what it says."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f"{trace.tb_frame.f_globals.get('__name__', '')}:{trace.tb_lineno}"
