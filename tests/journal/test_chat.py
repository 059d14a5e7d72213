"""Chat logs in plain text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.cases import cases
from tests.clock import NOW
from tests.each import each
from tests.journal.added import Added, add


def log(text: str, name: str = "chat.txt") -> Added:
    return add(text, name=name, format="chat")


def who_said(text: str, name: str = "chat.txt") -> list[tuple[str, str]]:
    found = log(text, name)
    assert not found.problems
    return [(turn.speaker or turn.role, turn.content) for turn in found.turns]


def times(text: str, name: str = "chat.txt") -> list[str]:
    """When each was said; empty where nothing tells, so that it counts as said now."""
    return [f"{one.at:%m-%d %H:%M:%S}" if one.at != NOW else "" for one in log(text, name).turns]


@each("text", cases(__file__, "ways_to_mark_who_speaks_and_when"))
def test_ways_to_mark_who_speaks_and_when(text: str) -> None:
    assert who_said(text) == [("Alice", "hi"), ("Bob", "hello")]
    assert times(text) == ["02-04 10:30:00", "02-04 10:31:00"]


@each(("text", "said"), cases(__file__, "logs"))
def test_whole_logs(text: str, said: list[list[str]]) -> None:
    assert who_said(text) == [tuple(one) for one in said]


@each("line", cases(__file__, "lines_that_go_on_with_a_message"))
def test_lines_that_go_on_with_a_message(line: str) -> None:
    assert who_said(f"Alice: hi\n{line}\nBob: hello\n") == [
        ("Alice", f"hi\n{line}"),
        ("Bob", "hello"),
    ]


def test_log_without_times_is_said_by_others_now() -> None:
    found = log("Alice: hi\nBob: hello\nthere\n")
    assert [(one.role, one.speaker, one.content) for one in found.turns] == [
        ("user", "Alice", "hi"),
        ("user", "Bob", "hello\nthere"),
    ]
    assert {(one.chat, one.origin, one.session, one.at) for one in found.turns} == {
        ("direct", "group", "chat", NOW)
    }


@each(("text", "name", "expected"), cases(__file__, "when_it_was_said"))
def test_when_it_was_said(text: str, name: str, expected: list[str]) -> None:
    assert times(text, name) == expected


def test_time_with_its_own_zone() -> None:
    (turn,) = log("[2026-02-04 10:30:00 UTC] Alice: hi\n").turns
    assert turn.at == datetime(2026, 2, 4, 10, 30, tzinfo=UTC)


@each(("text", "line", "message", "left"), cases(__file__, "date_that_does_not_exist_is_reported"))
def test_date_that_does_not_exist_is_reported(
    text: str, line: int, message: str, left: list[str]
) -> None:
    found = log(text)
    assert (found.problems, found.texts) == ([(line, message)], left)


@each(("name", "role", "speaker"), cases(__file__, "who_is_the_user_and_who_the_assistant"))
def test_who_is_the_user_and_who_the_assistant(name: str, role: str, speaker: str) -> None:
    other = "User" if role == "assistant" else "Assistant"
    first, second = log(f"{name}: hi\n{other}：hello\n").turns
    assert (first.role, first.speaker, first.origin) == (role, speaker, role)
    assert second.role != role


@each(("text", "found"), cases(__file__, "more_than_two_people_are_a_group"))
def test_more_than_two_people_are_a_group(text: str, found: list[list[str]]) -> None:
    assert [[one.speaker, one.origin, one.chat] for one in log(text).turns] == found


@each("text", cases(__file__, "what_is_not_a_chat_is_one_problem"))
def test_what_is_not_a_chat_is_one_problem(text: str) -> None:
    found = log(text)
    assert not found.turns
    assert found.problems == [(1, "no line starts with a speaker's name")]
    assert "--format" in found.hints[0]


def test_log_that_has_grown_adds_what_is_new() -> None:
    before = "[2026-02-04 10:30] Alice: hi\n[2026-02-04 10:31] Bob: hello\n"
    found = add(before, before + "[2026-02-04 10:32] Alice: bye\n", format="chat")
    assert found.texts == ["hi", "hello", "bye"]


@pytest.mark.parametrize("me", ["Alice", "alice"])
def test_name_that_is_mine_is_the_users(me: str) -> None:
    first, second = add("Alice: hi\nBob: hello\n", format="chat", me=me).turns
    assert (first.origin, second.origin) == ("user", "group")
