from __future__ import annotations

import pytest

from tests.write.en.talk import contents, statements


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("gearbox noise, my money's on the bearings",
            "The user suspects the bearings for the gearbox noise"),
        ("my uncle would put money on subsidence", "The user's uncle suspects subsidence"),
    ],
)  # fmt: skip
def test_a_guess_that_names_only_its_object_is_a_belief(text: str, content: str) -> None:
    (found,) = statements(text)
    assert found.content == content
    assert found.confidence < 1


def test_a_hunch_is_a_belief() -> None:
    (found,) = statements("I've an inkling that my landlord is selling up")
    assert found.confidence < 1


def test_a_guess_that_proves_right_takes_its_place() -> None:
    (found,) = statements("bearings it was")
    assert (found.act, found.over, found.confidence) == ("correct", ("suspects bearings",), 1)


def test_a_bare_auxiliary_takes_back_the_news() -> None:
    (found,) = statements("our office is moving to Slough", "A: Oh?", "we aren't after all, phew")
    assert found.act == "end"
    assert found.over == ("The user's office is moving to Slough",)


def test_what_was_asked_for_is_called_off() -> None:
    (found,) = statements("enough of the proverb openings")
    assert (found.act, found.over) == ("end", ("proverb openings", "proverb"))


def test_who_is_paid_is_owed_nothing() -> None:
    (found,) = statements("Hugo's been paid")
    assert (found.act, found.over) == ("end", ("owes Hugo",))


def test_what_it_is_like_is_no_name() -> None:
    assert contents("they dated the canvas, it's genuine") == []
