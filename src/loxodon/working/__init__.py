"""Working memory: what an agent's model has before it now, and what becomes of what has not.

Start at `session.py`. What decides is a pure function: `accounting` counts, `context` says what the
model sees, `pruning` shortens it, `flush` and `compaction` save and sum up what drops out of it.
"""

from __future__ import annotations

from loxodon.working.compaction import Compacted
from loxodon.working.flush import SILENCE, Ask, Flushed, is_silent
from loxodon.working.overflow import is_overflow
from loxodon.working.session import Send, Session
from loxodon.working.shapes import Message

__all__ = ["SILENCE", "Ask", "Compacted", "Flushed", "Message", "Send", "Session"]
__all__ += ["is_overflow", "is_silent"]
