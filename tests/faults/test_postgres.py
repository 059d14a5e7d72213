"""A server, the database or the network between them goes away: nothing acknowledged is lost.

Writers are processes of their own. Each tells of every turn that was acknowledged to it, and is
killed, or its database is, or the line between them stands still.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Thread

import pytest

from loxodon import Memory
from tests.clock import NOW, Clock
from tests.long import count, figure
from tests.store.postgres.relay import Relay
from tests.store.postgres.server import Server, running
from tests.waiting import until

WRITER = """
import json, sys
from datetime import datetime
from loxodon import Memory
from loxodon.errors import LoxodonError
home, url, who, work = sys.argv[1:]
now = datetime.fromisoformat("%s")
config = {"store.url": url, "timezone": "Asia/Shanghai"}
with Memory.open(home, "main", config, lambda: now) as memory:
    print("ready", flush=True)
    for n in range(100_000):
        turn = {"role": "user", "content": f"My friend Ada{who}x{n} lives in Leeds.",
                "id": f"{who}-{n}", "at": now.isoformat()}
        try:
            memory.add([turn], "s")
            if work == "jobs":
                memory.consolidate()
        except LoxodonError as error:
            print(json.dumps({"error": error.code}), flush=True)
            continue
        print(json.dumps({"id": turn["id"]}), flush=True)
""" % NOW.isoformat()  # noqa: UP031 it has braces of its own


class Writer:
    """A process that writes until it is killed; `told` has what was acknowledged to it."""

    def __init__(self, home: Path, url: str, who: str, work: str = "turns") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(home), url, who, work],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.told: list[str] = []
        self.errors = 0
        self._reading = Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            with suppress(ValueError):  # "ready", or half a line of one that was killed
                found = json.loads(line)
                if "id" in found:
                    self.told.append(found["id"])
                else:
                    self.errors += 1

    def has_told(self, more: int = 1) -> None:
        """Wait for as many acknowledgements more."""
        wanted = len(self.told) + more
        until(lambda: len(self.told) >= wanted or self.process.poll() is not None)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(60)
        self._reading.join(60)
        if self.process.stdout:
            self.process.stdout.close()


def check(home: Path, url: str, told: list[str]) -> None:
    """All that was acknowledged is there once, and nothing is wrong with the rest."""
    with Memory.open(home, "main", {"store.url": url}, Clock()) as memory:
        memory.consolidate(force=True)
        there = [turn.id for turn in memory.journal()]
        assert set(told) <= set(there)
        assert len(there) == len(set(there))
        assert memory.validate() == []
        assert memory.audit.verify().sound
        known = [one.content for one in memory.list(limit=0)]
        assert len(known) == len(set(known))  # no job had its effect twice


@pytest.mark.parametrize("work", ["turns", "jobs"])
def test_a_server_is_killed(tmp_path: Path, postgres_url: str, work: str) -> None:
    random, told = Random(20260204), list[str]()
    for n in range(count(2, 100)):
        both = [Writer(tmp_path / name, postgres_url, f"{name}{n}", work) for name in "ab"]
        for one in both:
            one.has_told(random.randint(1, 4))
        for one in both:
            one.kill()
            told += one.told
    assert told
    check(tmp_path / "c", postgres_url, told)
    figure(f"postgres_kill_{work}", kills=2 * count(2, 100), acknowledged=len(told), lost=0)


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    """One that may be shut down under everybody."""
    with running() as server:
        yield server


def test_the_database_is_shut_down_at_once(own_server: Server, tmp_path: Path) -> None:
    url = own_server.database()
    both = [Writer(tmp_path / name, url, name) for name in "ab"]
    for _ in range(count(2, 50)):
        for one in both:
            one.has_told(3)
        own_server.stop(signal.SIGQUIT)
        own_server.start()
    for one in both:
        one.has_told(1)  # it goes on by itself
        one.kill()
    told = [id for one in both for id in one.told]
    check(tmp_path / "c", url, told)
    figure("postgres_shutdown", times=count(2, 50), acknowledged=len(told), lost=0)


def test_the_line_stands_still(postgres: Server, postgres_url: str, tmp_path: Path) -> None:
    """Whoever is behind it waits, others can read meanwhile, and nothing is done twice."""
    relay = Relay(postgres.port)
    through = postgres_url.replace(f":{postgres.port}/", f":{relay.port}/")
    far = Writer(tmp_path / "far", through, "f", "jobs")
    with Memory.open(tmp_path / "near", "main", {"store.url": postgres_url}, Clock()) as memory:
        for _ in range(count(1, 20)):
            far.has_told(2)
            with relay.stalled():
                assert "lives in Leeds" in memory.recall("Who lives in Leeds?").context
            memory.add([{"role": "user", "content": "I am near"}])
    far.has_told(1)
    far.kill()
    relay.close()
    check(tmp_path / "c", postgres_url, far.told)
    figure("postgres_stall", times=count(1, 20), acknowledged=len(far.told), lost=0)
