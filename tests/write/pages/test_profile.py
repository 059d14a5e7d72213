"""The core profile by section, and the week's changes in a few words."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from loxodon.text.quote import label
from loxodon.types import Record
from loxodon.write.pages.profile import ProfileChange, What, core, profile_text, week_summary
from tests.clock import NOW
from tests.each import each
from tests.write.made import fact


def change(record: Record, what: What = "added", days: float = 1) -> ProfileChange:
    return ProfileChange(record, what, NOW - timedelta(days=days))


def test_the_core_is_what_matters_and_lasts() -> None:
    weak = fact("用户会唱歌", importance=0.6)
    strong = fact("用户会弹琴", importance=0.9)
    less = fact("用户会画画", importance=0.9, strength=0.4)
    setup = fact("用户用 zsh", category="config", importance=0.7)
    name = fact("用户叫林默", category="identity", importance=1.0)
    gone = fact("用户叫张三", category="identity", importance=1.0, valid_until=NOW)
    told = fact("用户会弹琴，会画画", kind="summary", importance=0.9)
    assert core([weak, less, strong, told, gone, setup, name], NOW) == [name, setup, strong, less]
    assert len(core([fact(f"第{n}件事") for n in range(300)], NOW)) == 100


@each(
    ("fields", "heading"),
    [
        ({"category": "identity", "attribute": "name"}, "Who"),
        ({"category": "status", "attribute": "home"}, "Who"),
        ({"category": "identity", "attribute": "occupation"}, "Work and study"),
        ({"category": "health"}, "Health"),
        ({"category": "health", "subject": "Mei"}, "Health"),
        ({"category": "preference", "attribute": "reply_style"}, "How to reply"),
        ({"category": "preference", "attribute": "likes"}, "Preferences"),
        ({"category": "relation", "subject": "Mei"}, "People"),
        ({"category": "status", "subject": "Mei"}, "People"),
        ({"category": "fact", "project": "Pennywise"}, "Projects and settings"),
        ({"category": "config"}, "Projects and settings"),
        ({"category": "credential"}, "Projects and settings"),
        ({"category": "plan"}, "Plans"),
        ({"category": "fact"}, "Other"),
    ],
)
def test_every_memory_has_its_section(fields: dict[str, Any], heading: str) -> None:
    text = profile_text([fact("The user said so", **fields)], [], "", "en")
    assert text == f"# Profile\n> {label('en')}\n\n## {heading}\n- The user said so"


def test_the_profile_in_chinese() -> None:
    records = [
        fact("用户叫林默", category="identity", attribute="name"),
        fact("李娜教英语", subject="李娜", category="relation"),
        fact("小美养了猫", subject="小美", category="relation"),
        fact("李娜会开车", subject="李娜", category="relation"),
        fact("用户的妻子叫李娜", category="relation"),
        fact("用户喜欢猫\n# 还有狗", kind="belief", category="preference"),
    ]
    moved = change(fact("用户搬到上海", category="status"))
    assert profile_text(records, [moved], "本周：搬到上海", "zh").split("\n\n") == [
        f"# 用户画像\n> {label('zh')}",
        "本周：搬到上海",
        "## 基本情况\n- 用户叫林默",
        "## 身边的人\n- 用户的妻子叫李娜\n- 小美养了猫\n- 李娜教英语\n- 李娜会开车",
        "## 偏好\n- 用户喜欢猫 # 还有狗（未确定）",
        "## 本周变化\n- 2026-02-03 新增：用户搬到上海",
    ]


def test_the_week_in_chinese() -> None:
    old = fact("用户住在北京", attribute="home", value="北京")
    new = fact("用户住在上海", attribute="home", value="上海", importance=1.0)
    assert week_summary(
        [
            change(old, "superseded"),
            change(new),
            change(fact("用户不再喝咖啡", importance=0.9)),
            change(fact("用户每天喝咖啡", value="咖啡"), "retracted"),
            change(fact("用户正在学日语", importance=0.85), "retracted"),
            change(fact("用户订阅了晨报", importance=0.8), "retracted"),
            change(fact("用户的膝盖没好", importance=0.7), "retracted"),
            change(fact("用户的同事小李升了职", subject="小李", importance=0.6), "updated"),
            change(fact("用户会换工作", kind="belief", importance=0.5)),
        ]
    ) == (
        "本周：现在住在上海；不再喝咖啡；不再学日语；不再订阅晨报；“用户的膝盖没好”不再成立；"
        "用户的同事小李升了职；会换工作（未确定）"
    )


def test_the_week_in_english() -> None:
    old = fact("The user lives in Bristol", attribute="home", value="Bristol")
    new = fact("The user lives in Sheffield", attribute="home", value="Sheffield", importance=1.0)
    assert week_summary(
        [
            change(old, "superseded"),
            change(new),
            change(fact("The user no longer drinks coffee", importance=0.95)),
            change(fact("The user drinks five coffees a day", value="coffee"), "retracted"),
            change(fact("The user is subscribed to a paper", importance=0.9), "retracted"),
            change(fact("The user plays chess on Mondays", importance=0.85), "retracted"),
            change(fact("The user has a lodger", importance=0.84), "retracted"),
            change(fact("The user moved to a new worklog", importance=0.8), "retracted"),
            change(fact("Mei has an internship", subject="Mei", importance=0.7), "updated"),
            change(fact("The user might change jobs", kind="belief", importance=0.6)),
        ]
    ) == (
        "This week: now lives in Sheffield; no longer drinks coffee; is no longer subscribed to a "
        "paper; no longer plays chess on Mondays; no longer has a lodger; “The user moved to a new "
        "worklog” no longer holds; Mei has an internship; might change jobs"
    )


def test_what_came_and_went_or_merely_faded_is_no_news() -> None:
    passing, passed = fact("用户在等快递"), fact("用户会折纸")
    assert (
        week_summary(
            [
                change(passing, "added", 3),
                change(passing, "retracted", 1),
                change(passed, "archived"),
                change(fact("用户今天很累", category="temp")),
                change(fact("用户会游泳，会开车", kind="summary")),
            ]
        )
        == ""
    )
    assert week_summary([]) == ""


def test_what_was_added_and_then_updated_is_told_once_as_it_is() -> None:
    first = fact("用户养了猫")
    then = first._replace(content="用户养了两只猫")
    assert (
        week_summary([change(then, "updated", 1), change(first, "added", 2)]) == "本周：养了两只猫"
    )


def test_a_full_week_stays_short_and_says_how_much_more_there_was() -> None:
    zh = week_summary([change(fact(f"用户在第{n}天认识了一位有意思的新朋友")) for n in range(40)])
    assert len(zh) <= 200
    assert re.search("；另有 [0-9]+ 处变化$", zh)
    en = week_summary([change(fact(f"The user met friend number {n} in town")) for n in range(40)])
    assert len(en.split()) <= 100
    assert re.search("; and [0-9]+ more changes$", en)


@given(
    st.lists(
        st.builds(
            lambda lead, text, subject, what, days: change(
                fact(lead + text, subject=subject, value=text[:4]), what, days
            ),
            st.sampled_from(["用户", "用户的", "The user ", "The user's ", ""]),
            st.text(max_size=60),
            st.sampled_from(["user", "小美", ""]),
            st.sampled_from(get_args(What)),
            st.floats(0, 7),
        ),
        max_size=12,
    ),
    st.sampled_from(["zh", "en"]),
)
def test_any_words_give_a_page_that_holds(changes: list[ProfileChange], language: str) -> None:
    week = week_summary(changes)
    assert len(week) <= 200 or len(week.split()) <= 100
    text = profile_text([one.record for one in changes], changes, week, language)
    assert all(re.match(r"$|##? |> |- |This week|本周", line) for line in text.split("\n"))
