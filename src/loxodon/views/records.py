"""layer2/{active,archive}/{facts,beliefs,summaries}.jsonl: every memory, one a line.

    {"id": "f_20260204_001", "content": "用户对花生过敏", "importance": 1.0, "score": 0.95,
     "entities": ["用户"], "created": "2026-02-04T10:30:00Z", "source": "monday:m3",
     "score_at": …, "updated": …, "version": 1, …}

`score` is the strength at the moment `score_at`, so that a day that passes changes nothing. A
field that is not there has its default. A person may change what `Memory.edit` can change, add
lines without an id, and delete lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from loxodon.errors import InputError
from loxodon.fields import EDITABLE
from loxodon.store.rows import COLUMNS, FLAGS, LISTS, TIMES, stored
from loxodon.types import FileProblem, Kind, Record, State
from loxodon.views.dump import json_object
from loxodon.views.edits import EditedEntry, EditedView
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
_USUAL = {name: value for name, value in Record._field_defaults.items() if name in EDITABLE}
_FORMER = {"source", "sources", "history", "n"}  # what earlier versions wrote, and we still do


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
    ids: dict[str, dict[str, int]] = {name: {} for name in FILES}
    for row in content.rows:
        name = f"layer2/{_FOLDER[row['state']]}/{PLURALS[row['kind']]}.jsonl"
        lines[name].append(encode(_line_of(row, sources.get(row["row"], ""))) + "\n")
        ids[name][row["id"]] = row["version"]
    return {name: View("".join(lines[name]), ids[name]) for name in FILES}


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
        found[_shown(name, kind)] = value
        if name == "created_at" and source:
            found["source"] = source
    return found


def _shown(name: str, kind: str) -> str:
    """The name of a field here, as the layout has it."""
    if name == "derived_from" and kind == "summary":
        return "source_facts"
    return _NAMES.get(name, name)


def read_lines(file: str, text: str, written: Mapping[str, int]) -> EditedView:
    """An edited file of memories."""
    kind, state = FILES[file]
    names = {_shown(name, kind): name for name in COLUMNS}
    entries: list[EditedEntry] = []
    problems: list[FileProblem] = []
    lines = text.removeprefix("\ufeff").split("\n")
    for number, line in enumerate(lines, 1):
        try:
            if line.strip() and not (number == 1 and line.startswith('{"loxodon":')):
                entries.append(_entry(file, number, json_object(line), kind, state, names))
        except InputError as error:
            cut = number == len(lines)  # every line that was written whole has one after it
            error = InputError("the line is incomplete") if cut else error
            problems.append(FileProblem(file, number, *error.localized()))
    ended = text.endswith("\n") or not text
    return EditedView(file, entries, "layer2", problems, written, ended)


def _entry(
    file: str, number: int, found: Object, kind: Kind, state: State, names: Mapping[str, str]
) -> EditedEntry:
    """A field that a line lacks has its default; of a new memory that is left to `capture`."""
    said: dict[str, Any] = {}
    for shown, value in found.items():
        name = names.get(shown, "")
        if not name and shown not in _FORMER:
            raise InputError("unknown field {field}", field=repr(shown[:60]))
        if name in EDITABLE:
            said[name] = _value(name, value)
    id, version = found.get("id", ""), found.get("version", 0)
    if not isinstance(id, str) or not isinstance(version, int):
        raise InputError("its id is not readable", hint="restore it; a new entry has no id")
    if id:
        said = {**_USUAL, **said}
    return EditedEntry(file, number, said, id, version, kind, state)


def _value(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if name in TIMES and value is not None:
        try:
            return datetime.fromisoformat(value)
        except (ValueError, TypeError):
            raise InputError("{field} must be a date and time", field=name) from None
    return value
