"""Servers, PostgreSQL and the network between them fail while many clients write.

After each fault: nothing acknowledged is lost, nothing is there twice, no job is done twice with
effect, `validate` is clean, and the servers go on by themselves.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import UnreachableStoreError
from tests.clock import Clock
from tests.faults.fleet import Fleet
from tests.faults.test_concurrent_writers import together
from tests.long import LONG, count, figure
from tests.store.postgres.relay import Relay
from tests.store.postgres.server import OWNER, Server, running
from tests.waiting import until

SEED = 20
KILLS = 100  # in the middle of writes, and as many in the middle of jobs
STOPS, PARTITIONS, AT_ONCE = count(1, 50), count(1, 20), count(4, 10)


@pytest.fixture
def fleet(tmp_path: Path, postgres: Server, postgres_url: str) -> Iterator[Fleet]:
    with Fleet(tmp_path, postgres, postgres_url, SEED) as found:
        yield found


@pytest.fixture(scope="module")
def mortal() -> Iterator[Server]:
    """A PostgreSQL server of one's own, which waits for the disk."""
    with running(durable=True) as found:
        yield found


def has_told(told: list[str], more: int) -> None:
    """Wait for as many acknowledgements more."""
    wanted = len(told) + more
    until(lambda: len(told) >= wanted)


def report(name: str, fleet: Fleet, times: int) -> None:
    again = sum(fleet.refused.values())
    figure(f"postgres_{name}", times=times, acknowledged=fleet.acknowledged, again=again)


@pytest.mark.skipif(not LONG, reason="the long form, which `make test-postgres` runs")
@pytest.mark.parametrize("part", range(4))  # all in one take longer than a test may
def test_killed_servers_lose_nothing(fleet: Fleet, part: int) -> None:
    """By turns in the middle of writes, and of a job, which another server takes over."""
    fleet.random.seed(SEED + part)
    fleet.start("a")
    fleet.start("b")
    for n in range(KILLS // 2):
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
    report(f"kills_{part}", fleet, KILLS // 2)


@pytest.mark.skipif(not LONG, reason="the long form, which `make test-postgres` runs")
def test_killed_postgresql_loses_nothing(mortal: Server, tmp_path: Path) -> None:
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


@pytest.mark.skipif(not LONG, reason="the long form, which `make test-postgres` runs")
def test_failing_network_loses_nothing(fleet: Fleet, postgres: Server) -> None:
    """One of two servers is cut off from the database, or gets no answer, in the middle of it.

    PostgreSQL gives up on a transaction that takes too long, so that the other server can go on.
    """
    relay = Relay(postgres.port)
    fleet.start("near")
    fleet.start("far", relay.port, options="-c transaction_timeout=1500")
    for n in range(PARTITIONS):
        space = f"s{n}"
        with fleet.writing(space) as told:
            has_told(told, fleet.random.randint(1, 15))
            with relay.stalled():
                has_told(told, 3)  # through the near one
                if not n % 2:
                    relay.cut()
        fleet.settled(space)
        fleet.check(space, told)
    report("partitions", fleet, PARTITIONS)
    relay.close()


def test_job_whose_lock_is_lost_is_left_to_who_has_it(
    fleet: Fleet, postgres: Server, postgres_url: str
) -> None:
    """The lock goes with its connection; whoever held it may be in the middle of a run."""
    first, other = fleet.memory("main"), fleet.apart("main")
    first.add([{"role": "user", "content": "My friend Ada lives in Leeds.", "id": "1"}])
    reasons = []

    def lose(phase: int, done: int, total: int) -> None:
        if phase == 4:
            (pid,) = fleet.holders("main").values()
            postgres.ask(f"SELECT pg_terminate_backend({pid}, 10000)")
            reasons.append(other.flush().reason)

    reasons.append(first.consolidate(progress=lose).reason)
    assert reasons == ["flush", "another run did it"]
    assert [one.version for one in first.list(kind="fact")] == [1, 1]
    assert first.validate() == []


OPENER = """
import sys
from loxodon import Memory
home, url, name = sys.argv[1:]
sys.stdin.readline()
with Memory.open(home, "main", {"store.url": url}) as memory:
    memory.add([{"role": "user", "content": "hello", "id": name}], "talk")
"""


def test_processes_open_a_fresh_database_at_once(postgres: Server, tmp_path: Path) -> None:
    postgres.database()  # with which its owner is made
    postgres.ask(f"CREATE DATABASE fresh OWNER {OWNER}")
    postgres.ask("CREATE EXTENSION vector", "fresh")
    url = postgres.url("fresh")
    names = [f"p{n}" for n in range(AT_ONCE)]
    together(*(["-c", OPENER, str(tmp_path / name), url, name] for name in names))
    with Memory.open(tmp_path / "onlooker", "main", {"store.url": url}) as memory:
        assert sorted(turn.id for turn in memory.journal()) == sorted(names)
        assert memory.validate() == []


@pytest.mark.skipif(not LONG, reason="the long form, which `make test-postgres` runs")
def test_call_without_the_database_says_so(mortal: Server, tmp_path: Path) -> None:
    url = mortal.database()
    with Memory.open(tmp_path, "main", {"store.url": url}, Clock()) as memory:
        memory.capture("likes tea")
        mortal.stop(signal.SIGQUIT)
        for call in (lambda: memory.capture("likes coffee"), lambda: memory.recall("tea")):
            with pytest.raises(UnreachableStoreError) as error:
                call()
            assert "try again" in error.value.hint
        mortal.start()
        assert [one.content for one in memory.list()] == ["likes tea"]
