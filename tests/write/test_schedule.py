"""When work is due next, by cron expressions and the clock on the wall."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.write.schedule import BACKLOG, due, has_come, next_time, retry_at
from tests.each import each

BERLIN = ZoneInfo("Europe/Berlin")
THREE = "0 3 * * *"
HALF_PAST_TWO = "30 2 * * *"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def next_at(cron: str, now: datetime, zone: ZoneInfo | None = BERLIN) -> str:
    found = next_time(cron, now, zone)
    assert found is not None
    return found.isoformat()


@each(
    ("cron", "now", "due"),
    [
        (THREE, "2026-02-04T02:59:00+08:00", "2026-02-04T03:00:00+08:00"),
        (THREE, "2026-02-04T03:00:00+08:00", "2026-02-05T03:00:00+08:00"),
        (THREE, "2026-12-31T23:00:00+08:00", "2027-01-01T03:00:00+08:00"),
        ("0 4 * * 1", "2026-02-04T12:00:00+08:00", "2026-02-09T04:00:00+08:00"),
        ("0 5 * * SUN", "2026-02-04T12:00:00+08:00", "2026-02-08T05:00:00+08:00"),
        ("*/30 * * * *", "2026-02-04T12:00:00+08:00", "2026-02-04T12:30:00+08:00"),
        ("0 0 29 2 *", "2026-02-04T12:00:00+08:00", "2028-02-29T00:00:00+08:00"),
    ],
)
def test_the_next_time(cron: str, now: str, due: str) -> None:
    assert next_at(cron, at(now), None) == due


def test_an_empty_expression_is_never() -> None:
    assert next_time("", datetime(2026, 2, 4, tzinfo=UTC), BERLIN) is None
    assert not has_come("", None, datetime(2026, 2, 4, tzinfo=UTC), BERLIN)


def test_a_clock_that_is_put_forward_in_the_night() -> None:
    now = datetime(2026, 3, 28, 12, tzinfo=BERLIN)
    assert next_at(THREE, now) == "2026-03-29T03:00:00+02:00"


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


def test_what_is_of_every_half_hour_comes_in_both_hours() -> None:
    now, found = datetime(2026, 10, 25, 1, 45, tzinfo=BERLIN), []
    for _ in range(6):
        now = next_time("*/30 * * * *", now, BERLIN) or now
        found.append(f"{now:%H:%M%z}")
    assert found == [
        "02:00+0200",
        "02:30+0200",
        "02:00+0100",
        "02:30+0100",
        "03:00+0100",
        "03:30+0100",
    ]


def test_the_zone_decides_wherever_the_clock_is() -> None:
    now = datetime(2026, 2, 4, 1, 30, tzinfo=UTC)
    assert next_at(THREE, now) == "2026-02-04T03:00:00+01:00"
    assert next_at("0 2 * * *", now) == "2026-02-05T02:00:00+01:00"


@pytest.mark.parametrize("year", range(2024, 2030))
def test_every_day_of_every_year_has_one(year: int) -> None:
    """Whatever the clocks do, the next time is later, and a day and an hour away at most."""
    for zone in (BERLIN, ZoneInfo("America/Havana"), ZoneInfo("Australia/Lord_Howe")):
        now = datetime(year, 1, 1, tzinfo=UTC)
        for _ in range(366):
            found = next_time(THREE, now, zone)
            assert found is not None
            assert timedelta() < found - now <= timedelta(hours=25)
            now = found.astimezone(UTC)


@settings(max_examples=60)
@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)),
    st.sampled_from([THREE, "*/30 * * * *", "15 2 * * 0", "0 * * * *", "59 23 31 * *"]),
    st.sampled_from(["Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Shanghai"]),
)
def test_the_next_is_later_and_there_is_none_between(naive: datetime, cron: str, name: str) -> None:
    zone, now = ZoneInfo(name), naive.replace(tzinfo=UTC)
    found = next_time(cron, now, zone)
    assert found is not None
    assert found > now
    between = now + (found - now) / 2
    assert (next_time(cron, between, zone) or now).astimezone(UTC) == found.astimezone(UTC)


@each(
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
    assert due(at(last) if last else None, pending, at(now), THREE, BERLIN) == why


def test_without_an_expression_none_is_due() -> None:
    assert due(None, 9 * BACKLOG, at("2026-02-04T12:00:00+01:00"), "", BERLIN) == ""


def test_how_long_may_pass_is_a_setting() -> None:
    last, now = at("2026-02-04T03:00:00+01:00"), at("2026-02-04T14:00:00+01:00")
    assert due(last, 1, now, "0 3 * * *", BERLIN) == ""
    assert due(last, 1, now, "0 3 * * *", BERLIN, 10.0) == "overdue"


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
