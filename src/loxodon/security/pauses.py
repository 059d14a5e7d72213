"""A pause: for a time nothing is journalled or learned, whoever asks. Recall goes on.

The pauses of a space are kept when they are over: what was said in one is not taken up later, not
from a transcript that is followed and not from a file. What was said before a pause waits, and is
learned once it is over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime

from loxodon.clock import to_stored
from loxodon.errors import InputError, PausedError
from loxodon.store.rows import moment
from loxodon.types import Pause

VALUE = "pauses"
"""The name of the value that has them."""
_MOST = 10_000  # pauses that are kept


class Pauses:
    """The pauses of one space, as pairs of times; the end of one may be open."""

    def __init__(self, read: Callable[[], str], write: Callable[[str], None]) -> None:
        """`read` and `write` a value of the space."""
        self._read = read
        self._write = write

    def _spans(self) -> list[tuple[int, int | None]]:
        return [(since, until) for since, until in json.loads(self._read() or "[]")]

    def now(self, now: datetime) -> Pause | None:
        """The pause that this moment is in."""
        at = to_stored(now)[0]
        for since, until in reversed(self._spans()):
            if since <= at and (until is None or at < until):
                ends = None if until is None else moment(until, now.tzinfo)
                return Pause(moment(since, now.tzinfo), ends)
        return None

    def covering(self, moments: Sequence[datetime]) -> list[bool]:
        """Of each moment whether it is in a pause."""
        spans, times = self._spans(), [to_stored(at)[0] for at in moments]
        return [
            any(since <= at and (until is None or at < until) for since, until in spans)
            for at in times
        ]

    def begin(self, now: datetime, until: datetime | None) -> Pause:
        """Pause from now on; a pause that is on gets the end that is given."""
        if until is not None and until <= now:
            raise InputError(
                "a pause cannot end before it starts", hint="give a time in the future"
            )
        running = self.now(now)
        since = running.since if running else now
        self.end(now)
        first, last = to_stored(since)[0], to_stored(until)[0] if until else None
        spans = [span for span in self._spans() if span[0] != first]
        self._write(json.dumps([*spans, (first, last)][-_MOST:]))
        return Pause(since, until)

    def end(self, now: datetime) -> bool:
        """Go on; whether it was paused."""
        if self.now(now) is None:
            return False
        at = to_stored(now)[0]
        spans = [
            (since, at if since <= at and (until is None or at < until) else until)
            for since, until in self._spans()
        ]
        self._write(json.dumps([span for span in spans if span[0] != span[1]]))
        return True


def paused_error(pause: Pause) -> PausedError:
    """The error for something that is to be kept while nothing is."""
    if pause.until is None:
        return PausedError(
            "recording is paused: nothing is stored until it is resumed",
            hint="end the pause with `loxodon resume`",
        )
    return PausedError(
        "recording is paused until {until}: nothing is stored",
        hint="end the pause with `loxodon resume`",
        until=f"{pause.until:%Y-%m-%d %H:%M}",
    )
