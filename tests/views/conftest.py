"""A memory that writes its views."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loxodon import Memory
from tests.clock import Clock


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "home", config={"timezone": "Asia/Shanghai"}, clock=clock
    ) as opened:
        yield opened
