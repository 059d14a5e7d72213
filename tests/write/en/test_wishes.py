from __future__ import annotations

import pytest

from tests.write.en.talk import contents, the


@pytest.mark.parametrize(
    ("turn", "attribute", "content"),
    [
        (
            "remind me to water the plants",
            "reminder",
            "The user wants to be reminded to water the plants",
        ),
        ("call me Una", "form_of_address", "The user wants to be called Una"),
        (
            "from now on use bullet points",
            "reply_style",
            "The user wants the assistant to use bullet points",
        ),
        ("use metric please", "units", "The user wants metric to be used"),
    ],
)
def test_a_wish_that_holds_is_kept(turn: str, attribute: str, content: str) -> None:
    assert the(turn, attribute=attribute).content == content


def test_what_is_not_wanted_is_negative() -> None:
    assert not the("please don't use emojis", attribute="reply_style").positive


@pytest.mark.parametrize(
    ("turn", "content"),
    [
        (
            "Can you stop apologising all the time?",
            "The user wants the assistant to stop apologising all the time",
        ),
        (
            "no more exclamation marks please",
            "The user wants the assistant not to use exclamation marks",
        ),
        (
            "When you give me code, always add type hints.",
            "The user wants the assistant to always add type hints when it gives the user code",
        ),
        ("Don't ever suggest seafood.", "The user wants the assistant not to suggest seafood"),
        (
            "I'd like you to address me as Doctor Vale.",
            "The user wants to be addressed as Doctor Vale",
        ),
    ],
)
def test_however_it_is_put_how_to_behave_is_kept(turn: str, content: str) -> None:
    assert content in contents(turn)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "When you give me recipes use grams not cups.",
            "use grams not cups when it gives the user recipes",
        ),
        ("You don't need to explain basics to me.", "not to explain basics to the user"),
        ("Stop ending every message with a question.", "stop ending every message with a question"),
        ("Could you be more direct with me?", "be more direct with the user"),
        ("Use British spelling when writing for me.", "use British spelling"),
        ("My English not so good, please use easy words.", "use easy words"),
    ],
)
def test_ways_of_answering_are_kept_however_they_are_put(said: str, told: str) -> None:
    assert told in the(said, attribute="reply_style").content


def test_what_the_user_feels_about_an_answer_is_a_wish() -> None:
    assert contents("I hate it when you use the word delve.") == [
        "The user hates it when the assistant uses the word delve"
    ]
    assert contents("can you remind me how to back it up") == []
