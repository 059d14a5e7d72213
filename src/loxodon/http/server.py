"""Runs an application on a port until it is told to stop; used by every server of Loxodon."""

from __future__ import annotations

import errno
import logging
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from typing import Any

from loxodon.errors import INSTALL, ConfigError, InputError, UsageError
from loxodon.http.logs import log

_TURN_SECONDS = 0.001  # how long a thread computes while others wait for the interpreter
HEAD_BYTES, _WHO_ASKS = 32_768, (b"x-loxodon-", b"authorization")
GRACE_SECONDS = 20  # for requests that are being answered when the server is told to stop
# How long an idle connection stays open: longer than clients keep theirs, so that none sends a
# request into one that is being closed.
KEPT_SECONDS = 75
_BACKLOG, _CONNECTIONS = 2048, 1_000


def listen(host: str, port: int, *, or_any: bool = False) -> socket.socket:
    """A socket at an address (port 0: any that is free); `or_any`: another if it is in use."""
    found = None
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Named as TCP, or asyncio leaves Nagle's algorithm on and every answer waits 40 ms.
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(_BACKLOG)
        return found
    except (OSError, OverflowError, UnicodeError) as error:
        if found is not None:
            found.close()
        if or_any and getattr(error, "errno", None) == errno.EADDRINUSE:
            return listen(host, 0)
        raise UsageError(
            "cannot listen on {host} port {port}: {reason}",
            hint="choose another address with --host and --port; two servers may share a home",
            host=host,
            port=port,
            reason=getattr(error, "strerror", None) or error,
        ) from None


def url_of(listening: socket.socket) -> str:
    """The address of a server, as one types it."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def need_uvicorn() -> Any:
    """uvicorn, which the extra `serve` brings."""
    try:
        import starlette  # noqa: F401 looked for before it is needed
        import uvicorn
    except ImportError as error:
        raise ConfigError(
            "the server needs {module}, which cannot be imported: {reason}",
            hint=INSTALL,
            extra="serve",
            module=error.name or "uvicorn",
            reason=error,
        ) from None
    return uvicorn


def with_plain_heads(app: Any) -> Any:
    """`app` for requests that say once who asks, in a head that is not too large."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        from loxodon.http.bodies import failed

        ours = [name for name, _ in scope["headers"] if name.startswith(_WHO_ASKS)]
        size = sum(map(len, chain.from_iterable(scope["headers"])))
        if len({*ours}) == len(ours) and size <= HEAD_BYTES:
            await app(scope, receive, send)
        else:
            error = InputError("the headers are too large, or one that says who asks appears twice")
            await failed(error, "en")(scope, receive, send)

    return answer


def serve(
    app: Any,
    listening: socket.socket,
    *,
    ready: Callable[[], None] = lambda: None,
    stopping: Callable[[], None] = lambda: None,
) -> None:
    """Answer requests until SIGINT or SIGTERM; beyond `_CONNECTIONS` at once, one gets 503."""
    uvicorn = need_uvicorn()

    class Server(uvicorn.Server):  # type: ignore[name-defined, misc]
        def handle_exit(self, sig: int, frame: Any) -> None:
            # Not handed on to uvicorn, which would raise the signal again: a stop is no failure.
            self.should_exit, self.force_exit = True, bool(self.should_exit)
            stopping()

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    # A recall computes in a thread for as long as it may; whoever else is to be answered waits.
    sys.setswitchinterval(_TURN_SECONDS)
    for name in ("uvicorn", "asyncio"):
        logging.getLogger(name).handlers = [_Handler(logging.WARNING)]
        logging.getLogger(name).propagate = False
    settings = uvicorn.Config(
        with_plain_heads(app),
        http="h11",
        h11_max_incomplete_event_size=HEAD_BYTES,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=KEPT_SECONDS,
        backlog=_BACKLOG,
        limit_concurrency=_CONNECTIONS,
    )
    Server(settings).run(sockets=[listening])


class _Handler(logging.Handler):
    """What uvicorn and asyncio have to say, as lines like ours."""

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(Exception):  # a log line is never worth an error
            log("server", level=record.levelname.lower(), message=record.getMessage())
