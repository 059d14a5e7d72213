from __future__ import annotations

import pytest

from loxodon.write.en.pointing import with_noun
from tests.write.en.talk import contents


def test_what_is_said_of_a_thing_just_named_joins_what_named_it() -> None:
    (found,) = contents("I inherited a clock. My grandfather won it in a raffle in Odessa")
    assert found == (
        "The user inherited a clock, and the user's grandfather won it in a raffle in Odessa"
    )


def test_its_name_belongs_to_the_thing_just_named() -> None:
    (found,) = contents("my choir put out a record. Its name is Low Tide")
    assert found == "The user's choir put out a record, and its name is Low Tide"


def test_an_opinion_of_it_is_not_joined() -> None:
    assert contents("I bought a canoe. it's great") == ["The user bought a canoe"]


@pytest.mark.parametrize(
    ("offered", "text", "whole"),
    [
        ("You might want a dashcam.", "had one fitted", "had a dashcam fitted"),
        ("Is there a waiting list?", "we're ninth on it", "we're ninth on the waiting list"),
        ("A desk or an armchair?", "I have one", "I have one"),
        ("Is there a doctor?", "I have one", "I have one"),
    ],
)
def test_a_noun_that_only_the_assistant_used_is_put_in(offered: str, text: str, whole: str) -> None:
    assert with_noun(text, offered) == whole
