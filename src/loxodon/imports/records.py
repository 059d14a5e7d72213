"""Memories as rows: what mem0 exports, lists as people and small tools keep them, and the SQLite
database of a four-tier memory.

    {"results": [{"id", "memory", "user_id", "metadata", "categories", "created_at", …}]}   mem0
    ["User is allergic to peanuts", {"memory": "…", "importance": 0.8, "tags": ["health"]}]  list

mem0: `get_all`, a page of its platform, or OpenMemory's file. Memories of several
people are not put into one space: whose they are has to be said.

A list may also stand under a name, or have one object a line, such as the `facts.jsonl`,
`beliefs.jsonl` and `summaries.jsonl` of a three-layer memory.

A database is read as `store/sqlite/foreign_files.py` does. Any of its tables, and any of their
columns, may be missing. Its times are in UTC, which is what SQLite's `datetime('now')` gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, timedelta
from functools import partial
from typing import Any

import apsw

from loxodon.errors import InputError
from loxodon.imports.found import (
    Around,
    Found,
    NewMemory,
    Skipped,
    Talk,
    each_in,
    instant_in,
    list_in,
    mapping_in,
    names_in,
    number_in,
    problem,
    share_in,
    text_in,
)
from loxodon.imports.package import Package
from loxodon.journal.jsonl import role_named
from loxodon.journal.lines import MAX_LINE, check_name, check_text, parse_line, split_lines
from loxodon.store.sqlite import foreign_files
from loxodon.store.sqlite.database import APPLICATION_ID
from loxodon.types import CATEGORIES, KINDS, Draft, Kind, Source

LISTS = ("memories", "facts", "results", "items", "data")
_TEXTS = ("memory", "content", "text", "fact", "value", "data")
_BELIEF = 0.6  # confidence of a belief that has none
_PLACE = re.compile(r"(?P<name>[^\s:][^\n]{0,200}?):(?P<line>\d{1,9})(?:-\d{1,9})?")
_OF_MEM0 = ("user_id", "agent_id", "run_id", "app_id", "hash", "actor_id", "categories")
_TAKEN = ("created_at", "updated_at", "expiration_date", "state", "archived_at")
_USED = {  # metadata of mem0 that is not left out
    *("category", "categories", "type", "importance", "tags", "project", "topic"),
    *("data", "hash", "user_id", "agent_id", "run_id", "created_at", "updated_at"),
}
_LABELS = {  # mem0's words for categories of ours; the others are tags, as these are too
    "identity": ("personal_details", "personal"),
    "status": ("professional_details", "professional", "work"),
    "relation": ("family", "relationships"),
    "preference": ("user_preferences", "preferences", "food", "music", "entertainment", "hobbies"),
    "event": ("milestones", "travel"),
    "plan": ("goals", "plans"),
    "config": ("technology",),
}


def file_of(package: Package) -> str:
    """The file that has the memories."""
    found = [one for one in package.names if one.rsplit("/", 1)[-1].lower() == "memories.json"]
    found = found or [one for one in package.names if one.lower().endswith(".json")]
    found = package.names if len(package.names) == 1 else found
    if len(found) == 1:
        return found[0]
    raise InputError(
        "{file} does not contain exactly one JSON file",
        hint="give the file with the memories",
        file=package.name,
    )


# mem0


def is_mem0(value: object) -> bool:
    """Whether something is a memory of mem0 rather than of a plain list."""
    if not isinstance(value, Mapping) or "id" not in value:
        return False
    return any(mark in value for mark in _OF_MEM0) and bool(text_in(value, *_TEXTS))


def read_mem0(package: Package, around: Around) -> Iterator[Found]:
    name = file_of(package)
    values = (value for _, value in package.elements(name, LISTS) if isinstance(value, Mapping))
    people = [one for one in dict.fromkeys(map(_owner, values)) if one]
    if around.user not in people if around.user else len(people) > 1:
        raise InputError(
            "{file} has memories of {n} people: {users}",
            hint="import one at a time with --user NAME; keep them apart with --space NAME",
            file=name,
            n=len(people),
            users=", ".join(people[:20]),
        )
    yield from each_in(package, name, LISTS, partial(_mem0, around))


def _owner(value: Mapping[str, Any]) -> str:
    return text_in(value, "user_id") or text_in(mapping_in(value, "metadata"), "user_id")


def _mem0(around: Around, value: Any, place: str) -> Iterator[Found]:
    if not isinstance(value, Mapping):
        raise _no_memory()
    owner, reason = _owner(value), ""
    if around.user and owner != around.user:
        reason = "other user"
    elif "relationship" in value or {"source", "target"} <= {*value}:
        reason = "relations"
    elif value.get("state") == "deleted" or value.get("deleted_at"):
        reason = "deleted"
    if reason:
        yield Skipped(reason)
        return
    metadata = mapping_in(value, "metadata") or mapping_in(value, "metadata_")
    if unused := len(metadata.keys() - _USED):
        yield Skipped("metadata", unused)
    id = str(value.get("id") or "").strip()
    taken = {name: metadata.get(name) for name in ("importance", "project", "topic", "tags")}
    taken |= {name: value.get(name) for name in (*_TEXTS, *_TAKEN)}
    one = _memory(taken, Source("mem0", id[:512] or place), around)
    fields = (value.get("categories"), *map(metadata.get, ("categories", "category", "type")))
    labels = [label for field in fields for label in names_in(field)]
    words = [label.lower().replace(" ", "_") for label in labels]
    ours = {word: ours for ours, theirs in _LABELS.items() for word in theirs}
    known = (word if word in CATEGORIES else ours.get(word, "fact") for word in words)
    yield one._replace(
        key=("mem0", owner, id or one.content),
        category=next((category for category in known if category != "fact"), ""),
        tags=tuple(dict.fromkeys((*one.tags, *labels))),
        agent=text_in(value, "agent_id")[:200],
        id="",
    )


# Lists


def is_listed(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, Mapping) and "role" not in value and bool(text_in(value, *_TEXTS))


def read_list(package: Package, around: Around) -> Iterator[Found]:
    name = file_of(package)
    if one_a_line(package, name):
        yield from lines(package, name, around)
        return
    for n, (place, value) in enumerate(package.elements(name, LISTS), 1):
        try:
            yield from _listed(value, Source(file=name, line=n), around)
        except InputError as error:
            yield problem(name, place, error)


def one_a_line(package: Package, name: str) -> bool:
    """Whether a file has one JSON object a line, rather than being one."""
    if name.lower().endswith((".jsonl", ".ndjson")):
        return True
    first, _, rest = package.head(name).lstrip(b"\xef\xbb\xbf \r\n").partition(b"\n")
    return first.startswith(b"{") and first.rstrip().endswith(b"}") and rest.lstrip()[:1] == b"{"


def lines(
    package: Package,
    name: str,
    around: Around,
    kind: Kind = "fact",
    *,
    archived: bool = False,
    own: bool = False,
) -> Iterator[Found]:
    """The memories of a file that has one a line: of this kind where a line does not say it."""
    found = split_lines(package.read(name))
    yield from (problem(name, line, error) for line, error in found.problems)
    last = 0 if found.whole else len(found.texts)
    for number, text in enumerate(found.texts, 1):
        try:
            if text and not text.isspace():
                value = parse_line(text, cut=number == last)
                for one in _listed(value, Source(file=name, line=number), around, kind):
                    if isinstance(one, NewMemory):
                        one = one._replace(archived=archived or one.archived, own=own)
                    yield one
        except InputError as error:
            yield problem(name, number, error)


def _listed(
    value: Any, source: Source, around: Around, kind: Kind = "fact"
) -> Iterator[NewMemory | Skipped]:
    if isinstance(value, str):
        text = value.strip()
        yield NewMemory(text, ("list", text), source) if text else Skipped("empty")
        return
    if not is_listed(value):  # nor is a message
        raise _no_memory()
    now = _memory(value, source, around, kind)
    yield now
    for one in list_in(value, "history"):  # what it said before: it was so, until then
        if text := text_in(one, *_TEXTS):
            yield NewMemory(
                text,
                (*now.key, "before", text),
                source,
                importance=now.importance,
                entities=now.entities,
                archived=True,
                strength=share_in(one.get("score")),
                until=instant_in(one, around.zone, "until"),
            )


def _memory(value: Any, source: Source, around: Around, kind: Kind = "fact") -> NewMemory:
    """What one object says; an InputError where it is no memory."""
    text = text_in(value, *_TEXTS)
    if not text:
        raise _no_memory()
    kind = next((one for one in KINDS if value.get("kind", value.get("type")) == one), kind)
    kind = "summary" if "source_facts" in value else kind
    confidence = number_in(value.get("confidence"))
    if kind == "fact" and confidence is not None and confidence < 1:
        kind = "belief"
    if kind == "fact" or confidence is None or not 0 <= confidence < 1:
        confidence = _BELIEF if kind == "belief" else 1.0
    id, category = str(value.get("id") or "").strip(), text_in(value, "category").lower()
    put_away = value.get("archived") is True or bool(value.get("archived_at"))
    # mem0 names the last day on which a memory holds, in UTC.
    end = instant_in(value, UTC, "expiration_date")
    if end and len(text_in(value, "expiration_date")) == 10:
        end += timedelta(days=1)
    # `session_abc:15` is a message, `2026-02-04.jsonl:15-16` lines of a file.
    drawn_from: tuple[Source, ...] = ()
    if place := _PLACE.fullmatch(text_in(value, "source")):
        is_file = re.search(r"\.[A-Za-z]{2,8}$", place["name"])
        in_file = Source(file=place["name"], line=int(place["line"]))
        drawn_from = (in_file if is_file else Source(place["name"], place["line"]),)
    return NewMemory(
        text,
        ("list", id, text),
        source,
        kind,
        category if category in CATEGORIES else "",
        share_in(value.get("importance")),
        confidence,
        text_in(value, "project"),
        text_in(value, "topic"),
        names_in(value.get("tags")),
        names_in(value.get("entities")),
        since=instant_in(value, around.zone, "valid_from", "created_at", "created", "date", "at"),
        confirmed_at=instant_in(value, around.zone, "updated_at", "updated"),
        expires_at=end,
        archived=put_away or value.get("state") in ("archived", "paused"),
        basis=text_in(value, "basis"),
        id=id,
        strength=share_in(value.get("strength", value.get("score"))),
        drawn_from=drawn_from,
        derived_from=names_in(value.get("source_facts")),
    )


def _no_memory() -> InputError:
    return InputError(
        "this is not a memory", hint="write it as text, or as an object with a `memory`"
    )


# The database of a four-tier memory: what is known, its log of events, its buffer


def read_tiered(package: Package, around: Around) -> Iterator[Found]:
    try:
        connection = foreign_files.connect(package.path, "mode=ro", 4 * MAX_LINE)
        try:
            yield from _tables(connection, package.name)
        finally:
            connection.close()
    except apsw.Error as error:
        raise InputError(
            "cannot read {file} as an SQLite database: {reason}",
            hint="close the program that uses it, or use a copy; nothing was imported",
            file=package.name,
            reason=error,
        ) from None


def _tables(connection: apsw.Connection, file: str) -> Iterator[Found]:
    if connection.pragma("application_id") == APPLICATION_ID:
        raise InputError(
            "{file} is a Loxodon memory, not one of another program",
            hint="open it with `loxodon --home DIR`",
            file=file,
        )
    texts = {"memories": "content", "daily_events": "summary", "extraction_buffer": "content"}
    columns = {table: foreign_files.columns(connection, table) for table in texts}
    if not any(columns.values()):
        raise InputError(
            "{file} is not a four-tier memory",
            hint="it must have the table memories, daily_events or extraction_buffer; "
            "nothing was imported",
            file=file,
        )
    for table, names in columns.items():
        listed = ", ".join('"' + name.replace('"', '""') + '"' for name in ("rowid", *names))
        query = f"SELECT {listed} FROM {table} ORDER BY rowid"  # noqa: S608
        for number, *values in connection.execute(query) if names else ():
            row = dict(zip(names, values, strict=True))
            text = text_in(row, texts[table])
            try:
                if not text:
                    yield Skipped("empty")
                elif table == "memories":
                    yield _tiered_memory(row, text, number, file)
                else:
                    yield Talk((_tiered_turn(row, text, number, table),))
            except InputError as error:
                yield problem(file, number, error)


def _tiered_memory(row: dict[str, Any], text: str, number: int, file: str) -> NewMemory:
    category, core = text_in(row, "category").lower(), row.get("tier") == 1
    # `_profile` and the like are its own marks, not names.
    names = (text_in(row, "project"), text_in(row, "topic"))
    project, topic = ("" if name.startswith("_") else name for name in names)
    return NewMemory(
        text,
        ("tiered", str(number), text_in(row, "created_at")),
        Source(file=file, line=number),
        category=category if category in CATEGORIES else "identity" if core else "",
        importance=share_in(row.get("importance", 1.0 if core else None)),
        project=project,
        topic=topic,
        since=instant_in(row, UTC, "created_at"),
        confirmed_at=instant_in(row, UTC, "updated_at"),
        archived=bool(row.get("is_archived")),
    )


def _tiered_turn(row: dict[str, Any], text: str, number: int, table: str) -> Draft:
    """An event of the log, or a message that waits there to be read."""
    at, channel = instant_in(row, UTC, "created_at"), text_in(row, "channel")
    check_name(channel, "channel")
    check_text(text)
    if table == "extraction_buffer":
        day = f"-{at:%Y-%m-%d}" if at else ""
        session = f"tiered-{channel or 'buffer'}{day}"
        return Draft(number, role_named(row.get("role")), text, session, at=at, channel=channel)
    on = instant_in(row, UTC, "event_date", "created_at")
    at = at if at and on and at.date() == on.date() else on
    session = f"tiered-{on:%Y-%m-%d}" if on else "tiered-events"
    # What was made knowledge there already is not learned from again.
    role = role_named("tool" if row.get("is_compressed") else "user")
    return Draft(number, role, text, session, at=at, channel=channel, origin="import")
