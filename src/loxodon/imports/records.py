"""Memories as JSON: what mem0 exports, and lists as people and small tools keep them.

    {"results": [{"id", "memory", "user_id", "metadata", "categories", "created_at", …}]}   mem0
    ["User is allergic to peanuts", {"memory": "…", "importance": 0.8, "tags": ["health"]}]  list

mem0: `get_all`, a page of its platform, its history, or OpenMemory's file. Memories of several
people are not put into one space: whose they are has to be said.

A list may also stand under a name, or have one object a line, such as the `facts.jsonl`,
`beliefs.jsonl` and `summaries.jsonl` of a three-layer memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from loxodon.errors import InputError
from loxodon.imports.document import (
    elements,
    instant_in,
    list_in,
    mapping_in,
    names_in,
    number_in,
    share_in,
    text_in,
)
from loxodon.imports.found import Around, Found, NewMemory, Skipped, each_in, problem
from loxodon.imports.package import Package
from loxodon.journal.lines import parse_line, split_lines
from loxodon.types import CATEGORIES, KINDS, Kind, Source

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
_LABELS = {  # mem0's words for categories of ours
    "identity": ("personal_details", "personal"),
    "status": ("professional_details", "professional", "work"),
    "relation": ("family", "relationships"),
    "preference": ("user_preferences", "preferences", "food", "music", "entertainment", "hobbies"),
    "event": ("milestones", "travel"),
    "plan": ("goals", "plans"),
    "config": ("technology",),
}


def file_of(package: Package) -> str:
    """The file that has the memories, or the settings."""
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
    """Whether something is a memory of mem0 rather than of a plain list, or a step of its
    history."""
    if not isinstance(value, Mapping):
        return False
    of_mem0 = "id" in value and any(mark in value for mark in _OF_MEM0)
    return (of_mem0 and bool(text_in(value, *_TEXTS))) or _is_step(value)


def _is_step(value: Mapping[str, Any]) -> bool:
    return "memory_id" in value and "event" in value


def read_mem0(package: Package, around: Around) -> Iterator[Found]:
    name = file_of(package)
    people: dict[str, None] = {}
    history: dict[str, dict[str, Any]] = {}
    for _, value in elements(package, name, LISTS):
        if isinstance(value, Mapping):
            people[_owner(value)] = None
            if _is_step(value):
                first = history.get(str(value["memory_id"]), value)
                history[str(value["memory_id"])] = {
                    "id": str(value["memory_id"]),
                    "memory": value.get("new_memory"),
                    "created_at": first.get("created_at"),
                    "updated_at": value.get("updated_at"),
                    "user_id": around.user,
                    "deleted_at": value.get("event") == "DELETE" or value.get("is_deleted"),
                }
    _check_people([one for one in people if one], name, around)
    yield from each_in(package, name, LISTS, partial(_mem0, around))
    for id, value in history.items():
        try:
            yield from _mem0(around, value, id)
        except InputError as error:
            yield problem(name, id, error)


def _owner(value: Mapping[str, Any]) -> str:
    return text_in(value, "user_id") or text_in(mapping_in(value, "metadata"), "user_id")


def _check_people(people: list[str], name: str, around: Around) -> None:
    """Refuse a file with the memories of several people, unless one of them is asked for."""
    if around.user and around.user not in people:
        raise InputError(
            "{file} has no memories of {user}",
            hint="it has memories of {users}",
            file=name,
            user=repr(around.user),
            users=", ".join(people[:20]) or "—",
        )
    if len(people) > 1 and not around.user:
        raise InputError(
            "{file} has memories of {n} people: {users}",
            hint="import one at a time with --user NAME; keep them apart with --space NAME",
            file=name,
            n=len(people),
            users=", ".join(people[:20]),
        )


def _mem0(around: Around, value: Any, place: str) -> Iterator[Found]:
    if not isinstance(value, Mapping):
        raise _no_memory()
    if _is_step(value):
        return
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
    labels = tuple(dict.fromkeys(label for field in fields for label in names_in(field)))
    yield one._replace(
        key=("mem0", owner, id or one.content),
        category=_category(labels),
        tags=(*one.tags, *(label for label in labels if label not in one.tags)),
        agent=text_in(value, "agent_id")[:200],
        id="",
    )


def _category(labels: tuple[str, ...]) -> str:
    for label in labels:
        name = label.lower().replace(" ", "_")
        if name in CATEGORIES and name != "fact":
            return name
        if found := [ours for ours, theirs in _LABELS.items() if name in theirs]:
            return found[0]
    return ""


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
    for n, (place, value) in enumerate(elements(package, name, LISTS), 1):
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


# Both


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
    state = value.get("state")
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
        expires_at=_expiry(value),
        archived=state in ("archived", "paused")
        or value.get("archived") is True
        or bool(value.get("archived_at")),
        basis=text_in(value, "basis"),
        id=id,
        strength=share_in(value.get("strength", value.get("score"))),
        drawn_from=_sources(text_in(value, "source")),
        derived_from=names_in(value.get("source_facts")),
    )


def _no_memory() -> InputError:
    return InputError(
        "this is not a memory", hint="write it as text, or as an object with a `memory`"
    )


def _expiry(value: Mapping[str, Any]) -> datetime | None:
    """When a memory ends: mem0 names the last day on which it holds, in UTC."""
    end = instant_in(value, UTC, "expiration_date")
    is_day = len(text_in(value, "expiration_date")) == 10
    return end + timedelta(days=1) if end and is_day else end


def _sources(text: str) -> tuple[Source, ...]:
    """`session_abc:15` is a message, `2026-02-04.jsonl:15-16` lines of a file."""
    found = _PLACE.fullmatch(text)
    if found is None:
        return ()
    if re.search(r"\.[A-Za-z]{2,8}$", found["name"]):
        return (Source(file=found["name"], line=int(found["line"])),)
    return (Source(found["name"], found["line"]),)
