"""A note in sections, and a section in blocks: a bullet with what hangs on it, code, a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Literal, NamedTuple

from loxodon.errors import InputError
from loxodon.journal.markdown import fence_after, heading_of, read_heading
from loxodon.journal.moments import MIDNIGHT, Clock
from loxodon.notes.annotations import (
    NOTHING,
    Annotations,
    FrontMatter,
    Prefixes,
    annotated,
    prefixes_of,
)

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
            if line.marks is not NOTHING:
                found = found.and_(line.marks)
        return found


class Section(NamedTuple):
    """A heading with what stands directly below it."""

    headings: tuple[str, ...]
    """The titles above and its own, outermost first."""
    line: int
    """Of its heading; 0 for what stands before the first."""
    level: int
    day: date | None
    clock: Clock
    blocks: list[Block]
    emptied: bool
    """Whether something below it is not its author's, and was left out."""


class _Raw:
    """A section while it is being read."""

    def __init__(self, headings: tuple[str, ...], line: int, level: int) -> None:
        self.headings = headings
        self.line = line
        self.level = level
        self.day: date | None = None
        self.clock = MIDNIGHT
        self.body: list[tuple[int, str]] = []
        self.emptied = False


def sections(
    lines: Sequence[str], left_out: set[int], front: FrontMatter, day: date | None
) -> list[Section]:
    """The sections of a note in order; `day` is what it is of, where no heading says better."""
    top = _Raw((front.title,) if front.title else (), 0, 0)
    top.day = day
    path, found = [top], [top]
    fence = ""
    for number, text in enumerate(lines, 1):
        if number <= front.lines:
            continue
        if number in left_out:
            found[-1].emptied = True
            continue
        inside = bool(fence)
        fence = fence_after(fence, text)
        level, title = (0, "") if inside or fence else heading_of(text)
        if not level or not title:
            found[-1].body.append((number, text))
            continue
        while path[-1].level >= level:
            path.pop()
        found.append(_below(path[-1], number, level, annotated(title)[0].strip()))
        path.append(found[-1])
    return [
        Section(
            raw.headings, raw.line, raw.level, raw.day, raw.clock, blocks(raw.body), raw.emptied
        )
        for raw in found
    ]


def _below(above: _Raw, line: int, level: int, title: str) -> _Raw:
    """The section that a heading begins, with the day and time that are said there or above."""
    title = title[:_LONGEST_TITLE]
    same = above.headings[-1:] == (title,)
    section = _Raw(above.headings if same else (*above.headings, title), line, level)
    try:
        heading = read_heading(level, title)
    except InputError:  # a day that the calendar does not have
        section.day, section.clock = above.day, above.clock
        return section
    section.day = heading.day or above.day
    section.clock = heading.clock or (MIDNIGHT if heading.day else above.clock)
    return section


def blocks(body: Sequence[tuple[int, str]]) -> list[Block]:
    """The blocks of a section, without those that were superseded."""
    reader = _Blocks(prefixes_of(text for _, text in body))
    fence = ""
    for number, text in body:
        inside = bool(fence)
        fence = fence_after(fence, text)
        if inside or fence:
            reader.code(number, text, opens=not inside)
        else:
            reader.line(number, text)
    return [block for block in reader.found if block.lines]


