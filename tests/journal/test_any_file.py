"""Any file: which format it has, which bytes are taken, and that no file makes `add` fail."""

from __future__ import annotations

from tests.cases import cases
from tests.each import each
from tests.journal.added import add

FORMATS = ("jsonl", "openclaw", "claude-code", "codex", "gemini-cli", "markdown", "chat")
HELLO = '{"role": "user", "content": "你好，我喜欢火锅 🍲"}'
REPLY = '{"role": "assistant", "content": "Noted."}'
BOTH = ["你好，我喜欢火锅 🍲", "Noted."]


@each(("data", "name", "texts"), cases(__file__, "formats"))
def test_the_format_is_told_by_content_then_by_name(data: str, name: str, texts: list[str]) -> None:
    assert add(data, name=name).texts == texts


def test_given_format_wins() -> None:
    data = "# 2026-02-18\nAlice: hi\n"
    assert add(data, name="x.md").texts == ["Alice: hi"]
    assert add(data, name="x.md", format="chat").turns[-1].speaker == "Alice"


@each("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@each("end", ["\n", "\r\n"])
def test_encodings_and_line_ends(encoding: str, end: str) -> None:
    found = add((HELLO + end + REPLY + end).encode(encoding), name="x.jsonl")
    assert (found.texts, found.problems) == (BOTH, [])


@each("end", [b"\n", b"\r\n"])
def test_only_the_line_that_is_not_utf_8_is_a_problem(end: bytes) -> None:
    data = end.join([HELLO.encode(), HELLO.encode("gb18030"), REPLY.encode()])
    found = add(data, name="x.jsonl")
    assert (found.texts, found.lines) == (BOTH, [2])
    assert "not UTF-8" in found.problems[0][1]


@each("format", ["jsonl", "openclaw", "markdown", "chat"])
def test_nul_and_binary_are_problems(format: str) -> None:
    told = (1, "the text contains a NUL character")
    assert told in add(b"Alice: a\0b\nBob: hello\n", name="x", format=format).problems
    picture = add(bytes(range(256)) * 4000, name="x.png", format=format)
    assert picture.turns == []
    assert picture.problems == [(1, "4001 of the 4001 lines are not UTF-8 text")]


def test_line_that_is_too_long_is_left_out() -> None:
    long = b'{"role":"user","content":"' + b"a" * (16 << 20) + b'"}\n'
    found = add(long + HELLO.encode(), name="x.jsonl")
    assert found.texts == BOTH[:1]
    assert found.problems == [(1, "the text is 16.0 MiB long; the limit is 16 MiB")]
    wide = '{"role":"user","content":"' + "火" * ((16 << 20) // 3) + '"}'
    assert "MiB long" in add(wide, name="x.jsonl").problems[0][1]  # in bytes


@each(("format", "before", "after"), cases(__file__, "text_that_is_too_long_is_a_problem"))
def test_text_that_is_too_long_is_a_problem(format: str, before: str, after: str) -> None:
    found = add(before + "a" * ((4 << 20) + 1) + after, name="x", format=format)
    assert not found.turns
    assert "the limit is 4 MiB" in found.problems[0][1]


@each("data", [b"", b"\n", b"\xef\xbb\xbf", b"\xff\xfe", b" \r\n\t\n"])
def test_empty_file_has_no_turns_and_no_problems(data: bytes) -> None:
    for format in ("", *FORMATS):
        found = add(data, name="x", format=format)
        assert (found.turns, found.problems) == ([], [])
