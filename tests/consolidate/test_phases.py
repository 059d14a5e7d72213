"""Every phase commits whole or not at all, and a run goes on where it was cut short."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from loxodon import Memory
from loxodon.errors import ConsolidationError, FullStoreError, UsageError
from tests.clock import NOW, Clock, trust
from tests.consolidate.talks import CONFIG, EN, ZH, everything, known, said
from tests.long import LONG, count
from tests.on_postgres import copied

PHASES = 7
LATER = NOW + timedelta(days=40)
WHERE = ("before", "inside", "after") if LONG else ("inside", "after")
"""Of a phase. Before the next is after the last, but for the first."""
MANY = count(1_000, 5_000)


def prepared(home: Path) -> None:
    """A home with something to do for every phase, 40 days ago and now."""
    clock = Clock()
    with Memory.open(home, config=CONFIG, clock=clock) as memory:
        memory.capture("a guess that fades", "belief", importance=0.1)
        used = memory.capture("a fact that is used", importance=0.5)
        back = memory.capture("a fact that comes back", importance=0.5)
        with memory._store.writing():
            memory._store.update(back.id, None, "faded", clock.now, {"state": "archived"})
        clock.now = LATER
        trust(memory)
        memory.touch([used.id, back.id])
        memory.add(said(*ZH, "谢谢", session="zh", at=LATER - timedelta(days=2)))
        memory.add(said("noted, I have booked the table", session="zh", role="assistant", id="a"))
        memory.add(said(*EN, "thanks!", session="en", at=LATER - timedelta(hours=1)))


def reopened(home: Path) -> Memory:
    return Memory.open(home, config=CONFIG, clock=Clock(LATER))


class Homes(NamedTuple):
    """Homes whose run was killed, by phase and place, and one whose run was not."""

    killed: dict[tuple[int, str], Path]
    whole: Path


KILLER = """
    import os, signal, sys
    from pathlib import Path
    from loxodon.store.postgres.database import PostgresDatabase
    from loxodon.store.sqlite.database import Database
    from tests import on_postgres
    from tests.consolidate.test_phases import reopened

    commits = (PostgresDatabase, "_commit") if on_postgres.ON else (Database, "run")
    run, now = getattr(*commits), [0]

    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    def consolidate(home, phase, where):
        def begins(number, done, total):
            now[0] = number
            if (number, where) == (phase, "before"):
                die()

        def dying(self, *statement, **parts):
            due = statement[:1] in ((), ("COMMIT",)) and now[0] == phase
            if due and where == "inside":
                die()
            run(self, *statement, **parts)
            if due and where == "after":
                die()

        setattr(*commits, dying)
        reopened(Path(home)).consolidate(progress=begins)

    base, *orders = sys.stdin.read().splitlines()
    reopened(Path(base)).consolidate()  # loads all that the children need
    for line in orders:
        phase, where, home = line.split(" ", 2)
        child = os.fork()
        if child == 0:
            consolidate(home, int(phase), where)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Homes:
    folder = tmp_path_factory.mktemp("killed")
    prepared(folder / "base")
    places = [(phase, where) for phase in range(1, PHASES + 1) for where in WHERE]
    killed = {place: folder / f"{place[0]}-{place[1]}" for place in places}
    for home in (*killed.values(), folder / "whole", folder / "first"):
        copied(folder / "base", home)
    with reopened(folder / "whole") as memory:
        memory.consolidate()
    orders = "\n".join(f"{phase} {where} {home}" for (phase, where), home in killed.items())
    killer = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLER)],
        input=f"{folder / 'first'}\n{orders}",
        text=True,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    assert killer.stdout.split() == [str(-signal.SIGKILL)] * len(places)
    return Homes(killed, folder / "whole")


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("phase", range(1, PHASES + 1))
def test_a_killed_run_goes_on_where_it_was(homes: Homes, phase: int, where: str) -> None:
    home = homes.killed[phase, where]
    with reopened(home) as memory:
        status = memory.status()
        # From the fifth on, a phase that is done may be done again
        next_phase = phase + 1 if where == "after" and phase < 5 else phase
        assert (status.phase, status.attempts, status.stopped) == (next_phase, 1, False)
        assert (status.due, memory.validate()) == ("interrupted", [])
        began: list[int] = []
        outcome = memory.consolidate(progress=lambda number, done, total: began.append(number))
        assert (outcome.ran, outcome.reason) == (True, "interrupted")
        assert began == list(range(next_phase, PHASES + 1))
        status = memory.status()
        assert (status.phase, status.attempts, status.due, status.pending) == (0, 0, "", 0)
        assert memory.validate() == []
    assert everything(home) == everything(homes.whole)


