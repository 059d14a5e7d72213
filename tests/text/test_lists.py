"""One thing out of a list inside a sentence."""

from __future__ import annotations

import pytest

from loxodon.text.lists import without, without_part
from tests.each import each


@each(
    ("sentence", "thing", "left"),
    [
        ("The user is allergic to egg and sesame", "egg", "The user is allergic to sesame"),
        ("The user is allergic to egg and sesame", "Sesame", "The user is allergic to egg"),
        ("allergic to eggs, milk, and soy", "milk", "allergic to eggs and soy"),
        ("allergic to egg and eggplant", "egg", "allergic to eggplant"),
        ("用户订了网易云和爱奇艺", "爱奇艺", "用户订了网易云"),
        ("用户订了网易云和爱奇艺", "网易云", "用户订了爱奇艺"),
        ("用户订了网易云和爱奇艺会员", "爱奇艺", "用户订了网易云"),
        ("用户会英语、日语和法语", "英语", "用户会日语和法语"),
        ("用户会英语、日语和法语", "法语", "用户会英语、日语"),
    ],
)
def test_it_is_taken_out(sentence: str, thing: str, left: str) -> None:
    assert without(sentence, thing) == left


@each(
    ("sentence", "thing"),
    [
        ("The user is allergic to eggs", "egg"),
        ("The user likes tea and coffee", "milk"),
        ("The user likes teapots and cups", "tea"),
        ("用户喜欢猫", "猫"),
        ("用户会英语、日语和法语", "德语"),
        ("The user likes tea", ""),
        ("", "tea"),
        ("a and b", "(.*"),
        ("a and b", "\\"),
    ],
)
def test_what_stands_alone_or_is_not_there_is_not(sentence: str, thing: str) -> None:
    assert without(sentence, thing) == ""


def test_a_long_list_takes_no_longer_than_it_must() -> None:
    assert without("x, " * 100_000, "y") == ""
    assert without("和" * 200_000, "y") == ""


def test_what_is_said_of_the_one_thing_is_no_list() -> None:
    assert without("The user runs a supper club, 14 seats, Fridays", "supper club") == ""
    assert without("The user has a lodger, Piotr, in the box room", "Piotr") == ""
    assert without("The user bought a canoe, and it came from Kiel", "canoe") == ""


def test_one_of_three_is_taken_out() -> None:
    assert without("The user likes tea, coffee and milk", "tea") == "The user likes coffee and milk"


@pytest.mark.parametrize(
    ("sentence", "thing", "left"),
    [
        ("The user: “I keep bees, and I've got a kiln”", "kiln", "The user: “I keep bees …”"),
        ("The user: “I roll my own and I've got asthma”", "asthma", "The user: “I roll my own …”"),
        ("用户：“我养的叫团子 我家在铁岭”", "团子", "用户：“… 我家在铁岭”"),
    ],
)
def test_own_words_lose_the_part_that_is_over(sentence: str, thing: str, left: str) -> None:
    assert without_part(sentence, lambda part: thing in part) == left


@pytest.mark.parametrize(
    ("sentence", "thing"),
    [
        ("The user: “Monty is 13 and he's our black lab”", "Monty"),
        ("The user: “I'm learning Italian, what a language”", "Italian"),
        ("The user keeps bees, and my kiln is old", "kiln"),
    ],
)
def test_own_words_that_go_on_with_it_or_tell_nothing_else_do_not(
    sentence: str, thing: str
) -> None:
    assert without_part(sentence, lambda part: thing in part) == ""
