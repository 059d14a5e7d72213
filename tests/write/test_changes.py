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
        ("I volunteer Saturdays at the food bank", "I stood down from the food bank", "volunteer"),
        ("My boss is Kate", "Kate is no longer my boss", "Kate is the user's boss"),
        ("I have a greyhound called Dash", "Dash died on Sunday", "greyhound"),
        ("I drink coffee every morning", "I don't drink coffee anymore", "every morning"),
        ("I'm a member of the Ealing chess club", "I've left the chess club", "Ealing"),
        ("I work part time at Waterstones", "I quit my job at Waterstones", "part time"),
        ("We use Jira at work", "We switched from Jira to Linear", "Jira at work"),
        ("My gym is PureGym in Headingley", "My gym is Anytime Fitness now", "PureGym"),
        ("I prefer commit messages in English", "I prefer commit messages in Norwegian", "English"),
        ("王磊是我领导", "王磊不是我领导了", "王磊是用户的领导"),
        ("我每天喝两杯咖啡", "我戒了咖啡", "两杯"),
        ("我在肯德基做兼职", "我不在肯德基干了", "兼职"),
        ("我的牙医预约在4月10号", "我的牙医预约改到4月17号了", "4月10号"),
        ("我每天早上跑步", "我不跑步了", "每天早上跑步"),
        ("我住在武汉光谷", "我现在住在合肥滨湖了", "武汉"),
        ("My manager is Tom", "My new manager is Priya", "Tom"),
        ("We plan to visit Kyoto in autumn", "We decided against Kyoto, it's Nara now", "plan to"),
        ("我们国庆要去爬泰山", "泰山不爬了，改爬黄山", "国庆"),
        ("My dentist is Dr Hale", "I've changed dentists, I see Dr Moreno now", "Hale"),
        ("I own a sailboat moored at Pelican Bay", "I sold the sailboat", "Pelican"),
        ("My dog Bruno is a beagle", "Bruno died on Friday", "beagle"),
        ("我有一辆摩托车，是雅马哈的", "我那辆摩托车卖掉了", "雅马哈"),
        ("我儿子在第一小学读书", "我儿子转到实验小学读书了", "第一小学"),
        ("我在做一个叫萤火的副业项目", "萤火这个项目我不做了", "副业"),
        ("我平时用的手机是小米13", "我换手机了，现在平时用的是华为Mate 60", "小米13"),
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
        ("My boss is Kate", "sorry, Kate's flight is actually Saturday"),
        ("My brother Tom is a chef", "Tom's wedding has been moved to 12 June"),
        ("I work at Tesco", "My shift has changed, I start at 6 now"),
        ("I work nights at Tesco", "My shift changed to mornings"),
        ("My gastritis flares up when I drink coffee", "I don't drink coffee anymore"),
        ("I have gastritis", "I don't drink coffee anymore"),
        ("I'm allergic to bleach", "Rosa doesn't come Mondays anymore"),
        ("I'm allergic to latex, so Rosa wears vinyl gloves", "Rosa doesn't come Mondays anymore"),
        ("I have a dog called Biscuit who loves the car", "I sold the car"),
        ("I have two cats, Gravy and Mash", "Mash died"),
        ("I work in a coffee shop", "I gave up coffee"),
        ("I live in Paris", "We cancelled Paris, we're going to Rome instead"),
        ("We use Postgres in production", "We dropped Postgres in the prototype"),
        ("My brother's name is Tom", "Tom is off work today"),
        ("我在腾讯工作", "我同学从腾讯跳槽了"),
        ("我在华为上班", "我把华为手机卖了"),
        ("我有糖尿病", "我不吃糖了"),
        ("我养了一只猫叫可乐", "我戒了可乐"),
        ("I like Bruges", "Scrap Bruges, we're going to Antwerp instead"),
        ("我喜欢北京", "北京不去了，改去天津"),
        ("My daughter Mia goes to Oak School", "Mia's friend changed schools"),
        ("I work at the Odeon cinema", "We cancelled our Odeon booking"),
        ("我在看《三体》", "我同事把《三体》看完了"),
        ("我每天喝牛奶", "牛奶喝完了"),
        ("我手机是小米13", "我换手机壳了"),
    ],
)
def test_what_others_do_or_is_for_once_ends_nothing(known: str, later: str, tmp_path: Path) -> None:
    _, ended, _ = after(tmp_path, known, later)
    assert ended == []


