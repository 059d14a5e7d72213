from __future__ import annotations

import pytest

from loxodon.language.statements import USER
from tests.write.zh.talk import contents, only, read


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("我对虾过敏", "用户对虾过敏"),
        ("花生我过敏的", "用户对花生过敏"),
        ("我处女座的", "用户是处女座"),
        ("我妹小芸在京都读书", "用户的妹妹小芸在京都读书"),
        ("同事老钱要调去重庆", "用户的同事老钱要调去重庆"),
        ("在邮局做分拣员", "用户在邮局做分拣员"),
        ("预算八千", "用户的预算是八千"),
        ("我不是在养老院上班嘛", "用户在养老院上班"),
        ("俺家种了三亩葡萄", "用户家种了三亩葡萄"),
        ("說真的，我對貓毛過敏", "用戶對貓毛過敏"),
        ("我喺深圳返工", "用户在深圳上班"),
        ("嗯那个就是说我住在苏州哈哈", "用户住在苏州"),
    ],
)
def test_a_clause_becomes_a_sentence_in_the_third_person(text: str, content: str) -> None:
    assert contents(text) == [content]


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("我叫周子涵", "name", "周子涵"),
        ("我今年三十五岁", "age", "三十五"),
        ("我住在厦门", "home", "厦门"),
        ("我在海尔上班", "employer", "海尔"),
        ("我老家是岳阳的", "hometown", "岳阳"),
        ("我有糖尿病", "condition", "糖尿病"),
        ("我在吃阿司匹林", "medication", "阿司匹林"),
        ("我不吃羊肉", "diet", "羊肉"),
        ("我喜欢钓鱼", "likes", "钓鱼"),
        ("我养了一只仓鼠", "pet", "仓鼠"),
        ("我开的是大众", "car", "大众"),
        ("我会说德语", "language", "德语"),
        ("数据库用MySQL", "database", "MySQL"),
    ],
)
def test_what_a_sentence_says_is_recognised(text: str, attribute: str, value: str) -> None:
    found = only(text)
    assert (found.subject, found.attribute, found.value) == (USER, attribute, value)


def test_several_facts_in_one_sentence_are_several_statements() -> None:
    assert contents("我95年的，天蝎座，在烟台一家船厂做焊工，老婆是护士") == [
        "用户是95年的",
        "用户是天蝎座",
        "用户在烟台一家船厂做焊工",
        "用户的老婆是护士",
    ]


def test_a_bit_that_leans_on_the_sentence_before_is_put_to_it() -> None:
    assert contents("我在镇上开了家面馆，叫“老地方”") == ["用户在镇上开了家面馆，叫“老地方”"]


def test_a_reason_stays_with_what_it_explains() -> None:
    assert contents("我们后端换成Rust了，主要是因为内存占用太高")[-1].endswith("因为内存占用太高")


def test_a_clause_without_subject_goes_on_with_the_one_before() -> None:
    found = read("我女儿叫果果，今年五岁，在实验幼儿园上中班")
    assert [one.content for one in found] == [
        "用户的女儿叫果果",
        "用户的女儿果果今年五岁",
        "用户的女儿果果在实验幼儿园上中班",
    ]
    assert found[1].subject == "果果"


def test_a_pronoun_is_the_one_spoken_of() -> None:
    assert contents("他在工地当电工", "我弟去年结的婚") == ["用户的弟弟在工地当电工"]


def test_a_pronoun_that_means_nobody_known_gives_nothing() -> None:
    assert contents("她最近心情不好") == []


def test_what_someone_said_or_ordered_is_about_whom_the_talk_is_about() -> None:
    assert contents("我爸胃不好，医生让戒酒")[-1] == "医生让用户的爸爸戒酒"


def test_a_name_known_from_before_is_recognised() -> None:
    found = only("小芸考上研究生了", known={"妹妹": "小芸"})
    assert (found.content, found.subject) == ("用户的妹妹小芸考上研究生了", "小芸")


def test_a_question_takes_for_granted_that_there_is_a_cat() -> None:
    assert contents("我家布偶怎么老掉毛") == ["用户养了布偶"]


def test_denials_are_marked() -> None:
    assert not only("我不喝牛奶").positive
    assert only("我特别爱喝牛奶").positive


def test_people_and_places_are_mentioned() -> None:
    found = only("我哥阿强在东莞上班")
    assert {(one.name, one.type) for one in found.mentions} >= {("阿强", "person")}
    assert next(one for one in found.mentions if one.name == "阿强").aliases == ("哥哥",)


@pytest.mark.parametrize(
    "text",
    [
        "", "？？？", "我", "我我我", "在", "的的的", "不是", "是", "我妈", "他说", "因为", "叫",
        "我把", "不对", "等等", "提醒我", "以后", "别", "我和", "\x00我\x00", "🙂我🙂", "……",
        "我" * 2_000,
    ],
)  # fmt: skip
def test_scraps_of_talk_give_no_sentence(text: str) -> None:
    assert contents(text) == []


def test_no_sentence_speaks_to_the_assistant_or_in_the_first_person() -> None:
    talk = (
        "我跟你说，我老公他们公司要裁员，你说我该咋办，我们还有房贷，他今年都四十了，我在超市收银"
    )
    for content in contents(talk):
        assert not set("我你他她") & set(content), content
