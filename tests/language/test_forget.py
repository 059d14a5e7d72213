"""Requests to forget, and what only sounds like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon.guard.own_words import masked, others
from loxodon.language.forget import requests, without_requests
from tests.cases import cases
from tests.each import each
from tests.long import some

HERE = Path(__file__).parent
FORMS = [line.split("\t") for line in (HERE / "forget_forms.tsv").read_text("utf-8").splitlines()]
MEANT: dict[str, list[str]] = {"(none)": [], "(last)": [""]}


def labelled(name: str) -> list[tuple[bool, str]]:
    lines = (HERE / f"forget_{name}.tsv").read_text("utf-8").splitlines()
    return [(kind == "ask", text) for kind, _, text in (line.split("\t") for line in lines)]


@each(("what", "text"), FORMS)
def test_every_form_is_read(what: str, text: str) -> None:
    assert [one.what for one in requests(text)] == MEANT.get(what, [what])


@pytest.mark.parametrize("name", ["dev", "held"])
def test_labelled_sentences(name: str) -> None:
    wrong = [  # what others say in a message is masked before it is read
        text
        for asks, text in some(labelled(name), 3)
        if bool(requests(masked(text, others(text)))) != asks
    ]
    assert len(wrong) <= 2  # of 71 and 10: it is learned, not written down


@each("text", cases(__file__, "statements_ask_for_nothing"))
def test_what_is_told_of_forgetting_and_storing_asks_for_nothing(text: str) -> None:
    assert requests(text) == []


@each("text", cases(__file__, "words_of_others_ask_for_nothing"))
def test_words_of_others_ask_for_nothing(text: str) -> None:
    assert requests(text) == []


def test_a_request_says_where_it_stands() -> None:
    text = "Thanks! Please forget that I live in Leeds. What's next?"
    (found,) = requests(text)
    assert text[found.start : found.end] == "Please forget that I live in Leeds."


def test_sentences_that_only_say_it_again_belong_to_it() -> None:
    text = "Hi. Forget my age. Don't keep it. Thanks! Don't keep me waiting. Thanks!"
    (found,) = requests(text)
    assert text[found.start : found.end] == "Forget my age. Don't keep it. Thanks!"
    assert without_requests(text) == "Hi.  Don't keep me waiting. Thanks!"
