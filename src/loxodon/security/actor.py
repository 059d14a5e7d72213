"""Who acts: an entry point says it once, around what it does, and the audit log asks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Actor(NamedTuple):
    """Who does something with a memory. Names no content, and nothing secret."""

    surface: str = "library"  # or `cli`, `http`, `mcp`, `proxy`, `worker`, a name of `compat`
    agent: str = ""  # the agent that it is done for; empty for the owner
    caller: str = ""  # such as `token:3f2a` or `user:1000`; never the token itself


_NOBODY_SAID = Actor()
_actor: ContextVar[Actor] = ContextVar("loxodon_actor", default=_NOBODY_SAID)


def actor() -> Actor:
    """Who acts now; `library` where no entry point said so."""
    return _actor.get()


@contextmanager
def acting(who: Actor) -> Iterator[None]:
    """Within this, `who` acts. What `who` leaves empty is taken from who acted before."""
    before = _actor.get()
    token = _actor.set(Actor(who.surface, who.agent or before.agent, who.caller or before.caller))
    try:
        yield
    finally:
        _actor.reset(token)
