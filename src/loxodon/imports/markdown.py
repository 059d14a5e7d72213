"""A memory kept as files: Markdown, and the layers of a three-layer memory beside it.

    MEMORY.md, USER.md             each entry becomes a memory, in the words of the file
    2026-01-18.md                  daily notes become turns, from which consolidation learns
    layer2/active/facts.jsonl      what a three-layer memory knows; also beliefs and summaries
    layer2/archive/facts.jsonl     what it has put away
    config.json                    its settings

Its other files (snapshot, indexes, state) are made of these. One file may also come alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import cast

from loxodon.errors import InputError
from loxodon.imports import records, settings
from loxodon.imports.document import number_in, whole
from loxodon.imports.found import Around, Found, NewMemory, Skipped, Talk, problem
from loxodon.imports.notes import NoteEntry, entries
from loxodon.imports.package import Package
from loxodon.types import Kind, Source
from loxodon.workspace.readers import read as read_turns
from loxodon.workspace.readers.lines import split_lines
from loxodon.workspace.readers.moments import MIDNIGHT, match_day, moment
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

_MOST_NOTE = 64 << 20  # bytes of a note
_HEAD = 4_096  # bytes in which a file that Loxodon wrote says so
_MEMORY = re.compile(r"(?:.*/)?(?:memory|user)\.(?:md|markdown)", re.IGNORECASE)
_POOL = re.compile(r"((?:.*/)?)layer2/(active|archive)/(facts|beliefs|summaries)\.jsonl")
_KINDS = {"facts": "fact", "beliefs": "belief", "summaries": "summary"}
_SURE = re.compile(r"\W{0,4}O\(c\s?=\s?([\d.]{1,6})\)")


def is_note(name: str) -> bool:
    return name.lower().endswith((".md", ".markdown"))


def _is_daily(name: str) -> bool:
    """Whether a file is named after a day: `2026-02-18.md`, `2026-02-18-trip.md`."""
    base = name.rsplit("/", 1)[-1]
    found = match_day(base[:10]) if base[:4].isdecimal() and base[4:5] in "-_" else None
    return is_note(name) and found is not None and found[1] == 10


def is_part(name: str) -> bool:
    """Whether a file of a folder is one that such a memory is known by."""
    return bool(_POOL.fullmatch(name) or _MEMORY.fullmatch(name)) or _is_daily(name)


def read(package: Package, around: Around) -> Iterator[Found]:
    folders: dict[str, None] = {}
    for name in package.names:
        pool = _POOL.fullmatch(name)
        if not (is_note(name) or pool or package.alone):
            continue
        if not (is_part(name) or package.alone):
            yield Skipped("not memory")
            continue
        if _is_view(package.head(name, _HEAD)):
            yield Skipped("generated")
        elif pool:
            folders[pool[1]] = None
            kind = cast(Kind, _KINDS[pool[3]])
            archived = pool[2] == "archive"
            yield from records.lines(package, name, around, kind, archived=archived, own=True)
        elif _is_daily(name):
            yield from _daily(package, name, around)
        else:
            yield from _remembered(package, name, around)
    for name in (f"{folder}config.json" for folder in folders):
        try:
            if name in package.names and settings.is_config(whole(package, name)):
                yield from settings.of_file(package, name)
        except InputError:
            continue  # whatever it is, it is not what was asked for


def _is_view(start: bytes) -> bool:
    """Whether Loxodon wrote it: it has its memory already."""
    head = start.decode("utf-8", "replace").lstrip("\ufeff")
    if head.startswith("---"):
        return any(line.startswith("loxodon:") for line in head.split("\n")[:30])
    return marker_of(head) is not None


def _daily(package: Package, name: str, around: Around) -> Iterator[Found]:
    reading = read_turns(package.read(name, _MOST_NOTE), name, "markdown", around.zone)
    yield from (problem(name, line, error) for line, error in reading.problems)
    # Read as a file they would only be found; imported, they are learned from.
    turns = tuple(one._replace(origin=None) for one in reading.drafts)
    yield Talk(turns) if turns else Skipped("empty")


def _remembered(package: Package, name: str, around: Around) -> Iterator[Found]:
    lines = split_lines(package.read(name, _MOST_NOTE))
    yield from (problem(name, line, error) for line, error in lines.problems)
    texts = [text or "" for text in lines.texts]
    front = front_matter(texts)
    prefixes = prefixes_of(texts)
    for entry in entries(texts, generated(texts) | set(range(1, front.lines + 1))):
        if isinstance(entry, NoteEntry):
            one = _memory(entry, front.marks, prefixes, around)
            source = Source(file=name, line=entry.line)
            yield one._replace(source=source, confirmed_at=package.modified(name))
        else:
            yield entry


def _memory(entry: NoteEntry, front: Annotations, prefixes: Prefixes, around: Around) -> NewMemory:
    """What one entry says, with what is written about it."""
    text, marks = annotated(entry.text)
    marks = marks.and_(annotated(entry.before)[1]).and_(front)
    sure = _SURE.match(text)
    line, type = prefixes.read(f"- {text}")
    text = line.removeprefix("- ").strip()
    day = marks.observed or day_at_start(text)
    since: datetime | None = moment(day, MIDNIGHT, around.zone) if day else None
    confidence = number_in(sure[1]) if sure and type == "opinion" else None
    unsure = confidence is not None and 0 <= confidence < 1
    return NewMemory(
        text,
        ("memory", text),
        Source(),
        "belief" if unsure else "fact",
        entry.category or ("event" if type == "experience" else ""),
        marks.importance,
        confidence if unsure and confidence is not None else 1.0,
        marks.project or entry.project,
        tags=marks.triggers,
        since=since if since and since <= around.now else None,
        archived=marks.superseded,
        done=entry.todo == "done",
    )
