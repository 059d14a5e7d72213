"""How questions are understood, on Wednesday 4 February 2026, 10:30 in Shanghai.

`question_cases.jsonl` has questions and what they should give: the kind of answer, the tense and
the times. Those of part `held` only judge, as in `test_gate`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from tests.cases import cases
from tests.clock import Clock
from tests.each import each
from tests.growth import linear

AT = datetime(2026, 2, 4, 10, 30, tzinfo=timezone(timedelta(hours=8)))
CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "question_cases.jsonl").read_text("utf-8").splitlines()
]
PARTS = ("kind", "tense", "times")
CONFIG = {"timezone": "Asia/Shanghai", "workspace.views": "off"}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("empty"), config=CONFIG, clock=Clock(AT)) as memory:
        yield memory


def understood(memory: Memory, text: str) -> Any:
    """The question of a recall's trace."""
    found = memory.recall(text)
    assert found.trace is not None
    return found.trace.question


def told(question: Any) -> dict[str, object]:
    """A question in the form of the cases."""
    times = [
        {"since": day(when.since), "until": day(when.until)}
        | ({"recurring": True} if when.recurring else {})
        for when in question.times
    ]
    return {"kind": question.kind, "tense": question.tense, "times": times}


def day(moment: datetime | None) -> str:
    """A moment as the cases write it; what is reckoned from now has the time of now."""
    if moment is None:
        return ""
    plain = (moment.hour, moment.minute) in ((0, 0), (AT.hour, AT.minute))
    return moment.strftime("%Y-%m-%d" if plain else "%Y-%m-%dT%H:%M")


def expected(case: dict[str, Any]) -> dict[str, object]:
    return {part: case.get(part, []) for part in PARTS}


@each("case", [case for case in CASES if case["part"] == "dev"])
def test_kind_tense_and_times_of_questions(case: dict[str, Any], empty: Memory) -> None:
    assert told(understood(empty, case["text"])) == expected(case)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_held_out_questions(language: str, empty: Memory) -> None:
    held = [case for case in CASES if case["part"] == "held" and case["id"].startswith(language)]
    assert len(held) >= 20
    found = [(told(understood(empty, case["text"])), expected(case)) for case in held]
    for part in PARTS:
        assert sum(one[part] == other[part] for one, other in found) >= 0.9 * len(held), part


@each(("question", "words"), cases(__file__, "words_that_ask_are_not_searched_for"))
def test_words_that_ask_are_not_searched_for(question: str, words: str, empty: Memory) -> None:
    assert " ".join(understood(empty, question).words) == words


@each(("text", "kinds"), cases(__file__, "several_questions_in_one_message"))
def test_several_questions_in_one_message(text: str, kinds: list[str], empty: Memory) -> None:
    assert [ask.kind for ask in understood(empty, text).asks] == kinds


@each(("text", "tells"), cases(__file__, "message_that_tells_more_than_it_asks"))
def test_message_that_tells_more_than_it_asks(text: str, tells: bool, empty: Memory) -> None:
    question = understood(empty, text)
    assert question.tells is tells
    assert not (tells and question.times)


@pytest.fixture(scope="module")
def knowing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory with names, some of which are part of others or plain words."""
    friends = ("York", "New York", "Tom Baker", "Rose", "Mark")
    said = [f"My friend {name} lives in Leeds." for name in friends]
    said += ["我妹妹小美在大阪读书", "我的朋友王芳住在杭州。", "我的朋友王芳芳住在杭州。"]
    with Memory.open(tmp_path_factory.mktemp("known"), config=CONFIG, clock=Clock(AT)) as memory:
        memory.add([{"role": "user", "content": text, "id": text} for text in said])
        memory.consolidate(force=True)
        memory.capture("The frontend is in React", project="StellarLink", topic="frontend")
        yield memory


@each(("query", "names"), cases(__file__, "names_in_a_question_lead_to_those_they_mean"))
def test_names_in_a_question_lead_to_those_they_mean(
    query: str, names: list[str], knowing: Memory
) -> None:
    assert [one.entity.name for one in understood(knowing, query).entities] == names


def test_projects_and_topics_are_named_as_the_memory_writes_them(knowing: Memory) -> None:
    question = understood(knowing, "which framework does stellarlink use in the frontend?")
    assert (question.project, question.topic) == ("StellarLink", "frontend")
    assert understood(knowing, "which framework?").project == ""


@each("piece", ["哈", "before I ", "等等，", "between the day and the "])
def test_long_question_takes_time_in_proportion(piece: str, empty: Memory) -> None:
    linear(empty.recall, lambda n: piece * n, 320_000 // len(piece))
