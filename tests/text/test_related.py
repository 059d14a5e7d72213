"""Related words: what a question finds though it was said in other words."""

from __future__ import annotations

import os
import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import loxodon.text.related
from loxodon.text.related import KIND, MAX_EXPANSIONS, SAME, Expansion, expand, related
from loxodon.text.wordlists import ENGLISH
from loxodon.text.words import fold, index_words, query_words, stem_of
from tests.cases import cases
from tests.each import each


def expanded(question: str) -> dict[str, Expansion]:
    return {one.word: one for one in expand(query_words(question), question)}


def found(question: str, text: str) -> bool:
    """Whether `text` has what `question` is expanded to: words, rows of words, beginnings."""
    row = f" {' '.join(index_words(text))} "
    return any(
        f" {word.rstrip('*')}{'' if word[-1] == '*' else ' '}" in row for word in expanded(question)
    )


@each(("question", "text", "is_found"), cases(__file__, "said_in_other_words"))
def test_a_question_finds_what_was_said_in_other_words_and_nothing_that_only_looks_related(
    question: str, text: str, is_found: bool
) -> None:
    assert found(question, text) == is_found


def test_words_are_looked_up_in_any_form_and_language() -> None:
    assert related("movies") == related("movi") == related("Movie")
    assert related("電影") == related("电影")
    assert related("狗*") == related("狗")
    assert related("washing machine")
    assert dict(related("电器"))["冰箱"] == KIND  # what means the same has the kinds of the other
    assert next(word for word, weight in related("kid") if weight == SAME) == "child"
    assert next(word for word, weight in related("孩子") if weight == SAME) == "小孩"
    # A word of several pieces is looked for as a row.
    assert "电饭 饭煲" in dict(related("家电"))
    assert "ice cream" in dict(related("dessert"))
    assert "wash machin" in dict(related("洗衣机"))
    # Phrases that lose a word in the index are only recognised.
    assert not {"break", "get", "put"} & set(dict(related("分手")) | dict(related("起床")))
    assert "分手" in expanded("When did they break up?")


def test_an_expansion_says_because_of_what() -> None:
    assert expanded("Which Movies?")["film"].because == "movies"
    assert expanded("家里有哪些家電")["冰箱"].because == "家电"
    assert expanded("my mother-in-law")["岳母"].because == "mother-in-law"
    # The end of a Chinese phrase decides where it is cut.
    assert {one.because for one in expanded("我家电视").values()} == {"电视"}
    assert "猫*" not in query_words("我的猫叫什么")
    assert "猫*" in expanded("我的猫叫什么")
    assert "猫*" not in expanded("猫")


def test_expansions_are_new_and_no_general_word_crowds_out_the_others() -> None:
    question = "我头痛，过敏，家里的电视和家电，movies and films, pets"
    words = query_words(question)
    pieces = [piece for one in expand(words, question) for piece in one.word.split()]
    assert not set(pieces) & set(words)
    assert "偏头" not in pieces
    many = expand([], "pets, appliances, furniture, vegetables, countries: which movie?")
    assert len(many) == MAX_EXPANSIONS
    assert Counter(one.because for one in many).keys() >= {"movie", "pets", "countries"}
    assert [one.weight for one in many] == sorted((one.weight for one in many), reverse=True)


@given(st.text(max_size=200))
def test_expansions_of_any_text_are_few_and_new(text: str) -> None:
    words = query_words(text)
    many = expand(words, text)
    assert len(many) <= MAX_EXPANSIONS
    assert not {one.word for one in many} & set(words)
    assert all(0 < one.weight <= SAME for one in many)


def test_a_long_question_takes_no_longer() -> None:
    for text in ("电" * 1_000_000, "movie " * 200_000, "a-" * 500_000, "家电视" * 300_000):
        assert len(expand([], text)) <= MAX_EXPANSIONS


# --- the file ------------------------------------------------------------------------------------


def rows() -> list[str]:
    folder = os.path.dirname(loxodon.text.related.__file__)
    with open(os.path.join(folder, "related.txt"), encoding="utf-8") as file:
        return [row for row in file.read().splitlines() if row and not row.startswith("#")]


def words_of(row: str) -> list[str]:
    return row[1:].replace("|", " ").replace(":", " ").split()


def key_of(word: str) -> str:
    return " ".join(stem_of(piece) or piece for piece in word.split("_"))


@each("row", rows())
def test_every_row_is_well_formed(row: str) -> None:
    assert re.match(r"[=>!] \S", row)
    assert (":" in row) == (row[0] == ">")
    general, _, kinds = row[1:].partition(":")
    assert general.strip(" |")
    assert kinds.strip(" |") or row[0] != ">"
    words = words_of(row)
    assert len(words) > 1
    for word in words:
        assert fold(word) == word
        assert word not in ENGLISH
        assert re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*|[\u4e00-\u9fff]{1,6}", word)
    assert row[0] == "!" or len({key_of(word) for word in words}) == len(words)
