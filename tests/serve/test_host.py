"""A home that is kept open: shared, bounded, and let go."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Event, get_ident

import pytest

from loxodon import Memory
from loxodon.errors import BusyStoreError, ConfigError, DamagedStoreError, NotFoundError, StoreError
from loxodon.serve import host as hosts
from loxodon.serve.host import Host


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with Host(tmp_path / "home") as opened:
        yield opened


def test_a_memory_is_opened_once_and_shared(host: Host) -> None:
    assert host.memory("main") is host.memory("main")
    assert host.memory("Alice 张") is not host.memory("main")
    assert sorted(host.spaces()) == ["Alice 张", "main"]


def test_what_is_not_there_is_made_only_where_it_may_be(host: Host) -> None:
    with pytest.raises(NotFoundError):
        host.memory("main", make=False)
    assert host.spaces() == []
    host.memory("main").capture("tea")
    assert host.memory("main", make=False).recall("tea").items


def test_a_space_that_lost_its_database_is_not_made_anew(tmp_path: Path) -> None:
    Memory.open(tmp_path).close()
    (tmp_path / "spaces" / "main" / "loxodon.db").unlink()
    with Host(tmp_path) as host:
        for make in (False, True):
            with pytest.raises(DamagedStoreError):
                host.memory("main", make=make)
        assert host.spaces() == ["main"]


def test_only_what_is_a_space_is_named(tmp_path: Path) -> None:
    Memory.open(tmp_path, "a").close()
    Memory.open(tmp_path, "张三").close()
    spaces = tmp_path / "spaces"
    for name in ("empty", "Not Plain", "~moved"):
        (spaces / name).mkdir()
    (spaces / "Not Plain" / "loxodon.db").write_bytes(b"x")
    shutil.copy(spaces / "a" / "loxodon.db", spaces / "~moved")
    with Host(tmp_path) as host:
        assert sorted(host.spaces()) == ["a", "张三"]


def test_with_the_engine_off_no_database_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOXODON_ENABLED", "false")
    with Host(tmp_path / "home") as host:
        host.memory("main").capture("tea")
    with Host(tmp_path / "home") as host:
        assert host.memory("main", make=False).recall("tea").items
    monkeypatch.delenv("LOXODON_ENABLED")
    with Host(tmp_path / "home") as host:  # and on again, it makes the one that there never was
        assert host.memory("main", make=False).recall("tea").items


def test_a_space_that_began_with_the_engine_off_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOXODON_ENABLED", "false")
    for space in ("ann", "张三"):
        with Memory.open(tmp_path, space) as memory:
            memory.capture("tea")
    with Host(tmp_path) as host:
        assert sorted(host.spaces()) == ["ann", "张三"]
    monkeypatch.delenv("LOXODON_ENABLED")
    with Host(tmp_path) as host:  # so that whoever goes round its spaces takes up what waits
        assert sorted(host.spaces()) == ["ann", "张三"]
        assert host.memory("张三", make=False).list()[0].content == "tea"


def test_calls_run_in_threads_and_return(host: Host) -> None:
    async def ask() -> list[int]:
        calls = [host.call("main", lambda memory: get_ident()) for _ in range(20)]
        return await asyncio.gather(*calls)

    assert get_ident() not in asyncio.run(ask())
    assert host.waiting == 0


def test_errors_come_to_who_called(host: Host) -> None:
    with pytest.raises(NotFoundError):
        asyncio.run(host.call("main", lambda memory: memory.get("f_1")))


def test_long_work_does_not_stand_in_the_way(host: Host) -> None:
    begun, go_on = Event(), Event()

    def long(memory: Memory) -> str:
        begun.set()
        assert go_on.wait(60)
        return "done"

    async def both() -> str:
        working = asyncio.ensure_future(host.call("main", long, apart=True))
        await asyncio.get_running_loop().run_in_executor(None, begun.wait)
        await host.call("main", lambda memory: memory.capture("tea"))
        assert not working.done()
        go_on.set()
        return await working

    assert asyncio.run(both()) == "done"


def test_a_call_that_is_cancelled_before_its_turn_does_nothing(tmp_path: Path) -> None:
    begun, go_on, wrote = Event(), Event(), Event()

    async def cancel(host: Host) -> None:
        def hold(memory: Memory) -> None:
            begun.set()
            go_on.wait(60)

        first = asyncio.ensure_future(host.call("main", hold))
        await asyncio.get_running_loop().run_in_executor(None, begun.wait)
        second = asyncio.ensure_future(host.call("main", lambda memory: wrote.set()))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):  # and the thread's queue has heard of it
            await second
        go_on.set()
        await first

    with Host(tmp_path / "home", threads=1) as host:
        asyncio.run(cancel(host))
    assert not wrote.is_set()


def test_a_flood_is_refused(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "MOST_WAITING", 3)

    async def flood() -> list[object]:
        calls = [host.call("main", lambda memory: memory.status().turns) for _ in range(10)]
        return await asyncio.gather(*calls, return_exceptions=True)

    found = asyncio.run(flood())
    assert found.count(0) == 3
    assert sum(isinstance(one, BusyStoreError) for one in found) == 7


def test_what_nobody_uses_is_let_go(tmp_path: Path) -> None:
    with Host(tmp_path / "home", idle=0.0) as host:
        with host.using("a") as first:
            host.memory("b")
            assert first.status().turns == 0  # it is in use, so it stays
        host.memory("b")
        assert host.memory("a") is not first
        with pytest.raises(StoreError, match="closed"):
            first.capture("x")


def test_settings_are_taken_up_and_spoilt_ones_left(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Host(home) as host:
        with host.using("main") as before:
            (home / "config.toml").write_text("[recall]\ntop = 3\n")
            assert host.memory("main").config.recall.top == 3
            assert before.status().turns == 0  # whoever uses the old one may go on
        with pytest.raises(StoreError, match="closed"):
            before.capture("x")
        (home / "config.toml").write_text("[recall]\ntop = 'many'\n")
        assert host.memory("main").config.recall.top == 3
        assert isinstance(host.trouble, ConfigError)
        (home / "config.toml").write_text("")
        assert host.memory("main").config.recall.top == 10
        assert host.trouble is None


def test_settings_that_are_as_they_were_are_no_trouble(tmp_path: Path) -> None:
    with Host(tmp_path) as host:  # which has no config.toml
        (tmp_path / "config.toml").write_text("x = [")
        assert isinstance(host.trouble, ConfigError)
        (tmp_path / "config.toml").unlink()
        assert host.trouble is None


def test_a_closed_host_takes_no_calls(tmp_path: Path) -> None:
    host = Host(tmp_path / "home")
    kept = host.memory("main")
    host.close()
    host.close()
    with pytest.raises(StoreError, match="closed"):
        kept.capture("x")
    with pytest.raises(StoreError, match="stopping"):
        host.memory("main")
    with pytest.raises(StoreError, match="stopping"):
        asyncio.run(host.call("main", lambda memory: None))
