"""What the tests share: a clock that stands still, and a memory in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from loxodon import Memory

NOW = datetime(2026, 2, 4, 18, 0, tzinfo=timezone(timedelta(hours=8)))


class Clock:
    """A clock that a test moves by hand."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_days(self, days: float) -> None:
        self.now += timedelta(days=days)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "home", config={"timezone": "Asia/Shanghai"}, clock=clock
    ) as opened:
        yield opened
