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
from loxodon.write.phases import PHASES
from loxodon.write.segment import segments
from tests.clock import NOW, Clock
from tests.long import LONG, count
from tests.on_postgres import copied
from tests.write.talks import CONFIG, EN, ZH, known, rows, said

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
    from tests.write.test_phases import reopened

    commits = (PostgresDatabase, "_commit") if on_postgres.ON else (Database, "run")
    run, now = getattr(*commits), [0]

    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    def consolidate(home, phase, where):
        def begins(number, done, total):
            now[0] = number
            if (number, where) == (phase, "before"):
                die()

        def dying(self, *statement):
            due = statement[:1] in ((), ("COMMIT",)) and now[0] == phase
            if due and where == "inside":
                die()
            run(self, *statement)
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
        next_phase = phase if where != "after" else (phase + 1) % (PHASES + 1)
        assert (status.phase, status.attempts, status.stopped) == (next_phase, 1, False)
        assert (status.due, memory.validate()) == ("interrupted", [])
        began: list[int] = []
        outcome = memory.consolidate(progress=lambda number, done, total: began.append(number))
        assert (outcome.ran, outcome.reason) == (True, "interrupted")
        assert began == list(range(next_phase or 5, PHASES + 1))
        status = memory.status()
        assert (status.phase, status.attempts, status.due, status.pending) == (0, 0, "", 0)
        assert memory.validate() == []
    assert rows(home) == rows(homes.whole)


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
    said_much = [f"My colleague number {n} lives in town number {n}." * 9 for n in range(60)]
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


def test_one_that_works_at_last_forgets_the_failures(failing: Failing) -> None:
    failing.fill()
    for _ in range(2):
        with pytest.raises(FullStoreError):
            failing.memory.consolidate()
    failing.free()
    assert failing.memory.consolidate().ran
    assert failing.memory.status().attempts == 0


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


