"""Three or more facts of a theme become one short sentence in their own words."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.types import Record
from loxodon.write.pages.summaries import Summary, summarise, themes_of
from tests.clock import NOW
from tests.each import each
from tests.write.made import fact


def told(theme: str, *facts: Record) -> str:
    summary = summarise(theme, facts)
    return summary.content if summary else ""


def likes(content: str, value: str, **fields: Any) -> Record:
    return fact(content, attribute="likes", value=value, category="preference", **fields)


def test_the_shared_subject_is_said_once_and_likes_are_listed() -> None:
    assert (
        told(
            "user/preference",
            likes("用户喜欢爵士乐", "爵士乐", days=1),
            likes("用户喜欢乌龙茶", "乌龙茶", days=2),
            fact("用户不吃香菜", attribute="dislikes", value="香菜", days=3),
        )
        == "用户喜欢爵士乐、乌龙茶，不吃香菜"
    )
    assert (
        told(
            "user/preference",
            likes("The user likes jazz", "jazz", days=1),
            likes("The user likes oolong tea", "oolong tea", days=2),
            fact(
                "The user does not eat coriander", attribute="dislikes", value="coriander", days=3
            ),
        )
        == "The user likes jazz and oolong tea, and does not eat coriander"
    )


def test_a_person_is_named_with_what_they_are_to_the_user() -> None:
    assert (
        told(
            "subject:小美",
            fact("小美会拉小提琴", subject="小美", days=1),
            fact("用户的妹妹小美在大阪读书", subject="小美", days=2),
            fact("小美养了一只猫", subject="小美", days=3),
        )
        == "用户的妹妹小美会拉小提琴，在大阪读书，养了一只猫"
    )
    assert (
        told(
            "subject:Mei",
            fact("The user's sister Mei studies in Osaka", subject="Mei", days=1),
            fact("Mei plays the violin", subject="Mei", days=2),
            fact("Mei has a cat", subject="Mei", days=3),
        )
        == "The user's sister Mei studies in Osaka, plays the violin and has a cat"
    )


def test_who_was_introduced_needs_no_other_introduction() -> None:
    assert (
        told(
            "subject:豆豆",
            fact("用户的猫叫豆豆", subject="豆豆"),
            fact("豆豆三岁了", subject="豆豆", days=1),
            fact("豆豆怕水", subject="豆豆", days=2),
        )
        == "用户的猫豆豆三岁了，怕水"
    )
    assert (
        told(
            "subject:Mei",
            fact("Mei is the user's sister", subject="Mei"),
            fact("Mei is a vet", subject="Mei", days=1),
            fact("Mei lives in Cork", subject="Mei", days=2),
        )
        == "The user's sister Mei is a vet and lives in Cork"
    )


def test_a_name_that_was_learned_later_is_told_too() -> None:
    assert (
        told(
            "subject:年糕",
            fact("用户的猫三个月大", subject="年糕", days=1),
            fact("用户的猫是英短", subject="年糕", days=2),
            fact("用户的猫怕水", subject="年糕", days=3),
        )
        == "用户的猫年糕三个月大，是英短，怕水"
    )
    assert (
        told(
            "subject:妻子",
            fact("用户的老婆在教英语", subject="妻子", days=1),
            fact("用户的媳妇会开车", subject="妻子", days=2),
            fact("用户的老婆怕狗", subject="妻子", days=3),
        )
        == "用户的老婆在教英语，会开车，怕狗"
    )


def test_what_another_fact_says_with_more_is_not_told_beside_it() -> None:
    assert (
        told(
            "user/fact",
            fact("用户在学琴", days=1),
            fact("用户在学琴，每周二上课", days=2),
            fact("用户会游泳", days=3),
        )
        == "用户在学琴，每周二上课，会游泳"
    )


def test_what_belongs_to_the_subject_comes_last() -> None:
    assert (
        told(
            "user/identity",
            fact("用户的猫叫豆豆", days=1),
            fact("用户的生日是5月3日", days=2),
            fact("用户住在上海", days=3),
        )
        == "用户住在上海，猫叫豆豆，生日是5月3日"
    )
    assert (
        told(
            "user/identity",
            fact("The user's cat is called Tofu", days=1),
            fact("The user's birthday is 3 May", days=2),
            fact("The user lives in Leeds", days=3),
        )
        == "The user lives in Leeds; their cat is called Tofu; their birthday is 3 May"
    )
    assert (
        told(
            "user/relation",
            fact("用户的妻子叫李娜", days=1),
            fact("用户的女儿叫朵朵", days=2),
            fact("用户的弟弟在北京", days=3),
        )
        == "用户的妻子叫李娜，女儿叫朵朵，弟弟在北京"
    )


def test_two_of_a_kind_are_told_as_two() -> None:
    people = {"Marta": "colleague", "Samir": "colleague", "Noor": "child", "Ada": "child"}
    some = [
        fact(f"{name} is the user's {what}", days=n, attribute=what, value=name)
        for n, (name, what) in enumerate(people.items())
    ]
    expected = "The user's colleagues are Marta and Samir; their children are Noor and Ada"
    assert told("user/relation", *some) == expected


def test_a_project_is_told_with_all_who_act_in_it() -> None:
    def about_it(content: str, subject: str, days: int, **fields: Any) -> Record:
        return fact(content, subject=subject, days=days, project="Pennywise", **fields)

    assert (
        told(
            "project:Pennywise",
            about_it("Pennywise uses Supabase", "Pennywise", 1, attribute="uses", value="Supabase"),
            about_it("Pennywise uses Flutter", "Pennywise", 2, attribute="uses", value="Flutter"),
            about_it("Pennywise's beta is out", "Pennywise", 3),
            about_it("The user left Firebase", "user", 4),
        )
        == "Pennywise uses Supabase and Flutter; its beta is out; the user left Firebase"
    )


def test_what_matters_most_and_is_newest_comes_first() -> None:
    assert (
        told(
            "user/fact",
            fact("用户会游泳", importance=0.5, days=1),
            fact("用户会开车", importance=1.0, days=9),
            fact("用户会修车", importance=0.5, days=5),
        )
        == "用户会开车，会游泳，会修车"
    )


def test_a_fact_that_does_not_fit_stays_a_source() -> None:
    long = fact("用户" + "在一个很长很长的故事里说了又说" * 4, days=1)
    facts = [long, fact("用户会游泳", days=2), fact("用户会开车", days=3)]
    summary = summarise("user/fact", facts)
    assert summary is not None
    assert summary.content == "用户会游泳，会开车"
    assert summary.facts == tuple(one.id for one in facts)


def test_one_long_fact_does_not_stand_alone() -> None:
    long = fact("用户" + "说" * 47, importance=1.0)
    summary = summarise("user/fact", [long, fact("用户会游泳", days=2), fact("用户会开车", days=3)])
    assert summary is not None
    assert summary.content == "用户会游泳，会开车"


@pytest.mark.parametrize(
    "over", [{"valid_until": NOW}, {"state": "archived"}, {"kind": "belief"}, {"done": True}]
)
def test_what_no_longer_holds_is_not_told(over: dict[str, Any]) -> None:
    kept = [fact("用户会游泳"), fact("用户会开车"), fact("用户会修车")]
    gone = fact("用户住在北京", importance=1.0, **over)
    assert "北京" not in told("user/fact", gone, *kept)
    assert summarise("user/fact", [gone, *kept[:2]]) is None


def test_the_language_is_that_of_most_facts() -> None:
    english = [fact("The user can swim", importance=1.0)]
    chinese = [fact("用户会开车"), fact("用户会修车")]
    summary = summarise("user/fact", english + chinese)
    assert summary is not None
    assert (summary.content, summary.language) == ("用户会开车，会修车", "zh")
    assert len(summary.facts) == 3


def test_no_stray_punctuation_and_no_sentence_inside() -> None:
    assert (
        told(
            "user/fact",
            fact("用户会游泳。", days=1),
            fact("用户会开车；", days=2),
            fact("用户住上海。喜欢茶。", days=3),
            fact("我会修车", days=4),
            fact("用户说：“好！”", days=5),
        )
        == "用户会游泳，会开车"
    )


def test_importance_entities_and_order_do_not_depend_on_how_facts_come() -> None:
    facts = [
        fact(f"用户会第{n}种乐器", importance=n / 10, entities=(f"乐器{n}",), days=n)
        for n in range(1, 10)
    ]
    first = summarise("user/fact", facts)
    random.Random(7).shuffle(facts)
    assert first == summarise("user/fact", facts)
    assert isinstance(first, Summary)
    assert first.importance == 0.8
    assert first.entities[:2] == ("乐器9", "乐器8")


@each(
    ("fields", "themes"),
    [
        ({"category": "health"}, ("user/health",)),
        ({"category": "temp"}, ()),
        ({"subject": "小美"}, ("subject:小美",)),
        ({"category": "config", "project": "P"}, ("user/config", "project:P")),
        ({"subject": "P", "project": "P"}, ("subject:P",)),
        ({"subject": "", "category": "health"}, ("user/health",)),
        ({"category": "fact"}, ()),  # a hobby and a car have nothing in common
        ({"category": "plan"}, ()),
        ({"category": "preference", "attribute": "reply_style"}, ()),
    ],
)
def test_the_themes_of_a_fact(fields: dict[str, Any], themes: tuple[str, ...]) -> None:
    assert themes_of(fact("用户对花生过敏", **fields)) == themes


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["用户", "用户的", "The user ", "The user's ", "小美", "Mei ", ""]),
            st.text(max_size=80),
            st.sampled_from(["user", "小美", "Mei", ""]),
        ),
        min_size=3,
        max_size=12,
    )
)
def test_any_words_give_a_short_sentence_or_none(facts: list[tuple[str, str, str]]) -> None:
    made = [fact(lead + text, subject=subject, value=text[:5]) for lead, text, subject in facts]
    summary = summarise("user/fact", made)
    if summary:
        zh = summary.language == "zh"
        assert len(summary.content) <= 50 if zh else len(summary.content.split()) <= 30
        assert "\n" not in summary.content


def test_thousands_of_facts_take_no_time() -> None:
    facts = [
        fact(f"用户喜欢第{n}号乐曲", attribute="likes", value=f"第{n}号乐曲") for n in range(3_000)
    ]
    summary = summarise("user/preference", [*facts, fact("x" * 1_000_000)])
    assert summary is not None
    assert len(summary.facts) == 3_001
