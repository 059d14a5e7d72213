from __future__ import annotations

import pytest

from tests.write.zh.talk import only, read


def test_a_reminder_is_something_the_user_has_to_do() -> None:
    found = only("提醒我5月6号交水电费")
    assert (found.content, found.attribute, found.category) == (
        "用户要在5月6号交水电费", "reminder", "plan",
    )  # fmt: skip


def test_how_the_user_wants_to_be_called() -> None:
    found = only("叫我大刘就行")
    assert (found.content, found.attribute, found.value) == (
        "用户希望被称为大刘", "form_of_address", "大刘",
    )  # fmt: skip


def test_a_name_no_longer_wanted_is_over() -> None:
    found = only("别再叫我小胖了")
    assert (found.act, found.over) == ("end", ("小胖",))


def test_the_language_of_replies() -> None:
    found = only("以后都用英文回复我")
    assert (found.attribute, found.value) == ("reply_language", "英文")


def test_a_rule_for_replies_speaks_of_the_assistant() -> None:
    assert only("以后回答简短一点").content == "用户希望助手回答简短一点"


@pytest.mark.parametrize(
    ("text", "content", "attribute"),
    [
        ("我喜欢你先给结论", "用户希望助手先给结论", "rule"),
        ("跟我说话不用客气", "用户希望助手说话不用客气", "rule"),
        ("温度都用摄氏度", "用户希望助手温度都用摄氏度", "units"),
        ("回答问题时请附上来源", "用户希望助手回答问题时附上来源", "rule"),
        ("以后回答简短一点", "用户希望助手回答简短一点", "reply_style"),
    ],
)
def test_a_wish_for_every_answer_is_kept(text: str, content: str, attribute: str) -> None:
    (found,) = read(text)
    assert (found.content, found.attribute) == (content, attribute)


@pytest.mark.parametrize("text", ["自从搬到这边以后，我都是骑车上班", "帮我写一封信要正式一点"])
def test_what_only_sounds_like_a_rule_is_none(text: str) -> None:
    assert all("助手" not in one.content for one in read(text))


def test_a_name_in_quotes_that_is_not_wanted() -> None:
    found = only("以后别叫我“亲”")
    assert (found.content, found.positive) == ("用户不希望被叫作亲", False)


def test_words_that_the_assistant_is_not_to_use_stay_whole() -> None:
    assert "“希望对你有帮助”" in only("结尾不许写“希望对你有帮助”").content
