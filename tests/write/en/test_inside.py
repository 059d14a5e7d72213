"""What questions and requests take for granted."""

from __future__ import annotations

import pytest

from tests.write.en.talk import contents, the


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "I need a stretch plan that works around my bad left knee.",
            "The user has a bad left knee",
        ),
        ("Given my high blood pressure, is a sauna ok?", "The user has high blood pressure"),
        (
            "How do I clean the oven in my rented flat in Leith?",
            "The user's rented flat is in Leith",
        ),
        ("What should I pack for my trip to Norway?", "The user has a trip to Norway"),
        ("How should I store my 57 rare records?", "The user has 57 rare records"),
        (
            "I'd like a reading list for my book club which meets every other Thursday.",
            "The user's book club meets every other Thursday",
        ),
        (
            "Any dessert for a dinner I'm hosting on Sunday?",
            "The user is hosting a dinner on Sunday",
        ),
        ("can u make a timetable my exams start on 14 May", "The user's exams start on 14 May"),
        (
            "Please translate this for my grandmother who only speaks Cantonese.",
            "The user's grandmother only speaks Cantonese",
        ),
    ],
)
def test_a_request_tells_what_it_supposes(said: str, told: str) -> None:
    assert told in contents(said)


def test_what_is_compared_is_told_of_the_users_own() -> None:
    assert (
        the("which phone is best because mine's a Pixel 4", attribute="phone").value == "a Pixel 4"
    )


@pytest.mark.parametrize(
    "said",
    [
        "What is a good recipe for pancakes?",
        "How do I tell my code from my tests?",
        "Could you look at the thing I made?",
        "Which of my answers is right?",
    ],
)
def test_a_request_that_supposes_nothing_tells_nothing(said: str) -> None:
    assert contents(said) == []
