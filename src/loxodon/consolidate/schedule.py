"""When work is due: cron expressions by the clock on the user's wall, and what was missed."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo

from loxodon.clock import in_zone

MOST_ATTEMPTS = 3  # Runs that may fail one after the other before somebody should look
_SHIFT = timedelta(hours=3)  # More than clocks are put forward or back at a time
# When jobs run whose time nobody needs to choose
CRON = {"weekly": "0 4 * * 1", "profile": "0 5 * * 0", "heartbeat": "*/30 * * * *"}


def has_come(cron: str, last: datetime | None, now: datetime, zone: tzinfo | None) -> bool:
    """Whether a time that the expression names has come since `last`; None is long ago."""
    now = now.astimezone(UTC)
    if not cron or last is None or last > now:
        return bool(cron)
    at = next_time(cron, last, zone)
    return at is not None and at <= now


def next_time(cron: str, after: datetime, zone: tzinfo | None) -> datetime | None:
    """The first moment after `after` that a cron expression names, by the clock on the wall."""
    if not cron:
        return None
    from cronsim import CronSim

    if zone is not None:
        after = after.astimezone(zone)
    wall = after.replace(tzinfo=None, fold=0)
    if zone is None and in_zone(wall, None).utcoffset() != after.utcoffset():
        zone = after.tzinfo
    with suppress(OverflowError):  # the last year that there is
        for one in CronSim(cron, wall - _SHIFT):
            at = in_zone(one, zone)
            if at.astimezone(UTC) > after.astimezone(UTC):
                return at
    return None


def retry_at(failed_at: datetime | None, failures: int, now: datetime) -> datetime | None:
    """Until when work that failed waits: a minute, then two, then four, at most an hour."""
    if failed_at is None or not failures or failed_at > now:
        return None
    at = failed_at + timedelta(minutes=min(1 << min(failures - 1, 10), 60))
    return at if at > now else None
