"""What a statement changes, told by words that any sentence may have."""

from __future__ import annotations

import pytest

from tests.write.en.talk import statements


@pytest.mark.parametrize(
    "turn",
    [
        "I call my aunt every Wednesday now",
        "These days I paint with gouache",
        "We ship on Tuesdays from now on",
        "I'm down to 71 kilos",
        "I'm back on sugar",
    ],
)
def test_now_says_that_it_was_otherwise(turn: str) -> None:
    assert [one.act for one in statements(turn)] == ["change"]


@pytest.mark.parametrize("turn", ["I call my aunt every Wednesday", "I'm tired now", "I paint"])
def test_what_only_is_so_changes_nothing(turn: str) -> None:
    assert all(one.act == "state" for one in statements(turn))


@pytest.mark.parametrize(
    ("turn", "over"),
    [
        ("We've decided to go to Crete instead of Malta", "Malta"),
        ("I have a new dentist, Dr Osei", "dentist"),
        ("The new bassist is Frankie", "bassist"),
        ("I passed my theory test", "theory test"),
        ("I transferred to the fraud team", "team"),
        ("I'm on days now, no more nights", "nights"),
        ("I rescheduled the dentist to Monday", "dentist"),
        ("They upped the lisinopril to 20mg", "lisinopril"),
        ("I gave up on becoming a pilot", "pilot"),
        ("I don't play squash anymore", "squash"),
        ("The Malta trip is off", "Malta"),
        ("binned Netflix", "Netflix"),
        ("salford flat's gone", "salford flat"),
    ],
)
def test_what_was_before_is_named(turn: str, over: str) -> None:
    assert any(over in one.over for one in statements(turn))


@pytest.mark.parametrize(
    ("turn", "over"),
    [
        ("My sister had her baby", "pregnant"),
        ("I've been seeing someone for a month", "single"),
        ("I graduated in June", "student"),
        ("Grandad was discharged yesterday", "in hospital"),
        ("I eat fish now", "vegan"),
    ],
)
def test_an_event_ends_the_state_before_it(turn: str, over: str) -> None:
    assert over in statements(turn)[0].over


def test_a_wedding_to_come_ends_nothing() -> None:
    assert not statements("We're getting married in May")[0].over


@pytest.mark.parametrize(
    ("turn", "subject", "attribute"),
    [
        ("I renamed the project to Waypoint", "project", "name"),
        ("We moved the wedding to 8 November", "wedding", "schedule"),
        ("We rewrote the backend in Go", "backend", "uses"),
        ("My office moved to Abingdon", "office", ""),
    ],
)
def test_what_is_done_to_a_thing_is_about_the_thing(
    turn: str, subject: str, attribute: str
) -> None:
    (found,) = statements(turn)
    assert (found.subject, found.attribute) == (subject, attribute)


def test_a_change_of_kind_is_of_what_comes_after_it() -> None:
    assert statements("I switched banks, I'm with Nationwide now")[-1].over == ("bank",)
