"""The buffer: what was said and not yet made knowledge of, and when that should happen.

It is the end of the journal, so nothing in it can be lost or taken twice.
"""

from __future__ import annotations

from datetime import datetime

from loxodon.store.store import Store
from loxodon.tokens import Counter
from loxodon.types import CAPTURED

TOKENS = 6000  # from which on a flush does not wait for quiet
_MOST = 500  # Turns that are counted; that many are worth a flush whatever they say


def flush_due(
    store: Store, count: Counter, now: datetime, quiet: float, began: datetime | None = None
) -> str:
    """Why what waits should be taken up now: `tokens`, `quiet` or `over`; empty for not yet.

    What was said before whoever asks `began` is of a conversation that is over: nobody was there
    to take it up, and nobody waits for more of it.

    A clock that jumped, either way, counts as quiet: it must not keep anything waiting for a year.
    """
    done_to = store.worklog.work().done_to
    pending = store.scalar("count_pending", done_to)
    if not pending:
        return ""
    last = store.scalar("last_turn")
    turns = store.query_turns("turns_after", done_to, last, _MOST)
    first = next((one.at for one in turns if one.channel != CAPTURED), None)
    if began is not None and first is not None and first < began:
        return "over"
    tokens = 0
    for turn in turns if pending <= _MOST else ():
        tokens += count(turn.content)
        if tokens >= TOKENS:
            break
    if tokens >= TOKENS or pending > _MOST:
        return "tokens"
    newest = store.query_turns("turns_after", last - 1, last, -1)
    waited = abs((now - newest[0].at).total_seconds()) if newest else quiet
    return "quiet" if waited >= quiet else ""
