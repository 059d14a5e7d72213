"""What a change ends, and what it leaves: told to a real memory, weeks apart."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from tests.clock import NOW
from tests.write.talks import CONFIG, said


def after(home: Path, *told: str) -> tuple[list[str], list[str], list[str]]:
    """What is active, over and in doubt after each was told, three weeks after the one before."""
    now = [NOW]
    with Memory.open(home, config=CONFIG, clock=lambda: now[0]) as memory:
        for n, text in enumerate(told):
            now[0] = NOW + timedelta(weeks=3 * n)
            memory.add(said(text, session=f"s{n}", at=now[0]))
            memory.consolidate(force=True)
        over = [one.content for one in memory.list(state="archived")]
        doubtful = [one.belief.content for one in memory.reviews()]
        return [one.content for one in memory.list()], over, doubtful


@pytest.mark.parametrize(
    ("known", "later", "over"),
    [
        ("I go running every morning", "I gave up running", "running every morning"),
        ("I drive a Ford Fiesta", "I sold the car", "Fiesta"),
        ("We are going to Lisbon in May", "The Lisbon trip is cancelled", "going to Lisbon"),
        ("My half marathon PB is 1:42", "My half marathon PB is 1:38", "1:42"),
        ("My boyfriend is called Sam", "Sam and I broke up", "boyfriend"),
        ("I take sertraline 50mg", "I came off sertraline", "50mg"),
        (
            "Our wedding is booked for 5 September at the barn",
            "The barn flooded so the wedding is 12 December now",
            "5 September",
        ),
        ("I live in Leeds, Headingley way", "We live in Ilkley now", "Leeds"),
        ("I'm on sertraline 50mg these days", "GP has me on sertraline 100mg", "50mg"),
        ("I volunteer Saturdays at the food bank", "I stood down from the food bank", "volunteer"),
        ("我在腾讯做测试", "我跳槽了", "腾讯"),
        ("我在苏州一家外贸公司做跟单", "跟单的活儿不干了", "跟单"),
        ("我每天早上跑步", "我不跑步了", "每天早上跑步"),
        ("我女儿豆豆对鸡蛋过敏", "豆豆的鸡蛋过敏好了", "对鸡蛋过敏"),
        ("我住在武汉光谷", "我现在住在合肥滨湖了", "武汉"),
        ("白内障手术定在3月20号做", "医院说手术推到四月十号了", "3月20"),
        ("My manager is Tom", "My new manager is Priya", "Tom"),
        ("We plan to visit Kyoto in autumn", "We decided against Kyoto, it's Nara now", "plan to"),
        ("我们国庆要去爬泰山", "泰山不爬了，改爬黄山", "国庆"),
    ],
)
def test_a_change_ends_what_it_changes(known: str, later: str, over: str, tmp_path: Path) -> None:
    active, ended, _ = after(tmp_path, known, later)
    assert any(over in one for one in ended), (active, ended)
    assert not any(over in one for one in active if later not in one)


@pytest.mark.parametrize(
    ("known", "later"),
    [
        ("I live in a flat above a chip shop in Galway", "My sister moved house last week"),
        ("I work as a baker in York", "The chair of the club next door has resigned"),
        ("My boss is called Trevor, decent enough", "Trevor's off for a month so Anita is in"),
        ("Retros are every second Friday", "this week's retro got bumped to Monday"),
        ("我住在苏州园区", "我大学室友李伟搬到了杭州滨江"),
        ("我在深圳做硬件测试", "带我的师傅离职开面馆去了"),
        ("在北京回龙观住", "公司要搬去望京，住的地方先不动"),
        ("My dentist is called Anna", "My new therapist is called Ben"),
        ("My piano teacher at the academy is Ines", "My piano teacher at the academy is Jonas"),
        ("I like Bruges", "Scrap Bruges, we're going to Antwerp instead"),
        ("我喜欢北京", "北京不去了，改去天津"),
    ],
)
def test_what_others_do_or_is_for_once_ends_nothing(known: str, later: str, tmp_path: Path) -> None:
    _, ended, _ = after(tmp_path, known, later)
    assert ended == []


def test_where_several_may_be_meant_none_is_ended_and_all_are_in_doubt(tmp_path: Path) -> None:
    told = "I live in a damp flat in Leeds", "I live in a flat above a chip shop in Galway"
    active, ended, doubtful = after(tmp_path, *told, "We got the keys to the bungalow")
    assert ended == []
    assert sorted(doubtful) == sorted(one for one in active if "live in" in one)
    assert len(doubtful) > 1


def test_own_words_keep_what_they_tell_besides(tmp_path: Path) -> None:
    told = "I smoke ten a day, and I've got asthma"
    active, _, _ = after(tmp_path, told, "Six weeks off the fags today!")
    assert any("asthma" in one for one in active)
    assert not any("smoke" in one for one in active)


def test_what_was_just_said_wrongly_is_put_right(tmp_path: Path) -> None:
    with Memory.open(tmp_path, config=CONFIG, clock=lambda: NOW) as memory:
        memory.add(said("we're at 41 Calder Row", "sorry, we're at 14 Calder Row"))
        memory.consolidate(force=True)
        assert not any("41 Calder" in one.content for one in memory.list())


def test_who_has_another_s_place_is_meant_from_then_on(tmp_path: Path) -> None:
    told = "My manager is Tom. My manager likes tea.", "My new manager is Priya"
    active, _, _ = after(tmp_path, *told, "My manager hates coffee")
    assert "The user's manager Tom likes tea" in active
    assert "The user's manager Priya dislikes coffee" in active


def test_what_was_told_of_the_one_before_is_not_of_the_new_one(tmp_path: Path) -> None:
    with Memory.open(tmp_path, config=CONFIG, clock=lambda: NOW) as memory:
        memory.add(said("我老板喜欢喝茶", "我新老板叫林娜"))
        memory.consolidate(force=True)
        subjects = {one.content: one.subject for one in memory.list()}
    assert subjects == {"用户的老板喜欢喝茶": "老板", "林娜是用户的老板": "user"}


def test_what_one_asks_to_be_reminded_of_is_a_plan_with_its_day(tmp_path: Path) -> None:
    with Memory.open(tmp_path, config=CONFIG, clock=lambda: NOW) as memory:
        memory.add(said("Remind me to call mum tomorrow", "提醒我下个月1号交房租"))
        memory.add(said("I'll remind you to pay the gas bill on Friday", role="assistant", id="a"))
        memory.consolidate(force=True)
        plans = [one for one in memory.list() if one.category == "plan" and one.due_at]
    days = {one.content: one.due_at.astimezone(NOW.tzinfo).date() for one in plans if one.due_at}
    assert days == {  # until the end of that day
        "The user has to call mum on 2026-02-05": date(2026, 2, 6),
        "用户2026年3月1日要交房租": date(2026, 3, 2),
    }
