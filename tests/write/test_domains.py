"""Sides of life: what kind of thing a sentence is about."""

from __future__ import annotations

from loxodon.language.domains import domains_of, kinds_of, words_of
from tests.each import each


@each(
    ("one", "other", "domain"),
    [
        ("用户现在改成每天早上跑步", "用户每周二去健身房", "exercise"),
        ("The user goes to the gym", "The user swims", "exercise"),
        ("The user goes to the gym", "The user sings", ""),
        ("The user goes to the gym", "The user does yoga", "exercise"),
        ("The user codes in Neovim", "The user switched to Zed", "editor"),
        ("用户用MySQL", "The user uses PostgreSQL", "database"),
        ("用户抽电子烟", "用户戒烟了", "smoking"),
        ("The user has an iPhone", "用户买了华为手机", "phone"),
    ],
)
def test_two_that_share_no_word_are_about_one_side(one: str, other: str, domain: str) -> None:
    assert domains_of(one) & domains_of(other) == ({domain} if domain else set())


@each(
    "text", ["", "🦣", "用户对花生过敏", "The user is called Bo", "caring", "The user likes maps"]
)
def test_most_sentences_are_about_none(text: str) -> None:
    assert domains_of(text) == frozenset()


def test_english_words_are_whole_ones_in_any_case() -> None:
    assert domains_of("The user scares easily") == frozenset()
    assert domains_of("THE USER SOLD THE CAR") == {"car"}


def test_a_name_stands_for_its_kinds() -> None:
    assert {"拿铁", "美式"} <= kinds_of("咖啡")
    assert {"latte", "espresso"} <= kinds_of(" Coffee ")
    assert kinds_of("latte") == kinds_of("table") == kinds_of("") == frozenset()


def test_the_words_of_a_domain_are_of_both_languages() -> None:
    assert {"健身", "gym"} <= set(words_of("exercise").split())
    assert words_of("nothing such").split() == []


def test_any_text_is_taken() -> None:
    assert domains_of("x" * 300_000) == domains_of("好" * 300_000) == frozenset()
