"""Requests to forget, and what only sounds like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon.language.forget import MOST, requests, without_requests

HERE = Path(__file__).parent
FORMS = [line.split("\t") for line in (HERE / "forget_forms.tsv").read_text("utf-8").splitlines()]
MEANT: dict[str, list[str]] = {"(none)": [], "(last)": [""]}


def cases(name: str) -> list[tuple[bool, str]]:
    lines = (HERE / f"forget_{name}.tsv").read_text("utf-8").splitlines()
    return [(kind == "ask", text) for kind, _, text in (line.split("\t") for line in lines)]


@pytest.mark.parametrize(("what", "text"), FORMS)
def test_every_form_is_read(what: str, text: str) -> None:
    assert [one.what for one in requests(text)] == MEANT.get(what, [what])


@pytest.mark.parametrize("name", ["dev", "held"])
def test_labelled_sentences(name: str) -> None:
    wrong = [text for asks, text in cases(name) if bool(requests(text)) != asks]
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        'Tom wrote: "Please forget my address."',
        "My boss said:\nPlease forget what I told you about the merger.",
        "Dear Ann, please forget what I told you about the merger.",
        "她说：“请忘记我的地址。”",
        "Translate 'please forget my address' into French",
        "Please forget my address. " + "And then we went on and on. " * (MOST // 20),
        "Forget my age, let's dance!",
    ],
)
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


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("把我弟弟的事忘了吧，别记了。", "我弟弟"),
        ("把一鸣的事忘了吧 不用再提了，谢谢啦！", "一鸣"),
        ("把我们吵架的事忘了，不要再记着了。", "我们吵架"),
        ("刚才说的官司的事，麻烦你别记了，谢谢", "官司"),
        ("Forget my shoe size and please don't bring it up again.", "my shoe size"),
        ("Forget everything about my brother, don't keep it, thank you!", "my brother"),
        ("Can you forget Dana and not bring her up again?", "Dana"),
        ("把我弟弟的事忘了吧，以后别再提他了，好吗？", "我弟弟"),
        ("What I told you about Nora, please forget it and never mention her again.", "Nora"),
    ],
)
def test_the_wish_said_again_hides_nothing(text: str, what: str) -> None:
    assert [one.what for one in requests(text)] == [what]


@pytest.mark.parametrize(
    "text",
    [
        "把雨伞忘了，别再提了。",
        "忘了我的生日了，别提了",
        "我把伞忘了，别记了",
        "Forget dinner, don't mention it.",
        "I forget my own number, don't mention it, thanks.",
    ],
)
def test_the_end_alone_asks_for_nothing(text: str) -> None:
    assert requests(text) == []


def test_traditional_characters_are_read() -> None:
    assert [one.what for one in requests("請忘記我的舊電話號碼")] == ["我的旧电话号码"]
