"""Whom a sentence is about: others' people, subjects left out, reasons put after."""

from __future__ import annotations

import pytest

from tests.write.en.talk import contents, statements


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "My colleague Tom left his wife. She moved back to Cardiff.",
            "Tom's wife moved back to Cardiff",
        ),
        ("Met Priya and her husband Karan. He's a radiologist.", "Karan is a radiologist"),
        ("My son Leo is five. Loves trains, hates bedtime.", "Leo hates bedtime"),
        (
            "My wife is a vet. Works nights at the clinic.",
            "The user's wife works nights at the clinic",
        ),
        ("My car is a 2012 Yaris. Needs new brakes.", "The user's car needs new brakes"),
        ("Had lunch with my ex. She's moving to Oslo.", "The user's ex is moving to Oslo"),
        ("I've had my cat Luna a year. I set up her cat tree.", "The user set up Luna's cat tree"),
        (
            "My dad and my uncle run a garage. They restore old Saabs.",
            "The user's dad and their uncle restore old Saabs",
        ),
        (
            "My parents live in Durban and I call them every Sunday.",
            "The user calls the user's parents every Sunday",
        ),
        (
            "thinking of learning the cello, my wife Lin plays the violin",
            "The user is thinking of learning the cello",
        ),
        (
            "thinking of learning the cello, my wife Lin plays the violin",
            "The user's wife Lin plays the violin",
        ),
    ],
)
def test_a_sentence_is_about_whom_it_means(said: str, told: str) -> None:
    assert told in contents(said)


@pytest.mark.parametrize(
    "said",
    [
        "My friend from college, David, had a baby boy named Jasper.",
        "Our friends Mike and Emma welcomed their first baby, a girl named Charlotte.",
    ],
)
def test_another_ones_baby_is_not_the_users(said: str) -> None:
    assert not any(one.attribute == "child" for one in statements(said))


def test_a_group_speaks_of_itself_not_of_the_user() -> None:
    found = statements("i play 5 a side with the lads, we're called Athletico Madras")
    assert not any(one.subject == "user" and one.attribute == "name" for one in found)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "We dropped Jenkins, it was too slow.",
            "The user dropped Jenkins because it was too slow",
        ),
        (
            "I picked the Kawai, because the action is heavier.",
            "The user picked the Kawai because the action is heavier",
        ),
        (
            "We're going with Tailwind so that designers can edit it.",
            "The user is going with Tailwind so that designers can edit it",
        ),
    ],
)
def test_a_decision_keeps_its_reason(said: str, told: str) -> None:
    assert contents(said) == [told]


@pytest.mark.parametrize(
    "said",
    [
        "I think that might be affecting my sleep.",
        "she says start with cheap paper",
        "I want to make sure everything is perfect.",
        "My code throws a KeyError on line 40.",
        "I'm going to throw it out of the window.",
    ],
)
def test_nothing_is_made_of_what_tells_nothing(said: str) -> None:
    assert contents(said) == []
