"""The store in PostgreSQL: the contract, and what only a server can suffer."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from loxodon.errors import BusyStoreError
from loxodon.store import Filter
from loxodon.store.postgres.database import PostgresDatabase
from loxodon.store.store import Store
from loxodon.store.walls import Wall
from tests.long import count
from tests.store.contract import BackendContract
from tests.store.contracts import key, record, turn
from tests.store.lasting import SHANGHAI, Lasting
from tests.waiting import PATIENCE


def opened(url: str, space: str = "main", days: int = 1_000) -> Store:
    return Store(PostgresDatabase(url, space), space, SHANGHAI, Lasting(days))


class TestPostgresStore(BackendContract):
    versions = count(110, 1_100)

    @pytest.fixture
    def open_store(
        self, shared_postgres: str, request: pytest.FixtureRequest
    ) -> Callable[[str], Store]:
        """All in one database: each test has its own spaces."""
        return lambda space: opened(shared_postgres, f"{request.node.name}/{space}")


def test_threads_read_one_space_at_once(shared_postgres: str) -> None:
    store = opened(shared_postgres, "readers")
    with store.writing():
        store.insert(record("kept"), "captured")
    together = Barrier(4)

    def read(_: int) -> list[str]:
        with store.reading():
            together.wait(PATIENCE)  # nobody gets further unless all four are reading
            return [one.content for one in store.find(Filter())]

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(read, range(4))) == [["kept"]] * 4
    store.close()


def test_a_thread_reads_behind_its_own_wall_while_another_writes(shared_postgres: str) -> None:
    store = opened(shared_postgres, "walls")
    with store.writing():
        store.insert(record("mine", agent="coder"), "captured")
        store.insert(record("theirs", agent="writer"), "captured")
    coder = store.behind(Wall("coder"))

    def read() -> tuple[list[str], Wall]:
        return [one.content for one in coder.find(Filter())], coder.wall

    with ThreadPoolExecutor(1) as thread, coder.writing_as("writer"):
        assert [one.content for one in coder.find(Filter())] == ["theirs"]
        coder.insert(record("more"), "captured")
        assert thread.submit(read).result(PATIENCE) == (["mine"], Wall("coder"))
    assert read() == (["mine"], Wall("coder"))
    for one in (store, coder):
        one.close()


def test_a_thread_waits_for_another_that_writes_only_so_long(shared_postgres: str) -> None:
    store = opened(shared_postgres, "writers")

    def write() -> None:
        with pytest.raises(BusyStoreError), store.writing(0.05):
            pass

    with ThreadPoolExecutor(1) as thread, store.writing():
        thread.submit(write).result(PATIENCE)
    with store.writing(0.0):  # whoever does not wait at all writes where nobody else does
        store.append([(turn("said"), key("said"))])
    assert len(store.journal(Filter(), 0)) == 1
    store.close()
