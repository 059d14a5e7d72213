"""Answers to a question for something secret, in one call and over several."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.guard.guard import Guard
from loxodon.guard.policy import built_in
from loxodon.types import Draft
from loxodon.working.session import Session
from tests.cases import cases
from tests.each import each


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


def last(guard: Guard, texts: tuple[str, ...]) -> str:
    drafts = [Draft(line=n, role="user", content=text) for n, text in enumerate(texts, 1)]
    return guard.drafts(drafts, lambda session: ())[-1].content


@each(("before", "answer"), cases(__file__, "an_answer_is_held_back"))
def test_an_answer_is_held_back(guard: Guard, before: tuple[str, ...], answer: str) -> None:
    (secret,) = re.findall(r"\{\{(.+?)\}\}", answer)
    kept = last(guard, (*before, answer.replace("{{", "").replace("}}", "")))
    assert secret not in kept
    assert "[secret: " in kept


@each(("before", "answer"), cases(__file__, "what_answers_nothing_stays"))
def test_what_answers_nothing_stays(guard: Guard, before: tuple[str, ...], answer: str) -> None:
    assert last(guard, (*before, answer)) == answer


def test_it_is_held_back_when_messages_come_one_by_one(memory: Memory) -> None:
    said = ["what's the wifi password?", "tulip-42"]
    for n, text in enumerate(said):
        memory.add([{"role": "user", "content": text, "id": f"m{n}"}], session="s")
    assert [turn.content for turn in memory.journal()] == [said[0], "[secret: password]"]
    assert not memory.recall("tulip").items


def test_an_answer_that_is_sent_again_is_held_back_again(memory: Memory) -> None:
    memory.add([{"role": "assistant", "content": "what's the door code?", "id": "q"}], session="s")
    for _ in range(2):
        memory.add([{"role": "user", "content": "4471, left door"}], session="s")
    kept = [turn.content for turn in memory.journal()]
    assert set(kept[1:]) == {"[secret: door code], left door"}


def test_a_question_of_another_session_is_none(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "what's the wifi password?"}], session="a")
    memory.add([{"role": "user", "content": "tulip-42"}], session="b")
    assert memory.journal()[-1].content == "tulip-42"


def test_only_the_next_turn_answers(memory: Memory) -> None:
    said = ["what's the wifi password?", "no idea", "tulip-42"]
    memory.add([{"role": "user", "content": text} for text in said], session="s")
    assert [turn.content for turn in memory.journal()] == said


def test_the_same_again_adds_nothing(memory: Memory) -> None:
    said = [
        {"role": "assistant", "content": "what's the door code?"},
        {"role": "user", "content": "4471"},
    ]
    assert memory.add(said, session="s").added == 2
    again = memory.add(said, session="s")
    assert (again.added, again.known) == (0, 2)


def test_a_transcript_has_no_answer_either(memory: Memory) -> None:
    session = Session.open(memory, "main")
    session.add({"role": "user", "content": "what's the wifi password?"})
    session.add({"role": "assistant", "content": "tulip-42"})
    assert "tulip-42" not in session.transcript()
    assert [turn.content for turn in memory.journal()][-1] == "[secret: password]"


def test_a_policy_that_allows_passwords_allows_answers(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "policy.toml").write_text('[kinds]\npassword = "allow"\n', "utf-8")
    with Memory.open(home) as memory:
        memory.add(
            [{"role": "user", "content": "wifi password?"}, {"role": "user", "content": "tulip-42"}]
        )
        assert memory.journal()[-1].content == "tulip-42"