class _Blocks:
    """Puts lines into blocks, one after the other."""

    def __init__(self, prefixes: Prefixes) -> None:
        self.found: list[Block] = []
        self._prefixes = prefixes
        self._open: Block | None = None
        self._gap = False
        """Whether the line before was empty."""
        self._said_before = NOTHING
        """Annotations on a line of their own, for what comes next."""
        self._skipped = -1
        """The indent of a nested bullet that was superseded, while what hangs on it is read."""

    def line(self, number: int, raw: str) -> None:
        text, marks = annotated(raw)
        indent = _indent(raw)
        if not text.strip():
            self._empty(marks, indent)
            return
        bare, kind = self._prefixes.read(text)
        bullet = BULLET.match(text)
        if not bullet and not kind and self._goes_on(indent):
            if self._skipped < 0:
                self._append(SourceLine(number, text, marks))
            self._gap = False
            return
        marks = self._said_before.and_(marks).and_(Annotations(type=kind))
        self._said_before = NOTHING
        self._begin(
            SourceLine(number, bare, NOTHING if marks == NOTHING else marks),
            indent,
            item=bool(bullet or kind),
        )

    def code(self, number: int, text: str, *, opens: bool) -> None:
        """A line of a fenced block, which is a block of its own unless it hangs on a bullet."""
        if opens:
            hangs = self._open is not None and self._open.kind == "item"
            if not (hangs and self._goes_on(_indent(text))):
                self._new(Block("code", []))
            self._said_before = NOTHING
        if self._skipped < 0:
            self._append(SourceLine(number, text))
        self._gap = False

    def _empty(self, marks: Annotations, indent: int) -> None:
        if marks == NOTHING:
            self._gap = True
        elif self._is_below(marks, indent):
            if self._open and self._open.lines and self._skipped < 0:
                last = self._open.lines[-1]
                self._open.lines[-1] = last._replace(marks=last.marks.and_(marks))
        else:
            self._said_before = self._said_before.and_(marks)

    def _is_below(self, marks: Annotations, indent: int) -> bool:
        """Whether annotations on a line of their own are about the bullet above them."""
        before = marks.observed is not None or marks.superseded  # these stand before theirs
        if before or self._open is None or self._open.kind != "item":
            return False
        return indent > self._open.indent

    def _goes_on(self, indent: int) -> bool:
        """Whether a line that begins nothing belongs to the block before it."""
        if self._open is None or self._open.kind == "code":
            return False
        return not self._gap or (self._open.kind == "item" and indent > self._open.indent)

    def _begin(self, line: SourceLine, indent: int, *, item: bool) -> None:
        """A bullet, nested or not, or a paragraph."""
        self._gap = False
        nested = item and self._open and self._open.kind == "item" and indent > self._open.indent
        if not nested:
            self._skipped = indent if line.marks.superseded else -1
            self._new(Block("item" if item else "text", [], indent))
        elif self._skipped >= 0 and indent > self._skipped:
            return
        else:
            self._skipped = indent if line.marks.superseded else -1
        if self._skipped < 0:
            self._append(line)

    def _new(self, block: Block) -> None:
        self._open = block
        self.found.append(block)

    def _append(self, line: SourceLine) -> None:
        if self._open is None:
            self._new(Block("text", []))
        assert self._open is not None  # noqa: S101
        self._open.lines.append(line)


def _indent(text: str) -> int:
    """Columns before the first character; a tab counts four."""
    bare = text.lstrip(" \t")
    return sum(4 if c == "\t" else 1 for c in text[: len(text) - len(bare)])


def nested(block: Block) -> tuple[list[SourceLine], list[Block]]:
    """The lines of a bullet itself, and the bullets that hang on it."""
    below = [_indent(line.text) for line in block.lines[1:] if BULLET.match(line.text)]
    if not below:
        return block.lines, []
    level = min(below)
    own: list[SourceLine] = []
    items: list[Block] = []
    for line in block.lines:
        if line is not block.lines[0] and BULLET.match(line.text) and _indent(line.text) <= level:
            items.append(Block("item", [], level))
        (items[-1].lines if items else own).append(line)
    return own, items


def dedented(lines: Iterable[SourceLine]) -> list[SourceLine]:
    """The lines of a bullet without its sign, and without the room that it takes below."""
    found: list[SourceLine] = []
    width = 0
    for line in lines:
        if not found:
            bullet = BULLET.match(line.text)
            width = bullet.end() if bullet else _leading(line.text, len(line.text))
            found.append(line._replace(text=line.text[width:]))
        else:
            found.append(line._replace(text=line.text[_leading(line.text, width) :]))
    return found


def _leading(text: str, most: int) -> int:
    return min(most, len(text) - len(text.lstrip(" \t")))