def test_where_several_may_be_meant_none_is_ended_and_all_are_in_doubt(tmp_path: Path) -> None:
    told = "I have a Netflix subscription", "I pay for a Netflix subscription"
    active, ended, doubtful = after(tmp_path, *told, "I cancelled my Netflix subscription")
    assert ended == []
    assert sorted(doubtful) == sorted(one for one in active if "cancelled" not in one)
    assert len(doubtful) > 1


QUOTED = "Caffeine gives me palpitations so I take decaf"


@pytest.mark.parametrize(
    ("known", "later"),
    [
        (QUOTED, "I avoid caffeine, not decaf"),
        ("My flight is BA489", "Sorry, it's BA498, not BA489"),
        ("I keep bees and restore old kilns", "I gave up restoring old kilns"),
        ("我的航班是CA1489", "不是CA1489，是CA1498"),
    ],
)
def test_quoted_words_are_never_edited(known: str, later: str, tmp_path: Path) -> None:
    active, ended, _ = after(tmp_path, known, later)
    assert any(known in one for one in active)
    assert ended == []


def test_of_several_things_one_is_over_and_both_are_shown(tmp_path: Path) -> None:
    active, _, _ = after(tmp_path, "I have two cats, Gravy and Mash", "Mash died")
    assert active == ["The user: “Mash died”", "The user has two cats, Gravy and Mash"]


TWO = [
    ("Please remember: I want commit messages in English", "I want commit messages in Norwegian"),
    ("Our state is in the bucket acme-infra-eu", "Our state is in the bucket acme-infra-us"),
    ("Dana lives in Berlin and works at Stripe", "Eve lives in Berlin and works at Notion"),
    ("I like Star Wars 4", "I like Star Wars 5"),
    ("My older son is allergic to milk", "My younger son is allergic to milk"),
    ("我同事老周负责财务系统", "我同事老赵负责财务系统"),
    ("我大儿子对牛奶过敏", "我小儿子对牛奶过敏"),
]


@pytest.mark.parametrize(("one", "other"), TWO)
def test_one_word_that_differs_makes_two(one: str, other: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    alone = after(tmp_path / "a", one)[0], after(tmp_path / "b", other)[0]
    active, ended, _ = after(tmp_path, one, other)
    assert {*active} == {*alone[0], *alone[1]}
    assert ended == []


@pytest.mark.parametrize(
    ("known", "later"), [("我有一个妹妹", "我有两个妹妹"), ("I have two kids", "I have three kids")]
)
def test_of_two_counts_the_later_is_current(known: str, later: str, tmp_path: Path) -> None:
    active, ended, _ = after(tmp_path, known, later)
    assert len(active) == len(ended) == 1
    assert later.removeprefix("I have ").removeprefix("我有") in active[0]


@pytest.mark.parametrize(
    ("known", "later"),
    [
        ("I'm allergic to peanuts", "I'm not allergic to peanuts after all"),
        ("I'm allergic to peanuts", "My peanuts allergy is gone"),
        ("我对花生过敏", "我不对花生过敏"),
        ("我女儿豆豆对鸡蛋过敏", "豆豆的鸡蛋过敏好了"),
        ("I take sertraline 50mg", "I came off sertraline"),
    ],
)
@pytest.mark.parametrize("answer", ["confirm", "reject"])
def test_health_ends_only_when_the_user_confirms_it(
    known: str, later: str, answer: str, tmp_path: Path
) -> None:
    with Memory.open(tmp_path, config=CONFIG, clock=lambda: NOW) as memory:
        memory.add(said(known, session="a"))
        memory.consolidate(force=True)
        memory.add(said(later, session="b", at=NOW))
        memory.consolidate(force=True)
        (review,) = memory.reviews()
        old, new = review.against, review.belief
        assert {old.id, new.id} <= {one.id for one in memory.list()}
        getattr(memory, answer)(new.id)
        active = {one.id for one in memory.list()}
        assert ({old.id, new.id} & active) == {new.id if answer == "confirm" else old.id}
        assert memory.reviews() == []


def test_who_says_again_that_they_are_allergic_is_believed_at_once(tmp_path: Path) -> None:
    told = "I'm allergic to peanuts", "I'm not allergic to peanuts after all"
    active, _, doubtful = after(tmp_path, *told, "I am allergic to peanuts")
    assert (active, doubtful) == (["The user is allergic to peanuts"], [])


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
