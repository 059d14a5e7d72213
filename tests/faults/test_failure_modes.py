"""How memories of agents go wrong over time: they bloat, flip-flop, and make things up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from loxodon import Memory
from loxodon.tokens import estimate
from tests.clock import Clock
from tests.long import count, figure

SETTINGS = {"timezone": "Asia/Shanghai", "workspace.views": "off"}


class Life:
    """A memory that is told something every day, and consolidates every night."""

    def __init__(self, home: Path) -> None:
        self.clock = Clock()
        self.memory = Memory.open(home, config=SETTINGS, clock=self.clock)

    def day(self, *said: str) -> None:
        at = self.clock.now
        turns = [
            {"role": "user", "content": one, "id": f"{at:%Y%m%d}-{n}", "at": at.isoformat()}
            for n, one in enumerate(said)
        ]
        self.memory.add(turns, session=f"{at:%Y-%m-%d}")
        self.clock.pass_days(1)
        self.memory.consolidate()

    def facts(self) -> list[str]:
        return [one.content for one in self.memory.list(kind="fact", limit=0)]


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    one = Life(tmp_path / "home")
    yield one
    one.memory.close()


# Bloat


def _small_talk(random: Random, day: int) -> list[str]:
    place = random.choice(("Leeds", "York", "Bath", "杭州", "上海"))
    dish = random.choice(("noodles", "soup", "curry", "rice", "pasta", "tofu"))
    return random.sample(
        [
            f"I had {dish} for lunch near the {place} office, number {day}.",
            f"今天中午在{place}吃了{dish}，第{day}次。",
            f"Met client {random.randint(1, 400)} in {place} about invoice {day}.",
            f"I am going to {place} on Friday for a workshop.",
            f"I started reading book number {day} about {dish}.",
            f"这周的会议改到{random.randint(1, 28)}号了，在{place}。",
        ],
        4,
    )


def test_months_of_talk_do_not_bloat_the_memory(life: Life) -> None:
    """What a prompt gets stays within its budget, how much a question has weighed levels off though
    the journal grows, and of what is said in passing most makes no memory."""
    random = Random(3)
    days = count(8, 180)
    sizes: list[int] = []
    weighed: list[int] = []
    memory = life.memory
    life.day("I am allergic to peanuts.", "我叫陈默，住在杭州。")
    for day in range(days):
        life.day(*_small_talk(random, day))
        sizes.append(memory.status().active)
        found = memory.recall("what did I eat in York?")
        assert found.trace
        weighed.append(len(found.trace.considered))
        assert estimate(found.context) <= memory.config.recall.budget
        if day % 6 == 0:
            assert estimate(memory.snapshot()) <= memory.config.snapshot.budget
    half = days // 2
    figure(
        "bloat",
        days=days,
        turns=len(memory.journal()),
        active_half=sizes[half],
        active_end=sizes[-1],
        archived=memory.status().archived,
    )
    # The fewer the days, the more of what was planned is still to come.
    assert sizes[-1] < (0.75 if days < 30 else 0.65) * len(memory.journal())
    assert max(weighed[half:]) < 1.6 * max(weighed[:half])
    assert any("peanuts" in one for one in life.facts())  # what matters is still there


# Flip-flopping


GUESSES = {
    "en": (
        "I live in Leeds.",
        "Leeds",
        ("Perhaps I live in York, I don't know.", "Maybe I live in Bath, hard to say."),
    ),
    "zh": ("我住在杭州。", "杭州", ("我可能住在北京吧。", "也许我住在上海，说不准。")),
}


@pytest.mark.parametrize("language", GUESSES)
def test_repeated_guesses_do_not_overturn_a_fact(life: Life, language: str) -> None:
    outright, value, guesses = GUESSES[language]
    life.day(outright)
    (firm,) = life.memory.list(kind="fact")
    for n in range(count(4, 20)):
        life.day(guesses[n % len(guesses)])
        (still,) = [one for one in life.memory.list(kind="fact") if one.attribute == "home"]
        assert (still.id, still.value) == (firm.id, value)
    assert life.memory.reviews()  # the person is asked instead


SWITCHES: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "en": (("I live in Leeds now.", "I live in York now."), ("Leeds", "York")),
    "zh": (("我现在住在杭州。", "我现在住在上海。"), ("杭州", "上海")),
}


@pytest.mark.parametrize("language", SWITCHES)
def test_last_of_changing_statements_holds(life: Life, language: str) -> None:
    """However often it changes: one of them is true at a time, and the history has all."""
    said, values = SWITCHES[language]
    for n in range(6):
        life.day(said[n % 2])
        homes = [one.value for one in life.memory.list(limit=0) if one.attribute == "home"]
        assert homes == [values[n % 2]]
    (home,) = [one for one in life.memory.list(limit=0) if one.attribute == "home"]
    assert len(life.memory.history(home.id)) >= 6
