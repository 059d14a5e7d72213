"""A note in chunks of about 400 tokens, each with its lines and the headings above it.

A chunk is of one section. It ends where a block ends, else a line, else a sentence; the next one
begins with its last 80 tokens. Code that fits is not torn. A bullet of MEMORY.md or USER.md is a
chunk of its own, and so is anything that something is written about (`annotations`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, tzinfo
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from loxodon.journal.markdown import Section, generated, sections
from loxodon.journal.moments import MIDNIGHT, day_at_start, day_in_name, moment
from loxodon.notes.blocks import (
    NOTHING,
    Annotations,
    Block,
    annotated,
    blocks,
    dedented,
    front_matter,
)
from loxodon.store import Chunk, FileRole
from loxodon.text.sentences import spans
from loxodon.tokens import estimate

TARGET = 400  # tokens of a chunk, at the most
OVERLAP = 80
RULES = 5  # goes up when the same file would give other chunks: then all are read anew
_LONGEST_HEADING = 500
_BULLETS_ALONE: frozenset[FileRole] = frozenset({"memory", "user"})
_TEMPLATES = frozenset(Path(__file__).with_name("templates.txt").read_text("utf-8").split())
_WINDOW = 4 * TARGET  # characters in which the end of a piece is looked for
_PAUSE = re.compile(r"[\s,;:，；：、。.!?！？)）\]】|/]+")
_NOTED = re.compile(  # `- prefers tabs (added 2025-12-01)`
    r"[(（](?!due|until|till|by|before|[至到截])[^()（）\d]{0,9}(\d{4}\D\d\d?\D\d\d?日?)[^()（）]{0,6}[)）]\s*$"
)
_JOINED = re.compile("[\u0300-\u036f\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")


class _Unit(NamedTuple):
    """A line or a part of one: what a chunk is put together from."""

    line: int
    text: str
    tokens: int
    repeatable: bool = True  # whether the next chunk may begin with it; half of code says nothing


def chunks(lines: Sequence[str], path: str, role: FileRole, zone: tzinfo | None) -> list[Chunk]:
    """The chunks of a file in order. Days are those of `zone` (the machine's when None)."""
    lines = ["" if role == "user" and _is_template(line) else _clean(line) for line in lines]
    front, left_out = front_matter(lines), generated(lines)
    skipped = {*left_out, *range(1, front.lines + 1)}
    every = sections(lines, skipped, front.day or day_in_name(path), title=front.title)
    found: list[Chunk | None] = []
    for section, following in zip(every, [*every[1:], None], strict=True):
        headings = [annotated(it)[0].strip()[:_LONGEST_HEADING] for it in section.headings]
        parts = blocks(section.lines)
        for marks, day, units in _pieces_of(parts, alone=role in _BULLETS_ALONE):
            found.append(_chunk(section, units, marks.and_(front.marks), headings, day, zone))
        if not parts and section.level >= 2 and (not following or following.level <= section.level):
            end = following.line if following else len(lines) + 1
            # A title with nothing below is a note (`## 15:00 Dentist`); a file's own is not.
            if left_out.isdisjoint(range(section.line, end)):
                title = [_Unit(section.line, headings[-1], 0)]
                found.append(_chunk(section, title, front.marks, headings[:-1], None, zone))
    return [one for one in found if one]


def _clean(line: str) -> str:
    """A line without control characters, and without pictures that are written out in it."""
    if not line.isprintable():
        line = re.sub("[\x00-\x08\x0a-\x1f\x7f]", "", line)
    return re.sub(r"data:[\w/+.-]{1,80};base64,[\w+/=]+", "", line) if ";base64," in line else line


def _is_template(line: str) -> bool:
    """Whether a new USER.md of OpenClaw has this line, which nobody has written."""
    said = "".join(filter(str.isalnum, line))
    return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16] in _TEMPLATES


