"""Converts between a record and its row: the one place that knows how fields become columns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from loxodon.clock import from_stored
from loxodon.errors import DamagedStoreError
from loxodon.store import Index
from loxodon.store.driver import plain
from loxodon.store.walls import namespace_at
from loxodon.text.words import fold
from loxodon.types import Record, Segment, Source, Turn

if TYPE_CHECKING:
    from loxodon.consolidate.decay import Decay

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_ELSEWHERE = frozenset({"space", "sources"})  # not columns of the table
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_IMPOSSIBLE = (TypeError, ValueError, OverflowError)  # what comes of a number that nobody wrote


@cache
def _declared(made: Any) -> list[tuple[int, str]]:
    """The fields of a type that are not stored as they are."""
    hints = (getattr(hint, "__forward_arg__", str(hint)) for hint in made.__annotations__.values())
    kinds = map(re.compile(r"datetime|bool|tuple|Mapping|Namespace").search, hints)
    return [(i, kind[0]) for i, kind in enumerate(kinds) if kind]


TIMES, LISTS, FLAGS = (
    frozenset(Record._fields[i] for i, kind in _declared(Record) if kind == declared) - _ELSEWHERE
    for declared in ("datetime", "tuple", "bool")
)
FIELDS = tuple(name for name in Record._fields if name not in _ELSEWHERE)
# The columns of a record in the order of the part `memory` of `sql/queries.sql`
COLUMNS = (*FIELDS, "strength_at")
_TIMES_AT, _LISTS_AT, _FLAGS_AT = (
    tuple(i for i, name in enumerate(FIELDS) if name in names) for names in (TIMES, LISTS, FLAGS)
)
_STRENGTH = FIELDS.index("strength")
_SPACE = Record._fields.index("space")
_SOURCES = Record._fields.index("sources")
_KIND = FIELDS.index("kind")
_IMPORTANCE = FIELDS.index("importance")


def moment(milliseconds: int, zone: tzinfo | None) -> datetime:
    """A stored time as it reads in `zone` (the machine's when None)."""
    try:
        utc = _EPOCH + timedelta(milliseconds=milliseconds)
    except _IMPOSSIBLE:
        raise damaged() from None
    try:
        return utc.astimezone(zone)
    except OverflowError:  # the first or the last day there is
        return utc


def row_of(record: Record) -> list[Any]:
    return plain([*(getattr(record, name) for name in FIELDS), record.created_at])


def record_of(
    row: Sequence[Any],
    space: str,
    zone: tzinfo | None,
    decay: Decay | None,
    sources: tuple[Source, ...] = (),
) -> Record:
    """The record of a row that has COLUMNS in order; without `decay` strength is as kept."""
    values = list(row[: len(FIELDS)])
    known: dict[int, datetime] = {}  # most of the times of a memory are the same
    for i in _TIMES_AT:
        if (at := values[i]) is not None:
            values[i] = known.get(at) or known.setdefault(at, moment(at, zone))
    for i in _LISTS_AT:
        values[i] = tuple(loaded(values[i])) if values[i] != "[]" else ()
    for i in _FLAGS_AT:
        values[i] = bool(values[i])
    if decay is not None:
        values[_STRENGTH] = decay.strength(
            values[_STRENGTH], moment(row[-1], UTC), values[_KIND], values[_IMPORTANCE]
        )
    values.insert(_SPACE, space)
    values.insert(_SOURCES, sources)
    return Record(*values)


def grouped(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """The second of each pair by the first, in order."""
    found: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def loaded(text: str | bytes) -> Any:
    """What a column holds as JSON; a DamagedStoreError where that is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise damaged() from None


def damaged() -> DamagedStoreError:
    return DamagedStoreError(
        "a row of the database differs from what was written",
        hint="find it with `loxodon validate`, and fix it with `loxodon repair`",
    )


def to_json(row: Sequence[Any], sources: Sequence[Source]) -> str:
    kept: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
    kept["sources"] = [list(source) for source in sources]
    return json.dumps(kept, ensure_ascii=False)


def from_json(text: str, space: str, zone: tzinfo | None) -> Record:
    """A record out of the history, with the strength it was kept with."""
    # Older ones lack what was added since.
    read = loaded(text)
    try:
        kept: dict[str, Any] = {"replaces": "", "positive": 1, **read}
        sources = tuple(Source(*source) for source in kept["sources"])
        return record_of([kept[name] for name in COLUMNS], space, zone, None, sources)
    except (KeyError, AttributeError, *_IMPOSSIBLE):
        raise damaged() from None


def labels_of(record: Record) -> set[tuple[str, str]]:
    """What a memory is filtered by: (label, folded name)."""
    found = {("project", fold(record.project)), ("topic", fold(record.topic))}
    found |= {("tag", fold(name)) for name in record.tags}
    found |= {("entity", fold(name)) for name in record.entities}
    if record.subject:
        parts = (record.subject, record.attribute, record.value)
        depth = 1 if not record.attribute else 3 if record.value else 2
        found |= {("about", about_label(*parts[: n + 1])) for n in range(depth)}
        found.add(("about", about_label(record.subject, "", record.category)))
    return found


def index_of(record: Record) -> Index:
    return "memories" if record.state == "active" else "archive"


def about_label(*parts: str) -> str:
    """A subject, an attribute and its value, as far as given, as one label."""
    return "\x1f".join(fold(part) for part in parts)


def turn_of(row: Sequence[Any]) -> Turn:
    """The turn of a row of (seq, session id, id, role, content, at, offset, speaker, …)."""
    seq, session, id, role, content, at, offset, speaker, channel, chat, origin, agent = row
    try:
        when = from_stored(at, offset)
    except _IMPOSSIBLE:
        raise damaged() from None
    return Turn(session, id, role, content, when, speaker, channel, chat, origin, f"t_{seq}", agent)


def segment_of(row: Sequence[Any]) -> Segment:
    no, session, first, last, started, ended, offset, topic, tags, text = row
    times = from_stored(started, offset), from_stored(ended, offset)
    return Segment(session, first, last, *times, topic, tuple(loaded(tags)), text, no)


_SPECIAL: Mapping[Any, Callable[[Sequence[Any]], Any]] = {Turn: turn_of, Segment: segment_of}


def read_as(made: Callable[..., _Value], row: Sequence[Any], zone: tzinfo | None) -> _Value:
    """A row as a value of a type, whose declarations say which columns are times, lists or flags.

    What `plain` makes of such a value is the row again."""
    if special := _SPECIAL.get(made):
        return special(row)  # type: ignore[no-any-return]
    values = list(row)
    for i, kind in _declared(made):
        if values[i] is None:
            continue
        if kind == "datetime":
            values[i] = moment(values[i], zone)
        elif kind == "bool":
            values[i] = bool(values[i])
        elif kind == "Namespace":
            values[i] = namespace_at(values[i])
        else:
            values[i] = loaded(values[i]) if kind == "Mapping" else tuple(loaded(values[i]))
    return made(*values)
