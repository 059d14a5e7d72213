"""The schedule of a home: a worker that does what is due, one at a time, in all spaces."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from time import monotonic

import pytest

from loxodon import Memory
from loxodon.filelock import FileLock
from loxodon.layout import SCHEDULE_LOCK
from loxodon.serve import schedule
from loxodon.serve.host import Host
from loxodon.serve.schedule import Rounds, Runner
from tests.clock import NOW, Clock
from tests.waiting import until

AT_ONCE = "[buffer]\nquiet = 0\n"


def known(home: Path, space: str = "main") -> list[str]:
    with Memory.open(home, space) as memory:
        return [one.content for one in memory.list(kind="fact")]


def say(home: Path, text: str, space: str = "main", clock: Clock | None = None) -> None:
    with Memory.open(home, space, clock=clock) as memory:
        at = memory.now().isoformat()
        memory.add([{"role": "user", "content": text, "at": at}])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "config.toml").write_text(AT_ONCE)
    return tmp_path


@pytest.fixture
def runner(home: Path) -> Iterator[Callable[[], Runner]]:
    """Makes runners, and ends them."""
    made: list[Runner] = []

    def make() -> Runner:
        made.append(Runner(Host(home)))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def test_what_is_said_becomes_known_by_itself(
    home: Path, runner: Callable[[], Runner], monkeypatch: pytest.MonkeyPatch
) -> None:
    say(home, "I live in Leeds")
    one = runner()
    one.start()
    until(lambda: known(home) == ["The user lives in Leeds"])
    say(home, "我对花生过敏", "张三")  # a space that was not there when it began
    until(lambda: known(home, "张三") == ["用户对花生过敏"])
    assert one.standing.active
    monkeypatch.setattr(schedule, "_GRACE", 60)  # a busy machine gets the time it needs
    one.stop()
    assert not one.standing.active
    assert one._worker
    assert one._worker.returncode not in (None, -signal.SIGKILL)  # it ended when it was told to


def test_one_works_and_the_other_takes_over(home: Path, runner: Callable[[], Runner]) -> None:
    say(home, "I live in Leeds")
    first, second = runner(), runner()
    first.start()
    until(lambda: first.standing.active)
    second.start()
    until(lambda: known(home))
    assert not second.standing.active
    first.stop()
    until(lambda: second.standing.active)
    say(home, "I am allergic to peanuts")
    until(lambda: len(known(home)) == 2)


def test_a_worker_that_dies_is_replaced(home: Path, runner: Callable[[], Runner]) -> None:
    say(home, "I live in Leeds")
    one = runner()
    one.start()
    until(lambda: known(home))
    worker = workers_of(os.getpid())
    os.kill(worker[0], signal.SIGKILL)
    until(lambda: workers_of(os.getpid()) not in ([], worker))
    say(home, "I am allergic to peanuts")
    until(lambda: len(known(home)) == 2)


def workers_of(parent: int) -> list[int]:
    """The processes that a process started and that still run."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                stat = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                command = Path(f"/proc/{name}/cmdline").read_text()
            except OSError:
                continue
            if int(stat[1]) == parent and stat[0] != "Z" and "loxodon.serve.schedule" in command:
                found.append(int(name))
    return found


def test_a_worker_ends_with_the_server_that_is_killed(home: Path) -> None:
    say(home, "I live in Leeds")
    code = (
        "import sys, threading; from loxodon.serve.host import Host; "
        "from loxodon.serve.schedule import Runner; Runner(Host(sys.argv[1])).start(); "
        "threading.Event().wait()"
    )
    server = subprocess.Popen([sys.executable, "-c", code, str(home)], stderr=subprocess.DEVNULL)
    try:
        until(lambda: workers_of(server.pid))
        (worker,) = workers_of(server.pid)
    finally:
        server.kill()
        server.wait()
    until(lambda: not os.path.exists(f"/proc/{worker}"))
    lock = FileLock(str(home / SCHEDULE_LOCK))
    assert lock.acquire(60)
    lock.close()