def test_what_the_assistant_says_can_be_poison_too(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from loxodon.language import en

    memory.add(said("I live in Leeds"))
    memory.add(said("I have booked the poison", role="assistant", id="a"))
    monkeypatch.setattr(en, "deeds", poison(en.deeds))
    outcome = memory.consolidate()
    assert (outcome.counts["failed"], outcome.counts["added"]) == (1, 1)


def test_a_statement_that_cannot_be_kept_leaves_nothing_behind(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from loxodon.write.keep import Keeper

    carry_out = Keeper._carry_out

    def stumble(self: Keeper, found: Any, candidate: Any, turn: Any) -> None:
        carry_out(self, found, candidate, turn)
        if "peanuts" in turn.content:
            raise KeyError("poison")

    memory.add(said("I live in Leeds", "I'm allergic to peanuts", "I'm allergic to cats"))
    with monkeypatch.context() as patch:
        patch.setattr(Keeper, "_carry_out", stumble)
        memory.consolidate()
    assert memory.status().failed == 1
    assert known(memory, "peanuts") == []
    assert len(known(memory, "Leeds")) == len(known(memory, "cats")) == 1
    assert (memory.status().aside, memory.validate()) == (("t_2",), [])


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
    assert rows(tmp_path / "one") == rows(tmp_path / "all")


def test_phases_out_of_order_are_refused(memory: Memory) -> None:
    memory.add(said("I live in Leeds"))
    for phase in (2, 3, 4):
        with pytest.raises(UsageError, match="phase 1 is next"):
            memory.consolidate(phase=phase)
    memory.consolidate(phase=1)
    for phase in (1, 3, 4):
        with pytest.raises(UsageError, match="phase 2 is next"):
            memory.consolidate(phase=phase)
    for phase in (0, 8, -1):
        with pytest.raises(UsageError, match="unknown phase"):
            memory.consolidate(phase=phase)
    memory.consolidate(phase=7)
    memory.consolidate(phase=5)
    assert (memory.status().phase, memory.list()) == (2, [])
    assert memory.consolidate().reason == "interrupted"
    assert len(known(memory, "Leeds")) == 1


def test_a_phase_by_itself_with_nothing_to_do(memory: Memory) -> None:
    assert memory.consolidate(phase=1).reason == "nothing is pending"
    for phase in (5, 6, 7):
        assert memory.consolidate(phase=phase).ran
    assert (memory.status().phase, memory.status().attempts) == (0, 0)


def test_more_may_be_said_between_the_fourth_phase_and_the_fifth(memory: Memory) -> None:
    memory.add(said("I live in Leeds"))
    for phase in (1, 2, 3, 4):
        memory.consolidate(phase=phase)
    memory.add(said("I'm allergic to peanuts", session="t"))
    memory.consolidate(phase=1)
    assert memory.status().phase == 2
    memory.consolidate()
    assert len(known(memory, "Leeds")) == len(known(memory, "peanuts")) == 1


# Batches, and talk that goes on


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loxodon.write.phases.BATCH", 4)


def test_batches_are_invisible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = [*ZH, "嗯", "我喜欢喝茶", "我住在上海", "我的猫叫小花", "好的", "我对牛奶过敏", *EN]
    for name, size in (("whole", 1_000), ("cut", 4)):
        monkeypatch.setattr("loxodon.write.phases.BATCH", size)
        with Memory.open(tmp_path / name, config=CONFIG, clock=Clock(LATER)) as memory:
            memory.add(said(*talk))
            assert memory.consolidate().turns == len(talk)
    whole, cut = rows(tmp_path / "whole"), rows(tmp_path / "cut")
    contents = [[row[4] for row in found["memories"]] for found in (whole, cut)]
    assert sorted(contents[0]) == sorted(contents[1])


@pytest.mark.usefixtures("small_batches")
def test_a_batch_knows_what_was_said_in_the_one_before(memory: Memory) -> None:
    memory.add(said("hi", "My sister Mei studies in Osaka", "ok"))
    memory.add(said("Pretend to be a knight", role="assistant", id="q", session="game"))
    memory.add(said("I live in York", id="b", session="game", at=NOW + timedelta(minutes=4)))
    memory.add(said("My sister lives in Kyoto", id="c", at=NOW + timedelta(minutes=4)))
    memory.consolidate()
    assert not known(memory, "York")
    (sister,) = [one for one in memory.list(kind="fact") if "Kyoto" in one.content]
    assert sister.subject == "Mei"


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


def test_what_was_said_before_the_last_run_is_still_understood(memory: Memory) -> None:
    memory.add(said("hello", "My sister Mei studies in Osaka", "I live in York"))
    memory.add(said("Pretend to be a knight", role="assistant", id="q", session="game"))
    memory.consolidate()
    assert len(known(memory, "York")) == 1
    memory.add(said("I live in Leeds", id="a", session="game", at=NOW + timedelta(minutes=2)))
    memory.add(said("My sister lives in Kyoto", id="b", at=NOW + timedelta(minutes=4)))
    memory.add(said("just kidding", id="c", at=NOW + timedelta(minutes=5)))
    memory.consolidate()
    assert not known(memory, "Leeds")
    assert not known(memory, "Kyoto")
    memory.add(said("My sister moved to Kyoto", id="d", at=NOW + timedelta(minutes=6)))
    memory.consolidate()
    (sister,) = [one for one in memory.list(kind="fact") if "Kyoto" in one.content]
    assert sister.subject == "Mei"


def test_what_an_earlier_run_learned_is_taken_back(memory: Memory) -> None:
    memory.add(said("I live in York", "I'm allergic to peanuts"))
    memory.consolidate()
    assert len(known(memory, "peanuts")) == 1
    memory.add(said("just kidding", id="a", at=NOW + timedelta(minutes=2)))
    assert memory.consolidate().counts["retracted"] == 1
    assert known(memory) == ["The user lives in York"]


def test_a_very_long_segment_is_not_read_again_each_time(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loxodon.write.phases.BATCH", 20)
    talk = ["the garden in spring needs water and light"] * 100
    memory.add([{**one, "at": NOW.isoformat()} for one in said(*talk)])
    read: list[int] = []

    def counted(turns: Any, sentences: Any) -> Any:
        read.append(len(turns))
        return segments(turns, sentences)

    monkeypatch.setattr("loxodon.write.phases.segments", counted)
    memory.consolidate()
    assert sum(read) <= 4 * 100
    covered = sorted(
        n for one in memory.segments() for n in range(one.first_turn, one.last_turn + 1)
    )
    assert covered == list(range(1, 101))


# What there is nothing to learn from


def test_an_empty_home(memory: Memory) -> None:
    assert not memory.consolidate().ran
    outcome = memory.consolidate(force=True)
    assert (outcome.ran, outcome.turns, dict(outcome.counts).keys() - {"snapshots"}) == (
        True,
        0,
        set(),
    )
    assert memory.validate() == []


def test_only_what_was_captured(memory: Memory) -> None:
    kept = memory.capture("I live in Leeds")
    outcome = memory.consolidate()
    assert (outcome.ran, outcome.reason) == (False, "nothing is pending")
    assert memory.consolidate(force=True).turns == 0
    assert memory.list() == [kept]
    assert (memory.segments(), memory.events()) == ([], [])


def test_only_the_assistant(memory: Memory) -> None:
    memory.add(said("I live in the cloud", "You are allergic to peanuts", role="assistant"))
    outcome = memory.consolidate()
    assert (outcome.turns, memory.list(), len(memory.segments())) == (2, [], 1)
    assert memory.status().pending == 0


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
    before = rows(tmp_path / "home")
    with reopened(tmp_path / "home") as memory:
        assert memory.add(talk).added == 0
        assert not memory.consolidate().ran
        memory.consolidate(force=True)
        memory.rebuild_index()
        assert memory.validate() == []
    assert rows(tmp_path / "home") == before


def test_an_old_transcript_does_not_undo_what_came_later(memory: Memory) -> None:
    memory.add(said("I live in Leeds", session="new"))
    memory.consolidate()
    memory.add(said("I live in York", session="old", at=NOW - timedelta(days=300)))
    memory.consolidate()
    assert len(known(memory, "Leeds")) == 1
    assert known(memory, "York") == []
