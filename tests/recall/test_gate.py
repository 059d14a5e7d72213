"""The gate, on messages as people write them: `gate_cases.jsonl` has what each one should give.

Rules were written with the cases of part `dev` in sight; those of part `held` only judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.messages.zh import SENTENCES
from loxodon.recall.gate import REASONS, State, should_recall, why
from loxodon.text.words import fold
from loxodon.types import Gate
from tests.each import each
from tests.growth import level

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "gate_cases.jsonl").read_text("utf-8").splitlines()
]
DEV = [case for case in CASES if case["part"] == "dev"]
HELD = [case for case in CASES if case["part"] == "held"]


def verdict(case: dict[str, Any]) -> Gate:
    """What the gate says of a case, after the messages that came before it."""
    state = State(names=frozenset(map(fold, case.get("names", ()))))
    for earlier in case.get("after", ()):
        state = state.after(earlier, should_recall(earlier, state))
    return should_recall(case["text"], state)


@each("case", DEV)
def test_a_message_is_let_through_or_not_for_the_right_reason(case: dict[str, Any]) -> None:
    gate = verdict(case)
    assert (gate.recall, gate.reason in case["why"]) == (case["recall"], True), gate


@pytest.mark.parametrize("language", ["zh", "en"])
def test_messages_that_no_rule_was_written_for(language: str) -> None:
    cases = [case for case in HELD if case["id"].startswith(language)]
    gates = [verdict(case) for case in cases]
    right = [g.recall == case["recall"] for g, case in zip(gates, cases, strict=True)]
    reasons = [g.reason in case["why"] for g, case in zip(gates, cases, strict=True)]
    assert sum(right) >= 0.95 * len(cases)
    assert sum(reasons) >= 0.85 * len(cases)


def test_there_are_enough_cases_of_every_reason_in_both_languages() -> None:
    for language in ("zh", "en"):
        cases = [case for case in CASES if case["id"].startswith(language)]
        assert len(cases) >= 150
        assert {reason for case in cases for reason in case["why"]} == REASONS.keys() - {"asked"}


def test_a_topic_that_was_recalled_for_is_left_alone_until_another_comes() -> None:
    state = State()
    first = "where is the Thai place we like?"
    state = state.after(first, should_recall(first, state))
    assert should_recall("where is that Thai place", state) == Gate(False, "repeated")
    other = "which visa do I need for Vietnam"
    assert should_recall(other, state).recall
    state = state.after(other, should_recall(other, state))
    assert not should_recall("a visa for Vietnam, which one", state).recall


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Where do I live?", "Where do I work?"),
        ("When is the wedding?", "Who comes to the wedding?"),
        ("豆包怎么了？", "豆包几岁了？"),
        ("我妈下周要来看我", "我妈生日是哪天"),
    ],
)
def test_another_question_on_the_same_topic_is_not_a_repeat(first: str, second: str) -> None:
    state = State().after(first, should_recall(first))
    assert state.recalled
    assert should_recall(second, state).recall


def test_a_message_without_a_topic_is_never_a_repeat() -> None:
    first = "how do I return a train ticket"
    state = State().after(first, should_recall(first))
    assert should_recall("why is it like that", state) == Gate(False, "empty")
    for _ in range(2):
        gate = should_recall("Where do I work?", state)
        assert gate == Gate(True, "question")
        state = state.after("Where do I work?", gate)


def test_to_mention_what_was_asked_about_or_ask_it_in_other_words_is_a_repeat() -> None:
    first = "咱们后端用的是什么框架"
    state = State().after(first, should_recall(first))
    assert should_recall("咱们后端框架用的是哪个", state) == Gate(False, "repeated")
    assert should_recall("咱们的后端框架", state) == Gate(False, "repeated")


def test_who_asks_to_remember_is_not_refused_for_having_asked_before() -> None:
    message = "你还记得那家火锅店叫什么吗"
    state = State().after(message, should_recall(message))
    assert should_recall(message, state) == Gate(True, "requested")


def test_only_the_last_recalls_are_kept_in_mind_and_only_recalls() -> None:
    state = State()
    for topic in ("allergies", "passport", "dentist", "boiler", "violin", "marathon", "mortgage"):
        message = f"what about my {topic}"
        state = state.after(message, should_recall(message, state))
    assert len(state.recalled) == 5
    assert should_recall("what about my allergies", state).recall
    assert not should_recall("what about my mortgage", state).recall
    assert state.after("thanks!", should_recall("thanks!", state)) == state


def test_a_known_name_is_enough_however_short_the_message() -> None:
    state = State(names=frozenset(("豆豆", "priya")))
    assert should_recall("豆豆呢", state) == Gate(True, "name")
    assert should_recall("豆豆", state) == Gate(True, "name")
    assert should_recall("豆豆") == Gate(False, "short")
    assert should_recall("PRIYA!", state) == Gate(True, "name")


@each(
    ("message", "reason"),
    [
        ("何伟是谁", "question"),
        ("房租多少", "question"),
        ("我几岁", "question"),
        ("多少钱", "question"),
        ("去哪了", "preference"),
        ("我妈呢", "relation"),
        ("记得吗", "requested"),
        ("几岁", "question"),
        ("回忆一下", "requested"),
        ("老婆", "relation"),
        ("豆豆呢", "question"),
        ("mum?", "relation"),
    ],
)
def test_few_characters_can_ask(message: str, reason: str) -> None:
    assert should_recall(message) == Gate(True, reason)


@each("message", ["好", "嗯嗯", "吃了", "为啥", "谁", "why", "who?", "ok", "在吗"])
def test_few_characters_that_ask_about_nothing_are_too_short(message: str) -> None:
    assert should_recall(message) == Gate(False, "short")


def test_names_may_be_looked_up_all_at_once() -> None:
    asked: list[set[str]] = []

    def known(names: Iterable[str]) -> Iterable[str]:
        asked.append(set(names))
        return asked[-1] & {"豆豆"}

    assert should_recall("豆豆", State(names=known)) == Gate(True, "name")
    assert should_recall("包包", State(names=known)) == Gate(False, "short")
    assert asked == [{"豆", "豆豆"}, {"包", "包包"}]


def test_a_name_in_the_text_to_work_on_is_not_the_users() -> None:
    state = State(names=frozenset(("priya",)))
    assert should_recall("translate into French: Priya went home", state) == Gate(False, "command")
    assert should_recall("write a birthday card for Priya", state) == Gate(True, "name")


def test_code_is_skipped_unless_the_words_around_it_speak_of_the_past() -> None:
    code = "```python\nfor item in items:\n    total += item.price\nprint(total)\n```"
    assert should_recall(code) == Gate(False, "code")
    assert should_recall(f"explain\n{code}").reason == "code"
    assert should_recall(f"like last time\n{code}") == Gate(True, "past")
    assert should_recall("why does `foo()` fail in our deploy script?").recall


def test_a_long_message_may_ask_at_its_end() -> None:
    page = "The committee met and took note of the report. " * 200
    assert should_recall(page + "\nDo you remember what we decided about it?").reason == "requested"


def test_traditional_characters_and_full_width_forms_are_the_same_words() -> None:
    assert should_recall("你還記得我媽媽的生日嗎").reason == "requested"
    assert should_recall("ＯＫ，谢谢！").reason == "acknowledgement"


def test_a_reason_is_a_sentence_in_both_languages() -> None:
    for reason, sentence in REASONS.items():
        gate = Gate(True, reason)
        assert why(gate, "en") == sentence
        assert why(gate, "zh") == SENTENCES[sentence] != sentence


@given(st.text())
def test_any_text_gets_a_known_reason_and_the_same_each_time(text: str) -> None:
    gate = should_recall(text, State(names=frozenset({"a", "猫"})))
    assert gate.reason in REASONS
    assert gate == should_recall(text, State(names=frozenset({"a", "猫"})))


@each(
    "piece",
    ["哈", "a", "ok ", "(", "if (", "a.b(", '{"', "\n", "谢谢你", "我妈说", "🙂", "\u200d", "?"],
)
def test_a_megabyte_is_read_no_further_than_a_page(piece: str) -> None:
    level(should_recall, lambda n: piece * n, 1_000_000 // len(piece))


def test_a_verdict_takes_no_longer_with_more_names() -> None:
    def judged(state: State) -> None:
        for case in CASES:
            should_recall(case["text"], state)

    level(judged, lambda n: State(names=frozenset(f"name{one}" for one in range(n))), 16_000)


@pytest.mark.parametrize(
    "sentence",
    [
        "The committee met and took note of the report by Anna. ",
        "委员会听取并审议了有关报告的内容与决定。",
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit sed. ",
    ],
)
def test_a_page_takes_no_longer_than_its_beginning(sentence: str) -> None:
    level(should_recall, lambda n: (sentence * n)[:n], 16 * 700)
