"""Questions understood, on Wednesday 4 February 2026, 10:30 in Shanghai.

`question_cases.jsonl` has questions and what they should give: the kind of answer, the tense, the
times and the events. Those of part `held` only judge, as in `test_gate`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.recall.asking import Kind, asks_of, kind_of
from loxodon.recall.understand import Question, understand
from loxodon.store import KnownNames
from loxodon.text.words import fold
from loxodon.types import Entity
from tests.each import each
from tests.growth import level

AT = datetime(2026, 2, 4, 10, 30, tzinfo=timezone(timedelta(hours=8)))
CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "question_cases.jsonl").read_text("utf-8").splitlines()
]
PARTS = ("kind", "tense", "times", "events")


def told(question: Question) -> dict[str, object]:
    """A question in the form of the cases."""
    times = [
        {"since": day(when.since), "until": day(when.until)}
        | ({"recurring": True} if when.recurring else {})
        for when in question.times
    ]
    events = [{"event": one.event, "side": one.side} for one in question.events]
    return {"kind": question.kind, "tense": question.tense, "times": times, "events": events}


def day(moment: datetime | None) -> str:
    """A moment as the cases write it; what is reckoned from now has the time of now."""
    if moment is None:
        return ""
    plain = (moment.hour, moment.minute) in ((0, 0), (AT.hour, AT.minute))
    return moment.strftime("%Y-%m-%d" if plain else "%Y-%m-%dT%H:%M")


def expected(case: dict[str, Any]) -> dict[str, object]:
    return {part: case.get(part, []) for part in PARTS}


@each("case", [c for c in CASES if c["part"] == "dev"])
def test_a_question_is_understood(case: dict[str, Any]) -> None:
    assert told(understand(case["text"], AT)) == expected(case)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("part", PARTS)
def test_questions_that_no_rule_was_written_for(part: str, language: str) -> None:
    cases = [c for c in CASES if c["part"] == "held" and c["id"].startswith(language)]
    right = [told(understand(case["text"], AT))[part] == expected(case)[part] for case in cases]
    assert sum(right) >= 0.9 * len(cases)


def test_there_are_enough_questions_in_both_languages() -> None:
    for language in ("zh", "en"):
        cases = [case for case in CASES if case["id"].startswith(language)]
        assert len(cases) >= 80
        assert {case["kind"] for case in cases} == set(get_args(Kind))


# --- Words and parts ------------------------------------------------------------------------------


def test_what_is_said_of_the_asking_is_not_looked_for() -> None:
    question = understand("Can you remind me what the wifi password is?", AT)
    assert question.words == ("wifi", "password")
    assert "记得" not in understand("你还记得我的护照放哪了吗", AT).words
    assert understand("你还记得吗", AT).words


@each(
    ("question", "words"),
    [
        ("我有什么病", "病*"),
        ("我教什么课", "我教 课*"),
        ("我什么时候去上海", "去上 上海"),
        ("我孩子上几年级", "我孩 孩子 子上 上几 几年 年级"),
        ("我住哪儿", "我住"),
        ("什么", "什么"),
    ],
)
def test_no_word_has_a_part_of_what_asks(question: str, words: str) -> None:
    assert " ".join(understand(question, AT).words) == words


def test_talk_that_leads_up_to_a_question_is_not_looked_for() -> None:
    text = (
        "唉，这两天降温降得厉害，阳台上的花都蔫了，昨天刚浇的水也没用。早知道就搬进屋里了，"
        "反正客厅也空着。对了，说了这么多，我其实是想问：我的体检报告放在哪里了？"
    )
    question = understand(text, AT)
    assert [ask.text for ask in question.asks] == ["我的体检报告放在哪里了？"]
    assert (question.kind, question.times) == ("where", ())
    assert "阳台" not in question.words
    english = (
        "It has been raining since yesterday and the trains were late again, so I read a lot. "
        "Anyway, what I really wanted to ask is: which dentist did I like?"
    )
    question = understand(english, AT)
    assert (question.kind, question.times) == ("which", ())
    assert "train" not in question.words


def test_two_questions_are_told_apart() -> None:
    asks = understand("我表弟是做什么工作的？另外，他的生日是哪天？", AT).asks
    assert [ask.kind for ask in asks] == ["what", "when"]
    asks = understand("Who is my dentist? And when did I last see her?", AT).asks
    assert [ask.kind for ask in asks] == ["who", "when"]


def test_a_full_stop_in_a_quotation_or_a_number_ends_no_question() -> None:
    text = '那个主题是"创新。分享。共赢。"的活动是哪天？'
    assert [ask.text for ask in asks_of(text, "zh")] == [text]
    text = "What did version 3.5 of the plan cost, e.g. in total?"
    assert [ask.text for ask in asks_of(text, "en")] == [text]


def test_a_statement_asks_nothing() -> None:
    question = understand("我今天去跑步了", AT)
    assert question.kind == "none"
    assert [ask.text for ask in question.asks] == ["我今天去跑步了"]


@each(
    ("text", "language", "kind"),
    [
        ("没什么特别的吧？", "zh", "yes_no"),
        ("能告诉我一下他的邮箱吗？", "zh", "what"),
        ("持续时间是什么？", "zh", "how_many"),
        ("那个家乡是成都的人，爱好是什么？", "zh", "what"),
        ("How come we moved?", "en", "why"),
        ("How long ago was that?", "en", "when"),
        ("Has he been to Leeds and/or York?", "en", "yes_no"),
        ("Is it the red one or the blue one?", "en", "which"),
        ("Could you suggest a film?", "en", "what"),
        ("the boat?", "en", "yes_no"),
    ],
)
def test_the_kind_of_answer(text: str, language: str, kind: str) -> None:
    assert kind_of(text, language) == kind


def test_no_date_is_read_into_other_words() -> None:
    for text in (
        "may I come in?",
        "who may march on?",
        "give me a second",
        "what is the second step?",
        "等一下再说好吗",
        "这会儿忙吗",
        "第一个方案怎么样",
        "一号楼在哪",
        "what do I do at noon?",
        "我几点吃早饭",
        "晚上吃什么",
        "三点建议是什么",
        "is the sun out?",
        "fall in line?",
        "did I fall?",
        "24/7 support?",
        "room 2023?",
    ):
        assert understand(text, AT).times == (), text


# --- Names ----------------------------------------------------------------------------------------


class Names:
    """A memory's names, as a store looks them up; knows how many it was asked for each time."""

    def __init__(self, *entities: tuple[str, tuple[str, ...]]) -> None:
        self.asked: list[int] = []
        self.by_name = {
            fold(name): Entity(main, "person", aliases, AT, AT, no)
            for no, (main, aliases) in enumerate(entities, 1)
            for name in (main, *aliases)
        }

    def __call__(self, names: Iterable[str]) -> KnownNames:
        names = list(names)
        self.asked.append(len(names))
        return KnownNames({name: self.by_name[name] for name in names if name in self.by_name})


