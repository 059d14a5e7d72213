"""Pruning: old results of tools are shown shorter, in memory only.

A long one keeps its head and its tail, then gives way to a mark that it was there. Nobody's words
are touched, and the last few turns of the assistant keep theirs whole. A provider keeps what it was
sent in a cache for some minutes, and reads all behind a changed message anew: so nothing is pruned
while that cache is warm, unless there is no room, and what was pruned once stays so (`Kept`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from loxodon.tokens import estimate
from loxodon.working.accounting import Limits
from loxodon.working.context import Shown
from loxodon.working.shapes import Message, images_in, text_of

# How many tokens are left of a tool's result, by its entry and call; 0 for a mark alone
Kept = Mapping[str, int]
Size = Callable[[Message], int]

SOFT = 800  # Tokens that a trimmed result keeps, half from its head and half from its tail
LONG = 1_000  # A result above this is worth trimming
# How full a window must be for results to be trimmed, and to be cleared
_SHARES = 0.3, 0.5
CLEARED = "[an old tool result was left out here]"


def pruned(
    shown: Sequence[Shown],
    kept: Kept,
    size: Size,
    beside: int,
    limits: Limits,
    cold: bool,
    protect: int,
) -> Kept:
    """What is to be left of each result, given what was left before.

    `beside` is what the request has more than these messages. Where the provider's cache is `cold`,
    results are trimmed in a context of 30% of the window and cleared in one of 50%; where it is
    warm, only to stay within the limits. The last `protect` messages of the assistant keep theirs.
    """
    now = dict(kept)
    soft, hard = (share * limits.window if cold else limits.most for share in _SHARES)
    if beside + sum(map(size, applied(shown, now))) <= soft:
        return now
    said = [place for place, one in enumerate(shown) if one.role == "assistant"]
    last = len(shown) if not protect else said[-protect] if len(said) >= protect else 0
    results = [one for one in shown[:last] if one.role == "tool"]
    for one in results:
        if size(one.message) > LONG:
            now.setdefault(_name_of(one), SOFT)
    total = beside + sum(map(size, applied(shown, now)))
    for one in results:
        if total <= hard:
            break
        total -= size(_shortened(one, now))
        now[_name_of(one)] = 0
        total += size(_shortened(one, now))
    return now


def applied(shown: Sequence[Shown], kept: Kept) -> list[Message]:
    """The messages, with of each result what is to be left."""
    return [_shortened(one, kept) for one in shown]


def _shortened(one: Shown, kept: Kept) -> Message:
    if one.role != "tool" or (most := kept.get(_name_of(one))) is None:
        return one.message
    text, images = text_of(one.message), images_in(one.message)
    if len(text) <= len(CLEARED) and not images:
        return one.message  # a mark would take more
    content = _ends(text, most) if most else CLEARED
    if images:
        content += f"\n[images left out: {images}]"
    return {**one.message, "content": content}


def _name_of(one: Shown) -> str:
    """The name of a result: several can stand for one entry, where they were never written."""
    return f"{one.id}:{one.message.get('tool_call_id', '')}"


@lru_cache(maxsize=256)  # what was cut once is cut alike with every request
def _ends(text: str, most: int) -> str:
    """The head and the tail of a text, about `most` tokens of it."""
    reach = 40 * most  # no token has more characters than this: what is beyond cannot be in it
    if len(text) <= reach and estimate(text) <= most:
        return text
    half = min(reach, len(text)) // 2
    while half:
        ends = f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"
        tokens = estimate(ends)
        if tokens <= most:
            return ends
        half = min(half - 1, int(0.9 * half * most / tokens))
    return CLEARED
