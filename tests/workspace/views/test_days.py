from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.errors import InputError
from loxodon.store.primary import Row
from loxodon.workspace.views import comment
from loxodon.workspace.views.days import parse, part_of, views
from tests.each import each

NAME = "daily/2026-02-04.md"


def whole(*parts: str) -> str:
    return "\n\n".join([comment(NAME, "main"), "# 2026-02-04", *parts]) + "\n"


def a_row(content: str, session: str = "monday", speaker: str = "") -> Row:
    at = 1_770_172_200_007
    key = b"k" * 16
    return (3, session, "m3", key, "user", speaker, "", "direct", "user", at, 480, content, "")


def test_a_day_reads_well(memory: Memory) -> None:
    said = [
        {"role": "user", "content": "hello\nthere", "speaker": "Ada", "at": "2026-02-04T09:00:00Z"},
        {"role": "assistant", "content": "good morning", "at": "2026-02-04T16:10:00+08:00"},
        {"role": "user", "content": "much later", "at": "2026-02-05T01:00:00+08:00"},
    ]
    memory.add(said, session="monday")
    store = memory.workspace.store
    first, second = (one.make() for one in views(store, None, {}))
    assert (first.name, second.name) == (NAME, "daily/2026-02-05.md")
    lines = first.text.splitlines()
    assert lines[2] == "# 2026-02-04"
    assert lines[4].startswith('## 16:10:00 assistant · monday <!-- {"ref": "t_2"')
    assert lines[8].startswith("## 09:00:00 Ada · monday <!-- ")
    assert lines[9:] == ["", "> hello", "> there"]
    rows = [row for view in (first, second) for _, row in parse(view.name, view.text).rows]
    assert sorted(rows) == sorted(store.primary.dump("turns"))


@given(st.text(max_size=200), st.text(min_size=1, max_size=40), st.text(max_size=40))
def test_any_turn_is_exact(content: str, session: str, speaker: str) -> None:
    rows = [a_row(content, session.replace("\0", ""), speaker.replace("\0", ""))] * 2
    text = whole(*map(part_of, rows))
    parsed = parse(NAME, text)
    assert parsed.troubles == ()
    assert [row for _, row in parsed.rows] == rows


@each(
    "content",
    ["## 10:00 a · b <!-- {} -->", "> quoted\n\n>", "a\r\nb\r", "-->\n<!--", "# x\n---\n", "\n\n"],
)
def test_no_content_is_taken_for_anything_else(content: str) -> None:
    row = a_row(content, session="s <!-- { --> x", speaker="<!-- -->")
    ((line, found),) = parse(NAME, whole(part_of(row))).rows
    assert (line, found) == (5, row)


def test_an_editor_may_end_lines_its_own_way() -> None:
    text = whole(part_of(a_row("one\ntwo"))).replace("\n", "\r\n")
    assert parse(NAME, text).rows[0][1] == a_row("one\ntwo")


def test_what_cannot_be_read_is_named() -> None:
    good = part_of(a_row("good"))
    heading, _, _ = good.partition("\n")
    text = whole(
        good,
        "## no comment",
        "## x <!-- {bad} -->",
        f"{heading}\n\nnot quoted",
        heading,
        heading.replace("user", "king"),
        heading.replace('"ref": "t_3", ', ""),
        heading.replace("2026", "next year"),
    )
    parsed = parse(NAME, text)
    assert len(parsed.rows) == 1
    assert [str(error) for _, error in parsed.troubles] == [
        "the comment in the heading of a turn is missing",
        "it is not JSON",
        "a line of a message does not start with >",
        "a turn is empty",
        "role: it is not one of user, assistant, system, tool",
        "ref is missing",
        "at: it is not a time such as 2026-02-04T10:30:00Z",
    ]
    with pytest.raises(InputError, match="is not marked"):
        parse(NAME, "# my own notes\n")


@given(st.text(max_size=300))
def test_any_text_is_read_without_a_crash(text: str) -> None:
    parse(NAME, whole(text))
