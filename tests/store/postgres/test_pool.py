"""The connections of a process: as many as it needs at once, and few when it rests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import pytest

from loxodon.config import StoreConfig
from loxodon.errors import BusyStoreError
from loxodon.store import Filter
from loxodon.store.postgres import pool
from tests.store.contracts import key, turn
from tests.store.postgres.server import Server
from tests.store.postgres.test_store import opened
from tests.waiting import until

OTHERS = "FROM pg_stat_activity WHERE datname = '{}' AND pid <> pg_backend_pid()"
Ask = Callable[[str], int]


@pytest.fixture
def ask(postgres: Server, postgres_url: str) -> Ask:
    """A number that the server tells of the other connections to the database."""
    others = OTHERS.format(postgres_url.rpartition("/")[2])
    return lambda what: len(postgres.ask(f"SELECT {what} {others}"))


def test_few_connections_are_left_after_a_burst(
    postgres_url: str, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "REST_SECONDS", 0.05)
    pool.configure(StoreConfig(postgres_url, pool=12))
    stores = [opened(postgres_url, f"{n}") for n in range(13)]
    with ExitStack() as busy:
        for store in stores[:12]:
            busy.enter_context(store.reading())
        assert ask("pid") >= 12
        monkeypatch.setattr(pool, "_WAIT_SECONDS", 0.05)
        with pytest.raises(BusyStoreError, match="all 12 connections"), stores[12].reading():
            pass
    until(lambda: ask("pid") <= 5)
    for store in stores:
        assert store.journal(Filter(), 0) == []
        store.close()


def test_outage_leaves_no_more_connections_than_before(
    postgres_url: str, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_PAUSE", 0.01)
    store = opened(postgres_url)
    for n in range(5):
        with store.writing():
            store.append([(turn(f"{n}"), key(f"{n}"))])
        ask("pg_terminate_backend(pid)")
    assert len(store.journal(Filter(), 0)) == 5
    assert ask("pid") <= 3
    store.close()
