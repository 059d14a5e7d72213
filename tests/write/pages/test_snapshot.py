"""The snapshot: what binds and matters, within the budget, once, in Markdown that holds."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.config import SnapshotConfig
from loxodon.tokens import Counter, estimate
from loxodon.types import Record
from loxodon.write.pages.ranking import TOP
from loxodon.write.pages.snapshot import Material, Totals, snapshot
from tests.clock import NOW
from tests.each import each
from tests.growth import linear
from tests.write.made import fact

TOTALS = Totals(142, 14, 23, 12)
PARTS = SnapshotConfig()


def shown(*records: Record, budget: int = 2_000, language: str = "zh", **more: Any) -> str:
    material = Material(records, TOTALS, NOW)._replace(**more)
    return snapshot(material, budget, estimate, language)


def section(text: str, heading: str) -> list[str]:
    """The lines under a heading."""
    return text.partition(f"## {heading}\n")[2].partition("\n\n")[0].splitlines()


def health(content: str, **fields: Any) -> Record:
    return fact(content, category="health", importance=1.0, **fields)


def test_the_sections_come_in_order_in_both_languages() -> None:
    records = [
        fact("用户叫林默", attribute="name", category="identity"),
        health("用户对花生过敏"),
        fact("用户在学吉他"),
        fact("阿默是备课助手", subject="assistant"),
    ]
    events = [("2026-02-04", "聊了搬家")]
    text = shown(*records, events=events)
    assert re.findall("^#+ .*", text, re.M) == [
        "# 记忆快照",
        "## 身份",
        "## 用户",
        "## 约束",
        "## 核心记忆",
        "## 近三天",
        "## 索引",
    ]
    assert section(text, "身份") == ["- 阿默是备课助手"]
    assert section(text, "用户") == ["- 用户叫林默"]
    assert section(text, "约束") == ["- 用户对花生过敏"]
    assert section(text, "核心记忆") == ["1. [0.80] 用户在学吉他（2026-01-25）"]
    assert section(text, "近三天") == ["- 2026-02-04: 聊了搬家"]
    assert section(text, "索引")[0] == "记忆库共 156 条记忆、23 个实体、12 个主题"
    assert re.findall("^#+ .*", shown(*records, events=events, language="en"), re.M) == [
        "# Memory snapshot",
        "## Identity",
        "## User",
        "## Constraints",
        "## Core memories",
        "## The last three days",
        "## Index",
    ]


def test_the_room_that_is_left_goes_to_what_comes_next_in_rank() -> None:
    records = [fact(f"用户的第{n}件事", importance=0.9 - n / 100) for n in range(40)]
    core = len(section(shown(*records), "核心记忆"))
    assert core == TOP
    assert len(section(shown(*records), "其他记忆")) == len(records) - core


def test_an_empty_memory_has_a_snapshot_without_empty_sections() -> None:
    assert re.findall("^## .*", shown(language="en"), re.M) == ["## Index"]


def test_the_agent_is_who_the_configuration_says() -> None:
    text = shown(parts=PARTS._replace(identity="# 名字叫阿默\n\n- 用户的备课助手\n"))
    assert section(text, "身份") == ["- 名字叫阿默", "- 用户的备课助手"]


def test_the_user_is_told_like_a_card() -> None:
    card = [
        fact("用户会游泳", category="identity", attribute="skill"),
        fact("用户住在上海", category="status", attribute="home"),
        fact("用户叫林默", category="identity", attribute="name"),
        fact("小美今年20岁", category="identity", attribute="age", subject="小美"),
    ]
    assert section(shown(*card), "用户") == ["- 用户叫林默", "- 用户住在上海", "- 用户会游泳"]


@each(
    ("content", "fields"),
    [
        ("用户对花生过敏", {"category": "health"}),
        ("用户的紧急联系人是李娜", {"attribute": "emergency_contact"}),
        ("以后都用中文回复", {"attribute": "reply_language", "category": "preference"}),
        ("用户希望回答简短", {"category": "preference"}),
        ("用户不吃香菜", {"category": "preference", "attribute": "dislikes"}),
        ("不吃鱼", {"category": "preference", "attribute": "dislikes", "topic": "diet"}),
        ("提交前要跑测试", {"attribute": "rule", "category": "decision"}),
    ],
)
def test_what_binds_is_a_constraint(content: str, fields: dict[str, Any]) -> None:
    assert section(shown(fact(content, **fields)), "约束") == [f"- {content}"]


@pytest.mark.parametrize("attribute", ["likes", "dislikes", ""])
def test_other_tastes_do_not_bind(attribute: str) -> None:
    one = fact("用户不爱看恐怖片", category="preference", attribute=attribute)
    assert "## 约束" not in shown(one)


def test_the_constraints_of_the_user_come_before_those_of_others() -> None:
    own, other = health("用户对花生过敏", strength=0.3), health("小美对虾过敏", subject="小美")
    assert section(shown(other, own), "约束") == ["- 用户对花生过敏", "- 小美对虾过敏"]


def test_what_is_over_is_not_shown() -> None:
    past = NOW - timedelta(minutes=1)
    gone = [
        health("用户在发烧", valid_until=past),
        fact("用户在上海出差", expires_at=past),
        fact("用户要交税", done=True),
        fact("用户会跳伞", state="archived"),
    ]
    assert re.findall("^## .*", shown(*gone), re.M) == ["## 索引"]


def test_a_plan_is_shown_with_the_day_it_is_due() -> None:
    midnight = NOW.replace(day=8, hour=0)
    plans = [
        fact("用户要交税", due_at=midnight),
        fact("用户要还书", due_at=NOW - timedelta(days=1)),
        fact("用户2026年2月7日去体检", due_at=midnight),
    ]
    text = shown(*plans)
    assert "用户要交税（2026-02-07 前）" in text
    assert "用户要还书（原定 2026-02-03 前）" in text
    assert "用户2026年2月7日去体检（2026-01-25）" in text
    assert "tax return (by 2026-02-07)" in shown(
        fact("The user has to send the tax return", due_at=midnight), language="en"
    )


def test_a_belief_is_not_told_as_a_fact() -> None:
    belief = fact("用户可能对乳糖不耐受", kind="belief", confidence=0.6, category="health")
    assert section(shown(belief), "约束") == ["- 用户可能对乳糖不耐受（推断，把握 60%）"]


def test_nothing_is_said_twice() -> None:
    facts = [
        fact("用户喜欢爵士乐", days=1),
        fact("用户喜欢乌龙茶", days=1),
        fact("用户会游泳", days=1),
    ]
    ids = tuple(one.id for one in facts)
    summary = fact("用户喜欢爵士乐、乌龙茶，会游泳", kind="summary", derived_from=ids, days=1)
    same = fact("用户会游泳。", days=1)
    events = [("2026-02-04", "聊了搬家"), ("2026-02-04", "聊了搬家")]
    text = shown(*facts, summary, same, events=events, related=lambda _: facts)
    assert section(text, "核心记忆") == ["1. [0.80] 用户喜欢爵士乐、乌龙茶，会游泳"]
    assert section(text, "近三天") == ["- 2026-02-04: 聊了搬家"]


def test_a_summary_gives_way_where_its_facts_already_stand() -> None:
    name = fact("用户叫林默", attribute="name", category="identity")
    swims = fact("用户会游泳")
    summary = fact("用户叫林默，会游泳", kind="summary", derived_from=(name.id, swims.id))
    text = shown(name, swims, summary)
    assert section(text, "用户") == ["- 用户叫林默"]
    assert section(text, "核心记忆") == ["1. [0.80] 用户会游泳（2026-01-25）"]


def test_the_first_is_told_with_what_is_behind_it() -> None:
    home = fact(
        "用户的公寓在浦东",
        attribute="flat",
        value="浦东",
        importance=1.0,
        days=5,
        valid_from=NOW - timedelta(days=40),
        confirmed_at=NOW - timedelta(days=2),
    )
    before = fact(
        "用户的公寓在朝阳",
        attribute="flat",
        value="朝阳",
        state="archived",
        valid_until=NOW - timedelta(days=40),
    )
    more = fact("用户的公寓有两间房", importance=0.3)
    guess = fact(
        "用户想换公寓", kind="belief", confidence=0.5, basis="说过几次太小", importance=0.9
    )
    text = shown(home, guess, related=lambda one: [more, before] if one is home else [])
    assert section(text, "核心记忆") == [
        "1. [1.00] 用户的公寓在浦东（2025-12-26，上次提到 2026-02-02）",
        "   - 此前：用户的公寓在朝阳（至 2025-12-26）",
        "   - 用户的公寓有两间房",
        "2. [0.90] 用户想换公寓（推断，把握 50%）（2026-01-25）",
        "   - 依据：说过几次太小",
    ]


def test_the_higher_a_memory_ranks_the_more_is_told_of_it() -> None:
    top = [
        fact(f"第{n}个人是用户的朋友", subject=f"第{n}个人", importance=1 - n / 50)
        for n in range(20)
    ]
    more = {
        one.id: [
            fact(f"{one.subject}讲过第{m}个很长的故事", subject=one.subject, importance=0.1)
            for m in range(200)
        ]
        for one in top
    }
    text = shown(*top, related=lambda one: more[one.id])
    entries = re.split(r"\n(?=\d+\. )", "\n".join(section(text, "核心记忆")))
    sizes = [estimate(entry) for entry in entries]
    whole = sum(sizes)
    assert estimate(text) <= 2_000
    for size, share in zip(sizes, (PARTS.first, PARTS.second, PARTS.third), strict=False):
        assert abs(size / whole - share) < 0.03
    assert len(entries) > 10
    assert abs(sum(sizes[3:]) / whole - 0.2) < 0.03


def test_the_first_has_the_share_that_is_set() -> None:
    top = [fact(f"第{n}个人会游泳", subject=f"第{n}个人", importance=1 - n / 10) for n in range(3)]
    more = {
        one.id: [
            fact(f"{one.subject}讲过第{m}个很长的故事", subject=one.subject, importance=0.1)
            for m in range(200)
        ]
        for one in top
    }
    sizes = []
    for first in (0.1, 0.6):
        text = shown(*top, related=lambda one: more[one.id], parts=PARTS._replace(first=first))
        entries = re.split(r"\n(?=\d+\. )", "\n".join(section(text, "核心记忆")))
        sizes.append(estimate(entries[0]))
    assert sizes[0] * 3 < sizes[1]


def test_as_many_days_are_recent_as_are_set() -> None:
    week = PARTS._replace(days=7)
    old = fact("The user bought a kite", valid_from=NOW - timedelta(days=5))
    many = [fact(f"The user owns book {n}", importance=1.0) for n in range(80)]
    events = [("2026-02-01", "Kites were flown")]
    text = shown(old, *many, language="en", parts=week, events=events)
    assert "## The last 7 days" in text
    assert "## The last three days" in shown(old, *many, language="en", events=events)


def test_what_one_does_not_use_goes_on_to_the_next() -> None:
    first, second = fact("用户会游泳", importance=1.0), fact("小美会骑马", subject="小美")
    more = [fact(f"小美去过第{n}座城市", subject="小美", importance=0.1) for n in range(300)]
    text = shown(first, second, related=lambda one: more if one is second else [])
    assert estimate(text) > 1_100  # 40% + 25% of the room, and the frame


def test_lately_learned_is_shown_where_the_top_has_no_place_for_it() -> None:
    old = [fact(f"用户有第{n}件大事", importance=1.0) for n in range(25)]
    new = fact("用户买了一支笔", importance=0.2, days=1)
    assert section(shown(*old, new), "近三天") == ["- 2026-02-03: 用户买了一支笔"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_allergy_fits_the_smallest_snapshot(language: str) -> None:
    noise = [fact(f"用户喜欢第{n}号乐曲", importance=1.0) for n in range(50)]
    text = shown(*noise, health("用户对花生过敏"), budget=100, language=language)
    assert "- 用户对花生过敏" in text
    assert estimate(text) <= 100


def test_long_contents_are_cut_to_their_share() -> None:
    book = fact("用户写道：" + "很久以前有一个人。" * 50_000, importance=1.0)
    text = shown(book, fact("用户会游泳"))
    assert "用户会游泳" in text
    assert "…" in text


_WORDS = st.text(max_size=60) | st.sampled_from(
    [
        "# 标题\n\n```sh\nrm",
        "## 约束",
        "用户\n对花生过敏",
        "`",
        "<!-- ",
        "[x]: y",
        "字" * 400,
        "🦣" * 80,
        "السلام عليكم ورحمة الله",
        "a" * 3_000,
        "- 1. > x",
    ]
)
_RECORDS = st.builds(
    lambda content, subject, category, attribute, kind, weight, days, due, basis: fact(
        content,
        subject=subject,
        category=category,
        attribute=attribute,
        kind=kind,
        importance=weight,
        days=days,
        confidence=weight,
        due_at=due,
        basis=basis,
    ),
    st.sampled_from(["", "用户", "The user ", "小美"]).flatmap(
        lambda lead: _WORDS.map(lambda words: lead + words)
    ),
    st.sampled_from(["user", "小美", "assistant", ""]),
    st.sampled_from(["identity", "health", "preference", "plan", "fact"]),
    st.sampled_from(["", "name", "rule", "dislikes", "likes"]),
    st.sampled_from(["fact", "belief", "summary"]),
    st.floats(0, 1),
    st.floats(0, 400),
    st.none() | st.just(NOW + timedelta(days=3)) | st.just(NOW - timedelta(days=3)),
    _WORDS,
)


@settings(max_examples=60)
@given(
    st.lists(_RECORDS, max_size=40),
    st.lists(_RECORDS, max_size=8),
    st.lists(st.tuples(_WORDS, _WORDS), max_size=6),
    _WORDS,
    st.integers(100, 3_000),
    st.sampled_from(["zh", "en"]),
    st.sampled_from([estimate, len, lambda text: len(text.encode()), lambda text: text.count(" ")]),
)
def test_no_input_gets_over_the_budget_or_breaks_the_page(
    records: list[Record],
    related: list[Record],
    events: list[tuple[str, str]],
    identity: str,
    budget: int,
    language: str,
    count: Counter,
) -> None:
    parts = PARTS._replace(identity=identity)
    material = Material(records, TOTALS, NOW, events, parts, lambda _: related)
    text = snapshot(material, budget, count, language)
    assert count(text) <= budget
    assert "```" not in text
    head, _, body = text.partition("\n")
    assert head.startswith("# ")
    allowed = r"|> (?:made|quoted|生成时间|以下内容).*|## \S.*|- \S.*|   - .*"
    allowed += r"|\d+\. \[\d\.\d\d\] .*|The whole.*|记忆库.*"
    more = r"|More is in the memory.*|更多内容.*|.*…"
    assert all(re.fullmatch(allowed + more, line) for line in body.split("\n"))


def test_a_thousand_memories_take_no_longer_than_their_number() -> None:
    records = [
        fact(f"用户第{n}次说的是另外一件事情", category=("fact", "health")[n % 2], days=n / 10)
        for n in range(1_000)
    ]
    linear(lambda some: shown(*some, related=lambda _: some[:60]), lambda n: records[:n], 1_000)
