"""Two sentences that tell two values of one thing, and two that only look like it."""

from __future__ import annotations

from loxodon.text.things import valued_anew
from tests.cases import cases
from tests.each import each


@each(("old", "new", "is_one"), cases(__file__, "two_values"))
def test_of_two_values_of_one_thing_the_later_is_current(old: str, new: str, is_one: bool) -> None:
    assert bool(valued_anew(new, old, "", announced=False)) == is_one


def test_whom_two_sentences_are_about_need_not_be_named_alike() -> None:
    moved = "Theo changed schools, he goes to St Anne's Academy now"
    assert valued_anew(moved, "My son Theo goes to Hillside Primary", "Theo", announced=True)
    assert valued_anew(
        "妞妞现在在蓝天幼儿园上学", "我女儿妞妞在阳光幼儿园上学", "妞妞", announced=True
    )
