"""layer2/{active,archive}/{facts,beliefs,summaries}.jsonl: every memory, whole, one a line.

    {"loxodon": {"view": "layer2/active/facts.jsonl", "space": "main", "version": 1}}
    {"id": "f_20260204_001", "content": "用户对花生过敏", "importance": 1.0, "score": 0.95,
     "entities": ["用户"], "created": "2026-02-04T10:30:00Z", "source": "monday:m3",
     "score_at": …, "updated": …, "version": 1, "n": 12, "sources": […], "history": […]}

`score` is the strength at the moment `score_at`, so that a day that passes changes nothing. A
field that is not there has its default. `n` is the number of the memory in the store. A step of
`history` has the record as it stood `before` it, as the store keeps it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from typing import Any, NamedTuple, cast

from loxodon.errors import InputError
from loxodon.store.primary import Row
from loxodon.store.rows import COLUMNS, FLAGS, LISTS, TIMES, stored
from loxodon.store.store import Store
from loxodon.types import AUDIENCES, CHANGES, KINDS, ORIGINS, Kind, Record, Source, State
from loxodon.views import Planned, View, based_on, head, moment_text
from loxodon.views import reading as read
from loxodon.views.held import held_back
from loxodon.views.reading import Object, Trouble, field, json_lines

_PLURAL: Mapping[Kind, str] = {"fact": "facts", "belief": "beliefs", "summary": "summaries"}
_FOLDER: Mapping[State, str] = {"active": "active", "archived": "archive"}
FILES: Mapping[str, tuple[Kind, State]] = {
    f"layer2/{folder}/{plural}.jsonl": (kind, state)
    for state, folder in _FOLDER.items()
    for kind, plural in _PLURAL.items()
}
"""Which memories are in which file."""

_NAMES = {
    "created_at": "created",
    "updated_at": "updated",
    "strength": "score",
    "strength_at": "score_at",
}
"""Fields that have another name here, as layer2 files have them."""
_TIMES = TIMES | {"strength_at"}
_FIRST = {
    "fact": ("id", "content", "importance", "strength", "entities", "created_at"),
    "belief": (
        "id",
        "content",
        "confidence",
        "importance",
        "strength",
        "basis",
        "entities",
        "created_at",
    ),
    "summary": (
        "id",
        "content",
        "importance",
        "strength",
        "derived_from",
        "entities",
        "created_at",
    ),
}
"""What a line begins with, in the order of layer2 files, whatever its value."""
_THEN = ("strength_at", "updated_at", "version")
_IMPLIED = frozenset({"kind", "state"})  # by the file
_DEFAULTS = {name: stored(name, value) for name, value in Record._field_defaults.items()}
_PLACE = {name: place for place, name in enumerate(COLUMNS, 1)}  # the row number comes first
_REST = {
    kind: tuple(name for name in COLUMNS if name not in {*first, *_THEN} and name not in _IMPLIED)
    for kind, first in _FIRST.items()
}
_encode = json.JSONEncoder(ensure_ascii=False).encode
_SOURCE_FIELDS = frozenset({"session", "turn", "ref", "file", "line"})


class RecordChange(NamedTuple):
    """A change of a memory, as the store keeps it."""

    version: int
    at: int
    change: str
    before: str | None
    """JSON."""


class RecordLine(NamedTuple):
    """A line, as it was written or as a person left it."""

    line: int
    id: str
    """Empty for one that a person has added."""
    kind: Kind
    state: State
    """By the file it is in."""
    fields: Mapping[str, Any]
    """By the names of `Record`, with its types; those that the line has. Not `sources`."""
    n: int
    """0 for one that was added; so for the next."""
    version: int
    score_at: datetime | None
    sources: tuple[tuple[Source, int | None], ...]
    """Each with the number of its turn, where that is known."""
    history: tuple[RecordChange, ...]


class ParsedRecords(NamedTuple):
    entries: tuple[RecordLine, ...]
    troubles: tuple[Trouble, ...] = ()


# Writing


class Rendered:
    """The lines of all memories. Of one that has not changed, the line is made only once."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[int, str]] = {}
        """By the number of the memory: the hash of the rows it was made from, and the line."""

    def of(self, store: Store) -> Iterator[tuple[Row, str]]:
        """Every memory's row and line, as they are now."""
        before, self._kept = self._kept, {}
        held = held_back(store).memories
        for row, sources, changes in _whole(store):
            if row[_PLACE["id"]] in held:
                continue
            rows = hash((row, *sources, *changes))
            known = before.get(row[0])
            kept = known if known and known[0] == rows else (rows, line_of(row, sources, changes))
            self._kept[row[0]] = kept
            yield row, kept[1]

    def in_file(self, store: Store, name: str) -> dict[str, str]:
        """The lines that one of `FILES` would have now, each with its memory."""
        id = _PLACE["id"]
        with store.reading():
            return {line: row[id] for row, line in self.of(store) if _file_of(row) == name}


