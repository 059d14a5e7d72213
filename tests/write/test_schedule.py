"""When consolidation is due next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from loxodon.write.schedule import BACKLOG, due, next_daily


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("2026-02-04T02:59:00+08:00", "2026-02-04T03:00:00+08:00"),
        ("2026-02-04T03:00:00+08:00", "2026-02-05T03:00:00+08:00"),
        ("2026-12-31T23:00:00+08:00", "2027-01-01T03:00:00+08:00"),
    ],
)
def test_the_next_time_of_day(now: str, due: str) -> None:
    assert next_daily(datetime.fromisoformat(now), "03:00", None).isoformat() == due


def test_a_clock_that_is_put_forward_in_the_night() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    now = datetime(2026, 3, 28, 12, tzinfo=berlin)
    assert next_daily(now, "03:00", berlin).isoformat() == "2026-03-29T03:00:00+02:00"


BERLIN = ZoneInfo("Europe/Berlin")


def test_a_clock_that_is_put_back_shows_the_time_twice() -> None:
    """At three it is two again: half past two comes twice on 25 October 2026."""
    first = datetime(2026, 10, 25, 2, 10, tzinfo=BERLIN)
    assert next_daily(first, "02:30", BERLIN).isoformat() == "2026-10-25T02:30:00+02:00"
    between = datetime(2026, 10, 25, 2, 40, tzinfo=BERLIN)
    assert next_daily(between, "02:30", BERLIN).isoformat() == "2026-10-25T02:30:00+01:00"
    second = datetime(2026, 10, 25, 2, 10, tzinfo=BERLIN, fold=1)
    assert next_daily(second, "02:30", BERLIN).isoformat() == "2026-10-25T02:30:00+01:00"
    after = datetime(2026, 10, 25, 2, 40, tzinfo=BERLIN, fold=1)
    assert next_daily(after, "02:30", BERLIN).isoformat() == "2026-10-26T02:30:00+01:00"


def test_a_time_that_a_night_has_not_comes_when_it_would_have() -> None:
    now = datetime(2026, 3, 28, 12, tzinfo=BERLIN)
    found = next_daily(now, "02:30", BERLIN)
    assert found.astimezone(UTC).isoformat() == "2026-03-29T01:30:00+00:00"
    later = next_daily(found + timedelta(minutes=1), "02:30", BERLIN)
    assert later.isoformat() == "2026-03-30T02:30:00+02:00"


def test_the_zone_decides_wherever_the_clock_is() -> None:
    now = datetime(2026, 2, 4, 1, 30, tzinfo=UTC)
    assert next_daily(now, "03:00", BERLIN).isoformat() == "2026-02-04T03:00:00+01:00"
    assert next_daily(now, "02:00", BERLIN).isoformat() == "2026-02-05T02:00:00+01:00"


@pytest.mark.parametrize("year", range(2024, 2030))
def test_every_day_of_every_year_has_one(year: int) -> None:
    """Whatever the clocks do, the next time is later, and a day and an hour away at most."""
    for zone in (BERLIN, ZoneInfo("America/Havana"), ZoneInfo("Australia/Lord_Howe")):
        now = datetime(year, 1, 1, tzinfo=zone)
        for _ in range(366):
            found = next_daily(now, "03:00", zone)
            assert timedelta() < found - now <= timedelta(hours=25)
            now = found


@pytest.mark.parametrize(
    ("last", "pending", "now", "why"),
    [
        (None, 0, "2026-02-04T12:00:00+01:00", ""),
        (None, 1, "2026-02-04T12:00:00+01:00", "daily"),
        (None, BACKLOG + 1, "2026-02-04T12:00:00+01:00", "backlog"),
        ("2026-02-04T02:00:00+01:00", 0, "2026-02-04T02:59:59+01:00", ""),
        ("2026-02-04T02:00:00+01:00", 0, "2026-02-04T03:00:00+01:00", "daily"),
        ("2026-02-04T03:00:00+01:00", 9, "2026-02-05T02:59:59+01:00", ""),
        ("2026-02-04T03:00:00+01:00", BACKLOG, "2026-02-04T04:00:00+01:00", ""),
        ("2026-02-04T03:00:00+01:00", BACKLOG + 1, "2026-02-04T04:00:00+01:00", "backlog"),
        ("2026-02-04T03:00:00+01:00", 0, "2026-02-06T03:00:00+01:00", "daily"),
        ("2026-02-04T03:00:00+01:00", 0, "2026-02-06T03:00:01+01:00", "overdue"),
        ("2029-02-04T03:00:00+01:00", 0, "2026-02-06T03:00:01+01:00", ""),
        ("2029-02-04T03:00:00+01:00", 1, "2026-02-06T03:00:01+01:00", "daily"),
    ],
)
def test_why_a_run_is_due(last: str | None, pending: int, now: str, why: str) -> None:
    before = datetime.fromisoformat(last) if last else None
    assert due(before, pending, datetime.fromisoformat(now), "03:00", BERLIN) == why
