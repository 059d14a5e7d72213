"""A memory as text: what every file of the folder has in common.

Each module here has one kind of file: it gives the views of a store (`views`), reads one back
(`parse`), and says by a `basis` when its text would be the same as before. `folder` writes them,
`export` calls them all, `restore` makes a database of them.

A generated file says so in its first lines, and a file that does not is never replaced:

    <!-- loxodon view: projects.md · space: main · version: 1 -->      Markdown
    {"loxodon": {"view": "tags.json", "space": "main", "version": 1},  JSON
    {"loxodon": {"view": "layer2/active/facts.jsonl", …}}              JSON lines, the first one
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from loxodon.errors import InputError

VERSION = 1
"""Of the formats. A file with a higher one is refused: a newer Loxodon wrote it."""

_NOTHING: Mapping[str, int] = {}


class View(NamedTuple):
    """A file as it should be."""

    name: str
    """Its path within the folder of views, with slashes: `layer2/active/facts.jsonl`."""
    text: str
    ids: Mapping[str, int] = _NOTHING
    """The memories in it, each with the version that was written."""


class Planned(NamedTuple):
    """A view that need not be made: while the basis is the same, so is the text."""

    name: str
    basis: str
    """What it depends on, cheaply found; empty where it has to be made to know."""
    make: Callable[[], View]


def based_on(*parts: object) -> str:
    """A basis: the format, and what a view depends on."""
    return "/".join(map(str, (VERSION, *parts)))


class ViewMarker(NamedTuple):
    """What a generated file says of itself."""

    view: str
    space: str
    version: int


# Marks


def head(view: str, space: str) -> dict[str, Any]:
    """The value of the key `loxodon` in a generated JSON file."""
    return {"view": view, "space": space, "version": VERSION}


def comment(view: str, space: str, note: str = "") -> str:
    """The first line of a generated Markdown file; `note` is a word to its reader."""
    parts = [f"loxodon view: {_plain(view)}", f"space: {json.dumps(_plain(space))}"]
    parts += [f"version: {VERSION}", *([_plain(note)] if note else [])]
    return f"<!-- {' · '.join(parts)} -->"


def _plain(text: str) -> str:
    """Text that neither ends a comment nor a line."""
    return re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]", " ", text).replace("--", "‐‐")


_COMMENT = re.compile(
    r'<!-- loxodon view: (?P<view>[^\n]*?) · space: (?P<space>"(?:[^"\\\n]|\\.)*")'
    r" · version: (?P<version>\d{1,9})\b"
)
_HEAD_LENGTH = 4_096
"""Characters at the start of a file in which its mark stands."""


def marker_of(text: str) -> ViewMarker | None:
    """What the start of a file says of it, if it was generated. Front matter is not looked at."""
    start = text[:_HEAD_LENGTH].lstrip("\ufeff \r\n\t")
    if start.startswith("{"):
        found = _json_head(start)
        return None if found is None else _marker(found)
    if match := _COMMENT.match(start):
        return ViewMarker(match["view"], json.loads(match["space"]), int(match["version"]))
    return None


def _json_head(start: str) -> object:
    """The value of the key `loxodon`, which is the first of a generated file."""
    match = re.match(r'\{\s*"loxodon"\s*:\s*', start)
    if match is None:
        return None
    try:
        return json.JSONDecoder().raw_decode(start, match.end())[0]
    except (ValueError, RecursionError):
        return None


def _marker(found: object) -> ViewMarker | None:
    if not isinstance(found, dict):
        return None
    view, space, version = found.get("view"), found.get("space", ""), found.get("version", 1)
    if isinstance(view, str) and isinstance(space, str) and isinstance(version, int):
        return ViewMarker(view, space, version)
    return None


# Times


@lru_cache(maxsize=256)  # most moments of a memory are one
def moment_text(milliseconds: int) -> str:
    """A stored moment as views have it: `2026-02-04T10:30:00Z`, milliseconds where there are."""
    return _text(_EPOCH + timedelta(milliseconds=milliseconds)) + "Z"


def local_text(milliseconds: int, offset: int) -> str:
    """A stored moment where it was said, minutes east of UTC: `2026-02-04T18:30:00+08:00`."""
    sign, (hours, minutes) = "-" if offset < 0 else "+", divmod(abs(offset), 60)
    local = _EPOCH + timedelta(milliseconds=milliseconds, minutes=offset)
    return f"{_text(local)}{sign}{hours:02d}:{minutes:02d}"


def stored_moment(text: str) -> tuple[int, int]:
    """The inverse of both: (milliseconds since 1970 UTC, minutes east of UTC); else ValueError."""
    moment = datetime.fromisoformat(text)
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError("a moment without its offset")
    local = moment.replace(tzinfo=None) - _EPOCH
    return (local - offset) // timedelta(milliseconds=1), offset // timedelta(minutes=1)


def _text(naive: datetime) -> str:
    return naive.isoformat(timespec="milliseconds" if naive.microsecond else "seconds")


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)


# What cannot be read


def bad_view(file: str, line: int, reason: InputError) -> InputError:
    """The error for a line (from 1; 0 for the whole file) of a view that cannot be read."""
    if line:
        return InputError(
            "{file}, line {line}: {reason}",
            hint="fix the line, or delete it",
            file=file,
            line=line,
            reason=reason,
        )
    return InputError("{file}: {reason}", hint="{reason_hint}", file=file, reason=reason)