def views(
    store: Store, zone: tzinfo | None, bases: Mapping[str, str], rendered: Rendered
) -> Iterator[Planned]:
    """The files of all memories. Where one has to be made, all are: it is one pass."""
    made: dict[str, View] = {}

    def make(name: str) -> View:
        if not made:
            made.update(_made(store, rendered))
        return made[name]

    for name, (kind, state) in FILES.items():
        basis = based_on(bases.get(f"memories/{kind}/{state}", "none"))
        yield Planned(name, basis, partial(make, name))


def _made(store: Store, rendered: Rendered) -> dict[str, View]:
    lines: dict[str, list[str]] = {}
    ids: dict[str, dict[str, int]] = {}
    for name in FILES:
        lines[name], ids[name] = [json.dumps({"loxodon": head(name, store.space)})], {}
    for row, line in rendered.of(store):
        name = _file_of(row)
        lines[name].append(line)
        ids[name][row[_PLACE["id"]]] = row[_PLACE["version"]]
    return {name: View(name, "\n".join([*lines[name], ""]), ids[name]) for name in FILES}


def _file_of(row: Row) -> str:
    return f"layer2/{_FOLDER[row[_PLACE['state']]]}/{_PLURAL[row[_PLACE['kind']]]}.jsonl"


def _whole(store: Store) -> Iterator[tuple[Row, list[Row], list[Row]]]:
    """Every memory with its sources and changes: three tables in the same order, read at once."""
    sources = _Following(store.primary.dump("memory_sources"))
    changes = _Following(store.primary.dump("memory_changes"))
    for row in store.primary.dump("memories"):
        yield row, sources.of(row[0]), changes.of(row[0])


