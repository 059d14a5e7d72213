"""Pauses: while one is on nothing is kept, and what was said in one is not taken up later."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime

from loxodon.clock import to_stored
from loxodon.errors import InputError, PausedError
from loxodon.messages import t
from loxodon.store.rows import moment
from loxodon.types import Pause

VALUE = "pauses"  # the name of the value that has them
_MOST = 10_000  # pauses that are kept
_Span = tuple[int, int | None]  # the end of one may be open


class Pauses:
    """The pauses of one space."""

    def __init__(self, read: Callable[[], str], write: Callable[[str], None]) -> None:
        """`read` and `write` a value of the space."""
        self._read = read
        self._write = write

    def _spans(self) -> list[_Span]:
        return [(since, until) for since, until in json.loads(self._read() or "[]")]

    def now(self, now: datetime) -> Pause | None:
        """The pause that this moment is in."""
        for since, until in reversed(self._spans()):
            if _covers((since, until), now):
                ends = None if until is None else moment(until, now.tzinfo)
                return Pause(moment(since, now.tzinfo), ends)
        return None

    def covering(self, moments: Sequence[datetime]) -> list[bool]:
        """Of each moment whether it is in a pause."""
        spans = self._spans()
        return [any(_covers(span, at) for span in spans) for at in moments]

    def begin(self, now: datetime, until: datetime | None) -> Pause:
        """Pause from now on; a pause that is on gets the end that is given."""
        if until is not None and until <= now:
            raise InputError(
                "a pause cannot end before it starts", hint="give a time in the future"
            )
        running = self.now(now)
        since = running.since if running else now
        first, last = to_stored(since)[0], to_stored(until)[0] if until else None
        spans = [span for span in self._ended(now) if span[0] != first]
        self._write(json.dumps([*spans, (first, last)][-_MOST:]))
        return Pause(since, until)

    def end(self, now: datetime) -> bool:
        """Go on; whether it was paused."""
        is_paused = self.now(now) is not None
        if is_paused:
            self._write(json.dumps(self._ended(now)))
        return is_paused

    def _ended(self, now: datetime) -> list[_Span]:
        at = to_stored(now)[0]
        ended = [(one[0], at if _covers(one, now) else one[1]) for one in self._spans()]
        return [span for span in ended if span[0] != span[1]]


def _covers(span: _Span, at: datetime) -> bool:
    since, until = span
    return since <= to_stored(at)[0] and (until is None or to_stored(at)[0] < until)


def paused_error(pause: Pause) -> PausedError:
    """The error for something that is to be kept while nothing is."""
    return PausedError(
        "recording is paused until {until}: nothing is stored",
        hint="end the pause with `loxodon resume`",
        until=f"{pause.until:%Y-%m-%d %H:%M}" if pause.until else t("it is resumed"),
    )
