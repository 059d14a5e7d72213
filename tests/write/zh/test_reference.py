from __future__ import annotations

import pytest

from loxodon.write.zh.reference import refers
from tests.write.zh.talk import contents, only, read


@pytest.mark.parametrize("clause", ["算了不考了", "黄了", "又改了", "取消了", "改到周五"])
def test_a_clause_may_leave_out_what_it_is_about(clause: str) -> None:
    assert refers(clause)


@pytest.mark.parametrize("clause", ["不喝咖啡了", "舍曲林停了", "不行了", "我住在苏州"])
def test_a_clause_that_names_it_does_not(clause: str) -> None:
    assert not refers(clause)


def test_what_was_spoken_of_last_is_what_is_given_up() -> None:
    found = only("算了不考了", "我想考驾照", "> 加油")
    assert (found.act, found.content) == ("end", "用户不考驾照了")


def test_what_the_clause_before_named_is_what_was_stopped() -> None:
    found = read("中药太苦，停了")
    assert [one.act for one in found] == ["end"]
    assert "中药" in found[0].over


def test_a_topic_in_a_clause_of_its_own_is_not_lost() -> None:
    assert contents("瑜伽课那个，我退了") == ["用户退了瑜伽课"]


def test_a_clause_with_a_subject_of_its_own_gets_no_other() -> None:
    assert not any(one.startswith("用户物业") for one in contents("物业说露台漏水"))


def test_what_is_to_be_forgotten_is_not_kept_as_a_wish() -> None:
    found = only("之前说的面试那事你忘了吧")
    assert (found.act, found.category, found.over[0]) == ("end", "temp", "面试")