def entities(query: str, names: Names) -> list[tuple[str, str]]:
    found = understand(query, AT, names).entities
    return [(one.text, one.entity.name) for one in found]


def test_an_alias_or_a_relation_leads_to_the_one_it_means() -> None:
    names = Names(("小美", ("妹妹", "妹")), ("Tom Baker", ("Tom", "TB")), ("OKR系统", ()))
    assert entities("我妹妹上周去了哪里？", names) == [("妹妹", "小美")]
    assert entities("我妹的生日", names) == [("妹", "小美")]
    assert entities("what did tom say?", names) == [("tom", "Tom Baker")]
    assert entities("What did Tom Baker's wife and TB say?", names) == [("Tom Baker", "Tom Baker")]
    assert entities("OKR系统什么时候上线", names) == [("OKR系统", "OKR系统")]


def test_of_two_names_the_longer_is_meant() -> None:
    names = Names(("York", ()), ("New York", ()), ("王芳", ()), ("王芳芳", ()))
    assert entities("When was I in New York?", names) == [("New York", "New York")]
    assert entities("王芳芳和王芳谁更高", names) == [("王芳芳", "王芳芳"), ("王芳", "王芳")]


def test_a_name_that_is_a_word_needs_its_capital() -> None:
    names = Names(("Rose", ()), ("Mark", ()), ("妈", ()))
    assert entities("Where did the sun rise over the rose garden of Anna?", names) == []
    assert entities("Did Mark call?", names) == [("Mark", "Mark")]
    assert entities("姑妈来了吗", names) == []


def test_projects_and_topics_are_named_as_the_memory_writes_them() -> None:
    def known(names: Iterable[str]) -> KnownNames:
        said = set(names)
        projects = {"stellarlink": "StellarLink"} if "stellarlink" in said else {}
        return KnownNames({}, projects, {"frontend": "frontend"} if "frontend" in said else {})

    question = understand("which framework does stellarlink use in the frontend?", AT, known)
    assert (question.project, question.topic) == ("StellarLink", "frontend")
    assert understand("which framework?", AT, known).project == ""


def test_names_are_looked_up_once_and_only_those_of_the_question() -> None:
    names = Names(*((f"Person {n}", ()) for n in range(10_000)))
    assert entities("When did Person 77 meet Person 9998?", names) == [
        ("Person 77", "Person 77"),
        ("Person 9998", "Person 9998"),
    ]
    assert len(names.asked) == 1
    assert names.asked[0] < 30
    entities("我上周五跟同事去的那家在人民广场附近的餐厅叫什么名字来着？" * 100, names)
    assert names.asked[1] < 5_000


# --- Any text -------------------------------------------------------------------------------------


@given(st.text())
def test_any_text_is_understood_the_same_each_time(text: str) -> None:
    question = understand(text, AT)
    assert question == understand(text, AT)
    assert question.kind in get_args(Kind)
    assert question.asks


@pytest.mark.parametrize(
    "piece",
    [
        "哈",
        "a ",
        "before I ",
        "when ",
        "三月之前",
        "?",
        ". ",
        "what is ",
        "等等，",
        "a\n",
        '"',
        "between the day and the ",
    ],
)
def test_a_long_text_takes_no_longer_than_its_beginning(piece: str) -> None:
    level(lambda text: understand(text, AT), lambda n: piece * n, 1_000_000 // len(piece))


def test_a_question_takes_no_longer_with_more_names() -> None:
    def understood(known: Names) -> None:
        for case in CASES:
            understand(case["text"], AT, known)

    def names(count: int) -> Names:
        return Names(*((f"Person {n}", (f"人{n}",)) for n in range(count)))

    level(understood, names, 16_000)


@each(
    ("text", "tells"),
    [
        ("I baked bread today. It went well! My sister loved it. She wants more.", True),
        ('"I lost my keys!" "Oh no, where did you see them last?" "In the park, I think."', True),
        ("今天烤了面包。很成功！妹妹很喜欢。", True),
        ("Where does my sister live?", False),
        ("I bake a lot. My sister loves it. Can you remind me what flour I use?", False),
        ("My sister loves bread", False),
    ],
)
def test_a_message_that_tells(text: str, tells: bool) -> None:
    found = understand(text, datetime(2026, 2, 4, tzinfo=UTC))
    assert found.tells is tells
    assert not (tells and found.times)
