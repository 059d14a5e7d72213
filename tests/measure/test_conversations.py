"""Reading labelled conversations: what is taken, and what is refused with its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from loxodon.errors import InputError
from loxodon.measure.conversations import LabelledQuestion, only, read_conversations
from tests.each import each
from tests.measure.talks import Talk, garden, harbour, question, turn


def read(*talks: Talk) -> Any:
    return read_conversations([json.dumps(talk).encode() for talk in talks], "file", UTC)


def test_a_conversation_is_read_whole() -> None:
    (one,) = read(garden())
    talk = one.conversation
    assert [len(session.turns) for session in talk.sessions] == [2, 2]
    assert talk.sessions[0].turns[0].text == "I planted three quince trees behind the shed."
    assert talk.questions[0].asked_at == datetime(2026, 1, 12, 8, tzinfo=UTC)
    assert talk.questions[1].asked_at is None
    assert one.evidence == (("b1",), ("a1",))


def test_a_question_does_not_know_its_evidence() -> None:
    assert "evidence" not in LabelledQuestion._fields


def test_turns_without_a_time_follow_each_other_from_that_of_the_session() -> None:
    (one,) = read(garden())
    first, second = one.conversation.sessions[0].turns
    assert first.at == datetime(2026, 1, 5, 9, tzinfo=UTC)
    assert second.at - first.at == timedelta(seconds=1)


def test_a_time_of_a_turn_stands_above_that_of_its_session() -> None:
    talk = garden()
    talk["sessions"][0]["turns"][1]["at"] = "2026-02-01T00:00:00+08:00"
    (one,) = read(talk)
    assert one.conversation.ends_at == datetime(2026, 1, 31, 16, tzinfo=UTC)


def test_a_conversation_where_nothing_was_said_has_no_end() -> None:
    (one,) = read({"id": "c", "sessions": [], "questions": []})
    assert one.conversation.ends_at is None


def test_numbers_are_taken_as_names() -> None:
    talk = garden()
    talk["questions"][0]["category"] = 5
    talk["id"] = 12
    (one,) = read(talk)
    assert one.conversation.id == "12"
    assert one.conversation.questions[0].category == "5"


def test_evidence_named_twice_counts_once() -> None:
    talk = garden()
    talk["questions"] = [question("q", "?", ["a1", "b1", "a1"])]
    assert read(talk)[0].evidence == (("a1", "b1"),)


def test_only_the_questions_of_a_category() -> None:
    (one,) = read(garden())
    kept = only(one, ["place"])
    assert [q.id for q in kept.conversation.questions] == ["q2"]
    assert kept.evidence == (("a1",),)
    assert only(one, []) == one


def test_blank_lines_and_a_byte_order_mark_are_passed_over() -> None:
    lines = [b"\xef\xbb\xbf" + json.dumps(garden()).encode(), b"\n", b"  \r\n"]
    assert len(read_conversations(lines, "file", UTC)) == 1


Spoil = Callable[[Talk], object]


@each(
    ("spoil", "field"),
    [
        (lambda t: t.pop("id"), "id"),
        (lambda t: t.pop("sessions"), "sessions"),
        (lambda t: t.update(sessions={}), "sessions"),
        (lambda t: t.update(questions=["?"]), "questions"),
        (lambda t: t["sessions"][1].pop("id"), "sessions[1].id"),
        (lambda t: t["sessions"][1].pop("turns"), "sessions[1].turns"),
        (lambda t: t["sessions"][1].pop("at"), "sessions[1].at"),
        (lambda t: t["sessions"][0].update(at=7), "sessions[0].at"),
        (lambda t: t["sessions"][0]["turns"][1].pop("text"), "sessions[0].turns[1].text"),
        (lambda t: t["sessions"][0]["turns"][1].update(id=True), "sessions[0].turns[1].id"),
        (lambda t: t["questions"][1].pop("text"), "questions[1].text"),
        (lambda t: t["questions"][1].update(evidence="a1"), "questions[1].evidence"),
        (lambda t: t["questions"][0].update(asked_at=3), "questions[0].asked_at"),
    ],
)
def test_what_is_missing_or_of_the_wrong_kind_is_named(spoil: Spoil, field: str) -> None:
    talk = garden()
    spoil(talk)
    with pytest.raises(InputError) as caught:
        read(harbour(), talk)
    ((line, problem),) = caught.value.problems
    assert line == 2
    assert str(problem).startswith(f"{field} ")
    assert problem.hint


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "not JSON"),
        (b"[1]", "not an object"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_line_that_is_no_object_is_refused(line: bytes, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_conversations([line], "file", UTC)
    assert said in str(caught.value.problems[0][1])


def test_every_bad_line_is_named() -> None:
    with pytest.raises(InputError) as caught:
        read_conversations([b"{", json.dumps(garden()).encode(), b"7"], "file", UTC)
    assert [line for line, _ in caught.value.problems] == [1, 3]


def test_a_date_that_is_none_is_refused() -> None:
    talk = garden()
    talk["sessions"][0]["at"] = "soon"
    with pytest.raises(InputError) as caught:
        read(talk)
    assert "soon" in str(caught.value.problems[0][1])


def test_a_turn_that_stands_twice_is_refused() -> None:
    talk = garden()
    talk["sessions"][1]["turns"].append(turn("a1", "again"))
    with pytest.raises(InputError) as caught:
        read(talk)
    assert "'a1' appears twice" in str(caught.value.problems[0][1])


def test_a_file_without_conversations_is_refused() -> None:
    with pytest.raises(InputError):
        read_conversations([b"\n"], "file", UTC)
