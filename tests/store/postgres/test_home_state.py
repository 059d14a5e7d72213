"""The small state of a home in a table: the same answers as files give, for every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from loxodon import Memory, files
from loxodon.filelock import lock_at
from loxodon.spaces import has_space, space_path
from loxodon.store.postgres import migrations
from loxodon.store.postgres.home_state import share
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
        found: list[object] = [files.exists(path)]
        files.append(path, b"one\n")
        files.append(path, "二\n".encode())
        found.append(files.read(path))
        before = files.stamp(path)
        files.replace(path, b"another")
        found += [files.read(path), files.stamp(path) == before]
        files.replace(path, b"")
        found += [files.read(path), files.exists(path)]
        found += [files.names(os.path.join(folder, "sessions")), files.names(folder + "/none")]
        files.remove(path)
        for ask in (files.remove, files.read):
            with pytest.raises(FileNotFoundError):
                ask(path)
        return found

    assert all_of(f"{root}/spaces/main") == all_of(str(tmp_path / "on disk"))
    assert files.names(f"{root}/spaces") == ["main"]
    assert (has_space(root, "main"), has_space(root, "nobody")) == (True, False)


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
from loxodon.filelock import lock_at
from loxodon.store.postgres.home_state import share
lock = lock_at(share(sys.argv[1]) + "/spaces/main/schedule.lock")
print(lock.acquire(10), flush=True)
sys.stdin.read()
"""


def test_lock_ends_with_its_process(root: str, postgres_url: str) -> None:
    lock = lock_at(f"{root}/spaces/main/schedule.lock")
    command = [sys.executable, "-c", HOLDING, postgres_url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        assert not lock.acquire(0)
        holder.kill()
    until(lambda: lock.acquire(0))
    lock.close()


OLD = """
DELETE FROM loxodon.migrations WHERE number = 106;
DROP TABLE loxodon.home_state;
CREATE TABLE loxodon.files (space_id bigint, name text, start bigint, data bytea, made bigint);
CREATE TABLE loxodon.home_files (name text, start bigint, data bytea, made bigint);
INSERT INTO loxodon.spaces (name) VALUES ('张三');
INSERT INTO loxodon.home_files VALUES ('tokens.toml', 0, '# o', 1), ('tokens.toml', 3, 'ne', 1);
INSERT INTO loxodon.files SELECT id, 'copies', start, data, 1 FROM loxodon.spaces,
  (VALUES (0, 'a'::bytea), (1, 'b')) AS piece (start, data);
"""


def test_files_of_an_earlier_version_are_taken_over(root: str, postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute(OLD)
    migrations.migrate(postgres_url)
    assert files.read(f"{root}/tokens.toml") == b"# one"
    for space in ("main", "张三"):
        assert files.read(os.path.join(space_path(root, space), "copies")) == b"ab"
