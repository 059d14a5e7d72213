"""What a later session makes of what an earlier one said."""

from __future__ import annotations

import pytest

from loxodon import Memory
from tests.write.talks import known, said


def hear(memory: Memory, *sessions: str) -> None:
    for n, text in enumerate(sessions):
        memory.add(said(text, session=f"s{n}"))
        memory.consolidate(force=True)


@pytest.mark.parametrize(
    ("before", "after", "gone", "new"),
    [
        ("我办了张游泳馆的年卡", "那张游泳卡我转给同事了", "办了张", "转给同事"),
        ("我每天跑五公里", "现在每天跑十公里了", "五公里", "十公里"),
        ("我用VSCode写代码", "我现在用Cursor写代码了", "VSCode", "Cursor"),
        ("我打游戏都用手柄", "手柄漂移了，改键鼠", "都用手柄", "键鼠"),
        ("我在用有道词典", "有道广告太多，卸了，用欧路", "在用有道", "卸"),
        ("我投的稿子还没消息", "稿子被录用了", "没消息", "录用"),
        ("我最喜欢的颜色是蓝色", "我现在最喜欢绿色", "蓝色", "绿色"),
        ("我每天吃百忧解20mg", "医生把百忧解加到40mg了", "20mg", "40mg"),
        ("我骑电动车上班", "现在坐地铁上班", "电动车", "地铁"),
        ("我单身", "我老公做饭很好吃", "用户单身", "老公"),
        ("我特别能吃辣", "胃不好，现在一点辣都不能碰", "特别能吃辣", "不能碰"),
        ("我媳妇在银行当柜员", "我媳妇升大堂经理了", "柜员", "大堂经理"),
    ],
)
def test_the_later_word_holds(memory: Memory, before: str, after: str, gone: str, new: str) -> None:
    hear(memory, before, after)
    assert known(memory, new)
    assert not known(memory, gone)


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("我每天跑步", "我现在在学游泳", "跑步"),
        ("我每天睡七个小时", "我现在每天通勤两个小时", "七个小时"),
        ("我房贷每月6000", "房租现在收3000了", "6000"),
        ("我在字节做后端", "我同事离职了", "字节"),
        ("我还没结婚", "我表姐上个月结婚了", "还没结婚"),
        ("我正在装修房子", "房子的贷款下来了", "装修"),
        ("我的项目截止日期是5月1号", "另一个项目推迟到6月了", "5月1"),
        ("我妈在县城住", "我妈现在能自己走了", "县城"),
        ("我有两个孩子", "我们公司现在有三百个人了", "两个孩子"),
    ],
)
def test_what_is_about_something_else_leaves_it(
    memory: Memory, before: str, after: str, kept: str
) -> None:
    hear(memory, before, after)
    assert known(memory, kept)


def test_what_was_to_be_forgotten_is_gone_without_a_trace(memory: Memory) -> None:
    hear(memory, "我最近在偷偷面试别的公司", "之前说的面试那事你忘了吧")
    assert not known(memory, "面试")


@pytest.mark.parametrize(
    ("first", "again", "word"),
    [
        ("我在华为做硬件工程师", "我是华为的硬件工程师", "硬件工程师"),
        ("我养了一只橘猫叫大橘", "我家橘猫叫大橘", "大橘"),
        ("我讨厌香菜", "我不吃香菜", "香菜"),
    ],
)
def test_the_same_in_other_words_is_kept_once(
    memory: Memory, first: str, again: str, word: str
) -> None:
    hear(memory, first, again)
    assert len(known(memory, word)) == 1
