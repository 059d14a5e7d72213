"""What holds now comes before what held, and what tells before what asks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from tests.clock import Clock
from tests.long import some
from tests.recall import changed
from tests.recall.talking import DAY, say, shown, talk

pytestmark = pytest.mark.usefixtures("in_march")


@pytest.mark.parametrize("known", [False, True], ids=["turns", "memories"])
@pytest.mark.parametrize(
    "case",
    [one for one in changed.read() if one.id[3:] in some(("02", "03", "04", "08", "10"), 3)],
    ids=lambda one: one.id,
)
def test_labelled_changes(case: changed.Case, known: bool, tmp_path: Path) -> None:
    """Some of the cases; `python -m tests.recall.changed` scores all."""
    assert changed.judged(case, str(tmp_path), known)[0] == ""


# Superseded memories


def test_superseded_memory_comes_last_unless_the_past_is_asked_for(
    memory: Memory, clock: Clock
) -> None:
    clock.now = datetime(2026, 1, 6, tzinfo=UTC)
    say(memory, "I live in Leeds.", at="2026-01-05T10:00:00")
    memory.consolidate(force=True)
    clock.now = datetime(2026, 3, 21, tzinfo=UTC)
    say(memory, "I moved to York last week, I live in York now.", at="2026-03-20T10:00:00")
    memory.consolidate(force=True)
    assert "York" in shown(memory.recall("Where do I live?"))[0]
    assert any("Leeds" in text for text in shown(memory.recall("Where did I live before?")))
    then = shown(memory.recall("Where do I live?", as_of=datetime(2026, 2, 1, tzinfo=UTC)))
    assert any("Leeds" in text for text in then)
    assert not any("York" in text for text in then)


def test_memory_is_recalled_in_the_words_it_had_then(memory: Memory, clock: Clock) -> None:
    kept = memory.capture("the gate code is alpha-one")
    clock.pass_days(60)
    memory.edit(kept.id, content="the gate code is beta-two")
    then = memory.recall("What is the gate code?", as_of=clock.now - timedelta(days=30))
    assert "alpha-one" in shown(then)[0]
    assert "beta-two" in shown(memory.recall("What is the gate code?"))[0]


# Guesses


GUESSES = [
    ("user: I think I may be allergic to shellfish.", "What am I allergic to?"),
    ("user: 我可能对芒果过敏。", "我对什么过敏？"),
]


@pytest.mark.parametrize(("guess", "asked"), GUESSES)
def test_rejected_guess_comes_back_only_as_words_that_no_longer_hold(
    memory: Memory, guess: str, asked: str
) -> None:
    talk(memory, "a", DAY, guess)
    memory.consolidate(force=True)
    (belief,) = memory.list(kind="belief")
    memory.reject(belief.id)
    found = memory.recall(asked)
    assert [item.kind for item in found.items] == ["turn"]
    assert "(no longer holds)" in found.context or "（已不再成立）" in found.context
    assert memory.recall(asked, kind="belief").items == ()
    assert belief.content not in memory.profile(refresh=True)


@pytest.mark.parametrize(("guess", "asked"), GUESSES)
@pytest.mark.parametrize("said", [True, False])
def test_fact_replaces_the_guess_it_was(memory: Memory, guess: str, asked: str, said: bool) -> None:
    """Said outright or confirmed: the guess is not shown beside it, and goes with the fact."""
    talk(memory, "a", DAY, guess)
    memory.consolidate(force=True)
    (belief,) = memory.list(kind="belief")
    if said:
        outright = guess.replace("think I may be", "am").replace("可能", "")
        talk(memory, "b", DAY + timedelta(hours=1), outright)
        memory.consolidate(force=True)
    else:
        memory.confirm(belief.id)
    (fact,) = memory.list(kind="fact")
    assert belief.content not in memory.recall(asked).context + memory.profile(refresh=True)
    memory.archive(fact.id)
    assert memory.recall(asked).items == ()


def test_corrected_and_confirmed_belief_is_recalled_as_corrected(memory: Memory) -> None:
    talk(memory, "a", DAY, "user: My friend Tess is a baker.")
    talk(memory, "b", DAY + timedelta(days=3), "user: I think Tess is a plumber now.")
    memory.consolidate(force=True)
    (belief,) = memory.list(kind="belief")
    memory.edit(belief.id, content="Tess is a pilot")
    memory.confirm(belief.id)
    found = memory.recall("What does Tess do for work?")
    assert "pilot" in shown(found)[0]
    assert "plumber" not in found.context
