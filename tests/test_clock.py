"""Times: what is kept comes back, and what has no zone gets the right one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.clock import from_stored, parse_instant, to_stored, zone_named
from loxodon.errors import InputError


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)), st.integers(-14 * 60, 14 * 60))
def test_a_moment_comes_back_to_the_millisecond(moment: datetime, minutes: int) -> None:
    given_moment = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    back = from_stored(*to_stored(given_moment))
    assert abs(back - given_moment) < timedelta(milliseconds=1)
    assert back.utcoffset() == given_moment.utcoffset()


def test_instants() -> None:
    assert parse_instant("2026-02-04T10:30:00Z") == datetime(2026, 2, 4, 10, 30, tzinfo=UTC)
    shanghai = zone_named("Asia/Shanghai")
    assert parse_instant("2026-02-04", shanghai).isoformat() == "2026-02-04T00:00:00+08:00"
    assert parse_instant("0001-01-01").tzinfo is not None
    for wrong in ("", "soon", "2026-02-30", "2026-13-01", "25:00"):
        with pytest.raises(InputError, match="is not a date and time"):
            parse_instant(wrong)
