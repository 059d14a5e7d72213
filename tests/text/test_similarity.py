"""How much two short sentences say the same."""

from __future__ import annotations

import pytest

from loxodon.text.similarity import covers, gist, likeness
from tests.each import each


def test_what_a_sentence_is_about() -> None:
    assert gist("The user drinks 2 cups of coffee at 10:30").numbers == {"2", "10:30"}
    assert gist("The user drinks 2 cups of coffee at 10:30").words == {"drink", "cup", "coffe"}
    assert gist("用户有两个孩子").numbers == {"两"}
    assert gist("用户有两个孩子").words == {"孩", "子"}
    assert gist("用户在北京").words == {"北", "京"}
    assert gist("") == gist("🦣") == gist("用户") == gist("The user") == (frozenset(), frozenset())


@each(
    ("one", "other", "least", "most"),
    [
        ("The user likes hiking", "the user LIKES hiking", 1, 1),
        ("用户喜欢爬山", "用户很喜欢爬山", 1, 1),
        ("用户住在北京", "用户住在上海", 0.1, 0.5),
        ("The user lives in Leeds", "The user likes tea", 0, 0),
        ("The user has 2 cats", "The user has 3 cats", 1, 1),
        ("体檢結果正常", "体检结果正常", 1, 1),
        ("ＡＢＣ is a firm", "abc is a firm", 1, 1),
        ("", "", 1, 1),
        ("用户", "The user", 0, 0),
    ],
)
def test_likeness(one: str, other: str, least: float, most: float) -> None:
    assert least <= likeness(one, other) <= most
    assert likeness(one, other) == likeness(other, one)


def test_covering_is_of_one_side_and_counts_numbers() -> None:
    small, large = "The user has a cat", "The user has a cat named Miso"
    assert covers(large, small) == 1
    assert 0 < covers(small, large) < 1
    assert covers("The user has 3 cats", "The user has 2 cats") < 1
    assert covers("anything", "") == 0


@pytest.mark.parametrize("text", ["x" * 300_000, "和" * 300_000, "1." * 150_000, "\x00\u202e" * 9])
def test_any_text_is_taken(text: str) -> None:
    assert likeness(text, text) == 1
    assert covers(text, "用户住在北京") == 0
