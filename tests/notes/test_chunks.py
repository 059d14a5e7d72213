"""A note in chunks: where they begin and end, and what they know of themselves."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from loxodon import Memory
from loxodon.tokens import estimate
from tests.cases import cases
from tests.each import each
from tests.notes.noted import cut

ENGLISH = "We talked about the migration and decided to try it on staging first. "
CHINESE = "我们讨论了数据库迁移的方案，决定先在测试环境里跑一遍。"
# Tokens of a chunk, and those that it shares with the one before, at most
TARGET, OVERLAP = 400, 80


def texts(text: str, role: str = "note") -> list[str]:
    return [chunk.text for chunk in cut(text, role)]


def only(text: str, role: str = "note") -> Any:
    (chunk,) = cut(text, role)
    return chunk


# -- size ----------------------------------------------------------------------------------------


@each("sentence", [ENGLISH, CHINESE])
@each("end", ["", "\n", "\n\n", "\r\n"])
def test_long_text_is_cut_at_sentences_with_an_overlap(sentence: str, end: str) -> None:
    found = texts("".join(f"{n}{sentence}{end}" for n in range(120)))
    assert len(found) > 4
    assert all(estimate(text) <= TARGET for text in found)
    assert all(estimate(text) > TARGET / 2 for text in found[:-1])
    assert all(text.lstrip("0123456789").startswith(sentence.strip()) for text in found)
    for before, after in pairwise(found):
        shared = next(n for n in range(len(before)) if after.startswith(before[n:]))
        assert 0 < estimate(before[shared:]) <= OVERLAP


@each(("unit", "times"), cases(__file__, "endless"))
def test_line_without_end_is_cut(unit: str, times: int) -> None:
    found = cut(f"before\n\n{unit * times}完\n\nafter")
    assert all(estimate(chunk.text) <= TARGET for chunk in found)
    assert {chunk.first_line for chunk in found} <= {1, 3, 5}
    assert not any(chunk.text.startswith(("\u0301", "\u200d")) for chunk in found)


def test_code_is_cut_only_where_it_does_not_fit() -> None:
    code = "```python\n" + "x = compute(1, 2, 3)  # a comment\n" * 18 + "```"
    found = texts(f"{ENGLISH * 15}\n\n{code}\n\n{ENGLISH * 15}")
    assert sum(code in text for text in found) == 1
    assert all(text.count("```") % 2 == 0 for text in found)
    lines = [f"value_{n} = compute({n}, {n + 1})" for n in range(200)]
    found = texts("```\n" + "\n".join(lines) + "\n```")
    assert len(found) > 3
    assert {line for text in found for line in text.splitlines()} == {"```", *lines}


def test_picture_that_is_written_out_is_left_out() -> None:
    assert texts(f"see ![a](data:image/png;base64,{'QUJD' * 100_000}) here") == ["see ![a]() here"]


# -- structure -----------------------------------------------------------------------------------


def test_headings_are_kept_as_context() -> None:
    found = cut("# A\ntop\n## B\n### C\nx\n## D <!-- importance: 3 -->\n```\n# no heading\n```\n")
    assert [(chunk.heading, chunk.text) for chunk in found] == [
        ("A", "top"),
        ("A > B > C", "x"),
        ("A > D", "```\n# no heading\n```"),
    ]
    chunk = only("# 2026-02-04\n\n## 15:00 Dentist\n")
    assert (chunk.text, chunk.heading) == ("15:00 Dentist", "2026-02-04")
    assert chunk.at == datetime(2026, 2, 4, 15, tzinfo=UTC)
    assert cut("# Notes\n") == []


def test_bullet_of_memory_md_is_a_chunk_with_what_hangs_on_it() -> None:
    note = "# M\n- one\n  goes on\n  - nested\n\n  after a gap\n- two\n* three\n1. four\n\ntext\n"
    assert [(one.text, one.first_line, one.last_line) for one in cut(note, "memory")] == [
        ("one\ngoes on\n- nested\n\nafter a gap", 2, 6),
        ("two", 7, 7),
        ("three", 8, 8),
        ("four", 9, 9),
        ("text", 11, 11),
    ]
    assert texts(note) == [note.removeprefix("# M\n").strip()]


def test_superseded_bullets_are_left_out_with_what_hangs_on_them() -> None:
    over = "<!-- observed: 2026-01-01 | status: superseded -->"
    note = f"{over}\n- Berlin\n  - a flat\n  more\n- Osaka\n  {over}\n  - x\n\n- tea {over}\n"
    assert texts(note, "user") == ["Osaka"]
    assert texts(f"- a\n  - b {over}\n    - c\n  - d\n- e\n", "user") == ["a\n\n- d", "e"]
    assert texts(f"- a {over.replace('superseded', 'active')}\n", "user") == ["a"]


# -- annotations ---------------------------------------------------------------------------------


@each(
    ("line", "text", "triggers", "importance", "project"),
    [
        (
            "- On Fridays <!-- trigger: deploy, 发布 --> <!-- importance: 9 --> <!--project: x-->",
            "On Fridays",
            ("deploy", "发布"),
            0.9,
            "x",
        ),
        (
            "- 周五部署 <!-- 触发词：部署、上线 | 重要性: 0.8 | 项目：甲 -->",
            "周五部署",
            ("部署", "上线"),
            0.8,
            "甲",
        ),
        ("- x" + " <!-- trigger: a -->" * 5_000, "x", ("a",), None, ""),
    ],
)
def test_annotations_are_read_and_taken_out(
    line: str, text: str, triggers: tuple[str, ...], importance: float | None, project: str
) -> None:
    chunk = only(line)
    assert (chunk.text, chunk.triggers) == (text, triggers)
    assert (chunk.importance, chunk.project) == (importance, project)


@each("line", cases(__file__, "comments"))
def test_other_comments_are_the_authors_words(line: str) -> None:
    chunk = only(line)
    assert (chunk.text, chunk.triggers, chunk.importance) == (line, (), None)


@each(("value", "importance"), cases(__file__, "importance"))
def test_importance_is_of_ten_or_a_share(value: str, importance: float | None) -> None:
    assert only(f"- x <!-- importance: {value} -->").importance == importance


def test_what_is_annotated_stands_alone_in_any_note() -> None:
    note = "- tea\n- milk\n<!-- importance: 9 -->\n- 钥匙\n"
    assert [(chunk.text, chunk.importance) for chunk in cut(note)] == [
        ("- tea\n- milk", None),
        ("钥匙", 0.9),
    ]
    below = cut("- one\n  <!-- importance: 9 -->\n- two\n", "memory")
    assert [(chunk.text, chunk.importance) for chunk in below] == [("one", 0.9), ("two", None)]


def test_front_matter_is_not_text() -> None:
    note = "---\ntitle: '旅行'\ndate: 2026-05-01\ntags: [杭州, \"trip\"]\nproject: x\n---\n买票"
    chunk = only(note)
    assert (chunk.text, chunk.heading, chunk.triggers) == ("买票", "旅行", ("杭州", "trip"))
    assert (chunk.project, chunk.at) == ("x", datetime(2026, 5, 1, tzinfo=UTC))
    assert only("---\ntags:\n  - a\n  - '#b'\nother: [\n---\nx").triggers == ("a", "b")
    for text in ("---\na\nb", "a\n---\nb\n---"):
        assert only(text).text.startswith(text[:4])


def test_day_comes_from_the_line_the_heading_the_front_matter_or_the_name() -> None:
    note = "---\ndate: 2026-01-02\n---\na\n# 2026-03-04\n## 10:30 b\nc\n- 2026-05-06: d\n"
    assert [chunk.at for chunk in cut(note, "memory")] == [
        datetime(2026, 1, 2, tzinfo=UTC),
        datetime(2026, 3, 4, 10, 30, tzinfo=UTC),
        datetime(2026, 5, 6, tzinfo=UTC),
    ]
    (named,) = cut("a", path="memory/2025-01-01-talk.md")
    assert named.at == datetime(2025, 1, 1, tzinfo=UTC)
    assert only("# 2026-02-31\na").at is None


# -- what somebody else wrote --------------------------------------------------------------------


@each(("text", "kept", "role"), cases(__file__, "what_programs_wrote_is_left_out"))
def test_what_programs_wrote_is_left_out(text: str, kept: str, role: str) -> None:
    assert " ".join(texts(text, role)).split() == kept.split()


@pytest.mark.parametrize("question", ["What about the zebra?", "斑马在哪里？"])
def test_recalled_block_in_a_note_is_left_out(memory: Memory, question: str) -> None:
    memory.capture("the zebra\n斑马在第二行")
    block = memory.recall(question).context
    assert "斑马" in block
    for lead in ("", "> "):
        quoted = "\n".join(lead + line for line in block.split("\n"))
        assert " ".join(texts(f"before\n{quoted}\nafter")).split() == ["before", "after"]


# -- any text ------------------------------------------------------------------------------------


def test_crlf_and_a_byte_order_mark_change_nothing() -> None:
    note = "# A\n\n- one\n- two\n\n```\ncode\n```\n"
    assert cut("\ufeff" + note.replace("\n", "\r\n")) == cut(note)
