from __future__ import annotations

import re

import pytest

from loxodon.write.en import split


def texts(text: str) -> list[str]:
    return [piece.text.strip(" ,") for piece in split(text)]


def test_clauses_of_one_subject_are_cut_at_their_verbs() -> None:
    assert texts("I'm called Sam, work in Leeds, have a meeting tomorrow") == [
        "I'm called Sam",
        "work in Leeds",
        "have a meeting tomorrow",
    ]


def test_a_connective_with_a_new_clause_cuts() -> None:
    assert texts("my aunt is a baker but she hates bread") == [
        "my aunt is a baker",
        "but she hates bread",
    ]


def test_a_request_is_cut_from_the_fact_beside_it() -> None:
    pieces = split("I'm vegan, can you find me a soup recipe")
    assert [piece.type for piece in pieces] == ["statement", "question"]


def test_a_list_is_not_cut() -> None:
    assert texts("I like jazz, soup and old maps") == ["I like jazz, soup and old maps"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("thanks so much!", "chat"),
        ("lol ok", "chat"),
        ("what time is it in Lima", "question"),
        ("is it safe to freeze rice?", "question"),
        ("make it shorter", "instruction"),
        ("could you check the tone", "question"),
        ("I keep goats", "statement"),
        ("six characters", "statement"),
    ],
)
def test_each_piece_has_a_type(text: str, kind: str) -> None:
    assert split(text)[0].type == kind


def test_code_and_quotations_stay_whole() -> None:
    code = "```\nx = 'I live in Oslo'\n```"
    assert code in [piece.text for piece in split(f"why does this fail\n{code}")]
    quoted = '"I live in Oslo. I have two cats."'
    assert quoted in [piece.text for piece in split(f"translate this: {quoted}")]


def test_no_piece_of_speech_is_longer_than_forty_words() -> None:
    text = "and then we went on " * 60
    assert all(len(piece.text.split()) <= 40 for piece in split(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "😀😀",
        "مرحبا كيف حالك",
        "\x00\x01 hello \x02",
        "no punctuation at all just words going on and on " * 50,
        '"unbalanced (quotes [and brackets',
        "a" * 5_000,
    ],
)
def test_any_text_is_safe_and_every_word_is_kept(text: str) -> None:
    joined = " ".join(piece.text for piece in split(text))
    assert re.findall(r"\w+", joined) == re.findall(r"\w+", text)


def test_time_grows_with_the_length_and_no_faster() -> None:
    assert len(split("my dog, " * 40_000)) < 40_000
    assert split("(" * 100_000)