def test_the_run_that_was_not_killed_did_all_of_it(homes: Homes) -> None:
    with reopened(homes.whole) as memory:
        states = {one.content: one.state for one in memory.list(state="all")}
        assert states["a guess that fades"] == "archived"
        assert states["a fact that comes back"] == "active"
        assert len(known(memory, "花生")) == len(known(memory, "shellfish")) == 1
        assert (known(memory, "北京"), len(known(memory, "Leeds"))) == ([], 1)
        assert not memory.consolidate().ran


class Failing(NamedTuple):
    """A memory whose disk can be filled."""

    memory: Memory

    def fill(self) -> None:
        db = self.memory._store._db
        ((pages,),) = db.all("PRAGMA page_count")
        db.all(f"PRAGMA max_page_count={pages}")

    def free(self) -> None:
        self.memory._store._db.all("PRAGMA max_page_count=1073741823")


@pytest.fixture
def failing(memory: Memory) -> Failing:
    said_much = [f"My colleague number {n} lives in town number {n}." * 3 for n in range(15)]
    memory.add(said("I live in Leeds", *said_much))
    return Failing(memory)


def test_three_failures_stop_and_say_so(failing: Failing) -> None:
    memory = failing.memory
    failing.fill()
    for n in range(1, 4):
        with pytest.raises(FullStoreError):
            memory.consolidate()
        status = memory.status()
        assert (status.attempts, status.stopped) == (n, n == 3)
        assert "disk is full" in status.error
    assert memory.list() == []
    failing.free()
    for if_due in (False, True):
        with pytest.raises(ConsolidationError, match=r"3 times.*disk is full") as caught:
            memory.consolidate(if_due=if_due)
        assert "--force" in caught.value.hint
    assert memory.consolidate(force=True).ran
    status = memory.status()
    assert (status.attempts, status.stopped, status.error, status.phase) == (0, False, "", 0)
    assert len(known(memory, "Leeds")) == 1
    assert memory.validate() == []


# One phase at a time


def test_phases_one_after_the_other_are_a_run(tmp_path: Path) -> None:
    prepared(tmp_path / "one")
    copied(tmp_path / "one", tmp_path / "all")
    with reopened(tmp_path / "one") as memory:
        for phase in range(1, PHASES + 1):
            assert memory.consolidate(phase=phase).ran
            assert memory.status().phase == (phase + 1) % (PHASES + 1)
        assert memory.status().attempts == 0
        assert memory.consolidate(force=True).ran
    with reopened(tmp_path / "all") as memory:
        memory.consolidate()
    assert everything(tmp_path / "one") == everything(tmp_path / "all")


def test_a_phase_alone_begins_with_those_before_it(memory: Memory) -> None:
    memory.add(said("I live in Leeds"))
    for phase, then in ((2, 3), (1, 3), (2, 3)):  # what is done is not done again
        memory.consolidate(phase=phase)
        assert memory.status().phase == then
    for phase in (0, 8, -1):
        with pytest.raises(UsageError, match="unknown phase"):
            memory.consolidate(phase=phase)
    memory.consolidate(phase=7)
    memory.consolidate(phase=5)
    assert (memory.status().phase, memory.list()) == (3, [])
    assert memory.consolidate().reason == "interrupted"
    assert len(known(memory, "Leeds")) == 1


# Batches, and talk that goes on


