"""When consolidation is due next."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from loxodon.write.schedule import next_daily


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
