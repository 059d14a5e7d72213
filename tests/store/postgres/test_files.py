"""The small state of a home in a database: as files do, seen by every process."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Thread

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon import Memory, files
from loxodon.errors import StoreError
from loxodon.filelock import lock_on
from loxodon.store.postgres.files import PostgresFiles, share
from tests.waiting import until


@pytest.fixture
def root(postgres_url: str, tmp_path: Path) -> str:
    with Memory.open(tmp_path, "main", {"store.url": postgres_url}):
        return share(postgres_url)


def test_it_is_as_it_is_on_disk(root: str, tmp_path: Path) -> None:
    """The same calls, the same answers."""

    def all_of(folder: str) -> list[object]:
        files.make_folder(os.path.join(folder, "sessions"))
        path = os.path.join(folder, "sessions", "a.jsonl")
        found: list[object] = [files.exists(path), files.size(path)]
        found.append(files.append(path, b"one\n"))
        found.append(files.append(path, "二\n".encode()))
        found += [files.read(path), files.append(path, b"x")]
        before = files.stamp(path)
        files.replace(path, b"another")
        found += [files.read(path), files.stamp(path) == before, files.size(path)]
        files.replace(path, b"")
        found += [files.read(path), files.exists(path), files.append(path, b"more")]
        found += [files.names(os.path.join(folder, "sessions")), files.names(folder + "/none")]
        files.remove(path)
        for ask in (files.remove, files.read):
            with pytest.raises(FileNotFoundError):
                ask(path)
        return found

    assert all_of(f"{root}/spaces/main") == all_of(str(tmp_path / "on disk"))
    assert files.names(f"{root}/spaces") == ["main"]
    assert files.has_folder(f"{root}/spaces/main")
    assert not files.exists(f"{root}/spaces/nobody/paused")
    with pytest.raises(FileNotFoundError):
        files.replace(f"{root}/spaces/nobody/paused", b"[]")


@given(pieces=st.lists(st.binary(max_size=40), max_size=8))
def test_a_file_is_what_was_appended(shared_postgres: str, pieces: list[bytes]) -> None:
    path = f"{share(shared_postgres)}/a file of the home"
    files.replace(path, b"")
    for piece in pieces:
        files.append(path, piece)
    assert files.read(path) == b"".join(pieces)


def test_appends_at_once_are_all_there(root: str) -> None:
    path = f"{root}/spaces/main/used"

    def append(n: int) -> None:
        for m in range(20):
            files.append(path, b"%d.%d\n" % (n, m))

    threads = [Thread(target=append, args=(n,)) for n in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    wanted = sorted(b"%d.%d" % (n, m) for n in range(4) for m in range(20))
    assert sorted(files.read(path).split()) == wanted


def test_a_brief_lock_is_a_transaction(root: str) -> None:
    path, lock = f"{root}/spaces/main/x", lock_on(f"{root}/spaces/main/lock", brief=True)
    other = lock_on(f"{root}/spaces/main/lock", brief=True)
    assert lock.acquire(0)
    files.append(path, b"1")
    files.replace(f"{root}/of the home", b"2")
    assert not _elsewhere(lambda: other.acquire(0))
    assert not _elsewhere(lambda: files.exists(path))
    lock.release()
    assert _elsewhere(lambda: files.read(path)) == b"1"
    assert other.acquire(1)
    other.close()


def _elsewhere(ask: object) -> object:
    """What another thread is told, which is in no transaction of ours."""
    found: list[object] = []
    thread = Thread(target=lambda: found.append(ask()))  # type: ignore[operator]
    thread.start()
    thread.join()
    return found[0]


HOLDING = """
import sys
from loxodon.filelock import lock_on
from loxodon.store.postgres.files import share
lock = lock_on(share(sys.argv[1]) + "/spaces/main/schedule.lock")
print(lock.acquire(10), flush=True)
sys.stdin.read()
"""


def test_a_lock_goes_with_its_process(root: str, postgres_url: str) -> None:
    lock = lock_on(f"{root}/spaces/main/schedule.lock")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, postgres_url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        assert not lock.acquire(0)
        holder.kill()
    until(lambda: lock.acquire(0))
    lock.close()


def test_a_connection_that_was_cut_is_replaced(root: str, postgres_url: str) -> None:
    path = f"{root}/spaces/main/paused"
    files.replace(path, b"[]")
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
    assert files.read(path) == b"[]"


def test_threads_that_begin_at_once_share_one(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    begin, all_here = PostgresFiles.__init__, Barrier(8)

    def noted(self: PostgresFiles, url: str) -> None:
        begin(self, url)
        made.append(url)

    def first() -> bytes:
        all_here.wait(60)
        root = share(postgres_url)
        files.append(f"{root}/begun", b"x")
        return files.read(f"{root}/begun")

    monkeypatch.setattr(PostgresFiles, "__init__", noted)
    with ThreadPoolExecutor(8) as threads:
        done = [threads.submit(first) for _ in range(8)]
        assert max(len(one.result()) for one in done) == 8
    assert made == [postgres_url]


def test_a_password_is_in_no_path_and_no_error() -> None:
    url = "postgresql://me:hunter2@127.0.0.1:1/none?connect_timeout=1"
    one = PostgresFiles(url)
    with pytest.raises(StoreError) as error:
        one.read("tokens.toml")
    assert "hunter2" not in "".join(map(str, error.value.localized()))
