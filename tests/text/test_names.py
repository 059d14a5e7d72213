"""Which parts of a message are looked up as names."""

from __future__ import annotations

from loxodon.text.names import LOOKED_AT, candidates, named, parts_of
from loxodon.text.words import fold


def found(text: str, *names: str) -> list[str]:
    known = set(map(fold, names))
    return [part.name for part in named(fold(text), lambda asked: known.intersection(asked))]


def test_words_and_stretches_of_characters_may_be_names() -> None:
    english = {"ask", "ask tom", "ask tom baker", "tom", "tom baker", "baker"}
    assert candidates("ask tom baker") == english
    assert candidates("问小美") == {"问", "问小", "问小美", "小", "小美", "美"}


def test_no_name_begins_or_ends_with_a_word_that_only_links() -> None:
    names = candidates("the bank of china is it")
    assert "bank of china" in names
    assert not {"the", "the bank", "bank of", "is it", "china is"} & names
    assert "的小美" not in candidates("我的小美呢")


def test_names_are_found_whatever_their_case_and_script() -> None:
    assert found("Ask PRIYA about it", "Priya") == ["priya"]
    assert found("問王芳", "王芳") == ["王芳"]
    assert found("把OKR系统关了", "OKR系统") == ["okr系统"]
    assert found("J.P. Morgan called", "J.P. Morgan") == ["j.p. morgan"]
    assert found("Jean-Luc is here", "jean-luc") == ["jean-luc"]
    assert found("I met Anna, Smith was late", "Anna Smith") == []


def test_a_page_is_not_looked_through() -> None:
    text = "x " * LOOKED_AT + "Priya"
    assert found(text, "Priya") == []
    assert len(parts_of("猫" * 100_000)) < 10 * LOOKED_AT
