"""How much two short sentences say the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loxodon.text.similarity import covers, likeness, opposed, sense
from tests.cases import cases
from tests.each import each


@each(("one", "other", "least", "most"), cases(__file__, "likeness"))
def test_likeness(one: str, other: str, least: float, most: float) -> None:
    assert least <= likeness(one, other) <= most
    assert likeness(one, other) == likeness(other, one)


def test_covering_is_of_one_side_and_counts_numbers() -> None:
    small, large = "The user has a cat", "The user has a cat named Miso"
    assert covers(large, small) == 1
    assert 0 < covers(small, large) < 1
    assert covers("The user has 3 cats", "The user has 2 cats") < 1
    assert covers("anything", "") == 0


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs_held.jsonl"])
def test_what_says_two_things_is_never_the_same(name: str) -> None:
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    found = [one for one in pairs if sense(one["one"]) == sense(one["other"])]
    assert [one for one in found if not one["same"]] == []
    assert len(found) >= 9  # of ten; a sentence turned round is left alone


@each(("one", "other"), cases(__file__, "a_form_that_changes_the_meaning_counts"))
def test_a_form_that_changes_the_meaning_counts(one: str, other: str) -> None:
    assert sense(one) != sense(other)


def test_sentences_about_the_same_may_be_opposed() -> None:
    assert opposed("Anna reports to Bob", "Bob reports to Anna at work")
    assert opposed("The user swims before lunch", "The user swims after lunch daily")
    assert opposed("药在饭前吃", "药在饭后吃")
    assert not opposed("The user swims before lunch", "The user swims before lunch with Tom")
    assert not opposed("I like tea and I like milk", "I like tea")
    assert sense("It is −5 degrees") == sense("It is -5 degrees")
    assert sense("用户住在３楼") == sense("用戶住在三楼")
