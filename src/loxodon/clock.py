"""The time, handed in: nothing below the entry points asks the machine what time it is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from loxodon.errors import ConfigError, InputError

Clock = Callable[[], datetime]  # the present moment, aware, in the user's time zone


def system_clock(zone: tzinfo | None = None) -> Clock:
    """The machine's clock in `zone`, or in the machine's own zone."""
    return lambda: datetime.now(UTC).astimezone(zone)


def zone_named(name: str) -> tzinfo | None:
    """The zone called `name` (`Asia/Shanghai`, `UTC`), None for the machine's own (`""`)."""
    if not name:
        return None
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        hint = "use a name such as Asia/Shanghai or Europe/Berlin, or leave it empty"
        raise ConfigError("unknown time zone {name}", hint=hint, name=repr(name)) from None


def parse_instant(text: str, zone: tzinfo | None = None) -> datetime:
    """An ISO 8601 moment, aware; one without an offset is in `zone` (the machine's when None)."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        hint = "write it as 2026-02-04 or 2026-02-04T10:30:00+08:00"
        raise InputError("{text} is not a date and time", hint=hint, text=repr(text[:60])) from None
    return in_zone(moment, zone) if moment.tzinfo is None else moment


def in_zone(naive: datetime, zone: tzinfo | None) -> datetime:
    """A naive moment as it is meant in `zone` (the machine's when None)."""
    if zone is not None:
        return naive.replace(tzinfo=zone)
    try:
        return naive.astimezone()
    except (OverflowError, OSError, ValueError):  # years the C library cannot place
        return naive.replace(tzinfo=UTC)


def to_stored(moment: datetime) -> tuple[int, int]:
    """A moment as (milliseconds since 1970 UTC, minutes east of UTC)."""
    offset = moment.utcoffset() or timedelta()
    return (moment - _EPOCH) // timedelta(milliseconds=1), offset // timedelta(minutes=1)


def from_stored(milliseconds: int, offset: int) -> datetime:
    """The inverse of `to_stored`."""
    zone = timezone(timedelta(minutes=offset)) if offset else UTC
    return (_EPOCH + timedelta(milliseconds=milliseconds)).astimezone(zone)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
