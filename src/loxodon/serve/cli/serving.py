"""`loxodon serve`: the memory over HTTP, and the schedule in the background."""

from __future__ import annotations

import json
import os
from argparse import Namespace

from loxodon.clock import zone_named
from loxodon.config import load
from loxodon.messages import t
from loxodon.serve.cli.opening import Outcome, clock_of, home_of, root_of
from loxodon.serve.host import Host
from loxodon.serve.logs import log

_PATIENCE = 3.0
"""Seconds that work which has begun may take to end, once the server does."""


def run(args: Namespace) -> Outcome:
    from loxodon.serve.http.app import App
    from loxodon.serve.http.guard import door
    from loxodon.serve.http.server import listen, need_uvicorn, serve, url_of
    from loxodon.serve.schedule import Runner
    from loxodon.trust.access.tokens import Grants

    need_uvicorn()
    home = home_of(args)
    token = args.token or os.environ.get("LOXODON_TOKEN") or ""
    at = door(args.host, token, Grants(root_of(args)))
    clock = clock_of(args, zone_named(load(home).timezone)) if args.now else None
    with listen(args.host, args.port) as listening:
        host = Host(home, clock, surface="http")
        host.memory(args.space)  # one that cannot be opened is told now, not to who asks first
        runner = Runner(host)
        app = App(host, at, runner=lambda: runner.standing.error)

        def ready() -> None:
            runner.start()
            _say(args, url_of(listening), home)

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


def end(host: Host) -> None:
    """Close a host for good. Work that does not end, waiting for a model, is left in the middle:
    Python would wait for its thread, and the next run goes on with it."""
    if not host.close(_PATIENCE):
        log("stopped", unfinished=True)
        os._exit(0)
