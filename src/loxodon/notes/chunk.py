"""A note in chunks of about 400 tokens, each with its lines and the headings above it.

A chunk is of one section. It ends where a block ends, else a line, else a sentence; the next one
begins with its last 80 tokens. Code that fits is not torn. A bullet of MEMORY.md or USER.md is a
chunk of its own, and so is anything that something is written about (`annotations`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, tzinfo
from typing import NamedTuple

from loxodon.journal.markdown import day_in_name
from loxodon.journal.moments import MIDNIGHT, Clock, moment
from loxodon.notes.annotations import NOTHING, Annotations, day_at_start, front_matter
from loxodon.notes.blocks import Block, Section, SourceLine, dedented, nested, sections
from loxodon.notes.generated import generated
from loxodon.store import Chunk, FileRole
from loxodon.text.sentences import spans
from loxodon.tokens import estimate

TARGET = 400  # tokens of a chunk, at the most
OVERLAP = 80
TOGETHER = 150  # tokens up to which the bullets that hang on a bullet stay with it
RULES = 1  # goes up when the same file would give other chunks: then all are read anew
_LONGEST_HEADING = 500
_LONGEST_TITLE = 120  # characters of a bullet that stands for a heading of those below it
_BULLETS_ALONE: frozenset[FileRole] = frozenset({"memory", "user"})
_WINDOW = 4 * TARGET  # characters in which the end of a piece is looked for


class _Unit(NamedTuple):
    """A line or a part of one: what a chunk is put together from."""

    line: int
    text: str
    tokens: int
    repeatable: bool = True  # whether the next chunk may begin with it; half of code says nothing


class _Place(NamedTuple):
    """Where a chunk stands, and what that says of it."""

    headings: tuple[str, ...]
    day: date | None
    clock: Clock
    marks: Annotations
    zone: tzinfo | None


def chunks(lines: Sequence[str], path: str, role: FileRole, zone: tzinfo | None) -> list[Chunk]:
    """The chunks of a file in order. Days are those of `zone` (the machine's when None)."""
    lines = [_clean(line) for line in lines]
    front = front_matter(lines)
    found: list[Chunk] = []
    every = sections(lines, generated(lines), front, front.day or day_in_name(path))
    for section, following in zip(every, [*every[1:], None], strict=True):
        place = _Place(section.headings, section.day, section.clock, front.marks, zone)
        if section.blocks:
            found.extend(_of_section(section.blocks, place, alone=role in _BULLETS_ALONE))
        elif _is_note(section, following):
            title = section.headings[-1]
            above = place._replace(headings=section.headings[:-1])
            found.extend(_chunk([_Unit(section.line, title, 0)], NOTHING, above))
    return found


def _is_note(section: Section, following: Section | None) -> bool:
    """Whether a title with nothing below is a note (`## 15:00 Dentist`); a file's own is not."""
    alone = following is None or following.level <= section.level
    return section.level >= 2 and not section.emptied and alone


def _clean(line: str) -> str:
    """A line without control characters, and without pictures that are written out in it."""
    if not line.isprintable():
        line = re.sub("[\x00-\x08\x0a-\x1f\x7f]", "", line)
    return re.sub(r"data:[\w/+.-]{1,80};base64,[\w+/=]+", "", line) if ";base64," in line else line


def _of_section(blocks: Sequence[Block], place: _Place, *, alone: bool) -> Iterator[Chunk]:
    """The chunks of one section: blocks on their own, and what stands between them together."""
    together: list[Block] = []
    for block in blocks:
        marks = block.marks
        if marks == NOTHING and not (alone and block.kind == "item"):
            together.append(block)
            continue
        yield from _packed_chunks(together, NOTHING, place)
        together = []
        yield from _of_item(block, marks, place)
    yield from _packed_chunks(together, NOTHING, place)


def _of_item(block: Block, marks: Annotations, place: _Place) -> Iterator[Chunk]:
    """A block on its own; a long list below a bullet is cut into its bullets."""
    own, items = nested(block)
    if items and sum(estimate(line.text) for line in block.lines) > TOGETHER:
        head = dedented(own)
        said = Block("item", own).marks
        yield from _packed_chunks([Block("item", head)], said, place, _day_of(head))
        title = " ".join(line.text.strip() for line in head)[:_LONGEST_TITLE]
        below = place._replace(headings=(*place.headings, title))
        for item in items:
            yield from _of_item(item, item.marks.and_(said), below)
        return
    lines = dedented(block.lines) if block.kind == "item" else block.lines
    yield from _packed_chunks([block._replace(lines=lines)], marks, place, _day_of(lines))


def _day_of(lines: Sequence[SourceLine]) -> date | None:
    """The day that a bullet begins with: `- 2026-01-15: chose PostgreSQL`."""
    return day_at_start(lines[0].text) if lines else None


def _packed_chunks(
    blocks: Sequence[Block], marks: Annotations, place: _Place, day: date | None = None
) -> Iterator[Chunk]:
    for units in _packed(blocks):
        yield from _chunk(units, marks, place, day)


def _chunk(
    units: Sequence[_Unit], marks: Annotations, place: _Place, day: date | None = None
) -> list[Chunk]:
    """One chunk; none where the units have no word."""
    text = _joined(units)
    if not any(map(str.isalnum, text)):
        return []
    marks = marks.and_(place.marks)
    heading = " > ".join(place.headings)[:_LONGEST_HEADING]
    at = _moment_of(place, marks.observed or day)
    return [
        Chunk(
            text,
            units[0].line,
            units[-1].line,
            heading,
            at,
            marks.type,
            marks.importance,
            marks.project,
            marks.triggers,
        )
    ]


def _moment_of(place: _Place, day: date | None) -> datetime | None:
    if day is not None and day != place.day:
        return moment(day, MIDNIGHT, place.zone)
    return moment(place.day, place.clock, place.zone) if place.day else None


def _joined(units: Sequence[_Unit]) -> str:
    parts: list[str] = []
    last = units[0].line
    for unit in units:
        if unit.line > last:
            parts.append("\n" if unit.line == last + 1 else "\n\n")
        parts.append(unit.text)
        last = unit.line
    return "".join(parts).strip()


# --- Packing --------------------------------------------------------------------------------------


def _packed(blocks: Iterable[Block]) -> Iterator[list[_Unit]]:
    """Blocks put together up to the size of a chunk; what is larger goes on in the next."""
    current: list[_Unit] = []
    size = fresh = 0
    for block in blocks:
        units = list(_units(block))
        whole = sum(unit.tokens for unit in units)
        for n, unit in enumerate(units):
            # A block that fits into a chunk is not begun where it does not fit any more.
            needs = whole if n == 0 and whole <= TARGET else unit.tokens
            if fresh and size + needs > TARGET:
                yield current
                current = _end_of(current, TARGET - needs)
                size, fresh = sum(unit.tokens for unit in current), 0
            current.append(unit)
            size += unit.tokens
            fresh += 1
    if fresh:
        yield current


def _end_of(units: Sequence[_Unit], room: int) -> list[_Unit]:
    """The last units of a chunk that the next one begins with."""
    room = min(room, OVERLAP)
    first = len(units)
    while first > 1 and units[first - 1].repeatable and units[first - 1].tokens <= room:
        first -= 1
        room -= units[first].tokens
    return list(units[first:])


def _units(block: Block) -> Iterator[_Unit]:
    """The lines of a block; of long ones the sentences, and pieces of what is longer still."""
    prose = block.kind != "code"
    for line in block.lines:
        tokens = estimate(line.text) if line.text else 0
        if tokens <= (OVERLAP if prose else TARGET):
            yield _Unit(line.number, line.text, tokens, prose)
            continue
        for part in _sentences(line.text) if prose else (line.text,):
            tokens = estimate(part)
            if tokens <= TARGET:
                yield _Unit(line.number, part, tokens, prose)
                continue
            for piece in _pieces(part):
                yield _Unit(line.number, piece, estimate(piece), prose)


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a line, each with the blanks behind it."""
    starts = [start for start, _ in spans(text)]
    for start, end in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True):
        yield text[start:end]


_PAUSE = re.compile(r"[\s,;:，；：、。.!?！？)）\]】|/]+")


def _pieces(text: str) -> Iterator[str]:
    """A sentence without end in pieces that fit, cut where it pauses if it does."""
    at = 0
    while at < len(text):
        size = min(_WINDOW, len(text) - at)
        while size > 1 and (tokens := estimate(text[at : at + size])) > TARGET:
            size = max(1, min(size - 1, int(size * TARGET / tokens * 0.98)))
        if at + size < len(text):
            pauses = _PAUSE.finditer(text, at + size * 3 // 4, at + size)
            end = max((pause.end() for pause in pauses), default=0) or _apart(text, at, at + size)
        else:
            end = len(text)
        yield text[at:end]
        at = end


def _apart(text: str, start: int, end: int) -> int:
    """Where to cut so that no character loses an accent, or an emoji a part."""
    for at in range(end, max(start + 1, end - 32), -1):
        if not _joins(text[at]) and text[at - 1] != "\u200d":
            return at
    return end


def _joins(character: str) -> bool:
    return (
        unicodedata.combining(character) > 0
        or character in "\u200d\ufe0e\ufe0f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )
