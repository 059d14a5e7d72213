"""Who acts: the surface that a call came by, the agent it was for, and who called.

An entry point says it once, around what it does; whoever writes the audit log asks. It follows the
call into coroutines and, where a thread is started with the context of its starter, into threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Actor(NamedTuple):
    """Who does something with a memory. Names no content, and nothing secret."""

    surface: str = "library"
    """`library`, `cli`, `http`, `mcp`, `proxy`, `worker`, or a name of `compat`."""
    agent: str = ""
    """The agent that it is done for; empty for the owner."""
    caller: str = ""
    """Who called, such as `token:3f2a` or `user:1000`; never the token itself."""


_NOBODY_SAID = Actor()
_acting: ContextVar[Actor] = ContextVar("loxodon_acting", default=_NOBODY_SAID)


def actor() -> Actor:
    """Who acts now; `library` where no entry point said so."""
    return _acting.get()


@contextmanager
def acting(who: Actor) -> Iterator[None]:
    """Within this, `who` acts. What `who` leaves empty is taken from who acted before."""
    before = _acting.get()
    token = _acting.set(Actor(who.surface, who.agent or before.agent, who.caller or before.caller))
    try:
        yield
    finally:
        _acting.reset(token)
