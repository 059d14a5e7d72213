"""A section of a note in blocks, a bullet with what hangs on it, code, a text, and what is written
about a line, beside what it says.

    - Deploys on Fridays <!-- trigger: deploy, ship --> <!-- importance: 9 --> <!-- project: x -->

    <!-- observed: 2026-02-04 | status: superseded -->
    - Lives in Berlin

Annotations are taken out of the text. Other comments are their author's words and stay. Simple
front matter says the same of a whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Literal, NamedTuple

from loxodon.journal.markdown import fence_after, front_fields
from loxodon.journal.moments import day_at_start

BULLET = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,9}[.)、])(?:[ \t]+|(?<=、))(?=\S)")
_MOST_TRIGGERS = 32
_LONGEST = 200  # characters of a trigger, a title or the name of a project
_KEYS = {
    "trigger": "trigger triggers 触发 触发词",
    "importance": "importance 重要性 重要度",
    "project": "project 项目",
    "observed": "observed 观察 观察于",
    "status": "status 状态",
}
_NAMES = {key: name for name, keys in _KEYS.items() for key in keys.split()}
_OVER = frozenset({"superseded", "retracted", "已取代", "被取代", "已失效", "失效"})
_COMMENT = re.compile(r"<!--((?:(?!-->|<!--).)*)-->")  # many that never end take no time


class Annotations(NamedTuple):
    triggers: tuple[str, ...] = ()
    importance: float | None = None
    project: str = ""
    observed: date | None = None
    superseded: bool = False

    def and_(self, other: Annotations) -> Annotations:
        """Both; where they differ, the greater importance and what was said first."""
        if self == NOTHING or other == NOTHING:  # nearly always
            return other if self == NOTHING else self
        importances = [i for i in (self.importance, other.importance) if i is not None]
        return Annotations(
            tuple(dict.fromkeys((*self.triggers, *other.triggers)))[:_MOST_TRIGGERS],
            max(importances, default=None),
            self.project or other.project,
            self.observed or other.observed,
            self.superseded or other.superseded,
        )


NOTHING = Annotations()


def annotated(line: str) -> tuple[str, Annotations]:
    if "<!--" not in line:
        return line, NOTHING
    marks, left = NOTHING, line
    for comment in _COMMENT.finditer(line):
        if (said := _read(comment[1])) is not None:
            marks, left = marks.and_(said), left.replace(comment[0], "", 1)
    return (line if left == line else left.rstrip()), marks


def _read(comment: str) -> Annotations | None:
    """What a comment says; None for one that is no annotation."""
    found: dict[str, str] = {}
    for part in comment.split("|"):
        key, colon, value = part.replace("：", ":", 1).partition(":")
        if colon and (name := _NAMES.get(key.strip().lower())):
            found.setdefault(name, value.strip())
    if not found:
        return None
    return Annotations(
        _names(found.get("trigger", ""), ",;，；、"),
        _importance(found.get("importance", "")),
        next(iter(_names(found.get("project", ""), ";；")), ""),
        day_at_start(found.get("observed", "")),
        found.get("status", "").lower() in _OVER,
    )


def _names(value: str, separators: str) -> tuple[str, ...]:
    parts = re.split(f"[{separators}]", value)
    return tuple(dict.fromkeys(p.strip()[:_LONGEST] for p in parts if p.strip()))[:_MOST_TRIGGERS]


def _importance(value: str) -> float | None:
    """1 to 10, as OpenClaw has it, or a share; None for anything else."""
    value = value.removesuffix("/10").strip()
    if not re.fullmatch(r"\d{1,2}(?:\.\d{1,6})?", value):
        return None
    number = float(value)
    if "." not in value or number > 1:
        number /= 10
    return number if number <= 1 else None


class FrontMatter(NamedTuple):
    lines: int = 0
    day: date | None = None
    title: str = ""
    marks: Annotations = NOTHING


def front_matter(lines: Sequence[str]) -> FrontMatter:
    """What simple front matter says by `date`, `title`, `tags` and `project`."""
    count, found = front_fields(lines)
    tags = (tag.strip("[]\"'# ") for tag in _names(found.get("tags", ""), ",，、"))
    marks = Annotations(tuple(tags), project=found.get("project", "")[:_LONGEST])
    day = next((found[key] for key in ("date", "created", "day") if key in found), "")
    return FrontMatter(count, day_at_start(day), found.get("title", "")[:_LONGEST], marks)


# Blocks


class SourceLine(NamedTuple):
    number: int
    text: str
    marks: Annotations = NOTHING


class Block(NamedTuple):
    kind: Literal["text", "item", "code"]
    lines: list[SourceLine]
    indent: int = 0

    @property
    def marks(self) -> Annotations:
        found = NOTHING
        for line in self.lines:
            found = found.and_(line.marks)
        return found


def blocks(lines: Iterable[tuple[int, str]]) -> list[Block]:
    """The blocks of a section, without bullets that were superseded and what hangs on them."""
    found: list[Block] = []
    fence, gap, skipped = "", True, -1
    before = NOTHING  # annotations on a line of their own, for what comes next
    for number, raw in lines:
        inside = bool(fence)
        fence = fence_after(fence, raw)
        code = inside or bool(fence)
        text, marks = (raw, NOTHING) if code else annotated(raw)
        blanks, last = raw[: len(raw) - len(raw.lstrip(" \t"))], found[-1] if found else None
        indent = len(blanks) + 3 * blanks.count("\t")  # a tab counts four
        in_item = last is not None and last.kind == "item"
        hangs = last is not None and in_item and indent > last.indent
        if not code and not text.strip():
            if marks == NOTHING:
                gap = True
            elif last and last.lines and hangs and not (marks.observed or marks.superseded):
                one = last.lines[-1]
                last.lines[-1] = one._replace(marks=one.marks.and_(marks))
            else:
                before = before.and_(marks)
            continue
        bullet = not code and BULLET.match(text) is not None
        if inside or (code and hangs):
            goes_on = last is not None
        elif bullet or code:
            goes_on = bullet and hangs
        else:
            goes_on = last is not None and last.kind != "code" and (not gap or hangs)
        gap = False
        if bullet or not goes_on:
            marks, before = before.and_(marks), NOTHING
            if skipped < 0 or not goes_on or indent <= skipped:
                skipped = indent if bullet and marks.superseded else -1
        if not goes_on or last is None:
            last = Block("code" if code else "item" if bullet else "text", [], indent)
            found.append(last)
        if skipped < 0:
            last.lines.append(SourceLine(number, text, marks))
    return [block for block in found if block.lines]


def dedented(lines: Sequence[SourceLine]) -> list[SourceLine]:
    """The lines of a bullet without its sign, and without the room that it takes below."""
    bullet = BULLET.match(lines[0].text) if lines else None
    width = bullet.end() if bullet else 0
    found = []
    for n, line in enumerate(lines):
        blanks = len(line.text) - len(line.text.lstrip(" \t"))
        found.append(line._replace(text=line.text[width if n == 0 else min(width, blanks) :]))
    return found
