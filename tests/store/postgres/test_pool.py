"""The connections of a process: as many as it needs at once, and few when it rests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import pytest

from loxodon import files
from loxodon.config import StoreConfig
from loxodon.errors import BusyStoreError
from loxodon.store import Filter
from loxodon.store.postgres import pool
from loxodon.store.postgres.files import PostgresFiles, share
from tests.store.contracts import key, turn
from tests.store.postgres.server import Server
from tests.store.postgres.test_store import opened
from tests.waiting import until

_OTHERS = "FROM pg_stat_activity WHERE datname = '{}' AND pid <> pg_backend_pid()"
Count = Callable[[], int]


@pytest.fixture
def count(postgres: Server, postgres_url: str) -> Count:
    """How many connections there are to the database."""
    sql = "SELECT count(*) " + _OTHERS.format(postgres_url.rpartition("/")[2])
    return lambda: int(str(postgres.ask(sql)[0][0]))


def test_after_a_burst_a_few_are_left(
    postgres_url: str, count: Count, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "REST_SECONDS", 0.05)
    pool.configure(StoreConfig(postgres_url, pool=12))
    monkeypatch.setattr(pool, "_WAIT_SECONDS", 0.05)
    stores = [opened(postgres_url, f"{n}") for n in range(13)]
    there = files.shared(share(postgres_url))
    assert there is not None
    state = there[0]
    assert isinstance(state, PostgresFiles)
    with ExitStack() as busy:
        for store in stores[:12]:
            busy.enter_context(store.reading())
        for _ in range(5):
            busy.enter_context(state.transaction(None))
        assert count() == 12 + 5
        with pytest.raises(BusyStoreError, match="all 12 connections"), stores[12].reading():
            pass
    until(lambda: count() <= 5)  # of which 4 are of the state of the home
    for store in stores:
        assert store.journal(Filter(), 0) == []
        store.close()
    assert count() <= 6


def test_an_outage_leaves_no_more_than_there_were(
    postgres: Server, postgres_url: str, count: Count, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_PAUSE", 0.01)
    store = opened(postgres_url)
    cut = "SELECT pg_terminate_backend(pid) " + _OTHERS.format(postgres_url.rpartition("/")[2])
    for n in range(5):
        with store.writing():
            store.append([(turn(f"{n}"), key(f"{n}"))])
        postgres.ask(cut)
    assert len(store.journal(Filter(), 0)) == 5
    assert count() <= 3  # of twenty
    store.close()
