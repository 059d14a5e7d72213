"""What is no whole sentence, or tells nothing, is not kept."""

from __future__ import annotations

import pytest

from loxodon.write.en.sound import is_sound
from loxodon.language.statements import Statement


@pytest.mark.parametrize(
    "content",
    [
        "The user is one of those",
        "The user can't do both",
        "The user has to go",
        "The user has a good weekend",
        "The user needs a short leaflet",
        "The user keeps the words but only fix grammar",
        "The user is doing the kitchen in 2026, if",
        "The user has been since October 2025",
        "The user likes your idea",
        "The user is not sure",
    ],
)
def test_no_whole_sentence(content: str) -> None:
    assert not is_sound(Statement(content))


@pytest.mark.parametrize(
    "statement",
    [
        Statement("The user lives in Leeds", attribute="home", value="Leeds"),
        Statement("The user doesn't smoke", positive=False),
        Statement("The user is a nurse"),
        Statement("The user is with EMR"),
        Statement("The user needs a new kettle"),
        Statement("Mei plays the violin", subject="Mei"),
    ],
)
def test_a_sentence_that_tells_something(statement: Statement) -> None:
    assert is_sound(statement)
