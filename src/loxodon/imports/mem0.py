"""What mem0 exports: `get_all`, a page of its platform, its history, or OpenMemory's file.

    {"results": [{"id", "memory", "user_id", "metadata", "categories", "created_at", …}]}

Memories of several people are not put into one space: whose they are has to be said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from loxodon.errors import InputError
from loxodon.imports.document import elements, instant_in, names_in, share_in, text_in
from loxodon.imports.found import Around, Found, NewMemory, Skipped, problem_at
from loxodon.imports.package import Package
from loxodon.types import CATEGORIES, Source

FORMAT = "mem0"
LISTS = ("results", "memories", "data")
_TEXTS = ("memory", "content", "text", "data")
_CATEGORIES = {
    "personal_details": "identity",
    "personal": "identity",
    "professional_details": "status",
    "professional": "status",
    "work": "status",
    "family": "relation",
    "relationships": "relation",
    "health": "health",
    "user_preferences": "preference",
    "preferences": "preference",
    "food": "preference",
    "music": "preference",
    "entertainment": "preference",
    "hobbies": "preference",
    "fashion": "preference",
    "milestones": "event",
    "travel": "event",
    "goals": "plan",
    "plans": "plan",
    "technology": "config",
}
_USED = (
    "category",
    "categories",
    "type",
    "importance",
    "tags",
    "project",
    "topic",
    "data",
    "hash",
    "user_id",
    "agent_id",
    "run_id",
    "created_at",
    "updated_at",
)


def is_memory(value: object) -> bool:
    """Whether something looks like a memory of mem0 rather than of a plain list."""
    if not isinstance(value, Mapping) or not text_in(value, *_TEXTS):
        return False
    marks = ("user_id", "agent_id", "run_id", "app_id", "hash", "actor_id", "categories")
    return "id" in value and any(mark in value for mark in marks)


def is_change(value: object) -> bool:
    """Whether something is a step of mem0's history."""
    return isinstance(value, Mapping) and "memory_id" in value and "event" in value


def file_of(package: Package) -> str:
    """The file that has the memories."""
    named = [
        name for name in package.names if name.rsplit("/", 1)[-1].lower() == "memories.json"
    ] or [name for name in package.names if name.lower().endswith(".json")]
    if len(named) == 1 or len(package.names) == 1:
        return named[0] if named else package.names[0]
    raise InputError(
        "{file} does not contain exactly one JSON file",
        hint="give the file with the memories",
        file=package.name,
    )


def read(package: Package, around: Around) -> Iterator[Found]:
    name = file_of(package)
    _one_person(package, name, around)
    steps: list[Mapping[str, Any]] = []
    for place, value in elements(package, name, LISTS):
        if is_change(value):
            steps.append(value)
        elif isinstance(value, Mapping):
            yield from _memory(value, name, place, around)
        else:
            yield problem_at(name, place or ".", _no_memory())
    if steps:
        yield from _last_of(steps, name, around)


def _no_memory() -> InputError:
    return InputError(
        "this is not a memory", hint="a memory is an object with an `id` and a `memory`"
    )


def _one_person(package: Package, name: str, around: Around) -> None:
    """Refuse a file with the memories of several people, unless one of them is asked for."""
    people = dict.fromkeys(
        _owner(value) for _, value in elements(package, name, LISTS) if isinstance(value, Mapping)
    )
    people.pop("", None)
    if around.user and around.user not in people:
        raise InputError(
            "{file} has no memories of {user}",
            hint="it has memories of {users}",
            file=name,
            user=repr(around.user),
            users=", ".join(list(people)[:20]) or "—",
        )
    if len(people) > 1 and not around.user:
        raise InputError(
            "{file} has memories of {n} people: {users}",
            hint="import one at a time with --user NAME; keep them apart with --space NAME",
            file=name,
            n=len(people),
            users=", ".join(list(people)[:20]),
        )


def _owner(value: Mapping[str, Any]) -> str:
    metadata = value.get("metadata")
    inner = text_in(metadata, "user_id") if isinstance(metadata, Mapping) else ""
    return text_in(value, "user_id").strip() or inner.strip()


def _memory(value: Mapping[str, Any], file: str, place: str, around: Around) -> Iterator[Found]:
    owner = _owner(value)
    if around.user and owner != around.user:
        yield Skipped("other user")
        return
    if "relationship" in value or ("source" in value and "target" in value):
        yield Skipped("relations")
        return
    text, id = text_in(value, *_TEXTS).strip(), str(value.get("id", "")).strip()
    if not text:
        yield problem_at(file, place, _no_memory())
        return
    if value.get("state") == "deleted" or value.get("deleted_at"):
        yield Skipped("deleted")
        return
    try:
        since = instant_in(value, around.zone, "created_at")
        updated = instant_in(value, around.zone, "updated_at")
        expires = _expiry(value, around)
    except InputError as error:
        yield problem_at(file, place, error)
        return
    metadata = value.get("metadata") or value.get("metadata_")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    unused = len(metadata.keys() - _USED)
    if unused:
        yield Skipped("metadata", unused)
    labels = (
        *names_in(value.get("categories")),
        *names_in(metadata.get("categories")),
        *names_in(metadata.get("category")),
        *names_in(metadata.get("type")),
    )
    yield NewMemory(
        text,
        (FORMAT, owner, id or text),
        Source(FORMAT, id[:512] or place),
        category=_category(labels),
        importance=share_in(metadata.get("importance")),
        project=text_in(metadata, "project").strip(),
        topic=text_in(metadata, "topic").strip(),
        tags=tuple(dict.fromkeys((*names_in(metadata.get("tags")), *labels))),
        agent=text_in(value, "agent_id").strip()[:200],
        since=since,
        confirmed_at=updated,
        expires_at=expires,
        archived=value.get("state") in ("archived", "paused") or bool(value.get("archived_at")),
    )


def _category(labels: tuple[str, ...]) -> str:
    for label in labels:
        name = label.strip().lower().replace(" ", "_")
        if name in CATEGORIES and name != "fact":
            return name
        if name in _CATEGORIES:
            return _CATEGORIES[name]
    return ""


def _expiry(value: Mapping[str, Any], around: Around) -> datetime | None:
    """When a memory ends: mem0 names the last day on which it holds, in UTC."""
    day = instant_in(value, UTC, "expiration_date")
    if day is None:
        return None
    text = value.get("expiration_date")
    return day + timedelta(days=1) if isinstance(text, str) and len(text) == 10 else day


def _last_of(steps: list[Mapping[str, Any]], file: str, around: Around) -> Iterator[Found]:
    """The memories that a history leads to."""
    latest: dict[str, Mapping[str, Any]] = {}
    first: dict[str, Mapping[str, Any]] = {}
    for step in steps:
        id = str(step["memory_id"])
        latest[id] = step
        first.setdefault(id, step)
    for id, step in latest.items():
        if step.get("event") == "DELETE" or step.get("is_deleted") in (1, True):
            yield Skipped("deleted")
            continue
        value = {
            "id": id,
            "memory": step.get("new_memory"),
            "created_at": first[id].get("created_at"),
            "updated_at": step.get("updated_at"),
            "user_id": around.user,
        }
        yield from _memory(value, file, id, around)
