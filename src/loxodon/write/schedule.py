"""When consolidation is due."""

from __future__ import annotations

from datetime import datetime, timedelta

from loxodon.config import hour_and_minute


def next_daily(now: datetime, time_of_day: str) -> datetime:
    """The first moment after `now` at which a clock on the wall shows `time_of_day`."""
    hour, minute = hour_and_minute(time_of_day)
    wall = now.replace(tzinfo=None)
    due = wall.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if due <= wall:
        due += timedelta(days=1)
    # The machine's own zone comes as a fixed offset, which may be another one on the day itself.
    if now.astimezone().utcoffset() == now.utcoffset() and type(now.tzinfo).__name__ == "timezone":
        return due.astimezone()
    return due.replace(tzinfo=now.tzinfo)
