"""Servers, PostgreSQL and the network between them fail while many clients write.

After each fault: nothing acknowledged is lost, nothing is there twice, no job is done twice with
effect, `validate` is clean, and the servers go on by themselves.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import StoreError
from tests.clock import Clock
from tests.faults.fleet import Fleet
from tests.faults.relay import Relay
from tests.long import count, figure
from tests.on_postgres import let_go
from tests.store.postgres.server import OWNER, Server
from tests.waiting import until

SEED = 20
KILLS = count(1, 100)
"""In the middle of writes, and as many in the middle of jobs."""
STOPS = count(2, 50)
PARTITIONS = count(2, 20)
AT_ONCE = count(4, 10)


@pytest.fixture
def fleet(tmp_path: Path, postgres: Server, postgres_url: str) -> Iterator[Fleet]:
    with Fleet(tmp_path, postgres, postgres_url, SEED) as found:
        yield found


@pytest.fixture(scope="module")
def mortal() -> Iterator[Server]:
    """A PostgreSQL server of one's own, which waits for the disk."""
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="loxodon-", dir=shared) as folder:
        os.chmod(folder, 0o711)
        found = Server(Path(folder) / "postgres", durable=True)
        yield found
        let_go()
        found.stop()


def has_told(told: list[str], more: int) -> None:
    """Wait for as many acknowledgements more."""
    wanted = len(told) + more
    until(lambda: len(told) >= wanted)


def report(name: str, fleet: Fleet, times: int) -> None:
    again = sum(fleet.refused.values())
    figure(f"postgres_{name}", times=times, acknowledged=fleet.acknowledged, again=again)


def test_servers_are_killed(fleet: Fleet) -> None:
    """By turns in the middle of writes, and of a job, which another server takes over."""
    fleet.start("a")
    fleet.start("b")
    for n in range(2 * KILLS):
        space = f"s{n}"
        with fleet.writing(space) as told:
            has_told(told, fleet.random.randint(1, 15))
            if n % 2:
                name = fleet.kill_at_work(space)
            else:
                fleet.kill(name := fleet.random.choice(sorted(fleet.servers)))
            has_told(told, 1)  # the other goes on
        fleet.start(name)
        fleet.settled(space)
        fleet.check(space, told)
    report("kills", fleet, 2 * KILLS)


def test_postgresql_is_stopped_at_once(mortal: Server, tmp_path: Path) -> None:
    with Fleet(tmp_path, mortal, mortal.database(), SEED) as fleet:
        fleet.start("a")
        fleet.start("b")
        for n in range(STOPS):
            space = f"s{n}"
            with fleet.writing(space) as told:
                has_told(told, fleet.random.randint(1, 15))
                mortal.stop(signal.SIGQUIT)
                mortal.start()
                has_told(told, 1)
            fleet.settled(space)
            fleet.check(space, told)
        report("stops", fleet, STOPS)
