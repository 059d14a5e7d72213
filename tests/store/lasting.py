"""What the stores of tests are opened with."""

from __future__ import annotations

from datetime import datetime, timedelta

from loxodon.config import Config
from loxodon.consolidate.decay import Decay
from loxodon.types import Kind
from tests.clock import NOW

SHANGHAI = NOW.tzinfo


class Lasting(Decay):
    """A strength that does not fall, until it is gone: a whole one after `days`."""

    def __init__(self, days: int = 1_000) -> None:
        super().__init__(Config(), lambda: NOW)
        self._days = days

    def strength(
        self, base: float, since: datetime, kind: Kind, weight: float, at: datetime | None = None
    ) -> float:
        return base

    def rate(self, kind: Kind, importance: float) -> float:
        return 0.0

    def end(self, base: float, since: datetime, kind: Kind, importance: float) -> datetime | None:
        return since + timedelta(days=self._days * base)
