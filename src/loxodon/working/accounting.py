"""How many tokens a context takes, and how many it may; what a provider reports corrects it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from loxodon.config import WorkingConfig
from loxodon.tokens import Counter
from loxodon.working.shapes import Message, call_text, calls_in, images_in, text_of

PER_MESSAGE = 4  # Tokens that a message takes beside its words
PER_CALL = 8
PER_IMAGE = 1_200  # About what the large providers take for one
_SMALL = 2_000  # Below this, what a request takes more than its messages is what stands beside them
_LEAST_RATE, _MOST_RATE = 0.5, 2.5
_MOST_TOKENS = 10**9
# Tokens, for a window that is large enough.
_RESERVE = 16_384  # kept free for the prompt and its answer; a conversation that needs them is cut
_RESERVE_FLOOR = 20_000  # important content is saved before only these are free
_SOFT_THRESHOLD = 4_000  # how long before that point it is saved
_KEEP_RECENT = 20_000  # of the latest messages, which a compaction keeps unchanged
_SUMMARY = 2_000  # most of the summary of the rest


class Limits(NamedTuple):
    """What a context may take. For a small window the usual reserves are made smaller."""

    window: int
    flush_at: int  # From here on what matters is saved before it is summed up
    most: int  # Above this the context is compacted
    keep: int  # Tokens of the latest talk that a compaction keeps
    summary: int  # Most tokens of a summary


def limits(config: WorkingConfig, window: int = 0) -> Limits:
    """The limits for a window of that many tokens; 0 for the configured one."""
    window = window or config.window
    ahead = min(_RESERVE_FLOOR, window * 5 // 16) + min(_SOFT_THRESHOLD, window // 16)
    most = window - min(_RESERVE, window // 4)
    return Limits(
        window, window - ahead, most, min(_KEEP_RECENT, most // 2), min(_SUMMARY, most // 5)
    )


def tokens_of(message: Message, count: Counter) -> int:
    called = sum(count(call_text(call)) + PER_CALL for call in calls_in(message))
    return PER_MESSAGE + count(text_of(message)) + called + PER_IMAGE * images_in(message)


def tokens_of_tools(tools: Sequence[Mapping[str, Any]], count: Counter) -> int:
    return count(json.dumps(list(tools), ensure_ascii=False, default=str)) if tools else 0


def usage_of(reported: object) -> tuple[int, int] | None:
    """Tokens read and said, as a provider reports them; None for nothing to be believed."""
    if not isinstance(reported, Mapping):
        return None
    good = {
        name: value
        for name, value in reported.items()
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_TOKENS
    }
    read = good.get("prompt_tokens", good.get("input_tokens", good.get("input", 0)))
    said = good.get("completion_tokens", good.get("output_tokens", good.get("output", 0)))
    if "prompt_tokens" not in reported:  # these count what was cached apart
        cached = ("cache_read_input_tokens", "cache_creation_input_tokens", "cacheRead")
        read += sum(good.get(name, 0) for name in cached)
    return (read, said) if read else None


class Gauge(NamedTuple):
    """What our count of a request must be corrected by."""

    beside: int = 0  # Tokens of a request that are not of its messages
    rate: float = 1.0  # Tokens of the provider for one of ours

    def learned(self, counted: int, reported: int) -> Gauge:
        """The gauge once a request that was counted so is reported to have taken that."""
        if counted <= 0 or reported <= 0:
            return self
        if counted < _SMALL:
            return self._replace(beside=max(0, reported - int(self.rate * counted)))
        beside = min(self.beside, reported // 2)
        rate = (reported - beside) / counted
        return Gauge(beside, round(min(_MOST_RATE, max(_LEAST_RATE, rate)), 3))
