"""`loxodon proxy`: a memory between any client and its model."""

from __future__ import annotations

import json
import os
from argparse import Namespace

from loxodon.cli.opening import Outcome, clock_of, home_of, root_of
from loxodon.clock import zone_named
from loxodon.config import load
from loxodon.errors import UsageError
from loxodon.memory import Memory
from loxodon.messages import t

_THREADS = 2
"""Threads that recall, and as many that journal. More would only stand in the streams' way."""


def run(args: Namespace) -> Outcome:
    from loxodon.http.guard import door
    from loxodon.http.host import Host
    from loxodon.http.server import listen, need_uvicorn, serve, url_of

    need_uvicorn()  # with which come starlette and httpx
    from loxodon.jobs.runner import Runner
    from loxodon.proxy.app import App
    from loxodon.proxy.exchange import Memories
    from loxodon.proxy.requests import SpaceRule
    from loxodon.proxy.upstream import Upstream
    from loxodon.security.tokens import Grants

    home = home_of(args)
    token = args.token or os.environ.get("LOXODON_TOKEN") or ""
    at = door(args.host, token, Grants(root_of(args)))
    upstream = Upstream(args.upstream, _key(args.key_env), _seconds("--timeout", args.timeout))
    limit = _seconds("--limit", args.limit)
    clock = clock_of(args, zone_named(load(home).timezone)) if args.now else None
    with (
        listen(args.host, args.port) as listening,
        Host(home, clock, threads=_THREADS, surface="proxy") as recalling,
        Host(home, clock, threads=_THREADS, surface="proxy") as journal,
    ):
        warm(recalling.memory(args.space))  # one that cannot be opened is told now
        runner = Runner(journal)
        app = App(
            upstream,
            Memories(recalling, journal, limit, explain=args.explain),
            at,
            SpaceRule(args.space, args.space_by),
            key_is_ours=bool(args.key_env),
            rate=recalling.config.serve.rate,
        )
        url = f"{url_of(listening)}/v1"

        def ready() -> None:
            runner.start()
            if args.json:
                found = {"url": url, "upstream": upstream.base, "home": home, "pid": os.getpid()}
                print(json.dumps(found), flush=True)
            else:
                print(
                    t(
                        "set your client's base URL to {url}; requests go to {upstream} and are "
                        "remembered at {home}; press Ctrl-C to stop",
                        url=url,
                        upstream=upstream.base,
                        home=home,
                    ),
                    flush=True,
                )

        try:
            most = recalling.config.serve.connections
            serve(app, listening, ready=ready, connections=most)
        finally:
            runner.stop()
    args.json = False  # what there was to say was said when it began
    return Outcome({}, lambda: None)


def warm(memory: Memory) -> None:
    """Load what a recall needs, so that the first client does not wait for it."""
    if not memory.config.enabled:
        return
    for words in ("What did I say yesterday?", "我昨天说了什么？"):
        memory.gate(words)
        memory.recall(words, as_of=memory.now())  # which counts no use
    memory.snapshot()


def _key(variable: str) -> str:
    key = os.environ.get(variable, "").strip() if variable else ""
    if variable and not (key and key.isascii() and key.isprintable()):
        raise UsageError(
            "the environment variable {name} is not set",
            hint="set it, or omit --key-env",
            name=variable,
        )
    return key


def _seconds(option: str, value: float) -> float:
    if not 0 < value <= 86_400:
        raise UsageError("{option} must be more than 0 and at most 86400 seconds", option=option)
    return value
