"""A later present for tests whose conversations go on for weeks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.clock import Clock


@pytest.fixture
def in_march(clock: Clock) -> None:
    clock.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
