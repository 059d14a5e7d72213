"""When work is due next, by cron expressions and the clock on the wall."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from loxodon.consolidate.schedule import has_come, next_time, retry_at
from tests.each import each

BERLIN = ZoneInfo("Europe/Berlin")
HALF_PAST_TWO = "30 2 * * *"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def next_at(cron: str, now: datetime, zone: ZoneInfo | None = BERLIN) -> str:
    found = next_time(cron, now, zone)
    assert found is not None
    return found.isoformat()


def test_a_time_that_a_night_has_not_comes_when_it_would_have() -> None:
    now = datetime(2026, 3, 28, 12, tzinfo=BERLIN)
    found = next_time(HALF_PAST_TWO, now, BERLIN)
    assert found is not None
    assert found.astimezone(UTC).isoformat() == "2026-03-29T01:30:00+00:00"
    later = found.astimezone(UTC) + timedelta(minutes=1)
    assert next_at(HALF_PAST_TWO, later) == "2026-03-30T02:30:00+02:00"


def test_a_time_that_a_night_has_twice_comes_once() -> None:
    """At three it is two again: half past two is shown twice on 25 October 2026."""
    first = datetime(2026, 10, 25, 2, 10, tzinfo=BERLIN)
    assert next_at(HALF_PAST_TWO, first) == "2026-10-25T02:30:00+02:00"
    between = datetime(2026, 10, 25, 2, 40, tzinfo=BERLIN)
    assert next_at(HALF_PAST_TWO, between) == "2026-10-26T02:30:00+01:00"


@pytest.mark.parametrize(
    ("last", "come"),
    [
        (None, True),
        ("2026-02-09T03:59:59+01:00", True),
        ("2026-02-09T04:00:00+01:00", False),
        ("2025-02-09T04:00:00+01:00", True),  # long ago: once
        ("2027-02-09T04:00:00+01:00", True),  # the clock went back: not silent for a year
    ],
)
def test_whether_a_time_has_come(last: str | None, come: bool) -> None:
    now = at("2026-02-10T12:00:00+01:00")
    assert has_come("0 4 * * 1", at(last) if last else None, now, BERLIN) is come


@each(
    ("failures", "ago", "waits"),
    [
        (0, 0, False),
        (1, 59, True),
        (1, 60, False),
        (2, 119, True),
        (3, 240, False),
        (50, 3_599, True),
        (50, 3_600, False),
        (1, -365 * 86_400, False),
    ],
)
def test_what_failed_waits_longer_each_time(failures: int, ago: int, waits: bool) -> None:
    now = at("2026-02-10T12:00:00+01:00")
    assert bool(retry_at(now - timedelta(seconds=ago), failures, now)) is waits
