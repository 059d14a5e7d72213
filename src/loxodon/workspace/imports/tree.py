"""A memory kept as Markdown: MEMORY.md, USER.md and daily notes, one of them or a whole folder.

Each entry of MEMORY.md and USER.md becomes a memory, in the words of the file; daily notes become
turns of the journal, from which consolidation learns. What a three-layer memory keeps beside them
is taken with them (`layers`). The files stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime

from loxodon.errors import InputError
from loxodon.journal import read as read_turns
from loxodon.journal.lines import split_lines
from loxodon.journal.moments import MIDNIGHT, match_day, moment
from loxodon.types import Source
from loxodon.workspace.imports import layers
from loxodon.workspace.imports.document import number_in
from loxodon.workspace.imports.found import Around, Found, NewMemory, Skipped, Talk, problem
from loxodon.workspace.imports.layers import is_pool
from loxodon.workspace.imports.notes import NoteEntry, entries
from loxodon.workspace.imports.package import Package
from loxodon.workspace.sources.annotations import (
    Annotations,
    Prefixes,
    annotated,
    day_at_start,
    front_matter,
    prefixes_of,
)
from loxodon.workspace.sources.generated import generated
from loxodon.workspace.views import marker_of

FORMAT = "memory"
MOST_NOTE = 64 << 20
_MARKDOWN = (".md", ".markdown")
_MEMORY = ("memory.md", "user.md")
_HEAD = 4_096
"""Bytes in which a file that Loxodon wrote says so."""


def is_daily(name: str) -> bool:
    """Whether a file is named after a day: `2026-02-18.md`, `2026-02-18-trip.md`."""
    base = name.rsplit("/", 1)[-1]
    found = match_day(base[:10]) if base[:4].isdecimal() and base[4:5] in "-_" else None
    return found is not None and found[1] == 10


def is_note(name: str) -> bool:
    return name.lower().endswith(_MARKDOWN)


def has_memory(package: Package) -> bool:
    """Whether a folder or archive has a MEMORY.md, a USER.md, a daily note, or layers of memory."""
    return any(
        is_pool(one) or (is_note(one) and (_is_memory(one) or is_daily(one)))
        for one in package.names
    )


def _is_memory(name: str) -> bool:
    return name.rsplit("/", 1)[-1].lower() in _MEMORY


def read(package: Package, around: Around) -> Iterator[Found]:
    alone = not (package.is_folder or package.is_archive)
    notes = [name for name in package.names if is_note(name) or alone]
    if not (alone or has_memory(package)):
        raise InputError(
            "{file} contains no MEMORY.md, USER.md or daily note",
            hint="give the folder that contains them, or one of them",
            file=package.name,
        )
    for name in notes:
        if not (alone or _is_memory(name) or is_daily(name)):
            yield Skipped("not memory")
            continue
        try:
            data = package.read(name, MOST_NOTE)
        except InputError as error:
            yield problem(name, 0, error)
            continue
        if _is_view(data):
            yield Skipped("generated")
        elif is_daily(name):
            yield from _daily(data, name, around)
        else:
            yield from _remembered(data, name, package, around)
    if not alone:
        yield from layers.read(package, around)


def _is_view(data: bytes) -> bool:
    """Whether Loxodon wrote it: it has its memory already."""
    head = data[:_HEAD].decode("utf-8", "replace").lstrip("\ufeff")
    if head.startswith("---"):
        return any(line.startswith("loxodon:") for line in head.split("\n")[:30])
    return marker_of(head) is not None


def _daily(data: bytes, name: str, around: Around) -> Iterator[Found]:
    reading = read_turns(data, name, "markdown", around.zone)
    for line, error in reading.problems:
        yield problem(name, line, error)
    if reading.drafts:
        # Read as a file they would only be found; imported, they are learned from.
        yield Talk(tuple(one._replace(origin=None) for one in reading.drafts))
    else:
        yield Skipped("empty")


def _remembered(data: bytes, name: str, package: Package, around: Around) -> Iterator[Found]:
    lines = split_lines(data)
    for line, error in lines.problems:
        yield problem(name, line, error)
    texts = [text or "" for text in lines.texts]
    front = front_matter(texts)
    prefixes = prefixes_of(texts)
    written = package.modified(name)
    for entry in entries(texts, generated(texts) | set(range(1, front.lines + 1))):
        if isinstance(entry, Skipped):
            yield entry
            continue
        one = _memory(entry, front.marks, prefixes, around)
        yield one._replace(
            source=Source(file=name, line=entry.line),
            confirmed_at=written if written < around.now else None,
        )


def _memory(entry: NoteEntry, front: Annotations, prefixes: Prefixes, around: Around) -> NewMemory:
    """What one entry says, with what is written about it."""
    text, marks = annotated(entry.text)
    marks = marks.and_(annotated(entry.before)[1]).and_(front)
    sure = _SURE.match(text)
    line, type = prefixes.read(f"- {text}")
    text = line.removeprefix("- ").strip()
    day = marks.observed or day_at_start(text)
    confidence = number_in(sure[1]) if sure and type == "opinion" else None
    unsure = confidence is not None and 0 <= confidence < 1
    return NewMemory(
        text,
        (FORMAT, text),
        Source(),
        "belief" if unsure else "fact",
        entry.category or ("event" if type == "experience" else ""),
        marks.importance,
        confidence if unsure and confidence is not None else 1.0,
        marks.project or entry.project,
        tags=marks.triggers,
        since=_past(day, around),
        archived=marks.superseded,
        done=entry.todo == "done",
    )


_SURE = re.compile(r"\W{0,4}O\(c\s?=\s?([\d.]{1,6})\)")


def _past(day: date | None, around: Around) -> datetime | None:
    """The beginning of a day that has been."""
    if day is None:
        return None
    begun = moment(day, MIDNIGHT, around.zone)
    return begun if begun <= around.now else None
