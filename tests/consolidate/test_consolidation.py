"""When consolidation runs, that two runs are one, and that nothing stands in its way."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from loxodon import Memory
from loxodon.errors import FullStoreError
from tests.clock import NOW, Clock
from tests.consolidate.talks import CONFIG, EN, ZH, everything, known, said
from tests.long import some

ROOT = Path(__file__).parents[2]


# When it is due


@pytest.fixture
def run_today(memory: Memory) -> Memory:
    """A memory that was consolidated at 18:00 in Shanghai."""
    memory.add(said("I live in Leeds"))
    memory.consolidate()
    return memory


def test_the_first_words_are_due_at_once(memory: Memory) -> None:
    memory.add(said("I live in Leeds"))
    assert memory.consolidation_due() == "daily"
    assert memory.consolidate(if_due=True).reason == "daily"
    assert memory.consolidation_due() == ""


def test_it_is_due_daily_at_three(run_today: Memory, clock: Clock) -> None:
    run_today.add(said("I'm allergic to peanuts", session="t"))
    for hour, minute, due in ((2, 59, ""), (3, 0, "daily")):
        clock.now = (NOW + timedelta(days=1)).replace(hour=hour, minute=minute)
        assert run_today.consolidation_due() == due
    assert run_today.consolidate(if_due=True).ran
    assert run_today.consolidation_due() == ""


def test_what_is_not_due_can_be_asked_for(run_today: Memory) -> None:
    run_today.add(said("I'm allergic to peanuts", session="t"))
    outcome = run_today.consolidate(if_due=True)
    assert (outcome.ran, outcome.reason) == (False, "not due")
    assert run_today.consolidate().reason == "asked for"
    outcome = run_today.consolidate()
    assert (outcome.ran, outcome.reason) == (False, "nothing is pending")
    assert run_today.consolidate(force=True).reason == "forced"


def test_a_backlog_does_not_wait_for_the_night(run_today: Memory) -> None:
    run_today.add(said(*["ok"] * 100, session="t"))
    assert run_today.consolidation_due() == ""
    run_today.add(said("ok", session="u"))
    assert run_today.consolidation_due() == "backlog"
    assert run_today.consolidate(if_due=True).turns == 101


def test_it_is_overdue_after_two_days(run_today: Memory, clock: Clock) -> None:
    clock.now = NOW + timedelta(hours=48)
    assert run_today.consolidation_due() == "daily"
    clock.now += timedelta(seconds=1)
    assert run_today.consolidation_due() == "overdue"
    assert run_today.consolidate(if_due=True).reason == "overdue"


@pytest.mark.parametrize(
    ("zone", "due"),
    [
        ("America/New_York", "2026-03-08T07:00:00+00:00"),  # the clock was put forward at two
        ("Europe/Berlin", "2026-03-08T02:00:00+00:00"),
        ("Asia/Kathmandu", "2026-03-07T21:15:00+00:00"),
    ],
)
def test_three_is_three_on_the_wall(tmp_path: Path, zone: str, due: str) -> None:
    at = datetime.fromisoformat(due)
    clock = Clock(at - timedelta(hours=12))
    with Memory.open(tmp_path / "home", config={"timezone": zone}, clock=clock) as memory:
        memory.add(said("I live in Leeds", at=clock.now))
        memory.consolidate()
        next_one = memory.status().next_consolidation
        assert next_one == at
        assert next_one.astimezone(ZoneInfo(zone)).hour == 3
        for before, reason in ((1, ""), (0, "daily")):
            clock.now = at - timedelta(seconds=before)
            assert memory.consolidation_due() == reason


def test_a_clock_that_was_wrong_once_does_not_stop_it_for_years(
    memory: Memory, clock: Clock
) -> None:
    clock.now = NOW + timedelta(days=3_000)
    memory.add(said("I live in Leeds"))
    memory.consolidate()
    clock.now = NOW
    assert memory.consolidation_due() == ""
    memory.add(said("I'm allergic to peanuts", session="t"))
    assert memory.consolidation_due() == "daily"
    assert memory.consolidate(if_due=True).ran
    assert memory.status().last_consolidation == NOW
    assert memory.validate() == []


# Two runs are one


CONSOLIDATE = """
    import json, sys
    from pathlib import Path
    from loxodon import Memory
    from tests.clock import Clock
    from tests.consolidate.talks import CONFIG

    with Memory.open(Path(sys.argv[1]), config=CONFIG, clock=Clock()) as memory:
        print(json.dumps([memory.consolidate().ran, memory.status().pending]))
"""

APPEND = """
    import sys
    from pathlib import Path
    from loxodon import Memory
    from tests.clock import Clock
    from tests.consolidate.talks import CONFIG, said

    FOODS = ("peanuts", "eggs", "milk", "wheat", "soy", "sesame", "celery", "mustard")
    with Memory.open(Path(sys.argv[1]), config=CONFIG, clock=Clock()) as memory:
        for n, food in enumerate(FOODS):
            memory.add(said(f"I'm allergic to {food}", "ok", session=food))
            print(food, flush=True)
