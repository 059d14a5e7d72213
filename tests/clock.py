"""A clock that stands still; by itself, because what tests start as programs needs no more."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

NOW = datetime(2026, 2, 4, 18, 0, tzinfo=timezone(timedelta(hours=8)))


class Clock:
    """A clock that a test moves by hand."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_days(self, days: float) -> None:
        self.now += timedelta(days=days)
