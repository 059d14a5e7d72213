"""Who acts is said once, and follows the call."""

from __future__ import annotations

import asyncio
from pathlib import Path

from loxodon import Memory
from loxodon.serve.host import Host
from loxodon.trust.access.acting import Actor, acting, actor


def test_nobody_said_is_the_library() -> None:
    assert actor() == Actor("library")


def test_one_within_another_keeps_what_it_does_not_say() -> None:
    with acting(Actor("http", caller="token:3f2a")):
        with acting(Actor("http", agent="coder")):
            assert actor() == Actor("http", "coder", "token:3f2a")
        assert actor() == Actor("http", "", "token:3f2a")
    assert actor().surface == "library"


def test_it_follows_a_call_into_a_thread_of_the_host(tmp_path: Path) -> None:
    async def ask(host: Host) -> None:
        with acting(Actor("http", "coder", "token:3f2a")):
            await host.call("main", lambda memory: memory.recall("tea"))
            await host.call("main", lambda memory: memory.recall("tea"), apart=True)
        await host.call("main", lambda memory: memory.recall("tea"))

    with Host(tmp_path, surface="mcp") as host:
        asyncio.run(ask(host))
    with Memory.open(tmp_path) as memory:
        found = memory.audit.entries(op="recall")
    assert [(one.surface, one.agent, one.caller) for one in found] == [
        ("mcp", "coder", "token:3f2a"),
        ("mcp", "coder", "token:3f2a"),
        ("mcp", "", ""),
    ]