class _Following:
    """Rows in the order of their first column, given out group by group."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def of(self, number: int) -> list[Row]:
        found = []
        while self._next is not None and self._next[0] <= number:
            if self._next[0] == number:
                found.append(self._next)
            self._next = next(self._rows, None)
        return found


def line_of(row: Row, sources: Sequence[Row], changes: Sequence[Row]) -> str:
    """The line of a memory, from the rows that the store dumps."""
    kind = row[_PLACE["kind"]]
    found: Object = {}
    for name in _FIRST[kind]:
        found[_name(name, kind)] = _shown(name, row[_PLACE[name]])
    if sources:
        found["source"] = _source_text(sources[0])
    for name in _THEN:
        found[_name(name, kind)] = _shown(name, row[_PLACE[name]])
    for name in _REST[kind]:
        value = row[_PLACE[name]]
        if value != _DEFAULTS.get(name):
            found[_name(name, kind)] = _shown(name, value)
    found["n"] = row[0]
    found["sources"] = [_source(one) for one in sources]
    found["history"] = [_step(one) for one in changes]
    return _encode(found)


def _name(name: str, kind: str) -> str:
    if name == "derived_from" and kind == "summary":
        return "source_facts"
    return _NAMES.get(name, name)


_COLUMN = {
    kind: {_name(name, kind): name for name in COLUMNS if name not in _IMPLIED} for kind in KINDS
}
"""The column that each name in a line stands for."""


def _shown(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _TIMES:
        return moment_text(value)
    if name in LISTS:
        return json.loads(value) if value != "[]" else []
    return bool(value) if name in FLAGS else value


def _source_text(source: Row) -> str:
    _, _, session, turn, _, file, line = source
    return f"{file}:{line}" if file else f"{session}:{turn}"


def _source(source: Row) -> Object:
    _, _, session, turn, seq, file, line = source
    found = {"session": session, "turn": turn, "file": file, "line": line}
    found = {name: value for name, value in found.items() if value}
    return found if seq is None else {**found, "ref": f"t_{seq}"}


def _step(change: Row) -> Object:
    _, version, at, name, before = change
    found = {"version": version, "at": moment_text(at), "change": name}
    return found if before is None else {**found, "before": json.loads(before)}


# Reading


def parse(name: str, text: str) -> ParsedRecords:
    """The lines of one of `FILES`, and what cannot be read. Raises where it is no such view."""
    kind, state = FILES[name]
    lines = json_lines(name, text)
    entries: list[RecordLine] = []
    troubles = list(lines.troubles)
    for line, found in lines.objects:
        try:
            entries.append(_entry(line, found, kind, state))
        except InputError as error:
            troubles.append((line, error))
    return ParsedRecords(tuple(entries), tuple(sorted(troubles, key=lambda one: one[0])))


def _entry(line: int, found: Object, kind: Kind, state: State) -> RecordLine:
    names = _COLUMN[kind]
    fields: dict[str, Any] = {}
    for shown in found:
        if name := names.get(shown):
            fields[name] = field(found, shown, _READ[name])
        elif shown not in ("source", "sources", "history", "n"):
            raise InputError("unknown field {field}", field=repr(shown[:60]))
    id = fields.get("id", "")
    if id and not id.startswith(f"{kind[0]}_"):
        raise InputError("{id} is not the id of a {kind}", id=id, kind=kind)
    score_at = fields.pop("strength_at", None)
    return RecordLine(
        line,
        id,
        kind,
        state,
        fields,
        field(found, "n", read.a_number) if "n" in found else 0,
        fields.get("version", 0),
        score_at,
        field(found, "sources", _sources) if "sources" in found else (),
        field(found, "history", _history) if "history" in found else (),
    )


_ID = re.compile(r"[fbs]_\d{8}_\d{3,12}")


def _id(value: object) -> str:
    text = read.a_text(value)
    if not _ID.fullmatch(text):
        raise InputError("it is not an id such as f_20260204_001")
    return text


def _one_of(names: Sequence[str]) -> Callable[[object], str]:
    def one(value: object) -> str:
        if value not in names:
            raise InputError("it is not one of {names}", names=", ".join(names))
        return cast("str", value)

    return one


def _moment(value: object) -> datetime:
    try:
        return _EPOCH + timedelta(milliseconds=read.a_moment(value))
    except OverflowError:
        raise InputError("it is not a time such as 2026-02-04T10:30:00Z") from None


def _content(value: object) -> str:
    text = read.a_text(value)
    if not text.strip():
        raise InputError("it is empty")
    return text


_READ: Mapping[str, Callable[[object], Any]] = {
    **dict.fromkeys(COLUMNS, read.a_text),
    **{name: read.or_nothing(_moment) for name in _TIMES},
    **dict.fromkeys(("created_at", "updated_at", "strength_at"), _moment),
    **dict.fromkeys(LISTS, read.some_texts),
    **dict.fromkeys(FLAGS, read.a_flag),
    "id": _id,
    "content": _content,
    "kind": _one_of(KINDS),
    "audience": _one_of(AUDIENCES),
    "trust": _one_of(ORIGINS),
    "importance": read.a_share,
    "confidence": read.a_share,
    "strength": read.a_float,
    "access_count": read.a_number,
    "version": read.a_number,
}


def _sources(value: object) -> tuple[tuple[Source, int | None], ...]:
    if not isinstance(value, list):
        raise InputError("it is not a list")
    found = []
    for one in value:
        if not isinstance(one, dict) or not one.keys() <= _SOURCE_FIELDS:
            raise InputError("it is not a list of sources")
        texts = {
            name: read.a_text(one[name]) for name in ("session", "turn", "file") if name in one
        }
        line = read.a_number(one.get("line", 0))
        seq = read.a_ref(one["ref"]) if "ref" in one else None
        found.append((Source(**texts, line=line), seq))
    return tuple(found)


def _history(value: object) -> tuple[RecordChange, ...]:
    if not isinstance(value, list):
        raise InputError("it is not a list")
    steps = []
    for one in value:
        if not isinstance(one, dict) or not isinstance(one.get("before", {}), dict):
            raise InputError("it is not a list of changes")
        before = json.dumps(one["before"], ensure_ascii=False) if "before" in one else None
        change = field(one, "change", _one_of(CHANGES))
        version, at = field(one, "version", read.a_number), field(one, "at", read.a_moment)
        steps.append(RecordChange(version, at, change, before))
    return tuple(steps)


def rows_of(entry: RecordLine) -> tuple[Row, list[Row], list[Row]]:
    """A line as the rows that it was written from: the memory, its sources, its changes."""
    missing = [
        name
        for name in ("id", "created_at", "updated_at", "version", "strength", "content")
        if name not in entry.fields
    ]
    missing += [] if entry.n else ["n"]
    missing += [] if entry.score_at else ["score_at"]
    missing += [] if entry.history else ["history"]
    if missing:
        shown = _name(missing[0], entry.kind)
        raise InputError("{field} is missing", field=shown)
    if [step.version for step in entry.history] != list(range(1, entry.version + 1)):
        raise InputError("its history does not match version {version}", version=entry.version)
    values: dict[str, Any] = {
        **_DEFAULTS,
        **{name: stored(name, value) for name, value in entry.fields.items()},
        "kind": entry.kind,
        "state": entry.state,
        "strength_at": stored("updated_at", entry.score_at),
    }
    sources = [
        (entry.n, n, source.session, source.turn, seq, source.file, source.line)
        for n, (source, seq) in enumerate(entry.sources)
    ]
    changes = [(entry.n, *step) for step in entry.history]
    return (entry.n, *(values[name] for name in COLUMNS)), sources, changes


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
