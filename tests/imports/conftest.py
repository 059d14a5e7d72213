"""What the tests of imports share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.imports.take import Imported

Take = Callable[..., Imported]


@pytest.fixture
def take(memory: Memory) -> Take:
    """Take a file or folder in."""

    def taken(path: Path, format: str | None = None, **more: Any) -> Imported:
        return memory.workspace.take_in(str(path), format, **more)

    return taken
