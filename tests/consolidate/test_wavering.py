"""What goes back and forth is kept as not settled, with its history."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loxodon import Memory
from loxodon.types import Record
from tests.clock import NOW, Clock

EN = ("I like coffee", "I don't like coffee")
ZH = ("我喜欢咖啡", "我不喜欢咖啡")


def tell(memory: Memory, clock: Clock, *texts: str, days: float = 1) -> None:
    """Say one thing a day, and learn from it."""
    for text in texts:
        memory.add([{"role": "user", "content": text}], session=f"{clock.now:%m-%d-%H}")
        memory.consolidate(force=True)
        clock.pass_days(days)


def known(memory: Memory) -> list[Record]:
    return [one for one in memory.list() if one.kind != "summary"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (EN, "The user dislikes coffee (not settled: changed 3 times since 2026-02-05)"),
        (ZH, "用户不喜欢咖啡（未定：自 2026-02-05 起改变 3 次）"),
    ],
)
def test_a_flip_flop_is_a_belief_that_says_so(
    memory: Memory, clock: Clock, said: tuple[str, str], told: str
) -> None:
    tell(memory, clock, *said)
    assert [one.kind for one in known(memory)] == ["fact"]
    tell(memory, clock, *said)
    (belief,) = known(memory)
    assert (belief.kind, belief.content, belief.confidence) == ("belief", told, 0.5)
    assert [step.change for step in memory.history(belief.id)].count("superseded") == 3
    assert told in memory.recall(said[0], budget=2_000).context
    assert memory.validate() == []


def test_further_changes_are_versions_of_one_belief(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, *EN, *EN)
    (before,) = known(memory)
    assert before.content in memory.profile(refresh=True)
    tell(memory, clock, *EN, EN[1])
    (after,) = known(memory)
    assert after.id == before.id
    assert after.content == (
        "The user dislikes coffee (not settled: changed 5 times since 2026-02-05)"
    )
    assert after.content in memory.profile()
    changes = [step.change for step in memory.history(after.id)]
    assert changes[-3:] == ["unsettled", "unsettled", "repeated"]
    assert len(memory.list(state="archived")) == 3
    assert len(after.sources) == 4


def test_it_is_settled_once_it_has_held(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, *EN, *EN)
    clock.pass_days(14)
    tell(memory, clock, EN[1])
    (fact,) = known(memory)
    assert (fact.kind, fact.content) == ("fact", "The user dislikes coffee")
    tell(memory, clock, EN[0])
    (fact,) = known(memory)
    assert (fact.kind, fact.content) == ("fact", "The user likes coffee")


def test_a_person_settles_it(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, *ZH, *ZH)
    (belief,) = known(memory)
    assert memory.confirm(belief.id).content == "用户不喜欢咖啡"


@pytest.mark.parametrize("days", [0.01, 10, 400])
def test_it_counts_by_when_it_was_said(memory: Memory, clock: Clock, days: float) -> None:
    """Also where years of talk are read in one run."""
    at = [NOW + timedelta(days=n * days) for n in range(6)]
    turns = [
        {"role": "user", "content": text, "at": when.isoformat(), "id": str(when)}
        for text, when in zip(EN * 3, at, strict=True)
    ]
    clock.now = at[-1] + timedelta(hours=1)
    memory.add(turns, session="long")
    memory.consolidate()
    assert [one.kind for one in known(memory)] == ["belief" if days < 4 else "fact"]


def test_a_way_is_no_wavering(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, *(f"I live in {place}" for place in ("Leeds", "York", "Bath", "Hull")))
    (home,) = known(memory)
    assert (home.kind, home.value) == ("fact", "Hull")
    tell(memory, clock, "I live in Bath")
    (home,) = known(memory)
    assert (home.kind, home.value) == ("belief", "Bath")


@pytest.mark.parametrize(
    "says",
    [
        ["I prefer the dark theme", "I prefer the light theme", "I use dark mode"],
        ["I use dark mode in my editor", "I switched to light mode in my editor"],
        ["我喜欢深色主题", "我喜欢浅色主题", "我改用深色主题了", "我又换回浅色主题了"],
    ],
)
def test_dark_and_light_are_never_both(memory: Memory, clock: Clock, says: list[str]) -> None:
    for text in says * 2:
        tell(memory, clock, text)
        assert len(known(memory)) == 1


def test_each_program_has_a_theme_of_its_own(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, "I use dark mode in my editor", "I use light mode in my browser")
    assert sorted(one.value for one in known(memory)) == ["browser: light", "editor: dark"]
