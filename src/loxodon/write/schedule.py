"""When consolidation is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from loxodon.clock import in_zone
from loxodon.config import hour_and_minute

OVERDUE = timedelta(hours=48)
MOST_ATTEMPTS = 3
"""Runs that may fail one after the other before somebody should look."""
BACKLOG = 100
"""Turns that nobody has looked at, above which a run does not wait for the night."""


def due(
    last: datetime | None, pending: int, now: datetime, time_of_day: str, zone: tzinfo | None
) -> str:
    """Why a run is due: `backlog`, `overdue` or `daily`; empty where none is.

    `last` is when one last succeeded, `pending` how many turns wait.
    """
    if pending > BACKLOG:
        return "backlog"
    now = now.astimezone(UTC)  # two times of one zone would be compared by the clock on the wall
    if last is None or last > now:  # a clock that went back says nothing of how long ago it was
        return "daily" if pending else ""
    if now - last > OVERDUE:
        return "overdue"
    return "daily" if next_daily(last, time_of_day, zone) <= now else ""


def next_daily(now: datetime, time_of_day: str, zone: tzinfo | None) -> datetime:
    """The first moment after `now` at which a clock on the wall in `zone` shows `time_of_day`.

    `zone` None is the machine's own, unless `now` is in another: then that of `now`.
    """
    hour, minute = hour_and_minute(time_of_day)
    if zone is not None:
        now = now.astimezone(zone)
    wall = now.replace(tzinfo=None, fold=0)
    if zone is None and in_zone(wall, None).utcoffset() != now.utcoffset():
        zone = now.tzinfo
    due = wall.replace(hour=hour, minute=minute, second=0, microsecond=0)
    # The same day, once more where the clock is put back in between, or the next.
    moments = (due, due.replace(fold=1), due + timedelta(days=1))
    present = now.astimezone(UTC)
    return next(at for one in moments if (at := in_zone(one, zone)) > present)
