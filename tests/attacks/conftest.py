"""Where the homes are that a whole module shares."""

from __future__ import annotations

import pytest

from tests import on_postgres


@pytest.fixture(scope="module")
def store_url(request: pytest.FixtureRequest) -> str:
    """The setting `store.url`: empty, unless the run is to try PostgreSQL."""
    return str(request.getfixturevalue("postgres").database()) if on_postgres.ON else ""
