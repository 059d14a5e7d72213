"""Pauses: while one is on nothing is kept, and what was said in one is not taken up later."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.errors import InputError
from loxodon.store.rows import moment
from loxodon.types import Pause

VALUE = "pauses"  # the name of the value that has them


class Pauses(NamedTuple):
    read: Callable[[], str]  # the value of the space that has them
    write: Callable[[str], None]

    def _kept(self, zone: tzinfo | None = None) -> list[Pause]:
        rows = json.loads(self.read() or "[]")
        return [Pause(moment(a, zone), None if b is None else moment(b, zone)) for a, b in rows]

    def _keep(self, pauses: Sequence[Pause]) -> None:
        rows = [[one and to_stored(one)[0] for one in pause] for pause in pauses]
        self.write(json.dumps(rows))

    def now(self, now: datetime) -> Pause | None:
        return next((one for one in reversed(self._kept(now.tzinfo)) if _covers(one, now)), None)

    def covering(self, moments: Sequence[datetime]) -> list[bool]:
        """Of each moment whether it is in a pause."""
        kept = self._kept()
        return [any(_covers(one, at) for one in kept) for at in moments]

    def begin(self, now: datetime, until: datetime | None) -> Pause:
        """Pause from now on; a pause that is on gets the end that is given."""
        if until is not None and until <= now:
            raise InputError(
                "a pause cannot end before it starts", hint="give a time in the future"
            )
        pause = Pause(running.since if (running := self.now(now)) else now, until)
        self._keep([*(one for one in self._kept() if not _covers(one, now)), pause])
        return pause

    def end(self, now: datetime) -> bool:
        """Go on; whether it was paused."""
        kept = self._kept()
        ended = [one._replace(until=now) if _covers(one, now) else one for one in kept]
        if ended != kept:
            self._keep(ended)
        return ended != kept


def _covers(pause: Pause, at: datetime) -> bool:
    return pause.since <= at and (pause.until is None or at < pause.until)
