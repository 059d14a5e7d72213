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
        since = running.since if (running := self.now(now)) else now
        others = [span for span in self._spans() if not _covers(span, now)]
        last = to_stored(until)[0] if until else None
        self._write(json.dumps([*others, (to_stored(since)[0], last)]))
        return Pause(since, until)

    def end(self, now: datetime) -> bool:
        """Go on; whether it was paused."""
        spans, at = self._spans(), to_stored(now)[0]
        ended = [(span[0], at) if _covers(span, now) else span for span in spans]
        if ended != spans:
            self._write(json.dumps(ended))
        return ended != spans


def _covers(span: _Span, at: datetime) -> bool:
    return span[0] <= to_stored(at)[0] and (span[1] is None or to_stored(at)[0] < span[1])


def paused_error(pause: Pause) -> PausedError:
    """The error for something that is to be kept while nothing is."""
    return PausedError(
        "recording is paused until {until}: nothing is stored",
        hint="end the pause with `loxodon resume`",
        until=f"{pause.until:%Y-%m-%d %H:%M}" if pause.until else t("it is resumed"),
    )
