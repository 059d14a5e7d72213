"""A clock that stands still; by itself, because what tests start as programs needs no more."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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


def trust(memory: Memory) -> None:
    """Have the clock believed at once; by itself it is a day after it has jumped."""
    store = memory.workspace.store
    with store.writing():
        store.set_value("clock", json.dumps([int(memory.now().timestamp() * 1000), None]))
