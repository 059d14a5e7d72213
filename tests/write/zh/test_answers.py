from __future__ import annotations

import pytest

from tests.write.zh.talk import contents


def test_a_name_is_given_to_whom_was_asked_about() -> None:
    assert contents("叫豆沙", "我家新来了只布偶", "> 好可爱，它叫什么名字？") == [
        "用户的布偶叫豆沙"
    ]


def test_a_yes_says_what_was_asked() -> None:
    assert contents("对", "> 您现在住在南昌吗？") == ["用户现在住在南昌"]


def test_a_yes_to_an_offer_says_nothing() -> None:
    assert contents("好的", "> 需要我帮你查一下吗？") == []


def test_a_noun_answers_which() -> None:
    found = contents("儿科", "我是护士", "> 哪个科室？")
    assert found == ["用户是护士，科室是儿科"]


def test_who_is_answered_with_a_relation() -> None:
    assert contents("我妈", "> 谁住院了？") == ["用户的妈妈住院了"]


def test_a_question_about_the_past_gives_the_past() -> None:
    found = contents("在美团做运营", "> 你之前做什么工作？")
    assert found == ["用户之前在美团做运营"]


def test_what_the_user_picks_from_a_proposal_is_theirs() -> None:
    found = contents("那就口琴吧", "> 可以考虑口琴或者竖笛。")
    assert found == ["用户选择了口琴"]


@pytest.mark.parametrize(
    ("question", "answer", "content"),
    [
        ("您对什么食物过敏？", "腰果和芒果", "用户对腰果和芒果过敏"),
        ("您平时几点睡？", "十一点", "用户平时十一点睡"),
        ("您想什么时候出发？", "六月初", "用户想六月初出发"),
        ("你在哪所学校读书？", "青岛二中", "用户在青岛二中读书"),
        ("您喜欢喝咖啡还是茶？", "茶", "用户喜欢喝茶"),
        ("您吃辣吗？", "不吃", "用户不吃辣"),
        ("您有忌口吗？", "没有", "用户没有忌口"),
        ("您有什么爱好？", "下围棋", "用户的爱好是下围棋"),
    ],
)
def test_an_answer_takes_the_place_of_what_was_asked(
    question: str, answer: str, content: str
) -> None:
    assert contents(answer, f"> {question}") == [content]


def test_an_answer_that_shapes_a_text_is_no_fact() -> None:
    assert contents("古风", "帮我写一首诗", "> 您想要什么风格的？") == []
