"""What the tests of the MCP server share."""

from __future__ import annotations

from pathlib import Path

import pytest

from .desk import with_every_tool


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of the server that the tests of a module ask."""
    return with_every_tool(tmp_path_factory.mktemp("mcp") / "home")
