"""What the tests of the MCP server share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clock import Clock

from .desk import Desk


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def desk(tmp_path: Path, clock: Clock) -> Desk:
    return Desk(tmp_path / "home", clock)
