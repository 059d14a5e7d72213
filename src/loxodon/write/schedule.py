"""When consolidation is due."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from loxodon.clock import in_zone
from loxodon.config import hour_and_minute


def next_daily(now: datetime, time_of_day: str, zone: tzinfo | None) -> datetime:
    """The first moment after `now` at which a clock on the wall in `zone` shows `time_of_day`.

    `zone` None is the machine's own, unless `now` is in another: then that of `now`.
    """
    hour, minute = hour_and_minute(time_of_day)
    wall = now.replace(tzinfo=None)
    due = wall.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if due <= wall:
        due += timedelta(days=1)
    if zone is None and in_zone(wall, None).utcoffset() != now.utcoffset():
        zone = now.tzinfo
    return in_zone(due, zone)
