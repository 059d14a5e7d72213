"""Whom a forgetting by name is about: other names of theirs, and names that only look like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import cases
from tests.clock import Clock
from tests.forget.test_forgetting import opened, say, texts
from tests.looking import files_with


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.mark.parametrize("case", cases(__file__, "short_form"), ids=lambda one: one["name"])
def test_short_forms_stay_and_are_listed(home: Path, clock: Clock, case: dict[str, str]) -> None:
    name, stays = case["name"], case["stays"]
    with opened(home, clock) as memory:
        say(memory, clock, case["said"], "OK.", stays)
        memory.consolidate()
        receipt = memory.forget(entity=name)
        assert texts(memory) == ["OK.", stays]
        named = [one.name for one in receipt.near]
        assert any(one in stays for one in named) or name == "Elisabeth Quennell"


@pytest.mark.parametrize("case", cases(__file__, "whole_words"), ids=lambda one: one["goes"])
def test_name_is_matched_as_whole_words(home: Path, clock: Clock, case: dict[str, str]) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, case["goes"], "OK.", case["stays"])
        memory.consolidate()
        memory.forget(entity=case["name"])
        assert texts(memory) == ["OK.", case["stays"]]
        assert memory.validate() == []


@pytest.mark.parametrize("things", [one["things"] for one in cases(__file__, "alike")])
def test_addresses_and_numbers_are_forgotten_alone(
    home: Path, clock: Clock, things: list[str]
) -> None:
    """Nobody means one who speaks of another that contains it."""
    for n, one in enumerate(things):
        others = [other for other in things if other != one]
        with opened(home / str(n), clock) as memory:
            for name in things:
                say(memory, clock, f"The new one is {name}", session="talk")
            memory.forget(entity=one)
            assert {*texts(memory)} == {f"The new one is {name}" for name in others}
            for name in others:
                memory.capture(f"The new one is {name}")
            kept = memory.capture(f"The new one is {one}")
            memory.forget(kept.id)
            assert {record.content for record in memory.list()} == {
                f"The new one is {name}" for name in others
            }


def test_a_role_is_no_name(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "My friend Elisabeth Quennell sails a yawl.",
            "OK.",
            "A friend in need is a friend indeed.",
            "My cat Miso sleeps.",
            "Every teacher has a favourite friend.",
        )
        memory.consolidate()
        memory.forget(entity="Elisabeth Quennell")
        assert texts(memory) == [
            "OK.",
            "A friend in need is a friend indeed.",
            "My cat Miso sleeps.",
            "Every teacher has a favourite friend.",
        ]
        memory.forget(entity="Miso")
        assert "Every teacher has a favourite friend." in texts(memory)
        assert not files_with(["Elisabeth", "Miso"], home)


@pytest.mark.parametrize(
    ("said", "role"),
    [
        ("My friend Zorinda likes tea.", "My friend called again."),
        ("我同事李雷喜欢下棋。", "我同事今天请假。"),
    ],
)
def test_the_only_friend_is_shown_for_a_yes(home: Path, clock: Clock, said: str, role: str) -> None:
    name = "Zorinda" if "Zorinda" in said else "李雷"
    with opened(home, clock) as memory:
        say(memory, clock, said, "OK.", role)
        memory.consolidate()
        assert memory.forget(entity=name, dry_run=True).doubtful == (role,)
        assert memory.forget(entity=name).doubtful == (role,)
        assert role in texts(memory)
    with opened(home.parent / "other", clock) as memory:
        say(memory, clock, said, "OK.", role)
        memory.consolidate()
        assert memory.forget(entity=name, doubtful=True).doubtful == ()
        assert texts(memory) == ["OK."]


def test_a_name_is_told_from_a_word_by_its_capital(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, "I met Frank.", "OK.", "Frank called. We had a frank talk.")
        receipt = memory.forget(entity="Frank")
        assert texts(memory) == ["OK.", "We had a frank talk."]
        assert receipt.doubtful == ("We had a frank talk.",)


def test_near_names_stay_unless_they_are_chosen(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "My friend Anna likes chess.",
            "OK.",
            "My colleague Annie likes tea.",
            "OK.",
            "My boss Annie called.",
        )
        memory.consolidate()
        planned = memory.forget(entity="Anna", dry_run=True)
        assert ("Annie", 2) in planned.near
        memory.forget(entity="Anna")
        assert "My boss Annie called." in texts(memory)
        assert not files_with(["chess"], home)
        memory.forget(entity="Annie", also=["Anna"])
        assert not files_with(["Annie"], home)


def test_a_longer_name_is_somebody_elses(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "我朋友张三喜欢下棋。",
            "好。",
            "我在看张三丰的电影。",
            "好。",
            "张三来了。",
        )
        memory.consolidate()
        planned = memory.forget(entity="张三", dry_run=True)
        assert "张三丰" in [one.name for one in planned.near]
        memory.forget(entity="张三")
        assert "我在看张三丰的电影。" in texts(memory)
        assert not files_with(["下棋", "张三来了"], home)
        assert memory.validate() == []


# -- what a memory was drawn from ------------------------------------------------------------------


def test_what_was_captured_goes_with_whom_it_is_about(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        memory.capture("Has been allergic to walnuts since 2019", entities=["Zorinda"])
        memory.capture("Plays the xylophone", tags=["Zorinda"])
        memory.capture("The user lives in Leeds")
        memory.consolidate()
        memory.forget(entity="Zorinda")
        assert texts(memory) == ["The user lives in Leeds"]
        assert not files_with(["Zorinda", "walnuts", "xylophone"], home)
        assert memory.validate() == []


def test_two_friends_have_the_role_of_neither(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "My friend Zorinda likes tea.",
            "OK.",
            "My friend Bostmara likes beer.",
            "OK.",
            "My friend called again.",
        )
        memory.consolidate()
        assert memory.forget(entity="Bostmara", dry_run=True).doubtful == ()


def test_forgetting_one_leaves_what_another_said_of_the_same(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "Dana lives in Berlin and works at Stripe.",
            "OK.",
            "Eve lives in Berlin and works at Stripe.",
        )
        memory.consolidate()
        memory.forget(entity="Dana")
        assert texts(memory) == ["OK.", "Eve lives in Berlin and works at Stripe."]


def test_what_somebody_else_is_called_too_takes_nobody_else_along(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "My sister Zorinda works at Quilltech.",
            "OK.",
            "My sister Bostmara lives in Leeds.",
            "OK.",
            "我同事璟垚翀喜欢喝茶。",
            "好。",
            "我同事骞羿樾喜欢下棋。",
        )
        memory.consolidate()
        memory.forget(entity="Zorinda")
        memory.forget(entity="璟垚翀")
        assert not files_with(["Zorinda", "Quilltech", "璟垚翀"], home)
        assert "My sister Bostmara lives in Leeds." in texts(memory)
        assert "我同事骞羿樾喜欢下棋。" in texts(memory)
