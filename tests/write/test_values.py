"""Values that English sentences give, by kind."""

from __future__ import annotations

import pytest

from loxodon.write.values import conflicts, topics_of, values_of


@pytest.mark.parametrize(
    ("new", "old", "kinds"),
    [
        ("The user's rent went up to $1400", "The user pays $1250 in rent", {"money"}),
        ("Rehearsal is on Mondays now", "The user has rehearsal on Thursdays", {"weekday"}),
        ("The user's shift is at 8 am", "The user's shift starts at 6:30", {"clock"}),
        ("Zoe is in 5th grade", "Zoe is in 4th grade", {"rank:grade"}),
        ("The user takes 40 mg", "The user takes 20 mg of citalopram", {"count:mg"}),
        ("The user is on Node 22", "The user is on Node 18", {"rank:node"}),
        ("Their rating is 1605", "The user is rated 1480", {"number"}),
        ("The user has three cats", "The user has two dogs", set()),
        ("The user pays $1250", "The user pays $1250 in rent", set()),
        ("The user sings", "The user paints", set()),
    ],
)
def test_values_of_one_kind_conflict(new: str, old: str, kinds: set[str]) -> None:
    assert conflicts(new, old) == kinds


def test_a_number_without_its_unit_meets_one_that_has_it() -> None:
    assert conflicts("The dose was lowered to 10", "The user takes 20 mg daily") == {"count:mg"}


def test_what_a_sentence_is_about_is_neither_value_nor_small_word() -> None:
    assert topics_of("The user now pays $1250 a month in rent") == {"rent"}
    assert topics_of("The user went back on Monday at 7:30") == frozenset()


@pytest.mark.parametrize(
    "text", ["", "用户住在北京", "🦣", "9" * 50_000, "a " * 50_000, "1 " * 50_000]
)
def test_any_text_is_taken(text: str) -> None:
    assert isinstance(values_of(text), dict)
