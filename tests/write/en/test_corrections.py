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


@pytest.mark.parametrize(
    ("first", "then", "right"),
    [
        ("our street party needs 30 chairs", "make that 45", "street party needs 45 chairs"),
        ("my flight's at 6.40", "I tell a lie, 7.40", "flight is at 7.40"),
        ("our budget is £400", "make it 450", "budget is £450"),
        ("my pond is 2 metres deep", "2 feet", "pond is 2 feet deep"),
        ("my appointment is on Tuesday", "ugh, Wednesday, the card says", "is on Wednesday"),
        ("my concert starts at 8", "8.30", "concert starts at 8.30"),
    ],
)
def test_a_value_said_alone_puts_the_last_one_right(first: str, then: str, right: str) -> None:
    (found,) = statements(first, "A: Noted.", then)
    assert right in found.content
    assert found.act == "correct"


def test_a_value_that_was_asked_for_corrects_nothing() -> None:
    found = statements("I run 10 miles a week", "A: How old are you?", "40")
    assert all(one.act != "correct" for one in found)


def test_it_was_someone_else() -> None:
    found = contents("our plumber's from Gdansk", "A: Ah.", "the plasterer is, I mean")
    assert "The user's plasterer is from Gdansk" in found
    assert "The user's plumber is not from Gdansk" in found


def test_a_name_spelt_otherwise_is_put_right_everywhere() -> None:
    (found,) = statements("my tenant Allan pays on the 1st", "A: Ok.", "he spells it Alun")
    assert (found.act, found.over, found.value) == ("correct", ("Allan",), "Alun")
