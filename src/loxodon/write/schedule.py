"""When consolidation is due."""

from __future__ import annotations

from datetime import datetime, timedelta

from loxodon.config import hour_and_minute


def next_daily(now: datetime, time_of_day: str) -> datetime:
    """The first moment after `now` at which a clock on the wall shows `time_of_day`."""
    hour, minute = hour_and_minute(time_of_day)
    due = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return due if due > now else due + timedelta(days=1)
