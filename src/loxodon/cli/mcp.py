"""`loxodon mcp`: the memory as tools, for the agent that starts it or over HTTP."""

from __future__ import annotations

import gc
import json
import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loxodon.cli.opening import Outcome, clock_of, home_of, root_of
from loxodon.cli.table import COMMANDS
from loxodon.clock import zone_named
from loxodon.config import load
from loxodon.errors import ConfigError, UsageError, install_hint
from loxodon.messages import t
from loxodon.types import Audience

if TYPE_CHECKING:
    from loxodon.mcp.server import Served

_ADDRESS = [one for one in COMMANDS["mcp"].takes if one.name in ("host", "port", "token")]


def run(args: Namespace) -> Outcome:
    if args.http:
        _over_http(args)
    elif any(getattr(args, one.name) != one.default for one in _ADDRESS):
        raise UsageError("--host, --port and --token need --http", hint="add --http")
    else:
        _load_sdk()
        from loxodon.mcp.transports import serve_pipes

        with _served(args) as served:
            serve_pipes(served)
    args.json = False  # standard output was for the protocol, or has said all
    return Outcome({}, lambda: None)


def _over_http(args: Namespace) -> None:
    from loxodon.http.guard import door
    from loxodon.http.server import listen, url_of
    from loxodon.security.tokens import Grants

    token = args.token or os.environ.get("LOXODON_TOKEN") or ""
    at = door(args.host, token, Grants(root_of(args)))
    with listen(args.host, args.port) as listening:
        _load_sdk()
        from loxodon.mcp.transports import PATH, serve_http

        with _served(args) as served:
            home, url = served.host.home, url_of(listening) + PATH
            said = t(
                "serving the memory at {home} on {url}; press Ctrl-C to stop", home=home, url=url
            )
            if args.json:
                said = json.dumps({"url": url, "home": home, "pid": os.getpid()})
            serve_http(served, listening, at, lambda: print(said, flush=True))


@contextmanager
def _served(args: Namespace) -> Iterator[Served]:
    """The memory that the options name, open, and the schedule beside it."""
    from loxodon.http.host import Host
    from loxodon.jobs.runner import Runner
    from loxodon.mcp.server import Served

    home = home_of(args)
    clock = clock_of(args, zone_named(load(home).timezone)) if args.now else None
    with Host(home, clock, surface="mcp") as host:
        host.memory(args.space)  # one that cannot be opened is told now, not to who asks first
        runner = Runner(host)
        if not args.no_background:
            runner.start()
        try:
            audience: Audience = "private" if args.chat == "direct" else "group"
            yield Served(
                host,
                args.space,
                args.chat,
                args.audience or audience,
                args.as_agent,
                args.relays,
                journals=not args.no_journal,
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
            hint=install_hint(),
            module="mcp",
            extra="mcp",
            reason=error,
        ) from None
    finally:
        gc.enable()
    gc.freeze()
