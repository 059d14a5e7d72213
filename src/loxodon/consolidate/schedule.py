"""When work is due: cron expressions by the clock on the user's wall, and what was missed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo

from loxodon.clock import in_zone

MOST_ATTEMPTS = 3  # Runs that may fail one after the other before somebody should look
BACKLOG = 100  # Turns that nobody has looked at, above which a run does not wait for the night
_SHIFT = timedelta(hours=3)  # More than clocks are put forward or back at a time
_OVERDUE = timedelta(hours=48)  # without a consolidation
_AGAIN = timedelta(minutes=1)
_AGAIN_AT_MOST = timedelta(hours=1)


def due(last: datetime | None, pending: int, now: datetime, cron: str, zone: tzinfo | None) -> str:
    """Why consolidation is due: `backlog`, `overdue` or `daily`; empty where it is not.

    `last` is when a run last succeeded, `pending` how many turns wait. Without a cron
    expression none is ever due by itself.
    """
    if not cron:
        return ""
    if pending > BACKLOG:
        return "backlog"
    now = now.astimezone(UTC)  # two times of one zone would be compared by the clock on the wall
    if last is None or last > now:  # a clock that went back says nothing of how long ago it was
        return "daily" if pending else ""
    if now - last > _OVERDUE:
        return "overdue"
    return "daily" if has_come(cron, last, now, zone) else ""


def has_come(cron: str, last: datetime | None, now: datetime, zone: tzinfo | None) -> bool:
    """Whether a time that the expression names has come since `last`; None is long ago.

    After a clock that went back it has: else nothing would be done until it is as late again.
    """
    if not cron:
        return False
    if last is None or last > now.astimezone(UTC):
        return True
    at = next_time(cron, last, zone)
    return at is not None and at <= now.astimezone(UTC)


def next_time(cron: str, after: datetime, zone: tzinfo | None) -> datetime | None:
    """The first moment after `after` that a cron expression names, by the clock on the wall.

    That clock is in `zone`; None is the machine's own, unless `after` is in another: then that of
    `after`. A time that a day has not, because the clock is put forward, comes when it would have
    been. One that a day has twice comes once, unless the expression is of every hour or minute.
    None where the expression is empty, or names no day that there is.
    """
    if not cron:
        return None
    if zone is not None:
        after = after.astimezone(zone)
    wall = after.replace(tzinfo=None, fold=0)
    if zone is None and in_zone(wall, None).utcoffset() != after.utcoffset():
        zone = after.tzinfo
    present = after.astimezone(UTC)
    first: datetime | None = None
    for one in _walls(cron, wall - _SHIFT):
        if first is not None and one > first.replace(tzinfo=None) + _SHIFT:
            break
        for at in _moments(one, zone, twice="*" in "".join(cron.split()[:2])):
            later = at.astimezone(UTC) > present
            if later and (first is None or at.astimezone(UTC) < first.astimezone(UTC)):
                first = at
    return first


def _walls(cron: str, after: datetime) -> Iterator[datetime]:
    from cronsim import CronSim

    try:
        yield from CronSim(cron, after)
    except OverflowError:  # the last year that there is
        return


def _moments(wall: datetime, zone: tzinfo | None, twice: bool) -> Iterator[datetime]:
    """When a clock on the wall shows a time."""
    at, again = in_zone(wall, zone), in_zone(wall.replace(fold=1), zone)
    yield at
    before, after = at.utcoffset(), again.utcoffset()
    if twice and before is not None and after is not None and after < before:
        yield again


def retry_at(failed_at: datetime | None, failures: int, now: datetime) -> datetime | None:
    """Until when work that failed waits: a minute, then two, then four, at most an hour.

    None where it need not wait.
    """
    if failed_at is None or not failures or failed_at > now:
        return None
    at = failed_at + min(_AGAIN * (1 << min(failures - 1, 10)), _AGAIN_AT_MOST)
    return at if at > now else None
