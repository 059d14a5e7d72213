"""Reads from a standby: whoever has written reads their own writes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from loxodon.store import Filter
from loxodon.store.postgres import pool
from loxodon.store.postgres.store import PostgresStore
from tests.store.contracts import key, turn
from tests.store.lasting import SHANGHAI, Lasting
from tests.store.postgres.server import Server, own, run
from tests.store.postgres.test_store import opened
from tests.waiting import until


@pytest.fixture
def standby(postgres: Server, postgres_url: str) -> Iterator[Server]:
    """A hot standby of the server, made with pg_basebackup."""
    with tempfile.TemporaryDirectory(dir=postgres.folder.parent) as folder:
        Path(folder).chmod(0o711)
        copy = own(Path(folder) / "standby")
        at = f"--host=127.0.0.1 --port={postgres.port} --username=postgres".split()
        run("pg_basebackup", *at, f"--pgdata={copy}", "--write-recovery-conf", "--checkpoint=fast")
        found = Server(copy, made=True)
        yield found
        pool.close_pools()
        found.stop()


def test_reads_go_to_a_standby_that_is_up_to_date(
    postgres: Server, postgres_url: str, standby: Server
) -> None:
    replica = standby.url(postgres_url.rsplit("/", 1)[1])
    store = PostgresStore(postgres_url, "main", SHANGHAI, Lasting(), replica=replica)
    other = opened(postgres_url)

    def seen() -> tuple[int, bool]:
        with store.reading():
            ((there,),) = store._db.all("SELECT pg_is_in_recovery()")
            return len(store.journal(Filter(), 0)), there

    for n in range(20):  # mine, and those that came by another server
        with (store if n % 2 else other).writing():
            (store if n % 2 else other).append([(turn(f"{n}"), key(f"{n}"))])
        assert seen()[0] == n + 1
    until(lambda: seen() == (20, True))
    standby.ask("SELECT pg_wal_replay_pause()")
    with other.writing():
        other.append([(turn("late"), key("late"))])
    assert seen() == (21, False)
    standby.ask("SELECT pg_wal_replay_resume()")
    until(lambda: seen() == (21, True))
    assert store.search("turns", ["late"], Filter(), 3)
    standby.stop()
    assert seen() == (21, False)
    store.close()
    other.close()
