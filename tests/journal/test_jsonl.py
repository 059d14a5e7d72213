"""Messages as the library takes them, and files of them: JSON lines and JSON documents."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from itertools import count
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import InputError
from loxodon.types import Turn
from tests.cases import cases
from tests.clock import NOW
from tests.each import each
from tests.journal.added import Added, add

SHANGHAI = timezone(timedelta(hours=8))
_number = count(1)


def turn(memory: Memory, **fields: Any) -> Turn:
    """What is kept of one message."""
    name = f"s{next(_number)}"
    memory.add([{"role": "user", "content": "hi", **fields}], session=name)
    return memory.journal(session=fields.get("session") or name)[-1]


def lines(*values: object) -> Added:
    data = "\n".join(v if isinstance(v, str) else json.dumps(v) for v in values) + "\n"
    return add(data, name="x.jsonl")


def test_every_field_is_kept() -> None:
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
    (kept,) = lines("", value).turns
    expected = {**value, "id": "17", "at": datetime.fromisoformat(str(value["at"]))}
    assert {name: getattr(kept, name) for name in value if name != "mood"} == {
        name: one for name, one in expected.items() if name != "mood"
    }


def test_the_least_that_makes_a_message(memory: Memory) -> None:
    nothing = dict.fromkeys(("session", "id", "at", "speaker", "chat", "origin"))
    for kept in (turn(memory), turn(memory, **nothing)):
        assert (kept.role, kept.content, kept.origin, kept.at) == ("user", "hi", "user", NOW)
    assert turn(memory, chat="group").origin == "user"
    assert turn(memory, chat="group", origin="group").origin == "group"


@each(("word", "role", "origin"), cases(__file__, "roles"))
def test_roles(memory: Memory, word: str, role: str, origin: str) -> None:
    kept = turn(memory, role=word)
    assert (kept.role, kept.origin) == (role, origin)


@each("value", cases(__file__, "times"))
def test_times(memory: Memory, value: object) -> None:
    assert turn(memory, at=value).at == datetime(2026, 2, 4, 10, 30, tzinfo=SHANGHAI)


def refusal(memory: Memory, **fields: Any) -> str:
    with pytest.raises(InputError) as caught:
        turn(memory, **fields)
    problems = caught.value.problems
    assert [problem.hint for _, problem in problems] != [""]
    return " ".join([str(caught.value), *(str(problem) for _, problem in problems)])


@each(("value", "message"), cases(__file__, "times_that_are_none"))
def test_times_that_are_none(memory: Memory, value: object, message: str) -> None:
    assert message in refusal(memory, at=value)


@each(("fields", "message"), cases(__file__, "wrong_fields"))
def test_wrong_fields(memory: Memory, fields: dict[str, object], message: str) -> None:
    assert message in refusal(memory, **fields)


def test_what_is_no_message(memory: Memory) -> None:
    for content in (None, "", "  \n\t ", "\u3000"):
        assert "the message has no text" in refusal(memory, content=content)
        assert lines({"role": "user", "content": content}).problems[0][1] == (
            "the message has no text"
        )
    with pytest.raises(InputError, match="not a JSON object"):
        memory.add(["hi"])  # type: ignore[list-item]
    assert "10^400" in refusal(memory, at=10**400)


def test_text_is_kept_as_it_was_written(memory: Memory) -> None:
    assert turn(memory, content="  a\n\n  b \n").content == "  a\n\n  b \n"
    for name in ("text", "message"):
        assert turn(memory, content=None, **{name: "a"}).content == "a"


def test_blocks_of_content(memory: Memory) -> None:
    content = [
        {"type": "text", "text": "看这张图"},
        {"type": "image_url", "image_url": {"url": "data:…"}},
        {"type": "input_text", "text": "and this"},
        {"type": "image", "source": {}},
        {"type": "thinking", "thinking": "never to be kept"},
        {"type": "tool_use", "name": "x", "input": {}},
        "bare",
    ]
    assert turn(memory, content=content).content == "看这张图\n[image]\nand this\n[image]\nbare"
    assert turn(memory, content={"type": "text", "text": "alone"}).content == "alone"
    result = {"type": "tool_result", "content": [{"type": "text", "text": "42 files"}]}
    told = turn(memory, content=[result])
    assert (told.role, told.origin, told.content) == ("tool", "tool", "42 files")
    mixed = turn(memory, content=[result, {"type": "text", "text": "thanks"}])
    assert (mixed.role, mixed.origin, mixed.content) == ("user", "user", "thanks")


@each("value", cases(__file__, "a_message_that_only_calls_a_tool_is_passed_over"))
def test_a_message_that_only_calls_a_tool_is_passed_over(
    memory: Memory, value: dict[str, object]
) -> None:
    assert lines(value) == Added([], [], [])
    with pytest.raises(InputError):
        memory.add([value])


def test_bad_lines_are_reported_and_good_ones_added() -> None:
    found = lines(
        {"role": "user", "content": "first"},
        "not json",
        "",
        "[1]",
        '"text"',
        "null",
        '{"role":"user","content":"\\ud83d"}',
        "{" * 100_000,
        '{"role":"user","content":' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"role":"user","content":"x","at":' + "9" * 5000 + "}",
        {"role": "boss", "content": "hi"},
        {"role": "assistant", "content": "last"},
    )
    assert found.texts == ["first", "last"]
    assert [(line, message.split(" at ")[0]) for line, message in found.problems] == [
        (2, "the line is not JSON: Expecting value"),
        (4, "the line is not a JSON object"),
        (5, "the line is not a JSON object"),
        (6, "the line is not a JSON object"),
        (7, "the text contains half a character, or is not UTF-8"),
        (8, "the line is not JSON: Expecting property name enclosed in double quotes"),
        (9, "the line is not JSON: too long or too deep"),
        (10, "the line is not JSON: too long or too deep"),
        (11, "unknown role 'boss'"),
    ]


def test_file_that_is_still_being_written() -> None:
    whole = b'{"role":"user","content":"one"}\n'
    found = add(whole + b'{"role":"assistant","cont', name="x.jsonl")
    assert (found.texts, found.lines) == (["one"], [2])
    assert add(whole, whole + whole.replace(b"one", b"two"), name="x.jsonl").texts == ["one", "two"]


MESSAGES = [{"role": "user", "content": "我喜欢爵士乐"}, {"role": "assistant", "content": "Noted."}]


@each("indent", [None, 2])
def test_documents_of_messages(indent: int | None) -> None:
    found = add(json.dumps([*MESSAGES, 5], indent=indent), name="export.json")
    assert (found.texts, found.lines) == (["我喜欢爵士乐", "Noted."], [3])
    talk = {"session": "s1", "messages": MESSAGES}
    found = add(json.dumps(talk, indent=indent), name="export.json")
    assert (found.texts, found.problems) == (["我喜欢爵士乐", "Noted."], [])
    assert {one.session for one in found.turns} == {"s1"}
    one = add(json.dumps(MESSAGES[0], indent=indent), name="one.json")
    assert one.texts == ["我喜欢爵士乐"]


def test_a_conversation_on_each_line() -> None:
    found = lines({"messages": MESSAGES, "id": 1}, {"messages": [*MESSAGES, 5], "session": "b"})
    assert [one.session for one in found.turns] == ["1", "1", "b", "b"]
    assert found.lines == [2]
