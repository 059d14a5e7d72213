"""A note in chunks: where they begin and end, and what they know of themselves."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from itertools import pairwise

from loxodon.store import Chunk, FileRole
from loxodon.tokens import estimate
from loxodon.workspace.readers.lines import split_lines
from loxodon.workspace.sources.chunk import OVERLAP, TARGET, chunks
from tests.cases import cases
from tests.each import each
from tests.growth import linear
from tests.long import count

ENGLISH = "We talked about the migration and decided to try it on staging first. "
CHINESE = "我们讨论了数据库迁移的方案，决定先在测试环境里跑一遍。"


def cut(text: str, role: FileRole = "note", path: str = "a.md") -> list[Chunk]:
    lines = split_lines(text.encode("utf-8", "replace"))
    return chunks([line or "" for line in lines.texts], path, role, UTC)


def texts(text: str, role: FileRole = "note") -> list[str]:
    return [chunk.text for chunk in cut(text, role)]


def places(text: str, role: FileRole = "note") -> list[tuple[int, int]]:
    return [(chunk.first_line, chunk.last_line) for chunk in cut(text, role)]


# --- Size -----------------------------------------------------------------------------------------


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


def test_lines_are_exact() -> None:
    lines = [f"line {n} says that {ENGLISH}" for n in range(1, 101)]
    found = cut("\n".join(lines))
    for chunk in found:
        assert chunk.text.splitlines() == [
            line.strip() for line in lines[chunk.first_line - 1 : chunk.last_line]
        ] or chunk.text in "\n".join(lines)
    assert found[0].first_line == 1
    assert found[-1].last_line == 100


@each(("unit", "times"), cases(__file__, "a_line_without_end_is_cut"))
def test_a_line_without_end_is_cut(unit: str, times: int) -> None:
    found = linear(cut, lambda n: f"before\n\n{unit * n}完\n\nafter", times)
    assert all(estimate(chunk.text) <= TARGET for chunk in found)
    assert {chunk.first_line for chunk in found} <= {1, 3, 5}
    assert not any(chunk.text.startswith(("\u0301", "\u200d")) for chunk in found)


def test_code_that_fits_is_not_torn() -> None:
    code = "```python\n" + "x = compute(1, 2, 3)  # a comment\n" * 18 + "```"
    found = texts(f"{ENGLISH * 15}\n\n{code}\n\n{ENGLISH * 15}")
    assert sum(code in text for text in found) == 1
    assert all(text.count("```") % 2 == 0 for text in found)


def test_code_that_does_not_fit_is_cut_at_lines() -> None:
    lines = [f"value_{n} = compute({n}, {n + 1})" for n in range(200)]
    found = texts("```\n" + "\n".join(lines) + "\n```")
    assert len(found) > 3
    assert {line for text in found for line in text.splitlines()} == {"```", *lines}


def test_a_picture_that_is_written_out_is_left_out() -> None:
    assert texts(f"see ![a](data:image/png;base64,{'QUJD' * 100_000}) here") == ["see ![a]() here"]


# --- Structure ------------------------------------------------------------------------------------


def test_headings_are_kept_as_context() -> None:
    found = cut("# A\ntop\n## B\n### C\nx\n## D <!-- importance: 3 -->\n```\n# no heading\n```\n")
    assert [(chunk.heading, chunk.text) for chunk in found] == [
        ("A", "top"),
        ("A > B > C", "x"),
        ("A > D", "```\n# no heading\n```"),
    ]


def test_a_title_alone_is_a_note() -> None:
    (chunk,) = cut("# 2026-02-04\n\n## 15:00 Dentist\n")
    assert (chunk.text, chunk.heading) == ("15:00 Dentist", "2026-02-04")
    assert chunk.at == datetime(2026, 2, 4, 15, tzinfo=UTC)
    assert cut("# Notes\n") == []


def test_a_bullet_of_memory_md_is_a_chunk_with_what_hangs_on_it() -> None:
    note = "# M\n- one\n  goes on\n  - nested\n\n  after a gap\n- two\n* three\n1. four\n\ntext\n"
    assert texts(note, "memory") == [
        "one\ngoes on\n- nested\n\nafter a gap",
        "two",
        "three",
        "four",
        "text",
    ]
    assert places(note, "memory") == [(2, 6), (7, 7), (8, 8), (9, 9), (11, 11)]
    assert texts(note) == [note.removeprefix("# M\n").strip()]


def test_a_long_list_below_a_bullet_is_cut_into_its_bullets() -> None:
    below = "".join(f"  - person {n}: {ENGLISH}\n" for n in range(20))
    found = cut(f"- The team <!-- project: x -->\n{below}", "memory")
    assert len(found) == 21
    assert found[5].heading == "The team"
    assert found[5].text.startswith("person 4: We talked")
    assert (found[5].first_line, found[5].last_line) == (6, 6)
    assert {chunk.project for chunk in found} == {"x"}


def test_what_is_annotated_stands_alone_in_any_note() -> None:
    found = cut(
        "- tea\n- milk\n- W: the office is in Osaka\n- bread\n<!-- importance: 9 -->\n- 钥匙\n"
    )
    assert [(chunk.text, chunk.type, chunk.importance) for chunk in found] == [
        ("- tea\n- milk", "", None),
        ("the office is in Osaka", "world", None),
        ("- bread", "", None),
        ("钥匙", "", 0.9),
    ]


def test_an_annotation_below_a_bullet_belongs_to_it() -> None:
    found = cut("- one\n  <!-- importance: 9 -->\n- two\n", "memory")
    assert [(chunk.text, chunk.importance) for chunk in found] == [("one", 0.9), ("two", None)]


def test_superseded_bullets_are_left_out_with_what_hangs_on_them() -> None:
    over = "<!-- observed: 2026-01-01 | status: superseded -->"
    found = cut(
        f"{over}\n- Berlin\n  - a flat\n  more\n- Osaka\n  {over}\n  - x\n\n- tea {over}\n", "user"
    )
    assert [chunk.text for chunk in found] == ["Osaka"]
    assert texts(f"- a\n  - b {over}\n    - c\n  - d\n- e\n", "user") == ["a\n\n- d", "e"]


# --- Days -----------------------------------------------------------------------------------------


def test_the_day_comes_from_the_line_the_heading_the_front_matter_or_the_name() -> None:
    note = "---\ndate: 2026-01-02\n---\na\n# 2026-03-04\n## 10:30 b\nc\n- 2026-05-06: d\n"
    days = [chunk.at for chunk in cut(note, "memory", "memory/2025-01-01.md")]
    assert days == [
        datetime(2026, 1, 2, tzinfo=UTC),
        datetime(2026, 3, 4, 10, 30, tzinfo=UTC),
        datetime(2026, 5, 6, tzinfo=UTC),
    ]
    (named,) = cut("a", "daily", "memory/2025-01-01-talk.md")
    assert named.at == datetime(2025, 1, 1, tzinfo=UTC)
    (none,) = cut("# 2026-02-31\na")
    assert none.at is None


def test_front_matter_is_not_text() -> None:
    (chunk,) = cut("---\ntitle: 旅行\ntags: [杭州]\n---\n买票")
    assert (chunk.text, chunk.heading, chunk.triggers) == ("买票", "旅行", ("杭州",))


# --- Any text -------------------------------------------------------------------------------------


@each("text", ["", "\n", "\ufeff", "---", "***\n\n___", "```", "- ", "#", "\0"])
def test_nothing_gives_no_chunk(text: str) -> None:
    assert [chunk for chunk in cut(text) if chunk.text.strip("`")] == []


def test_crlf_and_a_byte_order_mark_change_nothing() -> None:
    note = "# A\n\n- one\n- two\n\n```\ncode\n```\n"
    assert cut("\ufeff" + note.replace("\n", "\r\n")) == cut(note)


def test_any_text_is_taken() -> None:
    chance = random.Random(7)
    parts = [
        "- ",
        "  ",
        "\t",
        "# ",
        "```",
        "\n",
        "\n\n",
        "W: ",
        "<!--",
        "-->",
        "trigger: a",
        "词",
        "a. ",
        "🎉",
        "\u202e",
        "\x1b[31m",
        "1. ",
        "---\n",
        "> ",
        "| a |",
        "2026-02-30",
        "[W] ",
    ]
    for _ in range(400):
        note = "".join(chance.choices(parts, k=chance.randrange(80)))
        count = len(note.split("\n"))
        for role in ("memory", "note"):
            for chunk in cut(note, role):
                assert chunk.text == chunk.text.strip()
                assert 1 <= chunk.first_line <= chunk.last_line <= count
                assert "\x1b" not in chunk.text


@each("line", cases(__file__, "time_grows_with_the_length"))
def test_time_grows_with_the_length(line: str) -> None:
    linear(lambda text: cut(text, "memory"), lambda n: line * n, count(8_000, 16_000))
