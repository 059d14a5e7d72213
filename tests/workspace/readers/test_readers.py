"""Any file: which format it is, what bytes are taken, and that nothing makes `read` raise."""

from __future__ import annotations

import json
from datetime import timedelta, timezone
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.errors import UsageError
from loxodon.workspace.readers import FORMATS, MAX_LINE, MAX_TEXT, Format, Reading, detect, read
from tests.each import each
from tests.long import count

SHANGHAI = timezone(timedelta(hours=8))
HELLO = '{"role": "user", "content": "你好，我喜欢火锅 🍲"}'
REPLY = '{"role": "assistant", "content": "Noted."}'


def texts(reading: Reading) -> list[str]:
    return [draft.content for draft in reading.drafts]


def problems(reading: Reading) -> list[tuple[int, str]]:
    return [(line, str(error)) for line, error in reading.problems]


# -- detection -----------------------------------------------------------------------------------


@each(
    ("head", "name", "format_"),
    [
        ('{"type":"session","version":3,"id":"s"}\n', "s.jsonl", "openclaw"),
        ('{"type":"session","version":4,"id":"s"}\n', "backup", "openclaw"),
        ('{"type":"message","id":"1","parentId":null,"message":{}}', "s.jsonl", "openclaw"),
        ('{"type":"message","id":"1","parentId":null,"role":"user"}', "s.jsonl", "openclaw"),
        ('{"role":"user","content":"hi"}', "s.jsonl", "jsonl"),
        ('{"type":"message","role":"user","content":"hi","id":"1"}', "s.jsonl", "jsonl"),
        ('\ufeff{"role":"user","content":"hi"}', "notes.md", "jsonl"),
        ('[\n {"role": "user"', "export.json", "jsonl"),
        ('[{"role": "user"', "export", "jsonl"),
        ('{\n "messages": [', "export", "jsonl"),
        ('not json\n{"role":"user","content":"hi"}', "x.log", "jsonl"),
        ("broken", "x.jsonl", "jsonl"),
        ("# 2026-02-18\n## 10:30 AM", "2026-02-18.md", "markdown"),
        ("plain words", "ideas.md", "markdown"),
        ("Some words\n\n## 下午3:20 会议\n", "notes.txt", "markdown"),
        ("Alice: hi", "chat.txt", "chat"),
        ("[10:30] Alice: hi", "chat.txt", "chat"),
        ("[2026-02-04 10:30] 张三：你好", "chat", "chat"),
        ("#general\nAlice: hi", "irc.log", "chat"),
        ("", "x.md", "markdown"),
        ("", "x.jsonl", "jsonl"),
        ("", "", "chat"),
    ],
)
def test_the_format_is_told_by_content_then_by_name(head: str, name: str, format_: str) -> None:
    assert detect(head, name) == format_


def test_a_given_format_wins() -> None:
    data = b"# 2026-02-18\nAlice: hi\n"
    assert read(data, "x.md").format == "markdown"
    assert read(data, "x.md", "chat").drafts[-1].speaker == "Alice"


def test_an_unknown_format_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="unknown format 'csv'"):
        read(b"", "x", cast(Format, "csv"))


# -- bytes ---------------------------------------------------------------------------------------


