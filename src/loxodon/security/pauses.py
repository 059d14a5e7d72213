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
_MOST = 10_000
"""Pauses that are kept; what was said in one that is older than so many is old indeed."""

_Span = tuple[int, int | None]


class Pauses:
    """The pauses of one space."""

    def __init__(self, read: Callable[[], str], write: Callable[[str], None]) -> None:
        """`read` and `write` a value of the space."""
        self._text = ""
        self._spans: list[_Span] = []
        self._read_text = read
        self._write_text = write

    def _read(self) -> list[_Span]:
        text = self._read_text()
        if text != self._text:
            self._text = text
            self._spans = [(since, until) for since, until in json.loads(text or "[]")]
        return self._spans

    def now(self, now: datetime) -> Pause | None:
        """The pause that this moment is in."""
        at = to_stored(now)[0]
        for since, until in reversed(self._read()):
            if since <= at and (until is None or at < until):
                ends = None if until is None else moment(until, now.tzinfo)
                return Pause(moment(since, now.tzinfo), ends)
        return None

    def covering(self, moments: Sequence[datetime]) -> list[bool]:
        """Of each moment whether it is in a pause."""
        spans = self._read()
        if not spans:
            return [False] * len(moments)
        times = [to_stored(at)[0] for at in moments]
        return [
            any(since <= when and (until is None or when < until) for since, until in spans)
            for when in times
        ]

    def begin(self, now: datetime, until: datetime | None) -> Pause:
        """Pause from now on; a pause that is on gets the end that is given."""
        if until is not None and until <= now:
            raise InputError(
                "a pause cannot end before it starts", hint="give a time in the future"
            )
        running = self.now(now)
        since = running.since if running else now
        self._end(to_stored(now)[0])
        end = None if until is None else to_stored(until)[0]
        spans = [span for span in self._read() if span[0] != to_stored(since)[0]]
        self._write([*spans, (to_stored(since)[0], end)])
        return Pause(since, until)

    def end(self, now: datetime) -> bool:
        """Go on; whether it was paused."""
        was = self.now(now) is not None
        self._end(to_stored(now)[0])
        return was

    def _end(self, at: int) -> None:
        spans = self._read()
        ended: list[_Span] = [
            (since, at) if since <= at and (until is None or at < until) else (since, until)
            for since, until in spans
        ]
        if ended != spans:
            self._write([one for one in ended if one[0] != one[1]])

    def _write(self, spans: Sequence[_Span]) -> None:
        self._write_text(json.dumps(spans[-_MOST:]))


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
