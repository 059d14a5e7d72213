"""Commands that run a server: over HTTP with the console, as a proxy of a model, over MCP."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from contextlib import ExitStack
from threading import Thread
from typing import Any
from urllib.parse import quote

from loxodon.cli.commands import CHAT, Call, arg, command, need_mcp
from loxodon.errors import UsageError
from loxodon.http import server
from loxodon.http.guard import Door, door
from loxodon.http.host import Host
from loxodon.http.logs import log, log_only
from loxodon.jobs.runner import Runner
from loxodon.messages import t
from loxodon.security.tokens import Grants
from loxodon.spaces import has_space

_THREADS = 2  # that recall, and as many that journal; more would only stand in the streams' way
_PATIENCE = 3.0  # seconds that work which has begun may take to end, once the server does
_LOOPBACK = "127.0.0.1"
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME")
_PORTS = {"serve": 8710, "proxy": 8711, "mcp": 8712, "ui": 8713}
ADDRESS = (
    arg("--host ADDRESS", "address to listen on (127.0.0.1)", default=_LOOPBACK),
    arg("--token TEXT", "access token (LOXODON_TOKEN); not needed on this machine", default=""),
    arg("--port N", "port to listen on (serve 8710, proxy 8711, mcp 8712; 0: any)"),
)


def _door(call: Call) -> Door:
    return door(call.host, call.token or os.environ.get("LOXODON_TOKEN") or "", Grants(call.root))


def _listen(call: Call, address: str) -> Any:
    server.need_uvicorn()
    port = _PORTS[call.command.name] if call.port is None else call.port
    return server.listen(address, port, or_any=call.command.name == "ui")


def _host(call: Call, surface: str, **how: Any) -> Host:
    """The memories of the home; one that cannot be opened is told now, not to who asks first."""
    # A server asks the clock itself, unless it is told what to take for now.
    told = call.now or os.environ.get("LOXODON_NOW")
    host = Host(call.home_folder, call.clock if told else None, surface=surface, **how)
    if call.command.name == "ui" and call.space == "main" and not has_space(call.root, "main"):
        return host  # the console says how to begin; the first memory makes its space
    with host.using(call.space, make=call.command.name != "ui"):
        return host


def _serving(call: Call, url: str, **more: str) -> None:
    """Say that requests are answered now."""
    told = {"url": url, "home": call.home_folder, **more}
    said = t("serving the memory at {home} on {url}; press Ctrl-C to stop", **told)
    print(json.dumps({**told, "pid": os.getpid()}) if call.json else said, flush=True)


@command(*ADDRESS)
def serve(call: Call) -> None:
    """Serve the memory over HTTP, with the console for browsers, and run its background jobs."""
    _serve(call, call.host, _door(call))


@command(
    arg("--port N", "port to listen on (8713); another one if it is in use"),
    arg("--no-browser", "only print the link"),
)
def ui(call: Call) -> None:
    """Open the console in your browser: what is known, why, and what waits for you.

    The token is made for this run alone. The address that is opened has a code in its fragment,
    which browsers do not send; the page exchanges it for the token.
    """
    from secrets import token_urlsafe

    if not call.json:
        log_only("defect", "server", "stopped")
    at = Door(token_urlsafe(32), grants=Grants(call.root), own_names=True)
    _serve(call, _LOOPBACK, at, code=token_urlsafe(24))


def _serve(call: Call, address: str, at: Door, code: str = "") -> None:
    """Answer until it is told to stop; with a code, the console is opened."""
    with _listen(call, address) as listening:
        from loxodon.http.app import App
        from loxodon.http.console import Exchange

        host = _host(call, "http")
        runner = Runner(host.home, logs=call.json or not code)
        exchange = Exchange(code, at.token) if code else None
        app = App(host, at, runner=lambda: runner.error, exchange=exchange)

        def ready() -> None:
            runner.start()
            link = f"/#code={code}&space={quote(call.space, safe='')}" if code else ""
            url = server.url_of(listening) + link
            _serving(call, url)
            # Without a display, a browser for the terminal would take this one over.
            shows = sys.platform == "darwin" or any(map(os.environ.get, _DISPLAYS))
            if code and shows and not call.no_browser:
                # Some browsers only come back when they are closed.
                Thread(target=webbrowser.open, args=(url,), daemon=True).start()

        try:
            server.serve(app, listening, ready=ready, stopping=app.stop)
        finally:
            runner.stop()
            if not host.close(_PATIENCE):
                # Work that does not end, waiting for a model, is left in the middle: Python would
                # wait for its thread, and the next run goes on with it.
                log("stopped", unfinished=True)
                os._exit(0)


@command(
    arg("--upstream URL", "the model's server: https://api.openai.com/v1", required=True),
    *ADDRESS,
    arg("--key-env NAME", "variable with the API key (default: each client sends its own)"),
    arg("--space-by user|key|fixed", "how to tell users apart (user)", default="user"),
    arg("--limit SECONDS", "how long to wait for the memory (1.5)", type=float, default=1.5),
    arg("--timeout SECONDS", "how long to wait for data (600)", type=float, default=600.0),
    arg("--explain", "log the ids of recalled memories"),
)
def proxy(call: Call) -> None:
    """Add memory to any client, as a proxy in front of its model."""
    server.need_uvicorn()  # with which come starlette and httpx
    from loxodon.proxy.app import App
    from loxodon.proxy.exchange import Memories
    from loxodon.proxy.requests import SpaceRule
    from loxodon.proxy.upstream import Upstream

    at = _door(call)
    key = os.environ.get(call.key_env, "").strip() if call.key_env else ""
    if call.key_env and not (key and key.isascii() and key.isprintable()):
        raise UsageError("the environment variable {name} is not set", name=call.key_env)
    if not (0 < call.timeout <= 86_400 and 0 < call.limit <= 86_400):
        raise UsageError("--timeout and --limit must be more than 0 and at most 86400 seconds")
    upstream = Upstream(call.upstream, key, call.timeout)
    with ExitStack() as stack:
        listening = stack.enter_context(_listen(call, call.host))
        recalling, journal = (
            stack.enter_context(_host(call, "proxy", threads=_THREADS)) for _ in range(2)
        )
        with recalling.using(call.space) as memory:
            # Load what a recall needs, so that the first client does not wait for it.
            for words in ("What did I say?", "我昨天说了什么？") if memory.config.enabled else ():
                memory.gate(words)
                memory.recall(words, as_of=memory.now())  # which counts no use
                memory.snapshot()
        memories = Memories(recalling, journal, call.limit, explain=call.explain)
        rule, rate = SpaceRule(call.space, call.space_by), recalling.config.serve.rate
        how: Any = {"key_is_ours": bool(call.key_env), "rate": rate}
        runner = Runner(journal.home)
        stack.callback(runner.stop)

        def ready() -> None:
            runner.start()
            _serving(call, f"{server.url_of(listening)}/v1", upstream=upstream.base)

        server.serve(App(upstream, memories, at, rule, **how), listening, ready=ready)


@command(
    CHAT,
    arg("--audience private|group|all", "who may see memories saved here"),
    arg("--no-background", "do not run the background jobs: flush, consolidate, heartbeat"),
    arg("--no-journal", "do not journal what is said: hooks or others do"),
    arg("--http", "use streamable HTTP instead of standard input and output"),
    *ADDRESS,
)
def mcp(call: Call) -> None:
    """Serve the memory to an agent over MCP."""
    need_mcp()
    from loxodon.mcp.server import PATH, App, Served, serve_pipes

    if not call.http and (call.host, call.port, call.token) != (_LOOPBACK, None, ""):
        raise UsageError("--host, --port and --token need --http")
    with ExitStack() as stack:
        at = _door(call) if call.http else None
        listening: Any = stack.enter_context(_listen(call, call.host)) if at else None
        host = stack.enter_context(_host(call, "mcp"))
        runner = Runner(host.home)
        stack.callback(runner.stop)
        if not call.no_background:
            runner.start()
        audience: Any = call.audience or ("private" if call.chat == "direct" else "group")
        who = (call.space, call.chat, audience, call.as_agent, call.relays_user)
        served = Served(host, *who, journals=not call.no_journal)
        if at:
            url = server.url_of(listening) + PATH
            server.serve(App(served, at), listening, ready=lambda: _serving(call, url))
        else:
            serve_pipes(served)
