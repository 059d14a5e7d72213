"""Runs an application on a port until it is told to stop; used by every server of Loxodon."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from loxodon.errors import ConfigError, UsageError, install_hint
from loxodon.serve.logs import log

_TURN_SECONDS = 0.001
"""How long a thread computes while others wait for the interpreter."""
GRACE_SECONDS = 5
"""How long requests that are being answered may take once the server is told to stop."""
KEPT_SECONDS = 75
"""How long a connection that says nothing stays open: longer than clients keep theirs, so that none
sends a request into one that is being closed."""
CONNECTIONS = 1_000
_BACKLOG = 2048


def listen(host: str, port: int, *, or_any: bool = False) -> socket.socket:
    """A socket at an address (port 0: any that is free); a UsageError where it cannot be had.

    With `or_any`, another port is taken where this one is in use.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Named as TCP, or asyncio leaves Nagle's algorithm on and every answer waits 40 ms.
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:
        raise _unheard(host, port, error) from None
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        found.close()
        if or_any and getattr(error, "errno", None) == errno.EADDRINUSE:
            return listen(host, 0)
        raise _unheard(host, port, error) from None
    return found


def _unheard(host: str, port: int, error: Exception) -> UsageError:
    if getattr(error, "errno", None) == errno.EADDRINUSE:
        return UsageError(
            "{host} port {port} is already in use",
            hint="choose another port with --port; two servers may share a home",
            host=host,
            port=port,
        )
    return UsageError(
        "cannot listen on {host} port {port}: {reason}",
        hint="choose another address with --host and --port",
        host=host,
        port=port,
        reason=getattr(error, "strerror", None) or error,
    )


def url_of(listening: socket.socket) -> str:
    """The address of a server, as one types it."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def need_uvicorn() -> Any:
    """uvicorn, which the extra `serve` brings, with the parser that it reads requests by."""
    try:
        import httptools  # noqa: F401 looked for before it is needed, as starlette is
        import starlette  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise ConfigError(
            "the server needs {module}, which cannot be imported: {reason}",
            hint=install_hint(),
            extra="serve",
            module=error.name or "uvicorn",
            reason=error,
        ) from None
    return uvicorn


def serve(
    app: Any,
    listening: socket.socket,
    *,
    ready: Callable[[], None] = lambda: None,
    stopping: Callable[[], None] = lambda: None,
    connections: int = CONNECTIONS,
) -> None:
    """Answer requests until SIGINT or SIGTERM; a second one ends it at once.

    `ready` is called once requests are answered, `stopping` when none is taken any more. At most
    `connections` are open at once.
    """
    uvicorn = need_uvicorn()
    from loxodon.serve.http.patience import protocol

    class Server(uvicorn.Server):  # type: ignore[name-defined, misc]
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # they are handled here, so that a stop that was asked for is no failure

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    settings = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        backlog=_BACKLOG,
        timeout_keep_alive=KEPT_SECONDS,
        http=protocol(connections),
    )
    # A recall computes in a thread for as long as it may; whoever else is to be answered waits.
    sys.setswitchinterval(_TURN_SECONDS)
    with _logged():
        asyncio.run(_until_stopped(Server(settings), listening, stopping))


async def _until_stopped(
    server: Any, listening: socket.socket, stopping: Callable[[], None]
) -> None:
    def stop() -> None:
        if server.should_exit:
            server.force_exit = True
        server.should_exit = True
        stopping()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
    await server.serve(sockets=[listening])


@contextmanager
def _logged() -> Iterator[None]:
    """What uvicorn and asyncio have to say, as lines like ours."""
    loggers = [logging.getLogger(name) for name in ("uvicorn", "asyncio")]
    handler = _Handler(logging.WARNING)
    propagated = [logger.propagate for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, propagates in zip(loggers, propagated, strict=True):
            logger.removeHandler(handler)
            logger.propagate = propagates


class _Handler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        with suppress(Exception):  # a log line is never worth an error
            log("server", level=record.levelname.lower(), message=record.getMessage())
