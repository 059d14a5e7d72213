"""What later says that a thing is over is found by what it names."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loxodon import Memory
from tests.recall.test_routes import DAY, Now, memory, now, shown, talk  # noqa: F401  (fixtures)

LATER = DAY + timedelta(days=20)


@pytest.mark.parametrize("known", [False, True], ids=["turns", "memories"])
@pytest.mark.parametrize(
    ("was", "ended", "ask", "new"),
    [
        (
            "I work at the town library",
            "I quit the library, starting as a gardener on Monday",
            "Where do I work?",
            "gardener",
        ),
        ("我在学古筝", "古筝放下了，最近迷上吉他", "我在学什么？", "吉他"),
    ],
    ids=["en", "zh"],
)
def test_what_ends_the_old_answer_comes_before_it(
    memory: Memory,  # noqa: F811
    was: str,
    ended: str,
    ask: str,
    new: str,
    known: bool,
) -> None:
    for session, at, text in (("a", DAY, was), ("b", LATER, ended)):
        talk(memory, session, at, f"user: {text}")
        if known:
            memory.consolidate(force=True)
    found = memory.recall(ask)
    assert new in shown(found)[0]
    old = next(item for item in found.items if new not in item.content)
    assert old.valid_until or old.why["again"]


@pytest.mark.parametrize(
    "later",
    [
        "user: The library has a new roof",  # it names the thing and ends nothing
        "user: I quit sugar, the library was closed anyway",  # it ends another
        "user: I gave up my umbrella at the library",
        "user: I left my umbrella at the library",
        "user: The library was closed for the day",
        "Tom: I quit the library last week",  # somebody else's
        "assistant: So you quit the library!",
    ],
)
def test_what_ends_nothing_is_not_brought(memory: Memory, later: str) -> None:  # noqa: F811
    talk(memory, "a", DAY, "user: I work at the town library")
    talk(memory, "b", LATER, later)
    found = memory.recall("Where do I work?")
    assert "town library" in shown(found)[0]
    assert not any("since" in item.why["routes"] for item in found.items)


def test_nothing_is_brought_for_what_happened_once(memory: Memory) -> None:  # noqa: F811
    talk(memory, "a", DAY, "user: I worked at the town library that summer")
    talk(memory, "b", LATER, "user: I quit the library")
    found = memory.recall("Where did I work that summer?")
    assert not any("since" in item.why["routes"] for item in found.items)


def test_what_is_brought_is_within_the_filter(memory: Memory) -> None:  # noqa: F811
    talk(memory, "a", DAY, "user: I work at the town library")
    talk(memory, "b", LATER, "user: I quit the library")
    assert len(memory.recall("Where do I work?").items) == 2
    assert len(memory.recall("Where do I work?", until=DAY + timedelta(days=2)).items) == 1


def test_what_was_replaced_leads_to_what_replaced_it(memory: Memory, now: Now) -> None:  # noqa: F811
    now.at = DAY
    talk(memory, "a", DAY, "user: I teach chemistry at a school in Durham")
    memory.consolidate(force=True)
    now.at = LATER
    talk(memory, "b", LATER, "user: Handed in my notice, I'm joining a lab as a technician in May")
    memory.consolidate(force=True)
    assert "technician" in shown(memory.recall("What is my job?"))[0]
