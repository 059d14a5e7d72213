"""Entries: what was written is read back exactly, and what a person writes is understood."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loxodon.types import Record, Source
from loxodon.workspace.views import comment, insights, projects
from loxodon.workspace.views.entries import (
    ListEntry,
    bullet_lines,
    entry_lines,
    escaped,
    items_of,
    joined,
    list_text,
    state_of,
    unescaped,
    value_of,
    value_text,
)
from tests.cases import cases
from tests.clock import NOW
from tests.each import each
from tests.growth import linear

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
TRICKY = st.text(
    st.sampled_from(list("*`\\[]-#& \t\n\r:vx;1fbs_<>!|\u2028\x85\ufeff")), min_size=1, max_size=30
)
CONTENT = st.one_of(TEXT, TRICKY).filter(str.strip)


def record(content: str, **fields: object) -> Record:
    return Record(
        id="f_20260204_001",
        space="main",
        kind="fact",
        content=content,
        created_at=NOW,
        updated_at=NOW,
        strength=0.5,
        sources=(Source(session="a`b", turn="m3"),),
        **fields,  # type: ignore[arg-type]
    )


def as_file(*blocks: list[str]) -> str:
    return joined([[comment("insights.md", "main")], ["# x"], ["## Active facts"], *blocks])


def only(text: str, short: bool = False) -> ListEntry:
    found = projects.parse("x.md", text) if short else insights.parse("x.md", text)
    assert not found.problems
    (entry,) = found.entries
    return entry


@each("content", cases(__file__, "content_that_looks_like_something_else_comes_back_content"))
@each("short", [False, True])
def test_content_that_looks_like_something_else_comes_back(content: str, short: bool) -> None:
    one = record(content)
    lines = bullet_lines(one, plan=False) if short else entry_lines(one, "en")
    entry = only(as_file(lines), short=short)
    assert (entry.id, entry.content) == (one.id, content)


@given(CONTENT, st.booleans(), st.booleans())
@example("x", True, True)
def test_any_content_comes_back_whatever_the_editor(content: str, plan: bool, short: bool) -> None:
    one = record(content, done=False)
    lines = bullet_lines(one, plan=plan) if short else entry_lines(one, "zh")
    text = as_file(lines)
    # Editors cut space at the ends of lines, and some end them with CR LF.
    for kept in (
        text,
        "\n".join(line.rstrip() for line in text.split("\n")),
        text.replace("\n", "\r\n"),
        "\ufeff" + text,
    ):
        assert only(kept, short=short).content == content


@given(st.lists(TEXT | TRICKY, max_size=4), TEXT | TRICKY)
def test_any_tags_and_project_come_back(tags: list[str], project: str) -> None:
    tags = list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
    one = record("x", tags=tuple(tags), project=project, importance=1 / 3)
    entry = only(as_file(entry_lines(one, "en")))
    assert (entry.tags or ()) == one.tags
    assert entry.project == (project if project != "_global" else None)
    assert entry.importance == one.importance
    assert entry.version == 1


@given(st.lists(TEXT | TRICKY))
def test_a_list_comes_back_exactly(values: list[str]) -> None:
    assert items_of(list_text(values)) == values


@given(st.text())
def test_a_text_and_a_value_come_back_exactly(text: str) -> None:
    if not any("\ud800" <= c <= "\udfff" for c in text):
        assert unescaped(escaped(text)) == text
        assert value_of(value_text(text)) == text


def test_the_label_says_what_it_is_about() -> None:
    assert entry_lines(record("x", subject="user", category="preference"), "zh")[0].startswith(
        "- [f_20260204_001] **用户 · 偏好**: x"
    )
    assert "**Health**: x" in entry_lines(record("x", category="health"), "en")[0]
    assert "**健康**: x" in entry_lines(record("x", category="health"), "zh")[0]
    assert "**a b**" in entry_lines(record("x", topic="a*\n*`b`"), "en")[0]


def test_what_a_person_writes_is_understood() -> None:
    text = """# whatever

## 活跃事实

- 我养了一只猫
- **Tea**: likes it green,
  and hot
  `tags: [tea，绿茶, "a, b"]` `importance: 0.9`
* [f_20260204_001] edited
lazily continued
+ [f_20260204_002] **Label**: words
    - nested

  after an empty line

## 归档事实（旧）
- [f_20260204_003] old `not: meta`
"""
    found = insights.parse("insights.md", text)
    assert not found.problems
    cat, tea, edited, nested, old = found.entries
    assert (cat.id, cat.content, cat.tags, cat.line) == ("", "我养了一只猫", None, 5)
    assert tea.content == "Tea: likes it green,\nand hot"
    assert tea.tags == ("tea", "绿茶", "a, b")
    assert tea.importance == 0.9
    assert edited.content == "edited\nlazily continued"
    assert (nested.id, nested.content) == (
        "f_20260204_002",
        "words\n  - nested\n\nafter an empty line",
    )
    assert [state_of(entry) for entry in found.entries] == ["active"] * 4 + ["archived"]
    assert old.content == "old `not: meta`"


def test_nonsense_is_reported_with_its_line_and_the_rest_is_taken() -> None:
    text = """<!-- loxodon view: insights.md · space: "main" · version: 1 -->
## Active facts
- [f_20260204_001] good
  `importance: banana` `tags: [a` `v2`

a stray paragraph
- [f_20260204_002] **Label**:
-
- [f_2026_2] mangled
| a table | is fine |
"""
    found = insights.parse("insights.md", text)
    (good,) = found.entries
    assert (good.content, good.importance, good.tags, good.version) == ("good", None, None, 2)
    assert sorted(problem.line for problem in found.problems) == [4, 4, 6, 7, 8, 9]
    assert found.marker is not None


def test_a_box_that_is_ticked_is_read() -> None:
    plan = record("write it", category="plan", done=False, due_at=NOW, project="p")
    lines = bullet_lines(plan, plan=True)
    assert lines == ["- [ ] [f_20260204_001] write it", "  `due: 2026-02-04`"]
    done = projects.parse("projects.md", "## p\n" + "\n".join(lines).replace("[ ]", "[x]"))
    (entry,) = done.entries
    assert (entry.done, entry.section, entry.content) == (True, "p", "write it")


@given(st.text(max_size=200) | TRICKY)
def test_any_text_can_be_parsed(text: str) -> None:
    insights.parse("insights.md", text)
    projects.parse("projects.md", text)


@pytest.mark.parametrize(
    "piece",
    ["- [f_20260204_001] a\n", "`v1` ", "- **a", "&amp;", "[", "\\", "  x\n\n", "`tags: [a,"],
)
def test_a_megabyte_takes_no_longer_than_its_size(piece: str) -> None:
    linear(
        lambda text: insights.parse("insights.md", text),
        lambda n: "- " + piece * n,
        1_000_000 // len(piece),
    )
