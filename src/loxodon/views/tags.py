"""tags.json: which facts and which segments have a tag. Written only, never read back.

{"loxodon": {…},
 "meta": {"last_updated": "2026-02-22T10:30:00Z", "total_tags": 42, "total_entries": 156},
 "index": {"food": {"insights": ["f_20260204_001"], "segments": ["2026-02-22-001"]}}}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from loxodon.clock import to_stored
from loxodon.types import Record
from loxodon.views import Planned, View, based_on, head, moment_text
from loxodon.views.insights import Facts
from loxodon.views.manifest import one_a_line

NAME = "tags.json"

Tagged = Callable[[], Iterable[tuple[str, tuple[str, ...], int]]]
"""The id of each segment, its tags, and when it ended."""


def views(
    space: str, bases: Mapping[str, str], facts: Facts, segments: Tagged
) -> Iterator[Planned]:
    parts = [bases.get(name, "none") for name in ("memories/fact/active", "segments")]
    yield Planned(NAME, based_on(*parts), lambda: _made(space, facts(), segments()))


def _made(
    space: str, facts: Iterable[Record], segments: Iterable[tuple[str, tuple[str, ...], int]]
) -> View:
    index: dict[str, dict[str, list[str]]] = {}
    entries, last = 0, 0
    for one in facts:
        if one.state == "active":
            entries += bool(one.tags)
            last = max(last, to_stored(one.updated_at)[0])
            _put(index, one.tags, "insights", one.id)
    for id, tags, at in segments:
        entries += bool(tags)
        last = max(last, at)
        _put(index, tags, "segments", id)
    top: dict[str, Any] = {
        "loxodon": head(NAME, space),
        "meta": {
            "last_updated": moment_text(last) if last else None,
            "total_tags": len(index),
            "total_entries": entries,
        },
    }
    return View(NAME, one_a_line(top, "index", {tag: index[tag] for tag in sorted(index)}))


def _put(index: dict[str, dict[str, list[str]]], tags: Iterable[str], where: str, id: str) -> None:
    for tag in tags:
        index.setdefault(tag, {"insights": [], "segments": []})[where].append(id)
