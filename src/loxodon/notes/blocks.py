"""A section of a note in blocks: a bullet with what hangs on it, code, a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from loxodon.journal.markdown import fence_after
from loxodon.notes.annotations import NOTHING, Annotations, annotated

BULLET = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,9}[.)、])(?:[ \t]+|(?<=、))(?=\S)")


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
