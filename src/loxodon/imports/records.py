"""Memories as rows: what mem0 exports, the files of a three-layer memory, the SQLite database of a
four-tier memory.

    {"results": [{"id", "memory", "user_id", "metadata", "categories", "created_at", …}]}   mem0
    {"id": "f_20260204_001", "content": "…", "importance": 1.0, "score": 0.95, …}   three layers

mem0: `get_all`, a page of its platform, or OpenMemory's file. Memories of several
people are not put into one space: whose they are has to be said.

A database is read as `store/sqlite/foreign_files.py` does. Any of its tables, and any of their
columns, may be missing. Its times are in UTC, which is what SQLite's `datetime('now')` gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, timedelta
from functools import partial
from typing import Any

import apsw

from loxodon.errors import InputError
from loxodon.imports.package import (
    Around,
    Found,
    NewMemory,
    Package,
    each_in,
    instant_in,
    names_in,
    problem,
    share_in,
    text_in,
)
from loxodon.journal.jsonl import role_named
from loxodon.journal.lines import MAX_LINE, Trouble, checked, inner, objects_in, split_lines
from loxodon.store.sqlite import foreign_files
from loxodon.store.sqlite.database import APPLICATION_ID
from loxodon.types import CATEGORIES, Draft, Kind, Source

LISTS = ("memories", "results")
_TEXTS = ("memory", "content", "text", "data")
_BELIEF = 0.6  # confidence of a belief that has none
# `session_abc:15` is a message, `2026-02-04.jsonl:15-16` lines of a file.
_PLACE = re.compile(r"(?P<name>[^\s:][^\n]{0,200}?):(?P<line>\d{1,9})(?:-\d{1,9})?")
_OF_MEM0 = ("user_id", "agent_id", "run_id", "app_id", "hash", "actor_id", "categories")


def _no_memory() -> InputError:
    return InputError("this is not a memory", hint="a memory is an object with its text")


# -- mem0 -----------------------------------------------------------------------------------------


def is_mem0(value: object) -> bool:
    if not isinstance(value, Mapping) or not text_in(value, *_TEXTS):
        return False
    return "memory" in value or ("id" in value and any(mark in value for mark in _OF_MEM0))


def read_mem0(package: Package, around: Around) -> Iterator[Found]:
    names = package.names if package.alone else [n for n in package.names if n.endswith(".json")]
    found = [one for one in names if one.rsplit("/", 1)[-1] == "memories.json"] or names
    if len(found) != 1:
        raise InputError(
            "{file} does not contain exactly one JSON file",
            hint="give the file with the memories",
            file=package.name,
        )
    name = found[0]
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
    return text_in(value, "user_id") or text_in(inner(value, "metadata"), "user_id")


def _mem0(around: Around, value: Any, place: str) -> Iterator[Found]:
    if not isinstance(value, Mapping):
        raise _no_memory()
    owner, text = _owner(value), text_in(value, *_TEXTS)
    is_deleted = value.get("state") == "deleted" or value.get("deleted_at")
    if is_deleted or (around.user and owner != around.user):
        return
    if not text:
        raise _no_memory()
    metadata = inner(value, "metadata") or inner(value, "metadata_")
    id = str(value.get("id") or "").strip()
    fields = (value.get("categories"), *map(metadata.get, ("categories", "category", "type")))
    labels = [label for field in fields for label in names_in(field)]
    known = (label.lower() for label in labels if label.lower() in CATEGORIES)
    # The last day on which it holds, in UTC
    end = instant_in(value, UTC, "expiration_date")
    if end and len(text_in(value, "expiration_date")) == 10:
        end += timedelta(days=1)
    yield NewMemory(
        text,
        ("mem0", owner, id or text),
        Source("mem0", id[:512] or place),
        category=next(known, ""),
        importance=share_in(metadata.get("importance")),
        project=text_in(metadata, "project"),
        topic=text_in(metadata, "topic"),
        tags=tuple(dict.fromkeys((*names_in(metadata.get("tags")), *labels))),
        agent=text_in(value, "agent_id")[:200],
        since=instant_in(value, around.zone, "created_at"),
        confirmed_at=instant_in(value, around.zone, "updated_at"),
        expires_at=end,
        archived=bool(value.get("archived_at")) or value.get("state") in ("archived", "paused"),
    )


# -- a three-layer memory -------------------------------------------------------------------------


def read_layer(
    package: Package, name: str, around: Around, kind: Kind, *, archived: bool
) -> Iterator[Found]:
    problems: list[Trouble] = []
    for number, value in objects_in(split_lines(package.read(name)), problems):
        try:
            one = _layered(value, Source(file=name, line=number), around, kind)
            yield one._replace(archived=archived)
        except InputError as error:
            problems.append((number, error))
    yield from (problem(name, line, error) for line, error in problems)


def _layered(value: Mapping[str, Any], source: Source, around: Around, kind: Kind) -> NewMemory:
    text, confidence = text_in(value, "content"), value.get("confidence")
    if not text:
        raise _no_memory()
    if not isinstance(confidence, int | float) or not 0 <= confidence < 1:
        confidence = _BELIEF if kind == "belief" else 1.0
    elif kind == "fact":
        kind = "belief"
    drawn_from: tuple[Source, ...] = ()
    if place := _PLACE.fullmatch(text_in(value, "source")):
        is_file = re.search(r"\.[A-Za-z]{2,8}$", place["name"])
        in_file = Source(file=place["name"], line=int(place["line"]))
        drawn_from = (in_file if is_file else Source(place["name"], place["line"]),)
    id, category = str(value.get("id") or "").strip(), text_in(value, "category").lower()
    return NewMemory(
        text,
        ("list", id, text),
        source,
        kind,
        category=category if category in CATEGORIES else "",
        importance=share_in(value.get("importance")),
        confidence=confidence,
        tags=names_in(value.get("tags")),
        entities=names_in(value.get("entities")),
        since=instant_in(value, around.zone, "created"),
        confirmed_at=instant_in(value, around.zone, "updated"),
        basis=text_in(value, "basis"),
        id=id,
        strength=share_in(value.get("score")),
        drawn_from=drawn_from,
        derived_from=names_in(value.get("source_facts")),
        own=True,
    )


# -- the database of a four-tier memory: what is known, its log of events, its buffer --------------


def read_tiered(package: Package, around: Around) -> Iterator[Found]:
    try:
        with closing(foreign_files.connect(package.path, "mode=ro", 4 * MAX_LINE)) as connection:
            yield from _tables(connection, package.name)
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
                if text and table == "memories":
                    yield _tiered_memory(row, text, number, file)
                elif text:
                    yield _tiered_turn(row, text, number, table)
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
        own=True,
        used=int(row.get("access_count") or 0),
    )


def _tiered_turn(row: dict[str, Any], text: str, number: int, table: str) -> Draft:
    """An event of the log, or a message that waits there to be read."""
    at, channel = instant_in(row, UTC, "created_at"), text_in(row, "channel")
    if table == "extraction_buffer":
        role, day = role_named(row.get("role")), f"-{at:%Y-%m-%d}" if at else ""
        session = f"tiered-{channel or 'buffer'}{day}"
        return checked(Draft(number, role, text, session, at=at, channel=channel))
    on = instant_in(row, UTC, "event_date", "created_at")
    at = at if at and on and at.date() == on.date() else on
    session = f"tiered-{on:%Y-%m-%d}" if on else "tiered-events"
    # What was made knowledge there already is not learned from again.
    role = "tool" if row.get("is_compressed") else "user"
    return checked(Draft(number, role, text, session, at=at, channel=channel, origin="import"))