def test_a_worker_that_cannot_read_the_settings_says_so_in_one_line(home: Path) -> None:
    (home / "config.toml").write_text("x = [")
    ours, theirs = os.pipe()  # which stays open, or it would end for that
    try:
        done = subprocess.run(
            [sys.executable, "-m", "loxodon.serve.schedule", str(home), NOW.isoformat()],
            stdin=ours,
            capture_output=True,
            timeout=60,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 6
    (line,) = done.stderr.splitlines()
    assert json.loads(line)["error"] == "config"


def test_a_home_that_is_not_there_yet(tmp_path: Path) -> None:
    one = Runner(Host(tmp_path / "later"))
    one.start()
    until(lambda: one.standing.error)
    one.stop()
    assert not (tmp_path / "later").exists()


def test_it_says_what_it_did_and_nothing_of_what_was_said(
    home: Path, capfd: pytest.CaptureFixture[str], runner: Callable[[], Runner]
) -> None:
    say(home, "I live in Leeds")
    one = runner()
    one.start()
    said: list[str] = []

    def told() -> bool:
        said.append(capfd.readouterr().err)
        return "heartbeat" in "".join(said)  # which comes last

    until(told)
    one.stop()
    text = "".join(said)
    lines = [json.loads(line) for line in text.splitlines()]
    assert {"daily"} <= {line.get("job") for line in lines if line["event"] == "schedule.ran"}
    assert "Leeds" not in text


# A round, by a clock that a test moves


def jobs(rounds: Rounds) -> list[tuple[str, str]]:
    return [(space, ran.job) for space, ran in rounds.once()]


@pytest.fixture
def rounds(tmp_path: Path, clock: Clock) -> Iterator[Rounds]:
    with Host(tmp_path, clock) as host:
        yield Rounds(host, NOW)


def test_a_space_that_nobody_wrote_to_is_left_alone(
    tmp_path: Path, rounds: Rounds, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(tmp_path, "I live in Leeds", clock=clock)
    assert jobs(rounds) == [("main", "heartbeat")]
    assert jobs(rounds) == []  # it was written to: by the beat
    clock.now += timedelta(minutes=3)
    assert jobs(rounds) == []  # three minutes have passed for its clock only
    started = monotonic()
    monkeypatch.setattr(schedule, "monotonic", lambda: started + 181)
    assert jobs(rounds) == [("main", "daily")]


def test_a_conversation_that_ended_before_is_taken_up_at_once(tmp_path: Path, clock: Clock) -> None:
    say(tmp_path, "I live in Leeds", clock=clock)
    clock.now += timedelta(seconds=20)
    with Host(tmp_path, clock) as host:
        rounds = Rounds(host, clock.now)
        assert ("main", "daily") in jobs(rounds)
        assert known(tmp_path) == ["The user lives in Leeds"]
        clock.now += timedelta(seconds=20)
        say(tmp_path, "我对花生过敏", clock=clock)
        assert jobs(rounds) == []  # this one may go on: it waits for quiet
        say(tmp_path, "My dog is called Rex", clock=clock)
        assert ("main", "flush") in jobs(Rounds(host, clock.now + timedelta(seconds=1)))
    assert len(known(tmp_path)) == 3


def test_whoever_starts_next_learns_from_a_chat_that_ended(
    tmp_path: Path, runner: Callable[[], Runner]
) -> None:
    (tmp_path / "config.toml").unlink()  # three minutes of quiet
    say(tmp_path, "I live in Leeds")
    runner().start()
    until(lambda: known(tmp_path) == ["The user lives in Leeds"])


def test_a_worker_lets_go_of_a_space_that_is_deleted(
    home: Path, runner: Callable[[], Runner]
) -> None:
    say(home, "I live in Leeds")
    runner().start()
    until(lambda: known(home) == ["The user lives in Leeds"])  # which it keeps open
    with Host(home) as host:
        assert host.delete("main").erased["memories"] == 1
    assert not (home / "spaces" / "main").exists()


def test_a_damaged_space_does_not_stop_the_others(
    tmp_path: Path, rounds: Rounds, clock: Clock
) -> None:
    for space in ("a", "b"):
        say(tmp_path, "I live in Leeds", space, clock)
    (tmp_path / "spaces" / "a" / "loxodon.db").write_bytes(b"spoilt" * 1000)
    assert [space for space, _ in jobs(rounds)] == ["b"]


def test_a_clock_that_has_jumped_archives_nothing(
    tmp_path: Path, rounds: Rounds, clock: Clock
) -> None:
    say(tmp_path, "I live in Leeds", clock=clock)
    with Memory.open(tmp_path, clock=clock) as memory:
        memory.consolidate()
        memory.capture("The user is busy today", "belief", importance=0.1)
    jobs(rounds)
    clock.pass_days(3650)
    say(tmp_path, "I am allergic to peanuts", clock=clock)
    clock.now += timedelta(minutes=3)
    assert [job for _, job in jobs(rounds)] == [
        "daily",
        "heartbeat",
    ]  # what is said is not kept waiting
    with Memory.open(tmp_path, clock=clock) as memory:
        assert len(memory.list()) == 3
        assert memory.status().clock is not None
    clock.now = NOW + timedelta(days=1)  # it was put right
    say(tmp_path, "I like tea", clock=clock)
    clock.now += timedelta(minutes=3)
    jobs(rounds)
    with Memory.open(tmp_path, clock=clock) as memory:
        assert memory.status().clock is None
        assert {one.state for one in memory.list(state="all")} == {"active"}


def test_a_space_that_is_switched_off_has_no_schedule(tmp_path: Path, clock: Clock) -> None:
    say(tmp_path, "I live in Leeds", clock=clock)
    (tmp_path / "config.toml").write_text("enabled = false\n")
    with Host(tmp_path, clock) as host:
        assert jobs(Rounds(host, NOW)) == []
