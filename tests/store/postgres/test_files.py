"""The small state of a home in a database: it behaves as files do, seen by every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from loxodon import Memory, files
from loxodon.filelock import lock_on
from loxodon.store.postgres.files import share
from tests.store.postgres.server import Server
from tests.store.postgres.test_faults import CUT
from tests.waiting import until


@pytest.fixture
def root(postgres_url: str, tmp_path: Path) -> str:
    with Memory.open(tmp_path, "main", {"store.url": postgres_url}):
        return share(postgres_url)


def test_calls_give_the_same_answers_as_on_disk(root: str, tmp_path: Path) -> None:
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
    with pytest.raises(FileNotFoundError):
        files.replace(f"{root}/spaces/nobody/paused", b"[]")


def test_concurrent_appends_and_a_lost_connection_lose_nothing(root: str, postgres: Server) -> None:
    path = f"{root}/spaces/main/used"

    def append(n: int) -> None:
        for m in range(20):
            files.append(path, b"%d.%d\n" % (n, m))

    threads = [Thread(target=append, args=(n,)) for n in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    postgres.ask(CUT)
    wanted = sorted(b"%d.%d" % (n, m) for n in range(4) for m in range(20))
    assert sorted(files.read(path).split()) == wanted


HOLDING = """
import sys
from loxodon import files
from loxodon.filelock import lock_on
from loxodon.store.postgres.files import share
root = share(sys.argv[1]) + "/spaces/main/"
lasting, brief = lock_on(root + "schedule.lock"), lock_on(root + "brief", brief=True)
print(lasting.acquire(10), brief.acquire(10), flush=True)
files.append(root + "x", b"1")
print(flush=True)
sys.stdin.read()
"""


def test_locks_end_with_their_process(root: str, postgres_url: str) -> None:
    lasting = lock_on(f"{root}/spaces/main/schedule.lock")
    brief = lock_on(f"{root}/spaces/main/brief", brief=True)
    command = [sys.executable, "-c", HOLDING, postgres_url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert [holder.stdout.readline() for _ in range(2)] == [b"True True\n", b"\n"]
        assert not lasting.acquire(0)
        assert not brief.acquire(0)
        holder.kill()
    until(lambda: lasting.acquire(0))
    until(lambda: brief.acquire(0))
    assert not files.exists(f"{root}/spaces/main/x")  # what a brief lock guards is a transaction
    lasting.close()
    brief.close()
