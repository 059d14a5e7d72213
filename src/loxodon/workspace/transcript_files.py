"""Transcripts as files of one JSON object a line, that grow.

A mark is what is put down about a transcript after reading it: how far, and enough to tell whether
it only grew since.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import BinaryIO, NamedTuple

from loxodon.errors import InputError
from loxodon.types import Draft
from loxodon.workspace.readers.jsonl import as_object, parse_line
from loxodon.workspace.readers.lines import Trouble, split_lines

Entry = Mapping[str, object]
MAX_FILE = 512 << 20
"""Bytes of a transcript that are read at once."""
_TAIL = 4096
"""Bytes before the mark by which a file is known to have only grown."""

Mark = Mapping[str, object]


class TranscriptPart(NamedTuple):
    """What is new in a transcript."""

    session: str
    drafts: list[Draft]
    problems: list[Trouble]
    mark: dict[str, object]
    parent: str = ""
    """The session it was branched off, where all of it was read: its first turns are that one's."""
    spoken: bool = True
    """False where nobody speaks in it but programs."""


def parsed_mark(text: str) -> Mark:
    """A mark as it was put down; an empty one where that makes no sense."""
    try:
        value = json.loads(text) if text else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def entries_of(
    file: BinaryIO, path: str, start: int, line: int
) -> tuple[list[tuple[int, Entry]], list[Trouble], dict[str, object]]:
    """The whole lines from here on as numbered entries, those that are none, and where they end."""
    data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InputError(
            "{file} is larger than {most} MiB",
            hint="split it into smaller files",
            file=path,
            most=MAX_FILE >> 20,
        )
    end = data.rfind(b"\n") + 1
    if end < len(data) and _is_whole(data[end:]):
        end = len(data)
    lines = split_lines(data[:end])
    problems = [(line + number, error) for number, error in lines.problems]
    entries: list[tuple[int, Entry]] = []
    for number, text in enumerate(lines.texts, line + 1):
        if not text or text.isspace():
            continue
        try:
            entries.append((number, as_object(parse_line(text))))
        except InputError as error:
            problems.append((number, error))
    return entries, problems, {"end": start + end, "line": line + len(lines.texts)}


def _is_whole(text: bytes) -> bool:
    """Whether a last line without its end is all there: what is cut off cannot be an object."""
    try:
        return text.rstrip().endswith(b"}") and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def only_grew(file: BinaryIO, mark: Mark) -> bool:
    """Whether what stands before the mark is what stood there."""
    end = mark.get("end")
    return isinstance(end, int) and tail_of(file, end) == mark.get("tail")


def tail_of(file: BinaryIO, end: int) -> str:
    start = max(0, end - _TAIL)
    file.seek(start)
    return digest(file.read(end - start))


def digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def number(value: object) -> int:
    return value if isinstance(value, int) else 0
