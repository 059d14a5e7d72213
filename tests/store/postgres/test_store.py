"""The store in PostgreSQL: the contract, and what only a server can suffer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loxodon.store.postgres.store import PostgresStore
from loxodon.store.protocol import Store
from tests.store.contract import BackendContract
from tests.store.lasting import SHANGHAI, Lasting


def opened(url: str, space: str = "main", days: int = 1_000) -> PostgresStore:
    return PostgresStore(url, space, SHANGHAI, Lasting(days))


class TestPostgresStore(BackendContract):
    @pytest.fixture
    def open_store(
        self, shared_postgres: str, request: pytest.FixtureRequest
    ) -> Callable[[str], Store]:
        """All in one database: each test has its own spaces."""
        return lambda space: opened(shared_postgres, f"{request.node.name}/{space}")
