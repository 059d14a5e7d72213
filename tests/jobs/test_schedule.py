"""What runs by itself in a space: what is due, doing it, and what is kept of how it went."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import ConsolidationError, UsageError
from tests.clock import NOW, Clock
from tests.long import count

JOBS = ["flush", "daily", "weekly", "profile", "heartbeat", "backup"]


def say(memory: Memory, text: str) -> None:
    memory.add([{"role": "user", "content": text, "at": memory.now().isoformat()}])


def names(memory: Memory) -> list[str]:
    return [ran.job for ran in memory.schedule.run_due()]


def fail(memory: Memory, times: int = 3, kind: type[BaseException] = RuntimeError) -> None:
    """Have consolidations fail in the middle."""

    def stop(phase: int, done: int, total: int) -> None:
        if phase == 3:
            raise kind("a rule")

    for _ in range(times):
        with pytest.raises((kind, ConsolidationError)):
            memory.consolidate(progress=stop)


def test_day_of_a_memory(memory: Memory, clock: Clock) -> None:
    """It is Wednesday, six in the evening."""
    assert memory.schedule.due() == names(memory) == ["heartbeat"]  # all that a new one has to do
    assert memory.schedule.due() == []
    assert [job.name for job in memory.schedule.jobs()] == JOBS
    clock.now += timedelta(minutes=20)
    assert memory.schedule.wait() == 600
    say(memory, "我住在北京")
    assert memory.schedule.wait() == 180
    assert names(memory) == []  # somebody is still talking
    clock.now += timedelta(minutes=3)
    assert [job.name for job in memory.schedule.jobs() if job.due] == ["daily"]
    assert names(memory) == ["daily"]  # for the first time
    job = {one.name: one for one in memory.schedule.jobs()}["daily"]
    assert (job.last_at, job.succeeded_at, job.failures, job.runs) == (clock.now, clock.now, 0, 1)
    assert job.counts["added"] == 1
    assert job.next_at == NOW.replace(hour=3) + timedelta(days=1)
    say(memory, "我对花生过敏")
    clock.now += timedelta(minutes=3)
    assert names(memory) == ["flush"]
    assert len(memory.list(kind="fact")) == 2
    clock.now = NOW.replace(hour=3) + timedelta(days=1)
    assert names(memory) == ["daily", "heartbeat"]
    assert names(memory) == []
    clock.now = NOW.replace(hour=5) + timedelta(days=4)  # Sunday
    assert names(memory) == ["daily", "profile", "heartbeat"]
    clock.now = NOW.replace(hour=4) + timedelta(days=5)
    memory.schedule.run("daily")
    assert "weekly" not in memory.schedule.due()  # which the daily run has done
    clock.pass_days(30)
    assert names(memory) == ["daily", "heartbeat"]  # what was missed is done once
    assert memory.schedule.due() == []
    with pytest.raises(UsageError, match="unknown job 'nightly'"):
        memory.schedule.run("nightly")


@pytest.mark.parametrize("days", [365, -365])
def test_clock_that_jumps_by_a_year(memory: Memory, clock: Clock, days: int) -> None:
    say(memory, "我住在北京")
    memory.consolidate()
    memory.schedule.run_due()
    clock.pass_days(days)
    say(memory, "我对花生过敏")
    names(memory)
    clock.now += timedelta(minutes=3)
    names(memory)
    assert memory.schedule.due() == []
    assert memory.status().pending == 0
    clock.pass_days(1)
    assert "daily" in memory.schedule.due()


def test_failing_job_is_kept_tried_again_and_the_rest_runs(memory: Memory, clock: Clock) -> None:
    say(memory, "I live in Leeds")
    fail(memory)
    assert memory.status().stopped
    clock.pass_days(1)
    daily, *others = memory.schedule.run_due()
    assert (daily.job, "3 times" in daily.error) == ("daily", True)
    assert [one.error for one in others] == [""] * len(others)
    assert memory.status().failing == ("daily",)
    for minutes in (1, 2, 4):  # not again at once, and later each time
        assert "daily" not in memory.schedule.due()
        job = {one.name: one for one in memory.schedule.jobs()}["daily"]
        assert (job.due, job.next_at) == (False, clock.now + timedelta(minutes=minutes))
        assert memory.schedule.wait() <= minutes * 60
        clock.now += timedelta(minutes=minutes)
        assert "daily" in memory.schedule.due()
        assert "3 times" in memory.schedule.run_due()[0].error
    with pytest.raises(ConsolidationError):
        memory.flush()
    memory.schedule.run("daily")  # somebody asks for it
    assert memory.status().failing == ()
    job = {one.name: one for one in memory.schedule.jobs()}["daily"]
    assert (job.failures, job.failed_at is not None, "3 times" in job.error) == (0, True, True)
    assert len(memory.list()) == 1


def test_stopped_run_is_no_failed_attempt(memory: Memory) -> None:
    say(memory, "我住在北京")
    fail(memory, 4, KeyboardInterrupt)
    assert (memory.status().attempts, memory.status().phase) == (0, 3)
    assert memory.flush().ran
    assert len(memory.list(kind="fact")) == 1


def test_nothing_is_due_of_what_is_set_to_never(tmp_path: Path, clock: Clock) -> None:
    off = {"schedule.daily": ""}
    with Memory.open(tmp_path, config=off, clock=clock) as memory:
        say(memory, "I live in Leeds")
        clock.pass_days(40)
        assert memory.schedule.due() == ["flush"]
        assert memory.status().next_consolidation is None


CITIES = ("Leeds", "York", "Bath", "Wells", "Hull")[: count(3, 5)]
LIVES = f"""
import sys
from loxodon import Memory
home, name = sys.argv[1:]
with Memory.open(home) as memory:
    for n, city in enumerate({CITIES!r}):
        text = f"My friend {{name}}{{chr(97 + n)}} lives in {{city}}"
        memory.add([{{"role": "user", "content": text, "id": f"{{name}}{{n}}"}}], session=name)
        print(flush=True)
        memory.flush()
"""


def started(home: Path, name: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", LIVES, str(home), name],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_several_processes_flush_and_some_are_killed(tmp_path: Path) -> None:
    Memory.open(tmp_path).close()
    names = ("Tom", "Ada", "Zoe")
    for turns in (1, 2):
        one = started(tmp_path, "Tom")
        assert one.stdout is not None
        for _ in range(turns):
            one.stdout.readline()
        one.kill()  # in the midst of what it does
        one.communicate()
    running = [started(tmp_path, name) for name in names]
    for each in running:
        _, said = each.communicate(timeout=300)
        assert each.returncode == 0, said.decode()
    with Memory.open(tmp_path) as memory:
        memory.flush()
        assert len(memory.journal()) == len(names) * len(CITIES)
        assert memory.status().pending == 0
        found = Counter(one.content for one in memory.list(kind="fact"))
        homes = [text for text in found if " lives in " in text]
        assert len(homes) == len(names) * len(CITIES)
        assert set(found.values()) == {1}
        assert memory.validate() == []
