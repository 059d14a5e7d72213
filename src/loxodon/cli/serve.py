"""Commands that run a server: over HTTP with the console, as a proxy of a model, over MCP."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from loxodon.cli.call import Call, Result
from loxodon.cli.parser import arg, command, number, whole
from loxodon.clock import Clock
from loxodon.errors import INSTALL, ConfigError, UsageError
from loxodon.memory import Memory
from loxodon.messages import t

if TYPE_CHECKING:
    from loxodon.http.guard import Door
    from loxodon.mcp.server import Served

_THREADS = 2  # that recall, and as many that journal; more would only stand in the streams' way
_PATIENCE = 3.0  # seconds that work which has begun may take to end, once the server does
_LOOPBACK = "127.0.0.1"
ADDRESS = (
    arg("--host ADDRESS", "address to listen on (127.0.0.1)", default=_LOOPBACK),
    arg(
        "--token TEXT",
        "access token that clients must send (LOXODON_TOKEN); required unless listening on this "
        "machine only",
        default="",
    ),
)
_PORT = "port to listen on; 0 for any free port"


def _door(call: Call) -> Door:
    from loxodon.http.guard import door
    from loxodon.security.tokens import Grants

    token = call.token or os.environ.get("LOXODON_TOKEN") or ""
    return door(call.host, token, Grants(call.root))


def _clock(call: Call) -> Clock | None:
    """The moment that was given for now; a server else asks the clock itself."""
    return call.clock if call.now else None


def _began(call: Call, said: str, **data: object) -> None:
    print(json.dumps({**data, "pid": os.getpid()}) if call.json else said, flush=True)


def _serving(call: Call, url: str) -> None:
    home = call.folder
    said = t("serving the memory at {home} on {url}; press Ctrl-C to stop", home=home, url=url)
    _began(call, said, url=url, home=home)


@command(*ADDRESS, arg("--port N", _PORT + " (8710)", type=whole, default=8710))
def serve(call: Call) -> Result:
    """Serve the memory over HTTP, with the console for browsers, and run its background jobs."""
    from loxodon.http.server import listen, need_uvicorn

    need_uvicorn()
    at = _door(call)
    with listen(call.host, call.port) as listening:
        return _serve(call, at, listening, lambda url: _serving(call, url))


@command(
    arg(
        "--port N",
        "port to listen on (8713); another one if it is in use",
        type=whole,
        default=8713,
    ),
    arg("--no-browser", "only print the link"),
)
def ui(call: Call) -> Result:
    """Open the console in your browser: what is known, why, and what waits for you.

    The token is made for this run alone. The address that is opened has a code in its fragment,
    which browsers do not send; the page exchanges it for the token.
    """
    from secrets import token_urlsafe
    from urllib.parse import quote

    from loxodon.http.console import Exchange
    from loxodon.http.guard import Door
    from loxodon.http.logs import log_only
    from loxodon.http.server import listen, need_uvicorn
    from loxodon.security.tokens import Grants

    need_uvicorn()
    code, token = token_urlsafe(24), token_urlsafe(32)
    if not call.json:
        log_only("defect", "server", "stopped")

    def opened(url: str) -> None:
        link = f"{url}/#code={code}&space={quote(call.space, safe='')}"
        _serving(call, link)
        if not call.no_browser:
            _browse(link, call)

    # At the same port as before, so that the browser knows the page again.
    with listen(_LOOPBACK, call.port, or_any=True) as listening:
        at = Door(token, grants=Grants(call.root), own_names=True)
        return _serve(call, at, listening, opened, Exchange(code, token))


def _serve(
    call: Call, at: Door, listening: Any, began: Callable[[str], None], exchange: Any = None
) -> Result:
    """Answer until it is told to stop; `began` gets the address once requests are answered."""
    from loxodon.http.app import App
    from loxodon.http.host import Host
    from loxodon.http.logs import log
    from loxodon.http.server import serve, url_of
    from loxodon.jobs.runner import Runner

    host = Host(call.folder, _clock(call), surface="http")
    host.memory(call.space)  # one that cannot be opened is told now, not to who asks first
    runner = Runner(host, logs=exchange is None or call.json)
    app = App(host, at, runner=lambda: runner.standing.error, exchange=exchange)

    def ready() -> None:
        runner.start()
        began(url_of(listening))

    try:
        most = host.config.serve.connections
        serve(app, listening, ready=ready, stopping=app.stop, connections=most)
    finally:
        runner.stop()
        if not host.close(_PATIENCE):
            # Work that does not end, waiting for a model, is left in the middle: Python would wait
            # for its thread, and the next run goes on with it.
            log("stopped", unfinished=True)
            os._exit(0)
    return Result({}, printed=True)


def _browse(link: str, call: Call) -> None:
    """Open the link in a browser; say so where there is none to open."""
    import webbrowser
    from threading import Thread

    displays = ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME")
    # Without a display, a browser for the terminal would take this one over.
    if sys.platform in ("darwin", "win32") or any(map(os.environ.get, displays)):
        # Some browsers only come back when they are closed.
        Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    elif not call.json:
        said = t(
            "no display here: open the link in a browser on this machine, or from another one "
            "after `ssh -L {port}:127.0.0.1:{port}`",
            port=link.split(":")[2].split("/")[0],
        )
        print(said, flush=True)


@command(
    arg(
        "--upstream URL",
        "base URL of the model's server, such as https://api.openai.com/v1",
        required=True,
    ),
    *ADDRESS,
    arg("--port N", _PORT + " (8711)", type=whole, default=8711),
    arg(
        "--key-env NAME",
        "environment variable with the upstream's API key (default: each client sends its own)",
    ),
    arg(
        "--space-by",
        "how to tell users apart: user (a header or the request's user), key (then also by API "
        "key) or fixed (a header only)",
        choices=("user", "key", "fixed"),
        default="user",
    ),
    arg(
        "--limit SECONDS",
        "how long a request waits for the memory, in seconds (1.5)",
        type=number,
        default=1.5,
    ),
    arg(
        "--timeout SECONDS",
        "how long to wait for data from the upstream, in seconds (600)",
        type=number,
        default=600.0,
    ),
    arg("--explain", "log the ids of recalled memories"),
)
def proxy(call: Call) -> Result:
    """Add memory to any client, as a proxy in front of its model."""
    from loxodon.http.host import Host
    from loxodon.http.server import listen, need_uvicorn, serve, url_of

    need_uvicorn()  # with which come starlette and httpx
    from loxodon.jobs.runner import Runner
    from loxodon.proxy.app import App
    from loxodon.proxy.exchange import Memories
    from loxodon.proxy.requests import SpaceRule
    from loxodon.proxy.upstream import Upstream

    at = _door(call)
    key = os.environ.get(call.key_env, "").strip() if call.key_env else ""
    if call.key_env and not (key and key.isascii() and key.isprintable()):
        raise UsageError(
            "the environment variable {name} is not set",
            hint="set it, or omit --key-env",
            name=call.key_env,
        )
    for option in ("timeout", "limit"):
        if not 0 < getattr(call, option) <= 86_400:
            raise UsageError(
                "{option} must be more than 0 and at most 86400 seconds", option=f"--{option}"
            )
    upstream = Upstream(call.upstream, key, call.timeout)
    with (
        listen(call.host, call.port) as listening,
        Host(call.folder, _clock(call), threads=_THREADS, surface="proxy") as recalling,
        Host(call.folder, _clock(call), threads=_THREADS, surface="proxy") as journal,
    ):
        warm(recalling.memory(call.space))  # one that cannot be opened is told now
        runner = Runner(journal)
        app = App(
            upstream,
            Memories(recalling, journal, call.limit, explain=call.explain),
            at,
            SpaceRule(call.space, call.space_by),
            key_is_ours=bool(call.key_env),
            rate=recalling.config.serve.rate,
        )
        url = f"{url_of(listening)}/v1"
        data = {"url": url, "upstream": upstream.base, "home": call.folder}
        said = t(
            "set your client's base URL to {url}; requests go to {upstream} and are remembered "
            "at {home}; press Ctrl-C to stop",
            **data,
        )

        def ready() -> None:
            runner.start()
            _began(call, said, **data)

        try:
            most = recalling.config.serve.connections
            serve(app, listening, ready=ready, connections=most)
        finally:
            runner.stop()
    return Result({}, printed=True)


def warm(memory: Memory) -> None:
    """Load what a recall needs, so that the first client does not wait for it."""
    if not memory.config.enabled:
        return
    for words in ("What did I say yesterday?", "我昨天说了什么？"):
        memory.gate(words)
        memory.recall(words, as_of=memory.now())  # which counts no use
    memory.snapshot()


@command(
    arg(
        "--chat",
        "who sees the answer; group leaves out private memories",
        choices=("direct", "group", "room"),
        default="direct",
    ),
    arg(
        "--audience",
        "who may see memories saved here (private; with --chat group: group)",
        choices=("private", "group", "all"),
    ),
    arg("--no-background", "do not run the background jobs: flush, consolidate, heartbeat"),
    arg("--background", "run them; this is the default"),
    arg(
        "--no-journal",
        "do not journal what is said; for an agent whose conversations are journalled in another "
        "way, such as by hooks",
    ),
    arg("--http", "use streamable HTTP instead of standard input and output"),
    *ADDRESS,
    arg("--port N", _PORT + " (8712)", type=whole, default=8712),
)
def mcp(call: Call) -> Result:
    """Serve the memory to an agent over MCP."""
    if call.http:
        from loxodon.http.server import listen, url_of

        at = _door(call)
        with listen(call.host, call.port) as listening:
            _load_sdk()
            from loxodon.mcp.transports import PATH, serve_http

            with _served(call) as served:
                url = url_of(listening) + PATH
                serve_http(served, listening, at, lambda: _serving(call, url))
    elif (call.host, call.port, call.token) != (_LOOPBACK, 8712, ""):
        raise UsageError("--host, --port and --token need --http", hint="add --http")
    else:
        _load_sdk()
        from loxodon.mcp.transports import serve_pipes

        with _served(call) as served:
            serve_pipes(served)
    return Result({}, printed=True)


@contextmanager
def _served(call: Call) -> Iterator[Served]:
    """The memory that the options name, open, and the schedule beside it."""
    from loxodon.http.host import Host
    from loxodon.jobs.runner import Runner
    from loxodon.mcp.server import Served

    with Host(call.folder, _clock(call), surface="mcp") as host:
        host.memory(call.space)  # one that cannot be opened is told now, not to who asks first
        runner = Runner(host)
        if not call.no_background:
            runner.start()
        try:
            audience: Any = call.audience or ("private" if call.chat == "direct" else "group")
            agent, journals = call.as_agent, not call.no_journal
            yield Served(
                host, call.space, call.chat, audience, agent, call.relays, journals=journals
            )
        finally:
            runner.stop()


def _load_sdk() -> None:
    """Load the SDK. It makes many thousand objects that stay: looking through them for garbage
    meanwhile would take a quarter of the time until the first answer."""
    gc.disable()
    try:
        import mcp.server.lowlevel  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            "the server needs {module}, which cannot be imported: {reason}",
            hint=INSTALL,
            module="mcp",
            extra="mcp",
            reason=error,
        ) from None
    finally:
        gc.enable()
    gc.freeze()
