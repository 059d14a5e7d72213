"""The buffer: what was said and not yet made knowledge of, and when that should happen.

It is the end of the journal, so nothing in it can be lost or taken twice.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from loxodon.store.store import Store
from loxodon.tokens import Counter
from loxodon.types import CAPTURED

BUFFER_TOKENS = 6000  # from which on a flush does not wait for quiet
_MOST = 500  # Turns that are counted; that many are worth a flush whatever they say


class Buffered(NamedTuple):
    """How much waits."""

    turns: int
    tokens: int  # Counted as far as matters: not beyond what is worth a flush
    last_at: datetime | None  # When the newest of them was said
    first_at: datetime | None = None  # When the oldest was


def buffered(store: Store, count: Counter, enough: int) -> Buffered:
    """What is pending, counted up to about `enough` tokens."""
    done_to = store.worklog.work().done_to
    pending = store.scalar("count_pending", done_to)
    if not pending:
        return Buffered(0, 0, None)
    last = store.scalar("last_turn")
    (newest,) = store.query_turns("turns_after", last - 1, last, -1) or (None,)
    tokens = enough if pending > _MOST else 0
    turns = store.query_turns("turns_after", done_to, last, _MOST)
    for turn in turns:
        if tokens >= enough:
            break
        tokens += count(turn.content)
    first = next((one.at for one in turns if one.channel != CAPTURED), None)
    return Buffered(pending, tokens, newest.at if newest else None, first)


def flush_due(
    waiting: Buffered, now: datetime, quiet: float, tokens: int, began: datetime | None = None
) -> str:
    """Why what waits should be taken up now: `tokens`, `quiet` or `over`; empty for not yet.

    What was said before whoever asks `began` is of a conversation that is over: nobody was there
    to take it up, and nobody waits for more of it.

    A clock that jumped, either way, counts as quiet: it must not keep anything waiting for a year.
    """
    if not waiting.turns:
        return ""
    if began is not None and waiting.first_at is not None and waiting.first_at < began:
        return "over"
    if waiting.tokens >= tokens:
        return "tokens"
    if waiting.last_at is None:
        return "quiet"
    return "quiet" if abs((now - waiting.last_at).total_seconds()) >= quiet else ""
