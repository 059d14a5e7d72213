"""What becomes of a write when the server, or the way to it, is lost; and who writes when."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic
from urllib.parse import quote

import pytest

from loxodon import files
from loxodon.config import StoreConfig
from loxodon.errors import (
    BusyStoreError,
    DeletedSpaceError,
    NewerStoreError,
    StoreError,
    UnknownOutcomeError,
    UnreachableStoreError,
)
from loxodon.store import Filter, KnownTurn
from loxodon.store.postgres import migrations, pool, spaces
from loxodon.store.postgres.errors import shown
from loxodon.store.postgres.files import share
from loxodon.store.store import Store
from loxodon.types import Turn
from tests.store.contracts import key, record, turn
from tests.store.postgres.server import OWNER, Server, running
from tests.store.postgres.test_store import opened


class Relay:
    """A way to the server that is cut once, when a certain message comes by."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.cut_before = self.cut_after = b""
        self._held: list[socket.socket] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._server))
                self._held += [near, far]
                for source, target, asks in ((near, far, True), (far, near, False)):
                    threading.Thread(
                        target=self._pass, args=(source, target, asks), daemon=True
                    ).start()

    def _pass(self, source: socket.socket, target: socket.socket, asks: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                if asks and self.cut_before and self.cut_before in data:
                    self.cut_before = b""
                    break
                if asks and self.cut_after and self.cut_after in data:
                    self.cut_after = b""
                    source.shutdown(socket.SHUT_RDWR)  # the answer goes nowhere
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def block(self) -> None:
        """Let nobody through any more."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def close(self) -> None:
        self.block()
        for one in self._held:
            one.close()


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
    found = [one.content for one in store.journal(Filter(), 0)]
    store.close()
    return found


def say(store: Store, text: str) -> list[Turn | KnownTurn]:
    with store.writing():
        return store.append([(turn(text, id=text), key(text))])


def test_a_connection_that_is_lost_at_rest_is_replaced(postgres: Server, postgres_url: str) -> None:
    store = opened(postgres_url)
    say(store, "one")
    for _ in range(2):
        postgres.ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE usename = '{OWNER}' AND pid <> pg_backend_pid()"
        )
        assert len(store.journal(Filter(), 0)) > 0
        say(store, f"again {_}")
    assert texts(postgres_url) == ["one", "again 0", "again 1"]
    store.close()


def test_a_write_that_is_cut_short_leaves_nothing(postgres: Server, postgres_url: str) -> None:
    store = opened(postgres_url)

    def cut() -> None:
        with store.writing():
            store.append([(turn("lost"), key("lost"))])
            postgres.ask(
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{OWNER}'"
            )
            store.insert(record("lost"), "captured")

    with pytest.raises(UnreachableStoreError) as caught:
        cut()
    assert "nothing of this call was stored" in (caught.value.hint or "")
    say(store, "kept")
    assert texts(postgres_url) == ["kept"]
    assert store.check(lambda done, total: None) == []
    store.close()


@pytest.mark.parametrize("arrives", [True, False])
def test_a_commit_whose_answer_is_lost(
    relay: Relay, postgres: Server, postgres_url: str, arrives: bool
) -> None:
    """The server is asked what became of it: acknowledged where it was kept, else refused."""
    store = opened(postgres_url.replace(f":{postgres.port}", f":{relay.port}"))
    say(store, "one")
    if arrives:
        relay.cut_after = b"COMMIT"
    else:
        relay.cut_before = b"COMMIT"
    try:
        say(store, "two")
        kept = True
    except UnreachableStoreError:
        kept = False
    assert kept == arrives
    assert texts(postgres_url) == (["one", "two"] if arrives else ["one"])
    assert isinstance(say(store, "two")[0], KnownTurn) == arrives
    assert texts(postgres_url) == ["one", "two"]
    store.close()


def test_a_commit_of_which_nothing_can_be_known(
    relay: Relay, postgres: Server, postgres_url: str
) -> None:
    store = opened(postgres_url.replace(f":{postgres.port}", f":{relay.port}"))
    relay.cut_after = b"COMMIT"

    def cut() -> None:
        with store.writing():
            store.append([(turn("one", id="1"), key("1"))])
            relay.block()  # and there is no way back

    with pytest.raises(UnknownOutcomeError) as caught:
        cut()
    assert "not stored twice" in (caught.value.hint or "")
    assert texts(postgres_url) == ["one"]
    store.close()


def test_a_server_that_goes_down_at_once_loses_nothing_acknowledged() -> None:
    """Under load, several times; `validate` is clean and all that was acknowledged is there."""
    with running(durable=True) as server:
        _go_down(server)


def _go_down(server: Server) -> None:
    url = server.database()
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

    with ThreadPoolExecutor(3) as threads:
        running = [threads.submit(write, name) for name in ("a", "b", "a")]
        for _ in range(2):
            before = len(kept)
            while len(kept) < before + 20:
                stop.wait(0.01)
            server.stop(signal.SIGQUIT)
            server.start()
        stop.set()
        for one in running:
            one.result(120)
    for name in ("a", "b"):
        store = opened(url, name)
        there = {one.content for one in store.journal(Filter(), 0)}
        assert {one for one in kept if one.startswith(name)} <= there
        assert store.check(lambda done, total: None) == []
        store.close()


def test_writers_of_a_space_take_turns(postgres_url: str) -> None:
    """Numbers are given out once and in order, whoever asks."""

    def write(name: str) -> None:
        store = opened(postgres_url)
        for n in range(12):
            say(store, f"{name} {n}")
        store.close()

    opened(postgres_url).close()
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, "abcd"))
    store = opened(postgres_url)
    said = sorted(store.erasure.turns(), key=lambda one: one.seq)
    assert [one.seq for one in said] == [*range(1, 49)]
    assert sorted(one.content for one in said) == sorted(
        f"{x} {n}" for x in "abcd" for n in range(12)
    )
    for name in "abcd":
        own = [one.content for one in said if one.content.startswith(name)]
        assert own == [f"{name} {n}" for n in range(12)]
    assert store.check(lambda done, total: None) == []
    store.close()


def test_a_writer_that_waits_too_long_is_told(postgres_url: str) -> None:
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


def test_a_statement_that_takes_too_long_is_undone(postgres_url: str) -> None:
    url = f"{postgres_url}?options={quote('-c statement_timeout=50')}"
    store = opened(url)
    with pytest.raises(BusyStoreError), store.reading():
        store._db.all("SELECT pg_sleep(10)")
    say(store, "fine")
    store.close()


def test_timeouts_are_settings(postgres_url: str) -> None:
    pool.configure(StoreConfig(postgres_url, statement_timeout=0.05, lock_timeout=0.05))
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
                began = monotonic()
                with pytest.raises(UnreachableStoreError):
                    call()
                assert monotonic() - began < 20  # and not for as long as it is stopped
        finally:
            for pid in reversed(stopped):
                os.kill(pid, signal.SIGCONT)
        say(store, "again")
        assert [one.content for one in store.journal(Filter(), 0)] == ["kept", "again"]
        store.close()


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


def test_what_is_undone_inside_a_transaction_is_undone_alone(postgres_url: str) -> None:
    """Also where the statement that failed was not waited for."""
    store = opened(postgres_url)
    with store.writing():
        store.append([(turn("outer"), key("outer"))])

        def inner() -> None:
            with store.writing():
                store.append([(turn("inner"), key("inner"))])
                store._db.run("INSERT INTO meta (name, value) VALUES ('space', 'again')")

        with pytest.raises(StoreError, match="duplicate key"):
            inner()
        store.append([(turn("after"), key("after"))])
    assert texts(postgres_url) == ["outer", "after"]
    with pytest.raises(StoreError, match="duplicate key"), store.writing():
        store._db.run("INSERT INTO meta (name, value) VALUES ('space', 'again')")
    store.close()


def test_texts_that_postgresql_has_no_room_for(postgres_url: str) -> None:
    store = opened(postgres_url)
    said = ["a\0b", "\ufffe0", "\ufffe\0\ufffe1", "plain"]
    for text in said:
        say(store, text)
    with store.writing():
        kept = store.insert(record("nul \0 here", tags=("x\0",), entities=("\0",)), "captured")
        kept = store.update(kept.id, None, "edited", kept.updated_at, {"content": "\0 other"})
    other = opened(postgres_url)
    assert [one.content for one in other.journal(Filter(), 0)] == said
    assert other.get(kept.id) == kept
    assert other.find(Filter(tag="x\0")) == [kept]
    assert [one.record.content for one in other.history(kept.id)] == ["nul \0 here", "\0 other"]
    assert set(other.standing([1]).values()) == {"reworded"}
    with other.writing():
        assert other.erasure.rename("\0", "y") == 1
    assert other.check(lambda done, total: None) == []
    store.close()
    other.close()


def test_a_number_that_a_crash_gave_to_another_write(postgres_url: str) -> None:
    """A write is told by its own mark; where that may be gone, nobody knows."""
    store = opened(postgres_url)
    db = store._db
    say(store, "one")
    ((version, recent),) = db.all("SELECT version, recent FROM loxodon.spaces")
    ((xid,),) = db.all("SELECT max(xmin::text::bigint)::text FROM turns")
    mark = recent.split()[0]
    assert db._was_kept(mark, version, xid)
    assert not db._was_kept("another1", version, xid)
    assert not db._was_kept("another1", version, str(int(xid) + 1_000))  # of the future
    for n in range(25):
        say(store, f"more {n}")
    with pytest.raises(UnknownOutcomeError):
        db._was_kept(mark, version, xid)
    store.close()


# The schema


def test_ten_servers_that_start_at_once(postgres: Server) -> None:
    postgres.database()
    postgres.ask(f"CREATE DATABASE at_once OWNER {OWNER}")
    postgres.ask("CREATE EXTENSION vector", "at_once")
    url = postgres.url("at_once")
    with ThreadPoolExecutor(10) as threads:
        steps = list(threads.map(lambda _: migrations.migrate(url), range(10)))
    assert sorted(steps)[:9] == [0] * 9
    assert migrations.migrate(url) == 0
    opened(url).close()


def test_a_newer_schema_is_refused(postgres: Server, postgres_url: str) -> None:
    database_name = postgres_url.rsplit("/", 1)[1]
    postgres.ask("INSERT INTO loxodon.migrations VALUES (9999, 'later')", database_name)
    with pytest.raises(NewerStoreError):
        opened(postgres_url)


def test_a_server_that_lacks_what_is_needed(postgres: Server) -> None:
    postgres.database()
    postgres.ask(f"CREATE DATABASE bare OWNER {OWNER}")
    with pytest.raises(StoreError, match="pgvector"):
        opened(postgres.url("bare"))
    with pytest.raises(StoreError):
        opened(postgres.url("nowhere"))


def test_a_password_is_never_told() -> None:
    url = "postgresql://me:secret@127.0.0.1:1/db?password=secret"
    assert shown(url) == "postgresql://me@127.0.0.1:1/db"
    assert shown("host=a,b port=1,2 password=secret dbname=x") == "postgresql://a:1,b:2/x"
    assert "secret" not in shown("postgresql://me:secret@[:") + shown("x=secret")
    with pytest.raises(UnreachableStoreError) as caught:
        pool.connect(url)
    assert "secret" not in str(caught.value) + (caught.value.hint or "")


def test_the_directory_of_spaces(postgres_url: str) -> None:
    ask: Callable[[], list[str]] = lambda: [*spaces.versions(postgres_url)]  # noqa: E731
    assert ask() == []
    for name in ("张三", "ada"):
        store = opened(postgres_url, name)
        say(store, "hello")
        store.close()
    assert ask() == ["ada", "张三"]
    before = spaces.versions(postgres_url)
    store = opened(postgres_url, "ada")
    say(store, "more")
    after = spaces.versions(postgres_url)
    assert (after["ada"] > before["ada"], after["张三"]) == (True, before["张三"])
    for _ in range(2):  # the second finds none
        there = files.shared(share(postgres_url))
        assert there is not None
        there[0].drop_space("ada")
    assert ask() == ["张三"]
    with pytest.raises(DeletedSpaceError):
        store.journal(Filter(), 0)
    assert opened(postgres_url, "ada").journal(Filter(), 0) == []
    assert [one.content for one in opened(postgres_url, "张三").journal(Filter(), 0)] == ["hello"]
