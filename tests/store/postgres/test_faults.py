"""What becomes of a write when the server, or the way to it, is lost; and who writes when."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from loxodon import Memory
from loxodon.config import StoreConfig
from loxodon.errors import (
    BusyStoreError,
    LoxodonError,
    StoreError,
    UnknownOutcomeError,
    UnreachableStoreError,
)
from loxodon.security import tokens
from loxodon.store import Filter, KnownTurn
from loxodon.store.postgres import migrations, pool
from loxodon.store.store import Store
from loxodon.types import Turn
from tests.cli.shell import Shell
from tests.http.server import Server as HttpServer
from tests.store.contracts import contents, key, quiet, record, turn
from tests.store.postgres.relay import Relay
from tests.store.postgres.server import OWNER, Server, running
from tests.store.postgres.test_store import opened
from tests.waiting import PATIENCE, until

CUT = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{OWNER}'"


@pytest.fixture
def relay(postgres: Server) -> Iterator[Relay]:
    found = Relay(postgres.port)
    yield found
    pool.close_pools()
    found.close()


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for a server that is gone."""
    monkeypatch.setattr(pool, "_PAUSE", 0.05)
    monkeypatch.setattr(pool, "_PATIENCE", 1.0)
    monkeypatch.setattr(pool, "_WAIT_SECONDS", 0.5)


def texts(url: str) -> list[str]:
    store = opened(url)
    found = contents(store.journal(Filter(), 0))
    store.close()
    return found


def say(store: Store, text: str) -> list[Turn | KnownTurn]:
    with store.writing():
        return store.append([(turn(text, id=text), key(text))])


def test_connection_lost_at_rest_is_replaced(postgres: Server, postgres_url: str) -> None:
    store = opened(postgres_url)
    for n in range(3):
        say(store, f"{n}")
        postgres.ask(CUT)
        assert len(store.journal(Filter(), 0)) == n + 1
    store.close()


def test_write_that_is_cut_short_leaves_nothing(postgres: Server, postgres_url: str) -> None:
    store = opened(postgres_url)
    with pytest.raises(UnreachableStoreError) as caught, store.writing():  # noqa: PT012
        store.append([(turn("lost"), key("lost"))])
        postgres.ask(CUT)
        store.insert(record("lost"), "captured")
    assert "nothing of this call was stored" in caught.value.hint
    say(store, "kept")
    assert texts(postgres_url) == ["kept"]
    assert store.check(quiet) == []
    store.close()


@pytest.mark.parametrize("arrives", [True, False])
def test_commit_whose_answer_is_lost(
    relay: Relay, postgres: Server, postgres_url: str, arrives: bool
) -> None:
    """It may be stored or not; repeated, it is there once."""
    store = opened(postgres_url.replace(f":{postgres.port}", f":{relay.port}"))
    say(store, "one")
    setattr(relay, "cut_after" if arrives else "cut_before", b"COMMIT")
    with pytest.raises(UnknownOutcomeError) as caught:
        say(store, "two")
    assert "not stored twice" in caught.value.hint
    assert texts(postgres_url) == (["one", "two"] if arrives else ["one"])
    assert isinstance(say(store, "two")[0], KnownTurn) == arrives
    assert texts(postgres_url) == ["one", "two"]
    store.close()


def test_server_that_is_killed_loses_nothing_acknowledged() -> None:
    kept: list[str] = []
    stop = threading.Event()

    def write(name: str) -> None:
        store = opened(url, name)
        n = 0
        while not stop.is_set():
            n += 1
            with suppress(StoreError):
                if isinstance(say(store, f"{name} {n}")[0], Turn):
                    kept.append(f"{name} {n}")
        store.close()

    with running(durable=True) as server, ThreadPoolExecutor(3) as threads:
        url = server.database()
        writers = [threads.submit(write, name) for name in ("a", "b", "a")]
        for _ in range(2):
            wanted = len(kept) + 20
            until(lambda: len(kept) >= wanted)  # noqa: B023 called at once
            server.stop(signal.SIGQUIT)
            server.start()
        stop.set()
        for one in writers:
            one.result(PATIENCE)
        for name in ("a", "b"):
            store = opened(url, name)
            there = set(contents(store.journal(Filter(), 0)))
            assert {one for one in kept if one.startswith(name)} <= there
            assert store.check(quiet) == []
            store.close()


def test_writers_of_a_space_take_turns(postgres_url: str) -> None:
    def write(name: str) -> None:
        store = opened(postgres_url)
        for n in range(12):
            say(store, f"{name} {n}")
        store.close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, "abcd"))
    store = opened(postgres_url)
    said = sorted(store.erasure.turns(), key=lambda one: one.seq)
    assert [one.seq for one in said] == [*range(1, 49)]
    for name in "abcd":
        own = [one.content for one in said if one.content.startswith(name)]
        assert own == [f"{name} {n}" for n in range(12)]
    assert store.check(quiet) == []
    store.close()


def test_writer_that_waits_too_long_is_told(postgres_url: str) -> None:
    one, other = opened(postgres_url), opened(postgres_url)
    elsewhere = opened(postgres_url, "elsewhere")
    with one.writing():
        say(elsewhere, "another space waits for nobody")
        with pytest.raises(BusyStoreError), other.writing(0.05):
            pass
        assert other.journal(Filter(), 0) == []  # nor does a reader
    say(other, "now")
    for store in (one, other, elsewhere):
        store.close()


