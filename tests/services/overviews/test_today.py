"""What happened since somebody last looked, and what waits for them."""

from __future__ import annotations

from datetime import timedelta

from loxodon import Memory
from tests.clock import Clock


def say(memory: Memory, *texts: str) -> None:
    memory.add([{"role": "user", "content": text} for text in texts], session="talk")
    memory.consolidate(force=True)


def test_each_memory_is_told_once_under_what_became_of_it(memory: Memory, clock: Clock) -> None:
    say(memory, "I live in Leeds", "我对花生过敏")
    kept = memory.capture("The user likes oolong tea")
    gone = memory.capture("The user rents a room")
    clock.pass_days(1)
    looked = clock.now
    clock.pass_days(1)
    say(memory, "I moved to York last week", "My sister Mei studies in Osaka")
    memory.edit(kept.id, content="The user likes jasmine tea")
    memory.archive(gone.id)
    memory.archive(memory.capture("A passing thought").id)
    found = memory.today(looked)
    assert {one.content for one in found.learned} == {
        "Mei is the user's sister",
        "The user's sister Mei studies in Osaka",
    }
    told = {(one.before.content, one.after.content) for one in found.changed}
    assert ("The user likes oolong tea", "The user likes jasmine tea") in told
    (moved,) = [one for one in found.changed if "Leeds" in one.before.content]
    assert "York" in moved.after.content
    assert moved.change == "superseded"
    assert [(one.change, one.record.id) for one in found.ended] == [("archived", gone.id)]
    assert found.counts["learned"] == 2
    assert all(one.sources for one in found.learned)
    assert (found.since, found.now) == (looked, clock.now)
    few = memory.today(looked, limit=1)
    assert (len(few.learned), few.counts["learned"]) == (1, 2)
    assert memory.today(clock.now + timedelta(seconds=1)).counts["learned"] == 0


def test_what_waits_is_told_with_what_it_contradicts(memory: Memory, clock: Clock) -> None:
    say(memory, "I live in Leeds")
    say(memory, "I might be living in York now")
    guess = memory.capture("The user may like jazz", "belief")
    memory.add([{"role": "user", "content": "今天很累"}], session="later")
    found = memory.today()
    assert [one.id for one in found.doubtful] == [guess.id]
    waiting = [(one.belief.id, one.against.id) for one in memory.reviews()]
    assert [(one.belief.id, one.against.id) for one in found.reviews] == waiting
    assert found.pending == 1
    assert {job.name for job in found.jobs} >= {"daily", "flush"}
    assert found.held == 0
    assert memory.today(clock.now).since == clock.now
