"""What the tests of the MCP server share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of the server that the tests of a module ask."""
    return tmp_path_factory.mktemp("mcp") / "home"
