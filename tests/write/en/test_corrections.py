from __future__ import annotations

import pytest

from loxodon.write.en.corrections import within
from tests.write.en.talk import contents, statements


def test_a_word_is_put_in_the_place_of_the_wrong_one() -> None:
    (found,) = statements("my son's allergic to eggs", "A: Noted.", "sorry not eggs, milk")
    assert found.content == "The user's son is allergic to milk"
    assert (found.act, found.over) == ("correct", ("eggs",))


def test_a_value_of_the_same_kind_replaces_the_last() -> None:
    found = statements("I'm from Dallas", "A: Cool!", "ok fine, Plano")
    assert [one.content for one in found] == ["The user is from Plano"]
    assert found[0].over == ("Dallas",)


def test_only_the_corrected_statement_of_a_turn_is_read() -> None:
    assert contents("I have 6 hives... no 7") == ["The user has 7 hives"]


@pytest.mark.parametrize(
    ("text", "right"),
    [("it's on monday, no wait, tuesday", "it's on tuesday"), ("I'm 28, sorry 29", "I'm 29")],
)
def test_a_slip_within_a_sentence_is_put_right(text: str, right: str) -> None:
    assert within(text) == right


def test_what_was_said_of_the_wrong_person_is_denied_of_them() -> None:
    found = contents("Ulla's vegan", "A: Noted.", "no not Ulla, Una")
    assert found == ["Una is vegan", "Ulla is not vegan"]
