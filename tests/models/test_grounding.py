"""What may be believed of a model's sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.models import grounding
from loxodon.models.grounding import (
    Evidence,
    about_relative,
    closest,
    hedged,
    misread,
    negated,
    objection,
    turned,
)
from tests.each import each
from tests.growth import linear


@each(
    ("content", "said", "context"),
    [
        ("The user lives in Leeds", "Leeds, well, just outside. originally from Ibadan", ""),
        ("The user is allergic to peanuts", "i'm allergic to peanuts, like properly", ""),
        ("The user no longer drinks coffee", "I don't drink coffee anymore", ""),
        ("The user avoids dairy", "I can't have dairy", ""),
        ("The user retired from the Post Office", "I retired from the Post Office in 2015", ""),
        ("The user's wife is called Maureen", "My wife Maureen says I talk to the dahlias", ""),
        ("The user has 3 cats", "we have three cats", ""),
        ("The user's favourite food is ramen", "ramen!", "What is your favourite food?"),
        ("The user lives in Leeds", "I don't think it's far, I live in Leeds", ""),
        ("用户对花生过敏", "我对花生过敏", ""),
        ("用户在阿里工作", "在阿里上班", ""),
        ("用户不再喝咖啡", "我不喝咖啡了", ""),
        ("用户戒了咖啡", "咖啡我戒了，不喝了", ""),
        ("用户养了两只猫", "我家有2只猫", ""),
        ("用户用Python和Go写后端", "我后端用python和go写的", ""),
        ("用户住在杭州", "杭州", "你住在哪里？"),
        ("用户打算明年去冰岛看极光", "明年想去冰岛看极光", ""),
        ("用户对花生過敏", "我對花生過敏", ""),
    ],
)
def test_what_was_said(content: str, said: str, context: str) -> None:
    language = "zh" if "用户" in content else "en"
    assert objection(content, Evidence(said, context), language) == ""


@each(
    ("content", "said", "why"),
    [
        ("The user is not allergic to peanuts", "i'm allergic to peanuts", "contrary"),
        ("The user drinks coffee", "I don't drink coffee anymore", "contrary"),
        ("The user's sister Mei lives in Osaka", "my sister lives in Osaka", "name"),
        ("The user has 4 cats", "we have three cats", "number"),
        ("The user has four cats", "we have 3 cats", "number"),
        ("The user moved to Leeds with his wife", "I moved to Leeds", "words"),
        ("The user is a vegetarian", "yes", "something else"),
        ("The user is wild", "haha that's wild", "not about the user"),
        ("用户很离谱", "这也太离谱了", "not about the user"),
        ("The user enjoys long walks on the beach", "I moved to Leeds", "something else"),
        ("I live in Leeds", "I live in Leeds", "third person"),
        ("You live in Leeds", "I live in Leeds", "third person"),
        ("Where does the user live in Leeds?", "I live in Leeds", "question"),
        ("The user lives in Leeds", "do I live in Leeds?", "question"),
        ("用户喜欢辣", "I like spicy food", "something else"),
        ("The user lives in Leeds</data>", "I live in Leeds", "plain"),
        ("用户的妹妹小美在大阪读书", "我妹妹在大阪读书", "name"),
        ("用户的同事李雷在大阪读书", "我同事在大阪读书", "words"),
        ("用户用Rust写后端", "我后端用python写的", "name"),
        ("用户喝咖啡", "我不喝咖啡了", "contrary"),
        ("用户不喝咖啡", "我喝咖啡", "contrary"),
        ("用户养了三只猫", "我家有2只猫", "number"),
        ("我养了猫", "我养了猫", "third person"),
    ],
)
def test_what_was_not(content: str, said: str, why: str) -> None:
    language = "en" if content.startswith(("The", "I ", "You", "Where")) else "zh"
    assert why in objection(content, Evidence(said), language)


def test_the_language_is_that_of_what_was_said() -> None:
    assert objection("The user lives in Leeds", Evidence("I live in Leeds"), "zh")
    assert objection("用户住在 Leeds", Evidence("I live in Leeds"), "en")
    assert not objection("用户用 Python, Go, Rust, C", Evidence("我用 Python, Go, Rust, C"), "zh")
    assert not objection("The user knows 李雷 well", Evidence("I know 李雷 well"), "en")


def test_the_clause_it_was_read_from() -> None:
    said = "I don't like tea, but I love jazz. My sister plays the violin!"
    assert closest("The user loves jazz", said).strip() == "but I love jazz."
    assert closest("", "") == ""


@each("text", ["I don't", "i dont know", "never", "我不喝", "没有车", "I can’t"])
def test_negation(text: str) -> None:
    assert negated(text)


@each("text", ["a notebook", "非常好", "不错", "差不多", "未来的计划", "特别喜欢"])
def test_no_negation(text: str) -> None:
    assert not negated(text)


@each(
    ("text", "said", "contrary"),
    [
        ("用户喜欢爵士乐、乌龙茶，不吃香菜", "用户喜欢爵士乐\n用户喜欢乌龙茶\n用户不吃香菜", False),
        ("用户喜欢爵士乐、乌龙茶、香菜", "用户喜欢爵士乐\n用户喜欢乌龙茶\n用户不吃香菜", True),
        ("用户不喜欢爵士乐，不吃香菜", "用户喜欢爵士乐\n用户不吃香菜", True),
        ("The user likes jazz and quit coffee", "User likes jazz\nUser drinks no coffee", False),
        ("The user likes jazz and coffee", "User likes jazz\nUser drinks no coffee", True),
        ("The user likes jazz", "The user likes jazz\nThe user drinks no coffee", False),
        ("", "", False),
    ],
)
def test_a_summary_that_turns_what_was_said(text: str, said: str, contrary: bool) -> None:
    assert turned(text, said) is contrary


def test_hedges() -> None:
    assert hedged("Maybe I'll move")
    assert hedged("他好像搬家了")
    assert not hedged("I moved")


@each(
    ("content", "words", "why"),
    [
        ("The user lives in a house in Bruges", "We got the keys to the house in Bruges", ""),
        ("The user drinks no coffee", "I stopped drinking coffee", ""),
        ("The user will not eat liver again", "if I ever eat liver again, shoot me", "contrary"),
        ("The user drinks coffee", "I do not drink coffee", "contrary"),
        ("The user lives in Bruges with Anna", "the house in Bruges", "name"),
        ("The user paid 500 for the house", "the house in Bruges", "number"),
        ("The user enjoys stamps, chess, opera and a house", "the house in Bruges", "words"),
        ("用户搬去重庆跟姐姐一起住", "上周末搬去重庆跟姐姐一起住", ""),
        ("用户在阿里云有一台服务器", "跑在自己机房", "something else"),
        ("The user drinks tea", "I don't touch coffee, tea is what I drink", ""),
        ("The user drinks coffee and tea", "I don't touch coffee, tea is what I drink", "contrary"),
        ("The user smokes", "nope, not any more", "something else"),
        ("The user touches coffee", "coffee, I don't touch it", "contrary"),
        ("用户改吃三餐", "医生说别再断食了，我就改吃三餐", ""),
        ("用户断食", "医生说别再断食了，我就改吃三餐", "contrary"),
        ("用户忍不住买了琴", "我忍不住买了琴", ""),
    ],
)
def test_a_sentence_that_rests_on_a_quotation(content: str, words: str, why: str) -> None:
    language = "zh" if "用户" in content else "en"
    said = f"Well, {words}. And so on" if language == "en" else f"对了，{words}。就这样"
    objection = misread(content, words, Evidence(said), language)
    assert why in objection
    assert bool(why) == bool(objection)


def test_an_aversion_is_told_without_a_not() -> None:
    words = "if I ever eat liver again, shoot me"
    said = Evidence(words)
    assert misread("The user will not eat liver again", words, said, "en")
    assert not misread("The user will not eat liver again", words, said, "en", averse=True)


def test_a_quotation_of_a_question_says_nothing() -> None:
    assert "question" in misread(
        "The user lives in Leeds", "I live in Leeds", Evidence("do I live in Leeds?"), "en"
    )


def test_what_stands_before_a_question_in_the_same_sentence_is_said() -> None:
    said = Evidence("I keep two goats and was wondering if you know a cheap fence?")
    assert not misread("The user keeps two goats", "I keep two goats", said, "en")
    assert "question" in misread("The user knows a cheap fence", "a cheap fence", said, "en")


@each(
    ("text", "words", "stands"),
    [
        ("We moved, to York!", "moved to york", True),
        ("我 搬到了 苏州。", "我搬到了苏州", True),
        ("We moved to York", "moved to Bath", False),
        ("We moved to York", " … ", False),
        ("We moved to York", "", False),
        ("We moved to York", "e", False),
    ],
)
def test_words_that_stand_in_a_text(text: str, words: str, stands: bool) -> None:
    assert grounding.stands(text, words) is stands


def test_a_name_or_number_that_is_lost() -> None:
    assert grounding.lost("The user has a dog", "The user has a dog called Rex")
    assert grounding.lost("The user has cats", "The user has 2 cats")
    assert not grounding.lost("The user has two cats and Rex", "The user's dog is Rex")


def test_whose_it_is() -> None:
    assert about_relative("The user's sister lives in Leeds")
    assert about_relative("The user's older brother is 30")
    assert about_relative("用户的妹妹在大阪")
    assert not about_relative("The user's name is Tunde")
    assert not about_relative("用户的名字是张三")


@given(st.text(), st.text(), st.sampled_from(["zh", "en"]))
def test_any_text_can_be_compared(content: str, said: str, language: str) -> None:
    objection(content, Evidence(said, content), language)


@pytest.mark.parametrize("piece", ["word ", "字", "no, ", "9", "'", "小", "I'm ", "\u0301", "不错"])
def test_time_grows_with_length_only(piece: str) -> None:
    content = "The user 用户 " + piece * 20
    linear(lambda said: objection(content, said, "zh"), lambda n: Evidence(piece * n), 16_000)
