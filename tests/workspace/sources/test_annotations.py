"""What is written about a line is understood, and taken out of it."""

from __future__ import annotations

from datetime import date

import pytest

from loxodon.workspace.sources.annotations import (
    NOTHING,
    Annotations,
    annotated,
    front_matter,
    prefixes_of,
)
from tests.cases import cases
from tests.each import each


def test_annotations_at_the_end_of_a_line_are_read_and_taken_out() -> None:
    line = "- On Fridays <!-- trigger: deploy, 发布 --> <!-- importance: 9 --> <!--project: x-->"
    text, marks = annotated(line)
    assert text == "- On Fridays"
    assert marks == Annotations(("deploy", "发布"), 0.9, "x")


def test_several_may_stand_in_one_comment_and_in_chinese() -> None:
    text, marks = annotated("- 周五部署 <!-- 触发词：部署、上线 | 重要性: 0.8 | 项目：甲 -->")
    assert text == "- 周五部署"
    assert marks == Annotations(("部署", "上线"), 0.8, "甲")


def test_observed_and_status() -> None:
    text, marks = annotated("<!-- observed: 2026-02-04 | status: superseded -->")
    assert (text, marks.observed, marks.superseded) == ("", date(2026, 2, 4), True)
    assert not annotated("<!-- observed: 2026-02-04 | status: active -->")[1].superseded
    assert annotated("<!-- observed: 2026-02-31 -->")[1].observed is None


@each("line", cases(__file__, "other_comments_are_the_authors_words"))
def test_other_comments_are_the_authors_words(line: str) -> None:
    assert annotated(line) == (line, NOTHING)


@each(("value", "importance"), cases(__file__, "importance_is_of_ten_or_a_share"))
def test_importance_is_of_ten_or_a_share(value: str, importance: float | None) -> None:
    assert annotated(f"- x <!-- importance: {value} -->")[1].importance == importance


def test_many_comments_on_a_line_take_no_longer_than_they_are_long() -> None:
    text, _ = annotated("<!--" * 200_000 + "x")
    assert len(text) == 800_001
    assert annotated("<!-- a -->" * 100_000)[0].count("a") == 100_000
    assert annotated("<!-- trigger: a -->" * 50_000) == ("", Annotations(("a",)))


# --- Types ----------------------------------------------------------------------------------------


def types(*lines: str) -> list[tuple[str, str]]:
    prefixes = prefixes_of(lines)
    return [prefixes.read(line) for line in lines]


@each("line", cases(__file__, "a_marked_letter_is_a_type"))
def test_a_marked_letter_is_a_type(line: str) -> None:
    ((text, kind),) = types(line)
    assert kind == "world"
    assert text.lstrip("-* ") == "it rains"


def test_the_three_types() -> None:
    assert types("- W: a", "- B: b", "- O(c=0.95): c", "- d") == [
        ("- a", "world"),
        ("- b", "experience"),
        ("- c", "opinion"),
        ("- d", ""),
    ]


def test_a_bare_letter_is_one_where_most_bullets_have_it() -> None:
    assert types("- W 办公室在大阪", "- O 他喜欢简短") == [
        ("- 办公室在大阪", "world"),
        ("- 他喜欢简短", "opinion"),
    ]
    assert types("- W @Peter: in Marrakech", "- tea", "- milk")[0] == (
        "- @Peter: in Marrakech",
        "world",
    )


@each("lines", cases(__file__, "ordinary_words_are_left_alone"))  # TUPLES
def test_ordinary_words_are_left_alone(lines: tuple[str, ...]) -> None:
    assert types(*lines) == [(line, "") for line in lines]


def test_a_ticked_box_does_not_hide_the_types_beside_it() -> None:
    assert types("- [X] done", "- [O] 茶好喝")[1] == ("- 茶好喝", "opinion")


# --- Front matter ---------------------------------------------------------------------------------


def test_simple_front_matter() -> None:
    found = front_matter(
        [
            "---",
            "title: '旅行'",
            "date: 2026-05-01",
            'tags: [杭州, "trip"]',
            "project: x",
            "---",
            "a",
        ]
    )
    assert (found.lines, found.title, found.day) == (6, "旅行", date(2026, 5, 1))
    assert found.marks == Annotations(("杭州", "trip"), None, "x")


def test_tags_one_a_line() -> None:
    found = front_matter(["---", "tags:", "  - a", "  - '#b'", "other: [", "---"])
    assert found.marks.triggers == ("a", "b")


@pytest.mark.parametrize("lines", [[], ["---"], ["---", "a", "b"], ["a", "---", "b", "---"]])
def test_what_is_no_front_matter(lines: list[str]) -> None:
    assert front_matter(lines).lines == 0
