from __future__ import annotations

import pytest

from loxodon.write.zh.changes import what_is_over
from loxodon.write.zh.syntax import is_noun, noun_head, nouns_in, topic_in


@pytest.mark.parametrize(
    ("clause", "head"),
    [
        ("奶茶太甜", "奶茶"),
        ("小区的健身房关了", "小区的健身房"),
        ("物业说漏水", "物业"),
        ("在苏州上班", ""),
        ("不想去", ""),
        ("", ""),
    ],
)
def test_the_noun_that_a_clause_opens_with(clause: str, head: str) -> None:
    assert noun_head(clause) == head


def test_a_topic_is_named_and_nothing_said_of_it() -> None:
    assert topic_in("瑜伽课那个，") == "瑜伽课"
    assert topic_in("法语这事儿，") == "法语"
    assert topic_in("我报了个班呢，") == ""
    assert topic_in("其实吧，") == ""


def test_sides_of_a_thing_are_not_the_thing() -> None:
    assert nouns_in("牛奶价格") == ("牛奶",)
    assert is_noun("牛奶")
    assert not is_noun("停了")


@pytest.mark.parametrize(
    ("clause", "thing"),
    [
        ("奶茶店关了", "奶茶店"),
        ("成都那趟取消了", "成都"),
        ("这门课停了", "课"),
        ("婚礼被取消了", "婚礼"),
    ],
)
def test_any_noun_can_be_over(clause: str, thing: str) -> None:
    found = what_is_over(clause)
    assert found is not None
    assert found[0] == thing


@pytest.mark.parametrize(
    "clause", ["护照快过期了", "把摩托车卖了", "还没取消", "天黑了", "，" * 30]
)
def test_not_everything_is_over(clause: str) -> None:
    assert what_is_over(clause) is None
