"""A sentence is taken apart into whom it is about and what it says of them."""

from __future__ import annotations

from typing import Any

import pytest

from loxodon.write.pages.wording import about, clause_of, frame_of, introduced, says
from tests.each import each
from tests.growth import linear
from tests.write.made import fact


@each(
    ("content", "subject", "lead", "rest", "owned"),
    [
        ("用户喜欢爵士乐。", "user", "用户", "喜欢爵士乐", False),
        ("用户的生日是5月3日", "user", "用户", "生日是5月3日", True),
        ("用户的确不吃辣", "user", "用户", "的确不吃辣", False),
        ("用户也喜欢爬山", "user", "用户", "喜欢爬山", False),
        ("用户也许会搬家", "user", "用户", "也许会搬家", False),
        ("用户名叫张三", "user", "用户", "名叫张三", False),
        ("用户名是 root", "user", "", "用户名是 root", False),
        ("用户的妹妹小美在大阪读书", "小美", "用户的妹妹小美", "在大阪读书", False),
        ("用户的大学同学小美在大阪", "小美", "用户的大学同学小美", "在大阪", False),
        ("用户的妹妹在大阪读书", "妹妹", "用户的妹妹", "在大阪读书", False),
        ("小美的男朋友是日本人", "小美", "小美", "男朋友是日本人", True),
        ("用户的老婆在教英语", "妻子", "用户的老婆", "在教英语", False),
        ("用户的儿子的班主任杨老师怀孕了", "杨老师", "用户的儿子的班主任杨老师", "怀孕了", False),
        ("用戶喜歡爵士樂", "user", "用戶", "喜歡爵士樂", False),
        ("用戶的女兒小美在讀書", "小美", "用戶的女兒小美", "在讀書", False),
        ("用户名下有一套房", "user", "用户", "名下有一套房", True),
        ("糖糖是用户的女儿", "user", "用户", "女儿是糖糖", True),
        ("用户送小美一只猫", "小美", "", "用户送小美一只猫", False),
        ("The user likes jazz.", "user", "The user", "likes jazz", False),
        ("User likes jazz", "user", "User", "likes jazz", False),
        ("The user also likes jazz", "user", "The user", "likes jazz", False),
        ("User interface texts are in German", "user", "", "", False),
        ("The user's birthday is 3 May", "user", "The user", "birthday is 3 May", True),
        ("The user and Mei are in Osaka", "user", "", "", False),
        ("The user, who is tired, sleeps", "user", "", "", False),
        ("The user's sister Mei studies", "Mei", "The user's sister Mei", "studies", False),
        ("The user's sister, Mei, studies", "Mei", "The user's sister, Mei,", "studies", False),
        ("The user's best friend Mei reads", "mei", "The user's best friend Mei", "reads", False),
        ("The user's ex-wife Ana left", "Ana", "The user's ex-wife Ana", "left", False),
        ("The user's manager is away", "manager", "The user's manager", "is away", False),
        ("Mei is the user's sister", "user", "the user", "sister is Mei", True),
        ("The user's mum is away", "mother", "The user's mum", "is away", False),
        ("The user told Mei a story", "Mei", "", "", False),
        ("Meiji is an era", "Mei", "", "", False),
    ],
)
def test_a_sentence_is_cut_behind_its_subject(
    content: str, subject: str, lead: str, rest: str, owned: bool
) -> None:
    clause = clause_of(fact(content, subject=subject))
    assert (clause.lead, clause.rest, clause.owned) == (lead, rest or content, owned)


@each(
    ("content", "subject", "name"),
    [
        ("用户的猫叫豆豆", "豆豆", "用户的猫豆豆"),
        ("糖糖是用户的女儿", "糖糖", "用户的女儿糖糖"),
        ("用户的猫豆豆三岁了", "豆豆", ""),
        ("用户的猫叫豆豆", "user", ""),
        ("The user's dog is called Rolo", "Rolo", "The user's dog Rolo"),
        ("Mei is the user's younger sister", "Mei", "The user's younger sister Mei"),
        ("Mei is in Osaka", "Mei", ""),
    ],
)
def test_some_sentences_only_introduce(content: str, subject: str, name: str) -> None:
    assert introduced(fact(content, subject=subject)) == name


@pytest.mark.parametrize(
    ("content", "entities", "whom"),
    [
        ("用户对花生过敏", ("花生",), "user"),
        ("The user is allergic to peanuts", ("peanuts",), "user"),
        ("用户的妹妹小美在大阪读书", ("用户", "小美"), "小美"),
        ("Mei plays the violin", ("Mei",), "Mei"),
        ("会议改到周三", (), ""),
    ],
)
def test_what_was_captured_without_a_subject_still_has_one(
    content: str, entities: tuple[str, ...], whom: str
) -> None:
    assert about(fact(content, subject="", entities=entities)) == whom


def test_a_predicate_is_seen_around_its_object() -> None:
    def frame(content: str, **fields: Any) -> tuple[str, ...] | None:
        one = fact(content, **fields)
        return frame_of(one, clause_of(one))

    assert frame("用户对花生过敏", attribute="allergy", value="花生") == ("对", "花生", "过敏")
    assert frame("用户养了一只猫", attribute="pet", value="猫") == ("养了", "一只猫", "")
    assert frame("The user has a cat", attribute="pet", value="cat") == ("has ", "a cat", "")
    assert frame("用户喜欢爬山") == ("喜欢", "爬山", "")
    assert frame("用户住在上海", attribute="home", value="上海") is None
    assert frame("用户下周去大阪，顺便看小美") is None


def test_a_summary_says_the_facts_whose_words_it_has() -> None:
    summary = "用户喜欢爵士乐、乌龙茶，不吃香菜"
    assert says(summary, fact("用户喜欢乌龙茶", attribute="likes", value="乌龙茶"))
    assert says(summary, fact("用户不吃香菜"))
    assert not says(summary, fact("用户喜欢绿茶", attribute="likes", value="绿茶"))


@each(
    ("begin", "unit", "times"),
    [
        ("", "妈", 320),
        ("用户的", "妈", 320),
        ("", "a", 399),
        ("", "likes ", 64),
        ("", "the user's ", 32),
        ("", "x", 1_000_000),
        ("", "用户", 192),
    ],
)
def test_odd_texts_take_no_longer_than_their_length(begin: str, unit: str, times: int) -> None:
    def worded(text: str) -> None:
        for subject in ("user", "小美", "a", ""):
            one = fact(text, subject=subject, entities=("妈", "a"))
            frame_of(one, clause_of(one))

    linear(worded, lambda n: begin + unit * n, times)
