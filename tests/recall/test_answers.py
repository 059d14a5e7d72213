"""What answers comes first: statements before questions, what holds before what held, the user's
own facts before others', and nothing beside them that answers nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from loxodon import Memory
from tests.clock import Clock
from tests.recall.talking import DAY, shown, talk

pytestmark = pytest.mark.usefixtures("in_march")

STATEMENTS = [
    (
        "My dentist is Dr. Alvarez on Mill Road.",
        [
            "What was the name of my dentist on Mill Road again",
            "which dentist did i see on Mill Road",
            "Do I have a dentist appointment on Mill Road?",
            "Is my dentist on Mill Road any good?",
        ],
        "What is the name of my dentist?",
    ),
    (
        "我的牙医是学院路的方医生。",
        [
            "我的牙医在学院路哪里来着",
            "学院路的牙医叫什么名字",
            "我的牙医在学院路吗？",
            "牙医几点开门",
        ],
        "我的牙医是谁",
    ),
]


@pytest.mark.parametrize("speaker", ["user", "assistant", "Bea"])
@pytest.mark.parametrize(("statement", "questions", "asked"), STATEMENTS, ids=["en", "zh"])
def test_question_never_stands_above_the_statement_that_answers(
    memory: Memory, statement: str, questions: list[str], asked: str, speaker: str
) -> None:
    talk(memory, "told", DAY, f"user: {statement}")
    for n, question in enumerate(questions):
        talk(memory, f"q{n}", DAY + timedelta(days=2 + n), f"{speaker}: {question}")
    found = memory.recall(asked)
    assert shown(found)[0] == statement
    assert not found.items[0].why.get("again")
    assert not found.unsure


HOMES = [
    (
        "I live in Leeds.",
        [
            "My sister Mei lives in Osaka.",
            "My friend Tom lives in York, he has lived there for years.",
            "My boss lives in Berlin.",
            "Where do people live in Mongolia",
        ],
        ("Where do I live?", "where do i live"),
        "Leeds",
    ),
    (
        "我住在绍兴。",
        [
            "我妹妹小美住在大阪。",
            "我的朋友王芳住在杭州，住了很多年。",
            "我老板住在北京。",
            "大家都住哪儿",
        ],
        ("我住哪儿？", "我住在哪里"),
        "绍兴",
    ),
]


@pytest.mark.parametrize("known", [False, True], ids=["turns", "memories"])
@pytest.mark.parametrize(("own", "others", "asks", "home"), HOMES, ids=["en", "zh"])
def test_own_home_comes_before_the_homes_of_others(
    memory: Memory, own: str, others: list[str], asks: tuple[str, ...], home: str, known: bool
) -> None:
    talk(memory, "own", DAY, f"user: {own}")
    for n, other in enumerate(others):
        talk(memory, f"o{n}", DAY + timedelta(days=1 + n), f"user: {other}")
    if known:
        memory.consolidate(force=True)
    for asked in asks:
        found = memory.recall(asked)
        assert home in shown(found)[0], shown(found)
        assert not found.unsure


@pytest.mark.parametrize(
    ("was", "now", "asked", "before", "old", "new"),
    [
        (
            "I live in Leeds.",
            "I moved to York last week, I live in York now.",
            "Where do I live?",
            "Where did I live before?",
            "Leeds",
            "York",
        ),
        (
            "我住在绍兴。",
            "我上周搬到苏州了，现在住在苏州。",
            "我住哪儿？",
            "我以前住在哪里？",
            "绍兴",
            "苏州",
        ),
    ],
    ids=["en", "zh"],
)
def test_what_is_over_is_left_out_unless_the_past_is_asked_for(
    memory: Memory, clock: Clock, was: str, now: str, asked: str, before: str, old: str, new: str
) -> None:
    clock.now = datetime(2026, 1, 6, tzinfo=UTC)
    talk(memory, "a", datetime(2026, 1, 5, tzinfo=UTC), f"user: {was}")
    memory.consolidate(force=True)
    clock.now = datetime(2026, 3, 21, tzinfo=UTC)
    talk(memory, "b", datetime(2026, 3, 20, tzinfo=UTC), f"user: {now}")
    memory.consolidate(force=True)
    found = memory.recall(asked)
    assert new in shown(found)[0]
    assert not any(old in text for text in shown(found))
    assert any(old in text for text in shown(memory.recall(before)))


@pytest.mark.parametrize(
    ("lines", "asked", "answer", "padding"),
    [
        (
            [
                "user: whats the capital of mongolia again",
                "assistant: Ulaanbaatar.",
                "user: For dinner I cook without peanuts, I am allergic to them.",
                "assistant: Understood, thank you.",
                "user: thanks so much, you're the best!",
                "user: good night, see you tomorrow",
            ],
            "what should I cook for dinner?",
            "peanuts",
            ("mongolia", "thank", "good night"),
        ),
        (
            [
                "user: 蒙古的首都是哪里来着",
                "assistant: 乌兰巴托。",
                "user: 晚饭我做菜不放花生，我对花生过敏。",
                "assistant: 好的，明白了。",
                "user: 太谢谢你了！",
                "user: 晚安，明天见",
            ],
            "晚饭我做什么菜好？",
            "花生",
            ("首都", "明白", "谢谢", "晚安"),
        ),
    ],
    ids=["en", "zh"],
)
def test_nothing_is_shown_that_answers_nothing(
    memory: Memory, lines: list[str], asked: str, answer: str, padding: tuple[str, ...]
) -> None:
    talk(memory, "s", DAY, *lines)
    memory.consolidate(force=True)
    found = memory.recall(asked)
    assert answer in shown(found)[0]
    assert not [text for text in shown(found) if any(word in text for word in padding)]
