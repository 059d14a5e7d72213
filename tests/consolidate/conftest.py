from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.models.server import Stage, stage


@pytest.fixture
def server() -> Iterator[Stage]:
    with stage() as one:
        yield one