def test_timeouts_are_settings(postgres_url: str) -> None:
    pool.configure(StoreConfig(postgres_url, statement_timeout=2, lock_timeout=0.05))
    store, other = opened(postgres_url), opened(postgres_url)
    with pytest.raises(BusyStoreError), store.reading():
        store._db.all("SELECT pg_sleep(10)")
    with store.writing(), pytest.raises(BusyStoreError), other.writing():
        pass
    for one in (store, other):
        one.close()


def test_a_server_that_is_stopped_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes connections and statements and answers nothing: no timeout of its own counts."""
    monkeypatch.setattr(pool, "_SOON", 0.2)
    with running() as server:
        url = server.database()
        pool.configure(StoreConfig(url, connect_timeout=2))
        store = opened(url)
        say(store, "kept")
        pids = [int(str(pid)) for (pid,) in server.ask("SELECT pid FROM pg_stat_activity")]
        stopped = [server.process.pid, *(pid for pid in pids if _stopped(pid))]
        server.process.send_signal(signal.SIGSTOP)
        try:
            for call in (lambda: say(store, "lost"), lambda: store.journal(Filter(), 0)):
                with pytest.raises(UnreachableStoreError):
                    call()
        finally:
            for pid in reversed(stopped):
                os.kill(pid, signal.SIGCONT)
        say(store, "again")
        assert [one.content for one in store.journal(Filter(), 0)] == ["kept", "again"]
        store.close()


def test_a_token_is_good_while_the_server_is_away(
    relay: Relay, postgres: Server, postgres_url: str, tmp_path: Path
) -> None:
    """Whoever asks is told to come again, and not that the token is wrong."""
    shell = Shell(tmp_path / "home")
    url = postgres_url.replace(f":{postgres.port}/", f":{relay.port}/")
    made = shell.json("token", "add", "phone", "--rights", "read", LOXODON_STORE=url)
    sent = {"authorization": f"Bearer {made['token']}"}
    soon = "from loxodon.store.postgres import pool; pool._SOON = pool._PATIENCE = 0.2"
    with (
        HttpServer(shell.home, given=soon, LOXODON_STORE=url) as server,
        server.client(headers=sent) as http,
    ):
        assert http.get("/v1/spaces/main/memories").status_code == 200
        stranger = http.get("/v1/spaces/main/memories", headers={"authorization": "Bearer x"})
        assert stranger.status_code == 401
        relay.block()
        relay.cut()
        threading.Event().wait(tokens._FRESH)  # what was known of tokens is looked at again
        answer = http.get("/v1/spaces/main/memories")
        assert (answer.status_code, answer.headers.get("retry-after")) == (503, "1")


def _stopped(pid: int) -> bool:
    """Whether a process was there to be stopped."""
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        return False
    return True


def test_a_busy_server_is_waited_for(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_SOON", 0.05)
    store = opened(postgres_url)
    with store.reading():
        assert store._db.all("SELECT 1 FROM pg_sleep(0.4)") == [(1,)]
    store.close()


def test_failing_statements_are_undone_alone(postgres_url: str) -> None:
    """Also where the one that failed was not waited for, and where it took too long."""
    store = opened(f"{postgres_url}?options={quote('-c statement_timeout=1000')}")
    with pytest.raises(BusyStoreError), store.reading():
        store._db.all("SELECT pg_sleep(10)")
    twice = "INSERT INTO meta (name, value) VALUES ('space', 'again')"
    with store.writing():
        store.append([(turn("outer"), key("outer"))])
        with pytest.raises(StoreError, match="duplicate key"), store.writing():  # noqa: PT012
            store.append([(turn("inner"), key("inner"))])
            store._db.run(twice)
        store.append([(turn("after"), key("after"))])
    assert texts(postgres_url) == ["outer", "after"]
    with pytest.raises(StoreError, match="duplicate key"), store.writing():
        store._db.run(twice)
    store.close()


def test_texts_that_postgresql_has_no_room_for(postgres_url: str) -> None:
    store = opened(postgres_url)
    with store.writing():
        store.insert(record("nul \0 here"), "captured")
    assert [one.content for one in store.find(Filter())] == ["nul \ufffd here"]
    store.close()


# The schema


def test_servers_that_start_at_once_migrate_once(postgres: Server) -> None:
    postgres.database()
    postgres.ask(f"CREATE DATABASE at_once OWNER {OWNER}")
    postgres.ask("CREATE EXTENSION vector", "at_once")
    url = postgres.url("at_once")
    with ThreadPoolExecutor(10) as threads:
        steps = list(threads.map(lambda _: migrations.migrate(url), range(10)))
    assert sorted(steps)[:9] == [0] * 9
    assert migrations.migrate(url) == 0
    opened(url).close()


def test_database_that_cannot_be_used_says_why(postgres: Server, postgres_url: str) -> None:
    name = postgres_url.rsplit("/", 1)[1]
    postgres.ask("INSERT INTO loxodon.migrations VALUES (9999, 'later')", name)
    postgres.ask(f"CREATE DATABASE bare OWNER {OWNER}")
    for url, error, match in (
        (postgres_url, StoreError, "newer"),
        (postgres.url("bare"), StoreError, "pgvector"),
        (postgres.url("nowhere"), StoreError, "nowhere"),
    ):
        with pytest.raises(error, match=match):
            opened(url)


def test_password_is_in_no_error(tmp_path: Path) -> None:
    for url in (
        "postgresql://me:hunter2@127.0.0.1:1/db?password=hunter2&connect_timeout=1",
        "host=127.0.0.1 port=1 password=hunter2 dbname=x connect_timeout=1",
    ):
        with pytest.raises(LoxodonError) as caught:
            Memory.open(tmp_path, "main", {"store.url": url})
        assert "hunter2" not in f"{caught.value} {caught.value.hint} {caught.value.localized()}"