def test_thousands_of_turns_in_one_go(memory: Memory) -> None:
    foods = ("peanuts", "crab", "eggs", "milk", "wheat", "soy", "sesame", "kiwi", "cod", "oats")
    talk = [
        f"I'm allergic to {foods[n * 10 // MANY]}" if n % (MANY // 10) == 0 else ("ok", "嗯")[n % 2]
        for n in range(MANY)
    ]
    memory.add(said(*talk))
    outcome = memory.consolidate()
    assert (outcome.turns, outcome.reason, memory.status().pending) == (MANY, "backlog", 0)
    assert len(known(memory, "allergic")) == 10
    assert memory.validate() == []


def test_a_run_that_is_stopped_keeps_the_batches_that_are_done(memory: Memory) -> None:
    for food in ("peanuts", "crab", "eggs"):
        memory.add(said(f"I'm allergic to {food}", *["ok"] * 99, session=food))

    def stop(phase: int, done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt(f"{done} of {total}")

    with pytest.raises(KeyboardInterrupt, match="100 of 300"):
        memory.consolidate(progress=stop)
    assert (len(known(memory, "allergic")), memory.status().pending) == (1, 200)
    assert memory.consolidate().turns == 200
    assert len(known(memory, "allergic")) == 3


def test_a_session_that_goes_on_has_its_segment_extended(memory: Memory, clock: Clock) -> None:
    memory.add(said("I live in Leeds", "the flat in Leeds is small"))
    memory.consolidate()
    (first,) = memory.segments()
    more = said("the flat in Leeds has a garden", id="m", at=NOW + timedelta(minutes=20))
    memory.add(more)
    memory.consolidate()
    (one,) = memory.segments()
    assert (one.first_turn, one.last_turn) == (first.first_turn, 3)
    assert "garden" in one.text
    assert first.text.split("\n")[0] in one.text
    memory.add(said("I'm in Rome", id="late", at=NOW + timedelta(hours=5)))
    memory.consolidate()
    assert [(one.first_turn, one.last_turn) for one in memory.segments()] == [(1, 3), (4, 4)]
    memory.add(said("an older page", id="old", at=NOW - timedelta(days=9)))
    memory.consolidate()
    assert [(one.first_turn, one.last_turn) for one in memory.segments()] == [
        (5, 5),
        (1, 3),
        (4, 4),
    ]


def test_what_an_earlier_run_learned_is_taken_back(memory: Memory) -> None:
    memory.add(said("I live in York", "I'm allergic to peanuts"))
    memory.consolidate()
    assert len(known(memory, "peanuts")) == 1
    memory.add(said("just kidding", id="a", at=NOW + timedelta(minutes=2)))
    assert memory.consolidate().counts["retracted"] == 1
    assert known(memory) == ["The user lives in York"]


# What there is nothing to learn from


@pytest.mark.parametrize("origin", ["web", "tool", "file", "group"])
def test_what_others_wrote_is_not_the_users(memory: Memory, origin: str) -> None:
    memory.add([{**one, "origin": origin} for one in said("I live in Leeds")])
    memory.consolidate()
    assert memory.list() == []


def test_the_same_transcript_again_changes_nothing(tmp_path: Path) -> None:
    prepared(tmp_path / "home")
    talk = said(*ZH, *EN, "my sister Mei lives in Osaka", session="again")
    with reopened(tmp_path / "home") as memory:
        memory.add(talk)
        memory.consolidate()
    before = everything(tmp_path / "home")
    with reopened(tmp_path / "home") as memory:
        assert memory.add(talk).added == 0
        assert not memory.consolidate().ran
        memory.consolidate(force=True)
        memory.rebuild_index()
        assert memory.validate() == []
    assert everything(tmp_path / "home") == before


def poison(original: Callable[..., Any]) -> Callable[..., Any]:
    """The same rules, but for one text that they stumble over."""

    def rules(given: Any, *more: Any) -> Any:
        if "poison" in getattr(given, "text", given):
            raise ValueError("poison")
        return original(given, *more)

    return rules


@pytest.mark.parametrize("rules", ["split", "read"])
def test_a_message_that_the_rules_cannot_read_stops_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, rules: str
) -> None:
    from loxodon.language import en

    memory.add(said("I live in Leeds", "my poison is gin", "I'm allergic to peanuts"))
    with monkeypatch.context() as patch:
        patch.setattr(en, rules, poison(getattr(en, rules)))
        outcome = memory.consolidate()
    assert (outcome.counts["failed"], outcome.counts["added"]) == (1, 2)
    assert (memory.status().failed, memory.status().pending, memory.status().error) == (1, 0, "")
    assert len(known(memory, "Leeds")) == len(known(memory, "peanuts")) == 1
    assert (memory.status().aside, memory.validate()) == (("t_2",), [])
