"""What runs by itself in a space: what is due, doing it, and what is kept of how it went."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import ConsolidationError, UsageError
from loxodon.live.schedule import JOBS, after
from loxodon.store import JobRuns
from loxodon.types import Ran
from tests.clock import NOW, Clock


def say(memory: Memory, text: str) -> None:
    memory.add([{"role": "user", "content": text, "at": memory.now().isoformat()}])


def names(memory: Memory) -> list[str]:
    return [ran.job for ran in memory.schedule.run_due()]


def test_a_new_memory_has_nothing_to_do_but_a_beat(memory: Memory) -> None:
    assert memory.schedule.due() == ["heartbeat"]
    assert names(memory) == ["heartbeat"]
    assert memory.schedule.due() == []
    assert [job.name for job in memory.schedule.jobs()] == list(JOBS)


def test_a_day_of_a_memory(memory: Memory, clock: Clock) -> None:
    """It is Wednesday, six in the evening."""
    say(memory, "我住在北京")
    assert names(memory) == ["heartbeat"]  # somebody is still talking
    clock.now += timedelta(minutes=3)
    assert [job.name for job in memory.schedule.jobs() if job.due] == ["daily"]
    assert names(memory) == ["daily"]  # for the first time
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


def test_what_was_missed_is_done_once(memory: Memory, clock: Clock) -> None:
    say(memory, "我住在北京")
    memory.consolidate()
    clock.pass_days(30)
    assert names(memory) == ["daily", "heartbeat"]  # with the week, and the profile
    assert memory.schedule.due() == []


@pytest.mark.parametrize("days", [365, -365])
def test_a_clock_that_jumps_by_a_year(memory: Memory, clock: Clock, days: int) -> None:
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


def test_how_it_went_is_kept(memory: Memory, clock: Clock) -> None:
    say(memory, "我住在北京")
    ran = memory.schedule.run("daily")
    assert ran.counts["added"] == 1
    (job,) = [one for one in memory.schedule.jobs() if one.name == "daily"]
    assert (job.last_at, job.succeeded_at, job.failures, job.runs) == (NOW, NOW, 0, 1)
    assert job.counts["added"] == 1
    assert job.next_at == NOW.replace(hour=3) + timedelta(days=1)


def test_what_fails_is_kept_and_the_rest_runs(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, clock=clock) as memory:
        say(memory, "I live in Leeds")
        memory.consolidate()
        worklog = memory.workspace.store.worklog
        with memory.workspace.store.writing():
            worklog.set_work(worklog.work()._replace(attempts=3, error="a rule"))
        clock.pass_days(1)
        daily, *others = memory.schedule.run_due()
        assert (daily.job, "3 times" in daily.error) == ("daily", True)
        assert [one.error for one in others] == [""] * len(others)
        assert memory.status().failing == ("daily",)
        assert "daily" not in memory.schedule.due()  # not again at once
        clock.now += timedelta(minutes=1)
        assert "daily" in memory.schedule.due()
        say(memory, "I like tea")
        with pytest.raises(ConsolidationError):
            memory.flush()
        memory.schedule.run("daily")  # somebody asks for it
        assert memory.status().failing == ()
        (job,) = [one for one in memory.schedule.jobs() if one.name == "daily"]
        assert job.failed_at is not None
        assert "3 times" in job.error


@pytest.mark.parametrize(("error", "goes_on"), [("", True), ("a rule", False)])
def test_kills_alone_do_not_end_it(memory: Memory, clock: Clock, error: str, goes_on: bool) -> None:
    """A run that was killed has no word of why; one that failed waits for somebody to look."""
    say(memory, "I live in Leeds")
    store = memory.workspace.store
    with store.writing():
        work = store.worklog.work()._replace(attempts=3, last_run=clock.now, error=error)
        store.worklog.set_work(work)
    assert memory.status().stopped
    clock.now += timedelta(minutes=59)
    assert "3 times" in memory.schedule.run_due()[0].error
    clock.now += timedelta(minutes=1)
    assert (memory.schedule.run_due()[0].error == "") is goes_on
    assert memory.status().stopped is not goes_on
    assert len(memory.list()) == goes_on


def test_what_failed_is_tried_again_in_time(memory: Memory, clock: Clock) -> None:
    """Also where nobody writes meanwhile, which would make a worker look again."""
    store = memory.workspace.store
    memory.schedule.run_due()
    for name, minutes in (("heartbeat", 1), ("heartbeat", 2), ("heartbeat", 4)):
        clock.now += timedelta(hours=1)
        before = store.worklog.jobs()[name]._replace(failures=minutes.bit_length() - 1)
        with store.writing():
            store.worklog.put_job(after(before, Ran(name, clock.now, 0.0, {}, "the disk is full")))
        (job,) = [one for one in memory.schedule.jobs() if one.name == name]
        assert (job.due, job.next_at) == (False, clock.now + timedelta(minutes=minutes))
        assert memory.schedule.wait() == minutes * 60
        assert memory.schedule.due() == []
        clock.now += timedelta(minutes=minutes)
        assert memory.schedule.due() == [name]


@pytest.mark.parametrize("name", ["flush", "daily"])
def test_what_somebody_did_by_hand_fails_no_longer(memory: Memory, clock: Clock, name: str) -> None:
    store = memory.workspace.store
    say(memory, "I live in Leeds")
    with store.writing():
        store.worklog.put_job(after(None, Ran(name, clock.now, 0.5, {}, "the disk is full")))
    assert memory.status().failing == (name,)
    clock.now += timedelta(minutes=3)
    memory.consolidate()
    assert memory.status().failing == ()
    (job,) = [one for one in memory.schedule.jobs() if one.name == name]
    assert (job.failures, job.error) == (0, "the disk is full")
    assert (job.last_at == clock.now) is (name == "daily")


def test_a_run_of_ours_keeps_what_it_took(memory: Memory, clock: Clock) -> None:
    """What it leaves has a time of its own, a little after it was begun."""
    say(memory, "I live in Leeds")
    memory.consolidate()
    with memory.workspace.store.writing():
        begun = clock.now - timedelta(milliseconds=3)
        ran = Ran("daily", begun, 1.5, {"added": 1})
        memory.workspace.store.worklog.put_job(after(None, ran))
    (job,) = [one for one in memory.schedule.jobs() if one.name == "daily"]
    assert (job.last_at, job.seconds, job.counts) == (begun, 1.5, {"added": 1})


def test_nothing_is_due_of_what_is_set_to_never(tmp_path: Path, clock: Clock) -> None:
    off = {f"schedule.{name}": "" for name in ("daily", "weekly", "profile", "heartbeat")}
    with Memory.open(tmp_path, config=off, clock=clock) as memory:
        say(memory, "I live in Leeds")
        clock.pass_days(40)
        assert memory.schedule.due() == ["flush"]
        assert memory.status().next_consolidation is None


def test_there_is_no_such_job(memory: Memory) -> None:
    with pytest.raises(UsageError, match="unknown job 'nightly'"):
        memory.schedule.run("nightly")


def test_the_wait_is_until_the_next_that_could_be_due(memory: Memory, clock: Clock) -> None:
    memory.schedule.run_due()
    clock.now += timedelta(minutes=20)
    assert memory.schedule.wait() == 600
    say(memory, "我住在北京")
    assert memory.schedule.wait() == 180


def test_runs_are_counted() -> None:
    one = after(None, Ran("daily", NOW, 1.0, {"added": 1}))
    assert one == JobRuns("daily", NOW, 1.0, {"added": 1}, NOW, None, "", 0, 1)
    two = after(after(one, Ran("daily", NOW, 2.0, {}, "x")), Ran("daily", NOW, 2.0, {}, "y"))
    assert (two.failures, two.error, two.counts, two.runs) == (2, "y", {"added": 1}, 3)
    assert after(two, Ran("daily", NOW, 1.0)).failures == 0


def test_a_run_that_somebody_stops_is_no_failed_attempt(memory: Memory) -> None:
    say(memory, "我住在北京")

    def stop(phase: int, done: int, total: int) -> None:
        if phase == 3:
            raise KeyboardInterrupt

    for _ in range(4):
        with pytest.raises(KeyboardInterrupt):
            memory.consolidate(progress=stop)
    assert (memory.status().attempts, memory.status().phase) == (0, 3)
    assert memory.flush().ran
    assert len(memory.list(kind="fact")) == 1
