"""A pause: nothing is journalled or learned, on any surface, and not taken up later either."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import ForbiddenError, InputError, PausedError
from tests.agents.openclaw.made import OpenClaw, talk
from tests.clock import Clock
from tests.looking import files_with


def say(memory: Memory, text: str) -> tuple[int, int]:
    at = memory.now().isoformat()
    found = memory.add([{"role": "user", "content": text, "at": at}], session="s")
    return found.added, found.paused


def test_nothing_is_kept_meanwhile_and_recall_goes_on(memory: Memory, clock: Clock) -> None:
    memory.capture("The user likes oolong tea.")
    pause = memory.pause()
    assert (pause.until, memory.paused) == (None, pause)
    assert memory.status().paused == pause
    assert say(memory, "I work at Vorlund.") == (0, 1)
    with pytest.raises(PausedError) as error:
        memory.capture("I work at Vorlund.")
    assert (error.value.exit_code, error.value.code) == (5, "paused")
    assert memory.consolidate(force=True) == memory.flush()
    assert memory.flush().reason == "paused"
    assert memory.recall("oolong").items
    assert memory.consolidation_due() == memory.flush_due() == ""
    clock.pass_days(1)
    assert memory.resume()
    assert not memory.resume()
    assert memory.paused is None
    assert say(memory, "I live in Quellin.") == (1, 0)
    assert not files_with(["Vorlund"], Path(memory.home))


def test_it_ends_by_itself(memory: Memory, clock: Clock) -> None:
    memory.pause(clock.now + timedelta(hours=2))
    assert say(memory, "a") == (0, 1)
    clock.now += timedelta(hours=2)
    assert memory.paused is None
    assert say(memory, "b") == (1, 0)
    with pytest.raises(InputError):
        memory.pause(clock.now)


def test_what_was_said_in_a_pause_is_not_taken_up_later(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    memory.pause()
    start = clock.now
    clock.now += timedelta(hours=1)
    memory.resume()
    inside = (start + timedelta(minutes=10)).isoformat()
    after = (clock.now + timedelta(minutes=1)).isoformat()
    found = memory.add(
        [
            {"role": "user", "content": "in the pause", "at": inside},
            {"role": "user", "content": "after it", "at": after},
        ],
        session="file",
    )
    assert (found.added, found.paused) == (1, 1)


def test_a_transcript_that_is_followed_waits_and_is_passed_over(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    claw = OpenClaw(tmp_path / "openclaw")
    entries = talk("my cat is called Vorlund", "noted")
    claw.file("one", entries)
    at = next(
        json.loads(line)
        for line in (claw.root / "agents" / "main" / "sessions" / "one.jsonl")
        .read_text()
        .splitlines()
        if '"message"' in line
    )["timestamp"]
    clock.now = datetime.fromisoformat(at.replace("Z", "+00:00")) - timedelta(minutes=5)
    memory.pause()
    assert memory.workspace.follow(str(claw.root)).read == 0
    clock.pass_days(1)
    memory.resume()
    memory.workspace.follow(str(claw.root))
    assert memory.journal() == []


def test_with_the_engine_off(tmp_path: Path, clock: Clock) -> None:
    home = tmp_path / "home"
    with Memory.open(home, config={"enabled": False}, clock=clock) as plain:
        plain.pause()
        assert say(plain, "I work at Vorlund.") == (0, 1)
        with pytest.raises(PausedError):
            plain.capture("I work at Vorlund.")
        assert plain.status().paused
        clock.pass_days(1)
        plain.resume()
        assert say(plain, "I live in Quellin.") == (1, 0)
    with Memory.open(home, config={}, clock=clock) as memory:
        assert [turn.content for turn in memory.journal()] == ["I live in Quellin."]
    assert not files_with(["Vorlund"], home)


def test_a_pause_can_be_made_longer_and_is_for_the_owner(memory: Memory, clock: Clock) -> None:
    first = memory.pause(clock.now + timedelta(hours=1))
    clock.now += timedelta(minutes=30)
    assert memory.pause().since == first.since
    clock.pass_days(2)
    assert memory.paused is not None
    with pytest.raises(ForbiddenError):
        memory.within("helper").resume()
    assert memory.within("helper").paused is not None
