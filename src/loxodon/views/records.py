"""layer2/{active,archive}/{facts,beliefs,summaries}.jsonl: every memory, one a line.

    {"id": "f_20260204_001", "content": "用户对花生过敏", "importance": 1.0, "score": 0.95,
     "entities": ["用户"], "created": "2026-02-04T10:30:00Z", "source": "monday:m3",
     "score_at": …, "updated": …, "version": 1, …}

`score` is the strength at the moment `score_at`, so that a day that passes changes nothing. A
field that is not there has its default.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial

from loxodon.store.rows import COLUMNS, FLAGS, LISTS, TIMES, stored
from loxodon.types import Kind, Record, State
from loxodon.views.manifest import Planned, View, based_on
from loxodon.views.pages import PLURALS, Content, Object, utc_time

_FOLDER: Mapping[State, str] = {"active": "active", "archived": "archive"}
FILES: Mapping[str, tuple[Kind, State]] = {
    f"layer2/{folder}/{plural}.jsonl": (kind, state)  # type: ignore[misc]
    for state, folder in _FOLDER.items()
    for kind, plural in PLURALS.items()
}
_NAMES = {
    "created_at": "created",
    "updated_at": "updated",
    "strength": "score",
    "strength_at": "score_at",
}
_FIRST = {
    "fact": "id content importance strength entities created_at",
    "belief": "id content confidence importance strength basis entities created_at",
    "summary": "id content importance strength derived_from entities created_at",
}
_THEN = ("strength_at", "updated_at", "version")
_DEFAULTS = {name: stored(name, value) for name, value in Record._field_defaults.items()}


def views(content: Content) -> Iterator[Planned]:
    """The files of all memories. Where one has to be made, all are: it is one pass."""
    made: dict[str, View] = {}

    def make(name: str) -> View:
        if not made:
            made.update(_made(content))
        return made[name]

    for name, (kind, state) in FILES.items():
        yield Planned(name, based_on(content.basis(f"/{kind}/{state}")), partial(make, name))


def _made(content: Content) -> dict[str, View]:
    sources: dict[int, str] = {}
    for memory, _, session, turn, _, file, line in content.store.primary.dump("memory_sources"):
        sources.setdefault(memory, f"{file}:{line}" if file else f"{session}:{turn}")
    encode = json.JSONEncoder(ensure_ascii=False).encode
    lines: dict[str, list[str]] = {name: [] for name in FILES}
    for row in content.rows:
        name = f"layer2/{_FOLDER[row['state']]}/{PLURALS[row['kind']]}.jsonl"
        lines[name].append(encode(_line_of(row, sources.get(row["row"], ""))) + "\n")
    return {name: View("".join(lines[name])) for name in FILES}


def _line_of(row: Object, source: str) -> Object:
    kind = row["kind"]
    first = (*_FIRST[kind].split(), *_THEN)
    found: Object = {}
    for name in (*first, *(one for one in COLUMNS if one not in first)):
        value = row[name]
        if name in ("kind", "state") or (name not in first and value == _DEFAULTS.get(name)):
            continue
        if value is not None:
            if name in TIMES or name == "strength_at":
                value = utc_time(value)
            elif name in LISTS:
                value = json.loads(value)
            elif name in FLAGS:
                value = bool(value)
        of_summary = name == "derived_from" and kind == "summary"
        found["source_facts" if of_summary else _NAMES.get(name, name)] = value
        if name == "created_at" and source:
            found["source"] = source
    return found
