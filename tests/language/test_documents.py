"""The example sentences of the design documents, with the importance that they give them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loxodon import Memory
from loxodon.text.language import language_of
from tests.clock import NOW
from tests.each import each
from tests.language.told import rules, told


@each(
    ("text", "found"),
    [
        ("我对花生过敏", {"用户对花生过敏": 1.0}),
        ("我叫张三", {"用户叫张三": 1.0}),
        ("我讨厌香菜", {"用户不喜欢香菜": 0.8}),
        ("记住，我讨厌香菜", {"用户不喜欢香菜": 1.0}),
        ("顺便说一下，我讨厌香菜", {"用户不喜欢香菜": 0.6}),
        ("我换工作了", {"用户换工作了": 0.8}),
        ("我搬家了", {"用户搬家了": 0.8}),
        ("我分手了", {"用户分手了": 0.8}),
        ("我昨天去了北京", {"用户昨天去了北京": 0.5}),
        ("这件事很重要：周五前交房租", {"用户周五前要交房租": 0.8}),
        ("重要：我有哮喘", {"用户有哮喘": 1.0}),
        ("今天下午开会", {}),
        ("哈哈", {}),
        (
            "我叫张三，在北京工作，明天下午开会",
            {
                "用户叫张三": 1.0,
                "用户在北京工作": 0.8,
                "用户：“我叫张三，在北京工作，明天下午开会”": 0.4,
            },
        ),
        ("我更喜欢 TypeScript 而不是 JavaScript", {"用户更喜欢TypeScript": 0.8}),
        ("I'm allergic to peanuts", {"The user is allergic to peanuts": 1.0}),
        ("By the way, I hate cilantro", {"The user dislikes cilantro": 0.6}),
        ("Remember, I hate cilantro", {"The user dislikes cilantro": 1.0}),
        ("I changed jobs", {"The user changed jobs": 0.8}),
        ("I moved house", {"The user moved house": 0.8}),
        ("I went to Beijing yesterday", {"The user went to Beijing yesterday": 0.5}),
        (
            "This is important: pay the rent by Friday",
            {"The user has to pay the rent by Friday": 0.8},
        ),
        ("I have a meeting this afternoon", {}),
        (
            "I'm called Zhang San, I work in Beijing, and I have a meeting tomorrow afternoon",
            {
                "The user's name is Zhang San": 1.0,
                "The user works in Beijing": 0.8,
                "The user: “I have a meeting tomorrow afternoon”": 0.4,
            },
        ),
    ],
)
def test_an_example_is_kept_with_the_importance_it_has_there(
    text: str, found: dict[str, float]
) -> None:
    kept = [one for one in told(language_of(text), text) if not one.tentative]
    assert {one.content: one.importance for one in kept} == found


@each(
    ("text", "type"),
    [
        ("我在北京", "statement"),
        ("能帮我订个会议室吗", "instruction"),
        ("帮我查一下", "instruction"),
        ("哈哈", "chat"),
        ("好的", "chat"),
        ("北京的天气怎么样", "question"),
        ("Could you book a meeting room for me?", "instruction"),
        ("Would you mind booking a table?", "instruction"),
        ("Can you swim?", "question"),
        ("Would you say it is safe?", "question"),
    ],
)
def test_a_fragment_has_the_type_it_has_there(text: str, type: str) -> None:
    (piece,) = rules(language_of(text)).split(text)
    assert piece.type == type


@each(
    "text",
    [
        "这个库已完全开源，在 mem0ai/mem0 仓库中",
        "支持 4 种图数据库后端：Neo4j、Memgraph、Kuzu（嵌入式）、Neptune",
        "规则: 时间间隔 > 30min OR 主题关键词变化 → 切分为新 Segment",
        "### 4.3 Tier 2: 知识库",
        "The engine supports four backends and needs no external dependencies",
        "access_count INTEGER NOT NULL DEFAULT 0",
    ],
)
def test_text_about_software_tells_nothing_of_the_user(text: str) -> None:
    assert told(language_of(text), text) == []


@pytest.mark.parametrize(
    ("plain", "rich"),
    [
        ("我养了一只猫", "我养了一只叫咪咪的橘猫"),
        ("I have a cat", "I have an orange cat called Mimi"),
    ],
)
def test_a_fact_that_grows_richer_is_updated_and_not_doubled(
    memory: Memory, plain: str, rich: str
) -> None:
    for n, text in enumerate((plain, rich)):
        at = NOW - timedelta(days=2 - n)
        memory.add([{"role": "user", "content": text, "id": str(n), "at": at.isoformat()}])
        memory.consolidate()
    (one,) = memory.list(kind="fact")
    assert one.value in rich
    assert next(iter(memory.history(one.id))).record.content != one.content


def test_what_people_use_is_not_text_about_software() -> None:
    assert rules("zh").grammar.speech.never("记笔记用 Obsidian 和 GoodNotes") == ""


def told_over_days(memory: Memory, *texts: str) -> list[str]:
    """What is known once each text was said on a day of its own."""
    for n, text in enumerate(texts):
        at = NOW - timedelta(days=len(texts) - n)
        memory.add([{"role": "user", "content": text, "id": f"d{n}", "at": at.isoformat()}])
        memory.consolidate()
    return [one.content for one in reversed(memory.list(kind="fact"))]


def test_a_wish_replaces_only_what_it_contradicts(memory: Memory) -> None:
    assert told_over_days(
        memory,
        "No emojis please",
        "Please answer me in French",
        "Keep your answers short",
        "I want detailed answers",
        "From now on, answer in English",
    ) == ["How to reply: no emojis", "How to reply: detailed", "The user wants replies in English"]


def test_what_is_appointed_replaces_only_its_own_day(memory: Memory) -> None:
    assert told_over_days(
        memory, "The exam is on June 3", "The launch is on May 1", "The launch slipped to May 20"
    ) == ["The exam is on 2026-06-03", "The launch moved to 2026-05-20"]


def test_a_fact_about_another_never_touches_the_users(memory: Memory) -> None:
    assert told_over_days(
        memory, "我住在北京", "我对花生过敏", "李伟是我同事", "李伟搬到了杭州", "李伟对花生不过敏"
    ) == [
        "用户住在北京",
        "用户对花生过敏",
        "李伟是用户的同事",
        "李伟搬到了杭州",
        "李伟对花生不过敏",
    ]
