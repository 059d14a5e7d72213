"""`loxodon serve` and `loxodon ui`: the memory over HTTP, with the console, and the schedule."""

from __future__ import annotations

import json
import os
import socket
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from loxodon.cli.opening import Outcome, clock_of, home_of, root_of
from loxodon.clock import zone_named
from loxodon.config import load
from loxodon.http.host import Host
from loxodon.http.logs import log, log_only
from loxodon.messages import t

if TYPE_CHECKING:
    from loxodon.http.console import Exchange
    from loxodon.http.guard import Door

_PATIENCE = 3.0
"""Seconds that work which has begun may take to end, once the server does."""
LOOPBACK = "127.0.0.1"


def run(args: Namespace) -> Outcome:
    from loxodon.http.guard import door
    from loxodon.http.server import listen, need_uvicorn
    from loxodon.security.tokens import Grants

    need_uvicorn()
    home = home_of(args)
    token = args.token or os.environ.get("LOXODON_TOKEN") or ""
    at = door(args.host, token, Grants(root_of(args)))
    with listen(args.host, args.port) as listening:
        return _serve(args, home, at, listening, lambda url: _say(args, url, home))


def run_ui(args: Namespace) -> Outcome:
    """The console for who sits at this machine.

    The token is made for this run alone. The address that is opened has a code in its fragment,
    which browsers do not send; the page exchanges it for the token.
    """
    from secrets import token_urlsafe

    from loxodon.http.console import Exchange
    from loxodon.http.guard import Door
    from loxodon.http.server import listen, need_uvicorn
    from loxodon.security.tokens import Grants

    need_uvicorn()
    home = home_of(args)
    code, token = token_urlsafe(24), token_urlsafe(32)
    if not args.json:
        log_only("defect", "server", "stopped")
    # At the same port as before, so that the browser knows the page again.
    with listen(LOOPBACK, args.port, or_any=True) as listening:
        at = Door(token, grants=Grants(root_of(args)), own_names=True)

        def opened(url: str) -> None:
            from urllib.parse import quote

            link = f"{url}/#code={code}&space={quote(args.space, safe='')}"
            _say(args, link, home)
            if not args.no_browser:
                _browse(link, args)

        return _serve(args, home, at, listening, opened, Exchange(code, token))


def _serve(
    args: Namespace,
    home: str,
    at: Door,
    listening: socket.socket,
    began: Callable[[str], None],
    exchange: Exchange | None = None,
) -> Outcome:
    """Answer until it is told to stop; `began` gets the address once requests are answered."""
    from loxodon.http.app import App
    from loxodon.http.server import serve, url_of
    from loxodon.jobs.runner import Runner

    clock = clock_of(args, zone_named(load(home).timezone)) if args.now else None
    host = Host(home, clock, surface="http")
    host.memory(args.space)  # one that cannot be opened is told now, not to who asks first
    runner = Runner(host, logs=exchange is None or args.json)
    app = App(host, at, runner=lambda: runner.standing.error, exchange=exchange)

    def ready() -> None:
        runner.start()
        began(url_of(listening))

    try:
        most = host.config.serve.connections
        serve(app, listening, ready=ready, stopping=app.stop, connections=most)
    finally:
        runner.stop()
        end(host)
    args.json = False  # what there was to say was said when it began
    return Outcome({}, lambda: None)


def _say(args: Namespace, url: str, home: str) -> None:
    if args.json:
        print(json.dumps({"url": url, "home": home, "pid": os.getpid()}), flush=True)
    else:
        print(
            t("serving the memory at {home} on {url}; press Ctrl-C to stop", home=home, url=url),
            flush=True,
        )


def _browse(link: str, args: Namespace) -> None:
    """Open the link in a browser; say so where there is none to open."""
    import webbrowser
    from threading import Thread

    if not _has_display():
        if not args.json:
            port = link.split(":")[2].split("/")[0]
            print(
                t(
                    "no display here: open the link in a browser on this machine, or from another "
                    "one after `ssh -L {port}:127.0.0.1:{port}`",
                    port=port,
                ),
                flush=True,
            )
        return
    # Some browsers only come back when they are closed.
    Thread(target=webbrowser.open, args=(link,), daemon=True).start()


def _has_display() -> bool:
    """Whether a browser has somewhere to open: else one for the terminal would take this over."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"))


def end(host: Host) -> None:
    """Close a host for good. Work that does not end, waiting for a model, is left in the middle:
    Python would wait for its thread, and the next run goes on with it."""
    if not host.close(_PATIENCE):
        log("stopped", unfinished=True)
        os._exit(0)