@each("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@each("end", ["\n", "\r\n"])
def test_encodings_and_line_ends(encoding: str, end: str) -> None:
    reading = read((HELLO + end + REPLY + end).encode(encoding), "x.jsonl")
    assert texts(reading) == ["你好，我喜欢火锅 🍲", "Noted."]
    assert [draft.line for draft in reading.drafts] == [1, 2]
    assert not reading.problems


def test_utf_16_big_endian_and_half_a_last_character() -> None:
    data = b"\xfe\xff" + (HELLO + "\n").encode("utf-16-be") + b"\x00"
    assert texts(read(data, "x.jsonl")) == ["你好，我喜欢火锅 🍲"]


def test_only_the_line_that_is_not_utf_8_is_a_problem() -> None:
    data = b"\n".join([HELLO.encode(), HELLO.encode("gb18030"), REPLY.encode()])
    reading = read(data, "x.jsonl")
    assert texts(reading) == ["你好，我喜欢火锅 🍲", "Noted."]
    [(line, error)] = reading.problems
    assert line == 2
    assert "not UTF-8" in str(error)
    assert "UTF-8" in error.hint


def test_a_crlf_file_with_one_bad_line() -> None:
    data = HELLO.encode() + b"\r\n\xff\r\n" + REPLY.encode() + b"\r\n"
    reading = read(data, "x.jsonl")
    assert len(reading.drafts) == 2
    assert [line for line, _ in reading.problems] == [2]


@pytest.mark.parametrize("format_", FORMATS)
def test_a_raw_nul_is_a_problem_of_its_line(format_: Format) -> None:
    data = b"Alice: a\0b\nBob: hello\n"
    assert (1, "the line contains a NUL character") in problems(read(data, "x", format_))


@pytest.mark.parametrize("format_", [None, *FORMATS])
def test_a_binary_file_is_one_problem(format_: Format | None) -> None:
    picture = bytes(range(256)) * 4000
    reading = read(picture, "x.png", format_)
    assert not reading.drafts
    assert problems(reading) == [(1, "4001 of the 4001 lines are not UTF-8 text")]


def test_a_line_that_is_too_long_is_not_parsed() -> None:
    long = b'{"role":"user","content":"' + b"a" * MAX_LINE + b'"}\n'
    reading = read(long + HELLO.encode(), "x.jsonl")
    assert texts(reading) == ["你好，我喜欢火锅 🍲"]
    assert problems(reading) == [(1, "the line is 16.0 MiB long; the limit is 16.0 MiB")]


def test_the_limit_of_a_line_is_in_bytes() -> None:
    wide = '{"role":"user","content":"' + "火" * (MAX_LINE // 3) + '"}'
    assert "MiB long" in problems(read(wide.encode(), "x.jsonl"))[0][1]
    narrow = '{"role":"user","content":"' + " " * (MAX_LINE // 3) + 'x"}'
    assert "text is 5.3 MiB" in problems(read(narrow.encode(), "x.jsonl"))[0][1]


@pytest.mark.parametrize(
    ("format_", "data"),
    [
        ("jsonl", b'{"role":"user","content":"' + b"a" * (MAX_TEXT + 1) + b'"}'),
        (
            "openclaw",
            b'{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"'
            + b"a" * (MAX_TEXT + 1)
            + b'"}}',
        ),
        ("markdown", b"# 2026-02-18\n" + b"a" * (MAX_TEXT + 1)),
        ("chat", b"Alice: " + b"a" * (MAX_TEXT + 1)),
    ],
)
def test_a_text_that_is_too_long_is_a_problem(format_: Format, data: bytes) -> None:
    reading = read(data, "x", format_)
    assert not reading.drafts
    assert "the limit for one message is 4.0 MiB" in problems(reading)[0][1]


@each("format_", [None, *FORMATS])
@each("data", [b"", b"\n", b"\xef\xbb\xbf", b"\xff\xfe", b" \r\n\t\n"])
def test_an_empty_file_has_no_turns_and_no_problems(format_: Format | None, data: bytes) -> None:
    reading = read(data, "x", format_)
    assert (reading.drafts, reading.problems) == ([], [])


def test_a_separator_of_lines_inside_a_json_string_is_no_line_end() -> None:
    data = json.dumps({"role": "user", "content": "a\u2028b\x85c"}, ensure_ascii=False).encode()
    assert texts(read(data, "x.jsonl")) == ["a\u2028b\x85c"]


def test_problems_come_in_the_order_of_the_lines() -> None:
    data = b'{"role":"x","content":"a"}\n\xff\n{"role":"y","content":"a"}\nnot json\n'
    assert [line for line, _ in read(data, "x.jsonl").problems] == [1, 2, 3, 4]


def test_every_problem_can_be_said_in_both_languages() -> None:
    data = b'{"role":"{x}","content":"a"}\n{"role":"user","content":"a","at":"{}"}\n{\n[]\n\xff\n'
    for _, error in read(data, "x.jsonl").problems:
        assert all(error.localized("en"))
        assert all(error.localized("zh"))


# -- whatever the bytes --------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        b"\n",
        b"\r\n",
        b"\0",
        b"\xff",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"{",
        b"}",
        b"[",
        b"]",
        b'{"role":"user","content":"hi"}',
        b'{"type":"session","id":"s"}',
        b'"at":',
        b"1e999",
        b'{"type":"message","id":"a","parentId":"b","message":{"role":"user","content":"x"}}\n',
        b'{"type":"leaf","id":"b","parentId":"a","targetId":"a"}\n',
        b"\\ud800",
        b"0001-01-01",
        b'{"type":"reset","id":"c","parentId":null}\n',
        b"---\n",
        b"```\n",
        b"## 10:30 AM - x\n",
        b"# 2026-02-30\n",
        b"[10:30] Alice: hi\n",
        b"99/99/9999, 10:30 - Bob: hi\n",
        b"User: ",
        "张三 2026-02-04 10:30\n".encode(),
        "我：".encode(),
        "下午3点".encode(),
        b"<!-- openclaw:dreaming:light:start -->\n",
        b"<!-- openclaw:dreaming:light:end -->\n",
        b"<!-- openclaw-memory-promotion:x -->\n- y\n",
    ]
)


@settings(max_examples=count(80, 300))
@given(
    data=st.binary(max_size=300) | st.lists(PIECES | st.binary(max_size=8)).map(b"".join),
    name=st.text(max_size=12) | st.sampled_from(["2026-02-18.md", "0000-00-00.md", "s.jsonl"]),
    format_=st.none() | st.sampled_from(FORMATS),
    zone=st.sampled_from([None, SHANGHAI]),
)
def test_read_never_raises(
    data: bytes, name: str, format_: Format | None, zone: timezone | None
) -> None:
    reading = read(data, name, format_, zone)
    lines = data.count(b"\n") + 1
    assert reading.format in FORMATS
    assert len(reading.drafts) + len(reading.problems) <= 2 * lines + data.count(b"role")
    for draft in reading.drafts:
        assert draft.content.strip()
        assert "\0" not in draft.content
        assert draft.origin is not None
        assert draft.at is None or draft.at.tzinfo is not None
        (draft.content + draft.session + draft.id + draft.speaker).encode("utf-8")
    for line, error in reading.problems:
        assert 1 <= line <= lines
        assert all(error.localized("en"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)
FIELDS = (
    "role",
    "content",
    "text",
    "at",
    "ts",
    "id",
    "session",
    "speaker",
    "channel",
    "chat",
    "origin",
    "type",
    "parentId",
    "message",
    "messages",
    "timestamp",
    "toolName",
    "__openclaw",
    "provenance",
    "targetId",
    "appendMode",
    "appendParentId",
    "tool_calls",
)
ENTRIES = st.dictionaries(
    st.sampled_from(FIELDS),
    JSON
    | st.sampled_from(["user", "tool", "message", "leaf", "reset", "a", "b", "side", "group"])
    | st.dictionaries(st.sampled_from(FIELDS), JSON | st.just("user"), max_size=4),
    max_size=7,
)


@settings(max_examples=count(80, 300))
@given(entries=st.lists(ENTRIES, max_size=8), format_=st.sampled_from(["jsonl", "openclaw"]))
def test_read_never_raises_on_json_of_any_shape(
    entries: list[dict[str, object]], format_: Format
) -> None:
    data = "\n".join(json.dumps(entry) for entry in entries).encode()
    reading = read(data, "x", format_, SHANGHAI)
    for draft in reading.drafts:
        (draft.content + draft.session + draft.id + draft.speaker).encode("utf-8")
