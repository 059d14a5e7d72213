"""What tells nothing of whoever says it is not read."""

from __future__ import annotations

import pytest

from tests.each import each
from tests.language.told import reading, rules, told

EXAMPLES = [
    (language, one["name"], one["example"])
    for language in ("en", "zh")
    for one in rules(language).grammar.speech.table["never"]
]


@each(("language", "name", "text"), EXAMPLES)
def test_what_is_never_read(language: str, name: str, text: str) -> None:
    assert rules(language).grammar.speech.never(text) == name
    assert told(language, text) == []


@each(
    ("language", "text", "type"),
    [
        ("en", "What should I cook tonight?", "question"),
        ("en", "Please write a poem about my cat", "instruction"),
        ("en", "ok thanks!", "chat"),
        ("en", "I live in Leeds", "statement"),
        ("zh", "能帮我订个会议室吗", "instruction"),
        ("zh", "我今天吃什么好呢？", "question"),
        ("zh", "好的，谢谢！", "chat"),
        ("zh", "我住在北京", "statement"),
    ],
)
def test_kinds_of_sentences(language: str, text: str, type: str) -> None:
    assert rules(language).grammar.speech.type(text) == type


@each(
    ("language", "text", "importance"),
    [
        ("zh", "我对花生过敏", 1.0),
        ("zh", "我叫张三", 1.0),
        ("zh", "我讨厌香菜", 0.8),
        ("zh", "记住，我讨厌香菜", 1.0),
        ("zh", "顺便说一下，我讨厌香菜", 0.6),
        ("zh", "我换工作了", 0.8),
        ("zh", "我昨天去了北京", 0.5),
        ("zh", "这件事很重要：周五前交房租", 0.8),
        ("zh", "提醒我周五前交房租", 0.5),
        ("zh", "医生说我有哮喘", 1.0),
        ("zh", "我的哮喘冬天会加重", 1.0),
        ("en", "I'm allergic to peanuts", 1.0),
        ("en", "My name is Tom", 1.0),
        ("en", "I hate coriander", 0.8),
        ("en", "Remember that I hate coriander", 1.0),
        ("en", "By the way, I hate coriander", 0.6),
        ("en", "The doctor says I have asthma", 1.0),
        ("en", "I've had asthma since 2019", 1.0),
        ("en", "My asthma is always worse in winter", 1.0),
    ],
)
def test_importance_follows_from_what_is_said_and_how(
    language: str, text: str, importance: float
) -> None:
    (found,) = told(language, text)
    assert found.importance == importance


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "haha just kidding"), ("en", "April fools!"), ("zh", "逗你玩的"), ("zh", "开玩笑的啦")],
)
def test_what_was_not_meant_is_taken_back(language: str, text: str) -> None:
    assert reading(language, text).takes_back
