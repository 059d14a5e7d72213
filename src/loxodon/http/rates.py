"""How many requests who asks may make: a bucket for each, which fills with time.

A program that runs wild, or someone who tries tokens, is told to wait; an agent at work never
notices. The clock is handed in.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from time import monotonic

from loxodon.errors import UsageError
from loxodon.http.guard import RefusedError

BURST = 2.0
"""Seconds' worth of requests that may come at once."""
GUESSES = 5.0
"""Wrong tokens a second that an address may send."""
_MOST = 10_000
"""Names that are kept track of."""


class Rates:
    """Buckets, by name; `rate` requests a second each, 0 for no limit."""

    def __init__(self, rate: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def set(self, rate: float) -> None:
        """Take another rate up from now on."""
        self._rate = rate

    def take(self, name: str, *, most: float | None = None) -> None:
        """Take one from the bucket of `name`; a RefusedError 429 where it is empty."""
        rate = self._rate if most is None else most
        if not rate:
            return
        now = self._clock()
        left, at = self._left.pop(name, (rate * BURST, now))
        left = min(rate * BURST, left + (now - at) * rate)
        self._left[name] = (max(0.0, left - 1), now)
        if len(self._left) > _MOST:  # the one that has been quiet for longest
            del self._left[next(iter(self._left))]
        if left < 1:
            raise RefusedError(
                429,
                "too_many",
                UsageError(
                    "too many requests",
                    hint="wait a moment; the limit is in the setting serve.rate",
                ),
                {"retry-after": str(ceil((1 - left) / rate))},
            )
