"""One server for the tests that only ask it something, each in a space of its own."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from .server import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("served") / "home") as started:
        yield started


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client