def _pieces_of(
    parts: Sequence[Block], *, alone: bool
) -> Iterator[tuple[Annotations, date | None, list[_Unit]]]:
    """What becomes a chunk, with what is written about it."""
    together: list[Block] = []
    for block in parts:
        marks = block.marks
        if marks == NOTHING and not (alone and block.kind == "item"):
            together.append(block)
            continue
        yield from ((NOTHING, None, units) for units in _packed(together))
        together = []
        lines = dedented(block.lines) if block.kind == "item" else block.lines
        text = lines[0].text if lines else ""  # `- 2026-01-15: chose PostgreSQL`
        day = day_at_start(text) or ((end := _NOTED.search(text)) and day_at_start(end[1]))
        yield from ((marks, day, units) for units in _packed([block._replace(lines=lines)]))
    yield from ((NOTHING, None, units) for units in _packed(together))


def _chunk(
    section: Section,
    units: Sequence[_Unit],
    marks: Annotations,
    headings: Sequence[str],
    day: date | None,
    zone: tzinfo | None,
) -> Chunk | None:
    """One chunk; None where the units have no word."""
    text, last = "", units[0].line
    for unit in units:
        text += "\n" * min(unit.line - last, 2) + unit.text
        last = unit.line
    text = text.strip()
    if not any(map(str.isalnum, re.sub(r"```\w*", "", text))):  # nor has code without a line
        return None
    day = marks.observed or day or section.day
    clock = section.clock if day == section.day else MIDNIGHT
    at = moment(day, clock, zone) if day else None
    return Chunk(text, units[0].line, last, " > ".join(headings)[:_LONGEST_HEADING], at)._replace(
        importance=marks.importance, project=marks.project, triggers=marks.triggers
    )


def _packed(parts: Iterable[Block]) -> Iterator[list[_Unit]]:
    """Blocks put together up to the size of a chunk; what is larger goes on in the next."""
    current: list[_Unit] = []
    size = fresh = 0
    for block in parts:
        units = list(_units(block))
        whole = sum(unit.tokens for unit in units)
        for n, unit in enumerate(units):
            # A block that fits into a chunk is not begun where it does not fit any more.
            needs = whole if n == 0 and whole <= TARGET else unit.tokens
            if fresh and size + needs > TARGET:
                yield current
                current = _end_of(current, min(OVERLAP, TARGET - needs))
                size, fresh = sum(unit.tokens for unit in current), 0
            current.append(unit)
            size += unit.tokens
            fresh += 1
    if fresh:
        yield current


def _end_of(units: Sequence[_Unit], room: int) -> list[_Unit]:
    """The last units of a chunk that the next one begins with."""
    first = len(units)
    while first > 1 and units[first - 1].repeatable and units[first - 1].tokens <= room:
        first -= 1
        room -= units[first].tokens
    return list(units[first:])


def _units(block: Block) -> Iterator[_Unit]:
    """The lines of a block; of long ones the sentences, and pieces of what is longer still."""
    prose = block.kind != "code"
    for line in block.lines:
        parts = [line.text]
        if prose and estimate(line.text) > OVERLAP:
            starts = [0, *[start for start, _ in spans(line.text)][1:]]
            ends = [*starts[1:], len(line.text)]
            parts = [line.text[start:end] for start, end in zip(starts, ends, strict=True)]
        for part in parts:
            for piece in _pieces(part) if estimate(part) > TARGET else [part]:
                yield _Unit(line.number, piece, estimate(piece), prose)


def _pieces(text: str) -> Iterator[str]:
    """A sentence without end in pieces that fit, cut where it pauses if it does."""
    at = 0
    while at < len(text):
        end = min(at + _WINDOW, len(text))
        while end > at + 1 and (tokens := estimate(text[at:end])) > TARGET:
            end = at + max(1, min(end - at - 1, int((end - at) * TARGET / tokens * 0.98)))
        if end < len(text):
            pauses = _PAUSE.finditer(text, at + (end - at) * 3 // 4, end)
            end = max((pause.end() for pause in pauses), default=0) or end
            # No character loses an accent, nor an emoji a part.
            while end > at + 1 and (_JOINED.match(text, end) or text[end - 1] == "\u200d"):
                end -= 1
        yield text[at:end]
        at = end
