from __future__ import annotations

import pytest

from tests.write.en.talk import contents, said_last


@pytest.mark.parametrize(
    "turn",
    [
        "hello there!",
        "ok thanks",
        "what's the capital of Peru",
        "write me a poem about rain",
        "you're the best, that helped a lot",
        "if I were rich I'd live in Rome and keep peacocks",
        "I wish I had a garden",
        "translate: 'I live in Cork and my wife is a vet'",
        'reply to this: "Hi, I am Otto and I live in Graz. Are you free on Monday?"',
        "```\nname = 'Otto'  # I live in Graz\n```",
        "I could eat a horse",
        "I'm so tired today",
        "octopuses have three hearts",
        "sorry wrong chat, that was for my brother",
        "I'm going to join the circus. just kidding",
    ],
)
def test_what_is_no_fact_of_the_user_is_dropped(turn: str) -> None:
    verdicts, found = said_last(turn)
    assert found == []
    assert not any(verdict.keep for verdict in verdicts)


def test_a_role_play_goes_on_until_it_is_left() -> None:
    start = "let's do a roleplay, you are the pilot and I am Captain Vega"
    assert contents(start, "A: Aye, Captain!", '"My brother was lost at sea"') == []
    back = contents(start, "A: Aye!", "anyway, I live in Hull")
    assert back == ["The user lives in Hull"]


def test_a_fact_beside_a_request_is_kept() -> None:
    assert contents("I'm allergic to wasps so what should I pack") == [
        "The user is allergic to wasps"
    ]


def test_what_a_request_supposes_is_kept() -> None:
    assert contents("is tuna ok for my cat Fidget?") == ["The user has a cat called Fidget"]


def test_importance_follows_what_it_is_about_and_how_it_was_said() -> None:
    plain, _ = said_last("I'm allergic to kiwi")
    assert (plain[0].about, plain[0].importance) == ("health", 1.0)
    asked, _ = said_last("remember that I like jazz")
    aside, _ = said_last("by the way I like jazz")
    assert asked[0].bonus == 0.5
    assert aside[0].bonus == -0.2
    assert asked[0].importance > aside[0].importance


def test_what_cannot_be_told_is_left_open() -> None:
    verdicts, found = said_last("the aso ebi is orange again somehow")
    assert found == []
    assert verdicts[0].keep is None