"""


def started(script: str, home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(home)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def test_processes_that_consolidate_at_once_are_one_run(tmp_path: Path) -> None:
    with Memory.open(tmp_path, config=CONFIG, clock=Clock()) as memory:
        memory.add(said(*ZH, *EN))
    there = [started(CONSOLIDATE, tmp_path) for _ in range(3)]
    outcomes = [json.loads(one.communicate(timeout=300)[0]) for one in there]
    assert sorted(outcomes) == [[False, 0], [False, 0], [True, 0]]
    with Memory.open(tmp_path, config=CONFIG, clock=Clock()) as memory:
        assert len(known(memory, "花生")) == len(known(memory, "shellfish")) == 1
        assert memory.validate() == []


def test_another_process_may_append_meanwhile(tmp_path: Path) -> None:
    with Memory.open(tmp_path, config=CONFIG, clock=Clock()) as memory:
        with started(APPEND, tmp_path) as writer:
            for _ in writer.stdout or ():
                memory.consolidate()
        assert writer.returncode == 0
        memory.consolidate()
        assert (memory.status().turns, memory.status().pending) == (16, 0)
        assert len(known(memory, "allergic")) == 8
        assert memory.validate() == []


# Homes that cannot be written


def test_a_full_disk_undoes_the_phase_and_loses_nothing(tmp_path: Path) -> None:
    """However much room there is: whichever phase meets the end of it, the next run goes on."""
    whole = tmp_path / "whole"
    talk = [*ZH, *EN, *(f"My colleague Ann{chr(97 + n)} lives in Leeds." * 20 for n in range(8))]
    failed = 0
    told = tmp_path / "told"
    with Memory.open(told, config=CONFIG, clock=Clock()) as memory:
        memory.add(said(*talk))
    for name, spare in (("whole", 1 << 20), *((f"n{n}", n) for n in some((0, 1, 2, 4, 8), 2))):
        shutil.copytree(told, tmp_path / name)  # with its key: what is signed is signed alike
        with Memory.open(tmp_path / name, config=CONFIG, clock=Clock()) as memory:
            db = memory._store._db
            ((pages,),) = db.all("PRAGMA page_count")
            db.all(f"PRAGMA max_page_count={pages + spare}")
            try:
                memory.consolidate()
            except FullStoreError:
                failed += 1
                assert (memory.validate(), memory.status().attempts) == ([], 1)
                db.all("PRAGMA max_page_count=1073741823")
                memory.consolidate()
            assert memory.status().pending == 0
        assert everything(tmp_path / name) == everything(whole)
    assert failed >= 2


# Whatever is said


def test_very_long_messages_are_taken_like_any_other(memory: Memory) -> None:
    long = (
        "I live in Leeds. " + "word " * 10_000,
        "我住在北京" * 60_000,
        "\n".join(f"line {n}" for n in range(1_000)),
        "a" * 300_000,
        "🐘" * 50_000 + "\u202e\u200b\x07",
    )
    memory.add(said("I'm allergic to peanuts", *long, "I live in York"))
    outcome = memory.consolidate()
    assert (outcome.turns, outcome.counts.get("failed", 0)) == (7, 0)
    assert len(known(memory, "peanuts")) == len(known(memory, "York")) == 1
    assert all(len(one.content) <= 400 for one in memory.list(limit=0) if one.kind == "fact")
    assert memory.validate() == []


# What was just said


def test_a_flush_makes_known_what_was_said_and_leaves_the_night_its_work(
    memory: Memory, clock: Clock
) -> None:
    memory.add(said("I live in Leeds"))
    assert memory.flush_due() == ""
    clock.now += timedelta(minutes=3)
    assert memory.flush_due() == "quiet"
    done = memory.flush()
    assert (done.counts["added"], set(done.seconds)) == (1, {1, 2, 3, 4, 6})
    assert known(memory, "Leeds")
    assert memory.flush_due() == ""
    assert not memory.flush().ran
    assert memory.status().last_consolidation is None
    memory.add(said("今天聊了很多关于花园的事情。" * 600, session="t"))
    assert memory.flush_due() == "tokens"  # much talk does not wait for quiet
    clock.now += timedelta(hours=20)
    assert memory.consolidate(if_due=True).ran
    assert memory.status().last_consolidation is not None


def test_a_flush_brings_a_run_that_was_cut_short_to_its_end(memory: Memory) -> None:
    memory.add(said("I live in Leeds"))
    for phase in (1, 2, 3, 4):
        memory.consolidate(phase=phase)
    assert memory.status().phase == 5
    assert memory.flush().ran
    assert memory.status().phase == 0
    assert memory.status().last_consolidation is not None
