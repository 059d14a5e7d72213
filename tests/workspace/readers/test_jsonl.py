"""JSON lines, JSON documents, and the mappings that the library takes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from loxodon.errors import InputError
from loxodon.types import Draft
from loxodon.workspace.readers import Reading, draft_from_mapping, read
from tests.each import each
from tests.growth import linear

SHANGHAI = timezone(timedelta(hours=8))


def turn(**fields: Any) -> Draft:
    return draft_from_mapping({"role": "user", "content": "hi", **fields}, 1, SHANGHAI)


def refusal(**fields: Any) -> str:
    with pytest.raises(InputError) as caught:
        turn(**fields)
    assert caught.value.hint
    return str(caught.value)


def lines(*values: object) -> Reading:
    data = "\n".join(v if isinstance(v, str) else json.dumps(v) for v in values) + "\n"
    return read(data.encode(), "x.jsonl", "jsonl", SHANGHAI)


def test_every_field() -> None:
    value = {
        "role": "user",
        "content": "我下周三去大阪看姐姐",
        "at": "2026-02-04T10:30:00+09:00",
        "speaker": "小梅",
        "id": 17,
        "session": "trip",
        "channel": "wechat",
        "chat": "group",
        "origin": "import",
        "mood": "ignored",
    }
    at = datetime(2026, 2, 4, 10, 30, tzinfo=timezone(timedelta(hours=9)))
    assert lines("", value).drafts == [
        Draft(
            2, "user", "我下周三去大阪看姐姐", "trip", "17", at, "小梅", "wechat", "group", "import"
        )
    ]


def test_the_least() -> None:
    draft = turn()
    assert draft == Draft(1, "user", "hi", origin="user")
    assert turn(session=None, id=None, at=None, speaker=None, chat=None, origin=None) == draft


@each(
    ("word", "role", "origin"),
    [
        ("user", "user", "user"),
        ("human", "user", "user"),
        ("User", "user", "user"),
        ("assistant", "assistant", "assistant"),
        ("ai", "assistant", "assistant"),
        ("bot", "assistant", "assistant"),
        ("model", "assistant", "assistant"),
        ("tool", "tool", "tool"),
        ("toolResult", "tool", "tool"),
        ("function", "tool", "tool"),
        ("system", "system", "file"),
        ("developer", "system", "file"),
    ],
)
def test_roles(word: str, role: str, origin: str) -> None:
    draft = turn(role=word)
    assert (draft.role, draft.origin) == (role, origin)


def test_an_unknown_role_names_those_that_are_known() -> None:
    [(line, error)] = lines({"role": "boss", "content": "hi"}).problems
    assert line == 1
    assert str(error) == "unknown role 'boss'"
    assert error.hint == "use user, assistant, system or tool"


def test_a_member_of_a_group_is_the_user_unless_the_line_says_otherwise() -> None:
    assert turn(chat="group").origin == "user"
    assert turn(chat="group", origin="group").origin == "group"


# -- time ----------------------------------------------------------------------------------------


@each(
    "value",
    [
        "2026-02-04T10:30:00+08:00",
        "2026-02-04T02:30:00Z",
        "2026-02-04T10:30:00",
        "2026-02-04 10:30",
        " 2026-02-04 10:30 ",
        "2026/2/4 10:30",
        "2026年2月4日 上午10:30",
        "2026-02-04 10:30 AM",
        "20260204103000",
        "202602041030",
        1770172200,
        1770172200000,
        1770172200000000,
        1770172200.0,
        "1770172200",
        "1770172200000",
        "1770172200.000000",
        datetime(2026, 2, 4, 10, 30),  # as a program may hand it in
        datetime(2026, 2, 4, 2, 30, tzinfo=UTC),
    ],
)
def test_times(value: object) -> None:
    assert turn(at=value).at == datetime(2026, 2, 4, 10, 30, tzinfo=SHANGHAI)


def test_a_date_alone_is_its_midnight() -> None:
    assert turn(at="2026-02-04").at == datetime(2026, 2, 4, tzinfo=SHANGHAI)


@pytest.mark.parametrize("field", ["at", "timestamp", "time", "created_at", "ts"])
def test_names_of_the_time(field: str) -> None:
    assert turn(**{field: "2026-02-04T10:30:00Z"}).at == datetime(2026, 2, 4, 10, 30, tzinfo=UTC)


def test_milliseconds_are_exact() -> None:
    at = turn(at=1794705260656).at
    assert at is not None
    assert at.isoformat() == "2026-11-15T09:14:20.656000+08:00"


def test_an_offset_that_is_written_is_kept() -> None:
    at = turn(at="2026-02-04T10:30:00-05:00").at
    assert at is not None
    assert at.isoformat() == "2026-02-04T10:30:00-05:00"


@each(
    ("value", "message"),
    [
        ("2026-02-30", "the date 2026-02-30 does not exist"),
        ("2026-02-30T10:30:00", "the date 2026-02-30 does not exist"),
        ("2026/13/01 10:00", "the date 2026/13/01 does not exist"),
        ("2026-02-04T25:00:00", "'2026-02-04T25:00:00' is not a date and time"),
        ("04/02/2026 10:30", "'04/02/2026 10:30' is not a date and time"),
        ("yesterday", "'yesterday' is not a date and time"),
        (True, "the time must be a date and time, not bool"),
        ([], "the time must be a date and time, not list"),
        (float("nan"), "nan is not a valid message time"),
        (float("inf"), "inf is not a valid message time"),
        (10**400, "10^400 is not a valid message time"),
        (1e21, "is not a valid message time"),
        ("0001-01-01T00:00:00", "'0001-01-01T00:00:00' is not a valid message time"),
        ("9999-12-31T23:59:59Z", "is not a valid message time"),
    ],
)
def test_times_that_are_none(value: object, message: str) -> None:
    assert message in refusal(at=value)


# -- text ----------------------------------------------------------------------------------------


def test_other_names_of_the_text() -> None:
    assert draft_from_mapping({"role": "user", "text": "a"}, 1, None).content == "a"
    assert draft_from_mapping({"role": "user", "message": "a"}, 1, None).content == "a"
    assert (
        draft_from_mapping({"role": "user", "content": None, "text": "a"}, 1, None).content == "a"
    )


def test_text_is_kept_as_it_was_written() -> None:
    assert turn(content="  a\n\n  b \n").content == "  a\n\n  b \n"


def test_blocks() -> None:
    content = [
        {"type": "text", "text": "看这张图"},
        {"type": "image_url", "image_url": {"url": "data:…"}},
        {"type": "input_text", "text": "and this"},
        {"type": "image", "source": {}},
        {"type": "thinking", "thinking": "never to be kept"},
        {"type": "tool_use", "name": "x", "input": {}},
        "bare",
    ]
    assert turn(content=content).content == "看这张图\n[image]\nand this\n[image]\nbare"
    assert turn(content={"type": "text", "text": "alone"}).content == "alone"


def test_a_tool_result_in_the_users_name_is_the_tools() -> None:
    result = {"type": "tool_result", "content": [{"type": "text", "text": "42 files"}]}
    draft = turn(content=[result])
    assert (draft.role, draft.origin, draft.content) == ("tool", "tool", "42 files")
    mixed = turn(content=[result, {"type": "text", "text": "thanks"}])
    assert (mixed.role, mixed.origin, mixed.content) == ("user", "user", "thanks")


@pytest.mark.parametrize("content", [None, "", "  \n\t ", "\u3000"])
def test_a_message_without_text_is_a_problem(content: object) -> None:
    assert refusal(content=content) == "the message has no text"
    reading = lines({"role": "user", "content": content})
    assert [str(error) for _, error in reading.problems] == ["the message has no text"]


@pytest.mark.parametrize(
    "value",
    [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "assistant", "content": "", "function_call": {"name": "x"}},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "x"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "…"}]},
        {"role": "tool", "content": ""},
    ],
)
def test_a_message_that_only_calls_a_tool_is_passed_over(value: dict[str, object]) -> None:
    assert lines(value) == Reading("jsonl", [], [])
    with pytest.raises(InputError, match="no text"):
        draft_from_mapping(value, 1, None)


@each(
    ("fields", "message"),
    [
        ({"content": 5}, "the content must be text, not int"),
        ({"content": [5]}, "the list of blocks in the content contains int"),
        (
            {"content": [{"type": "text", "text": 5}]},
            "the text of a block must be a string, not int",
        ),
        ({"content": "a\0b"}, "the text contains a NUL character"),
        ({"content": "a\ud800b"}, "the text contains half a character (U+D800 at position 2)"),
        ({"role": None}, "the message has no role"),
        ({"role": 3}, "unknown role 3"),
        ({"role": ["user"]}, "unknown role (list)"),
        ({"id": 1.5}, "the id must be text, not float"),
        ({"id": True}, "the id must be text, not bool"),
        ({"session": {}}, "the session must be text, not dict"),
        (
            {"session": "a\nb"},
            "the session 'a\\nb' contains a control character or half a character",
        ),
        (
            {"speaker": "\udc00"},
            "the speaker '\\udc00' contains a control character or half a char",
        ),
        ({"speaker": "x" * 513}, "the speaker is 513 characters long; the limit is 512"),
        ({"channel": []}, "the channel must be text, not list"),
        ({"chat": "party"}, "unknown chat type 'party'"),
        ({"chat": ["group"]}, "unknown chat type (list)"),
        ({"origin": "rumour"}, "unknown origin 'rumour'"),
    ],
)
def test_wrong_fields(fields: dict[str, object], message: str) -> None:
    assert refusal(**fields).startswith(message)


def test_what_is_not_a_mapping() -> None:
    with pytest.raises(InputError, match="the turn must be a mapping, not str"):
        draft_from_mapping("hi", 1, None)  # type: ignore[arg-type]


# -- files ---------------------------------------------------------------------------------------


def test_bad_lines_are_problems_and_good_lines_are_drafts() -> None:
    reading = lines(
        {"role": "user", "content": "first"},
        "not json",
        "",
        "[1]",
        '"text"',
        "null",
        "3",
        "true",
        '{"role":"user","content":"\\ud83d"}',
        "{" * 100_000,
        '{"role":"user","content":' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"role":"user","content":"x","at":' + "9" * 5000 + "}",
        {"role": "assistant", "content": "last"},
    )
    assert [(draft.line, draft.content) for draft in reading.drafts] == [(1, "first"), (13, "last")]
    assert [(line, str(error).split(" at ")[0]) for line, error in reading.problems] == [
        (2, "the line is not JSON: Expecting value"),
        (4, "the line is a JSON array, not an object"),
        (5, "the line is a JSON string, not an object"),
        (6, "the line is a JSON null, not an object"),
        (7, "the line is a JSON number, not an object"),
        (8, "the line is a JSON boolean, not an object"),
        (9, "the text contains half a character (U+D83D"),
        (10, "the line is not JSON: Expecting property name enclosed in double quotes"),
        (11, "the JSON is nested too deeply"),
        (12, "the line is not JSON: a number is too long"),
    ]
    assert all(error.hint for _, error in reading.problems)


def test_a_file_that_is_still_being_written() -> None:
    data = b'{"role":"user","content":"one"}\n{"role":"assistant","cont'
    reading = read(data, "x.jsonl")
    assert [draft.content for draft in reading.drafts] == ["one"]
    assert [(n, str(e)) for n, e in reading.problems] == [(2, "the last line is cut off")]


def test_a_file_that_has_grown_begins_with_what_it_was() -> None:
    before = b'{"role":"user","content":"one"}\n'
    after = before + b'{"role":"assistant","content":"two"}\n'
    was, now = read(before, "x.jsonl").drafts, read(after, "x.jsonl").drafts
    assert now[: len(was)] == was
    assert [draft.line for draft in now] == [1, 2]


MESSAGES = [{"role": "user", "content": "我喜欢爵士乐"}, {"role": "assistant", "content": "Noted."}]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array(indent: int | None) -> None:
    data = json.dumps([*MESSAGES, 5], indent=indent).encode()
    reading = read(data, "export.json")
    assert [(draft.line, draft.content) for draft in reading.drafts] == [
        (1, "我喜欢爵士乐"),
        (2, "Noted."),
    ]
    assert [line for line, _ in reading.problems] == [3]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_conversation_with_messages(indent: int | None) -> None:
    data = json.dumps({"session": "s1", "messages": MESSAGES}, indent=indent).encode()
    reading = read(data, "export.json")
    assert [draft.content for draft in reading.drafts] == ["我喜欢爵士乐", "Noted."]
    assert {draft.session for draft in reading.drafts} == {"s1"}
    assert not reading.problems


def test_a_conversation_a_line() -> None:
    reading = lines({"messages": MESSAGES, "id": 1}, {"messages": [*MESSAGES, 5], "session": "b"})
    assert [(draft.line % 10**9, draft.session) for draft in reading.drafts] == [
        (1, "1"),
        (1, "1"),
        (2, "b"),
        (2, "b"),
    ]
    assert len({draft.line for draft in reading.drafts}) == 4  # the same words twice are two turns
    assert [line for line, _ in reading.problems] == [2]


def test_one_message_over_many_lines() -> None:
    data = json.dumps(MESSAGES[0], indent=1).encode()
    assert [draft.content for draft in read(data, "one.json").drafts] == ["我喜欢爵士乐"]


def test_a_broken_document_is_one_problem() -> None:
    data = b'[\n{"role":"user","content":"a"},\n{"role":"assistant" "content":"b"},\n{}\n]'
    reading = read(data, "export.json")
    assert not reading.drafts
    assert [line for line, _ in reading.problems] == [3]


def test_time_grows_with_the_lines_only() -> None:
    line = {
        "role": "user",
        "content": "我想在周末去爬山 " + "and a few more words to fill the line. " * 2,
        "at": "2026-02-04T10:30:00+08:00",
        "session": "s1",
    }
    one = json.dumps(line, ensure_ascii=False).encode() + b"\n"
    assert 180 <= len(one) <= 230
    reading = linear(lambda data: read(data, "x.jsonl"), lambda n: one * n, 64_000)
    assert len(reading.drafts) == 64_000
