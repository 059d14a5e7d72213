"""A note in sections, and a section in blocks: a bullet with what hangs on it, code, a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Literal, NamedTuple

from loxodon.errors import InputError
from loxodon.journal.markdown import fence_after, heading_of, read_heading
from loxodon.journal.moments import MIDNIGHT, Clock
from loxodon.notes.annotations import NOTHING, Annotations, FrontMatter, annotated

BULLET = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,9}[.)、])(?:[ \t]+|(?<=、))(?=\S)")
_LONGEST_TITLE = 160


class SourceLine(NamedTuple):
    """A line without what is written about it."""

    number: int
    text: str
    marks: Annotations = NOTHING


class Block(NamedTuple):
    kind: Literal["text", "item", "code"]
    lines: list[SourceLine]
    indent: int = 0

    @property
    def marks(self) -> Annotations:
        """What is said of any of its lines."""
        found = NOTHING
        for line in self.lines:
            found = found.and_(line.marks)
        return found


class Section(NamedTuple):
    """A heading with what stands directly below it."""

    headings: tuple[str, ...]  # the titles above and its own, outermost first
    line: int  # of its heading; 0 for what stands before the first
    level: int
    day: date | None
    clock: Clock
    lines: list[tuple[int, str]]

    def below(self, line: int, level: int, title: str) -> Section:
        """The section that a heading begins, with the day and time that are said there or above."""
        title = title[:_LONGEST_TITLE]
        same = self.headings[-1:] == (title,)
        path = self.headings if same else (*self.headings, title)
        day, clock = self.day, self.clock
        try:
            heading = read_heading(level, title)
            day = heading.day or day
            clock = heading.clock or (MIDNIGHT if heading.day else clock)
        except InputError:  # a day that the calendar does not have
            pass
        return Section(path, line, level, day, clock, [])


def sections(
    lines: Sequence[str], left_out: Iterable[int], front: FrontMatter, day: date | None
) -> list[Section]:
    """The sections of a note in order; `day` is what it is of, where no heading says better."""
    top = Section((front.title,) if front.title else (), 0, 0, day, MIDNIGHT, [])
    path, found = [top], [top]
    fence = ""
    skipped = {*left_out, *range(1, front.lines + 1)}
    for number, text in enumerate(lines, 1):
        if number in skipped:
            continue
        inside = bool(fence)
        fence = fence_after(fence, text)
        level, title = (0, "") if inside or fence else heading_of(text)
        if not level or not title:
            found[-1].lines.append((number, text))
            continue
        while path[-1].level >= level:
            path.pop()
        found.append(path[-1].below(number, level, annotated(title)[0].strip()))
        path.append(found[-1])
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
        indent, last = _indent(raw), found[-1] if found else None
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


def _indent(text: str) -> int:
    """Columns before the first character; a tab counts four."""
    bare = text.lstrip(" \t")
    return sum(4 if c == "\t" else 1 for c in text[: len(text) - len(bare)])


def nested(block: Block) -> tuple[list[SourceLine], list[Block]]:
    """The lines of a bullet itself, and the bullets that hang on it."""
    below = [_indent(line.text) for line in block.lines[1:] if BULLET.match(line.text)]
    own: list[SourceLine] = []
    items: list[Block] = []
    for line in block.lines:
        begins = line is not block.lines[0] and BULLET.match(line.text)
        if begins and _indent(line.text) <= min(below):
            items.append(Block("item", [], min(below)))
        (items[-1].lines if items else own).append(line)
    return own, items


def dedented(lines: Sequence[SourceLine]) -> list[SourceLine]:
    """The lines of a bullet without its sign, and without the room that it takes below."""
    bullet = BULLET.match(lines[0].text) if lines else None
    width = bullet.end() if bullet else 0
    found = []
    for n, line in enumerate(lines):
        blanks = len(line.text) - len(line.text.lstrip(" \t"))
        found.append(line._replace(text=line.text[width if n == 0 else min(width, blanks) :]))
    return found
