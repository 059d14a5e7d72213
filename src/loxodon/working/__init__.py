"""Working memory: what an agent's model has before it now, and what becomes of what has not.

Start at `session.py`. Everything that decides is a pure function and can be used alone, by a loop
that keeps its conversation elsewhere: `limits`, `tokens_of`, `flush_due`, `compaction_due`,
`place_to_cut`, `pruned`, `is_overflow`, `is_silent`.
"""

from __future__ import annotations

from loxodon.working.accounting import Gauge, Limits, Usage, limits, tokens_of, usage_of
from loxodon.working.compaction import Compacted, Cut, compaction_due, place_to_cut
from loxodon.working.context import Shown, context_of, joined, paired
from loxodon.working.flush import SILENCE, Ask, Flushed, flush_due, is_silent
from loxodon.working.overflow import is_overflow, window_in
from loxodon.working.pruning import applied, pruned
from loxodon.working.session import Done, Send, Session
from loxodon.working.shapes import Message

__all__ = [
    "SILENCE",
    "Ask",
    "Compacted",
    "Cut",
    "Done",
    "Flushed",
    "Gauge",
    "Limits",
    "Message",
    "Send",
    "Session",
    "Shown",
    "Usage",
    "applied",
    "compaction_due",
    "context_of",
    "flush_due",
    "is_overflow",
    "is_silent",
    "joined",
    "limits",
    "paired",
    "place_to_cut",
    "pruned",
    "tokens_of",
    "usage_of",
    "window_in",
]
