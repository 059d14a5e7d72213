"""mem0's calls and answers, as pure functions: what is asked for, and how it is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from hashlib import md5
from typing import Any, NamedTuple
from uuid import uuid4

from loxodon.errors import CallError
from loxodon.guard.own_words import in_parts
from loxodon.journal.jsonl import text_of
from loxodon.types import Record, Version

Answer = dict[str, Any]

CHANNEL = "mem0"
NOBODY = "(no user)"  # The space of what was added without a user; no user can be called so
_IDS = ("user_id", "agent_id", "run_id")
# Names that metadata cannot set: they say whose a memory is
_KEPT_APART = frozenset({*_IDS, "actor_id"})


class Scope(NamedTuple):
    """Whose memories a call is about."""

    space: str
    agent_id: str = ""
    run_id: str = ""
    conditions: Mapping[str, Any] = {}

    @property
    def is_narrow(self) -> bool:
        """Whether it is about a part of a space only."""
        return bool(self.agent_id or self.run_id or self.conditions)


def session_of(scope: Scope) -> str:
    """The session that a call journals to; with an agent it has a space, as the name of no run."""
    agent = f" ({scope.agent_id})" if scope.agent_id else ""
    return f"{scope.run_id or CHANNEL}{agent}"


def is_in(scope: Scope, session: str) -> bool:
    """Whether what was journalled to a session is what a call is about."""
    run, _, agent = session.partition(" ")
    return scope.run_id in ("", run) and (not scope.agent_id or agent == f"({scope.agent_id})")


# Calls as they come in


def setting(config: object, name: str) -> Any:
    return config.get(name) if isinstance(config, Mapping) else getattr(config, name, None)


def scope_of(user_id: Any, agent_id: Any, run_id: Any, filters: Mapping[str, Any] | None) -> Scope:
    """Whose memories a call is about, in either way of saying so."""
    conditions = dict(filters or {})
    given = dict(zip(_IDS, (user_id, agent_id, run_id), strict=True))
    ids = {}
    for name in _IDS:
        beside = conditions.pop(name, None)
        ids[name] = _name(name, given[name] if given[name] is not None else beside)
    if not any(ids.values()):
        raise CallError(
            "no user, agent or run given", hint="give at least one of user_id, agent_id and run_id"
        )
    return Scope(ids["user_id"] or NOBODY, ids["agent_id"], ids["run_id"], conditions)


def _name(what: str, value: Any) -> str:
    if value is None:
        return ""
    name = "" if isinstance(value, Mapping | list | tuple | bool) else str(value).strip()
    if not name or any(one.isspace() for one in name):
        raise CallError(
            "{field} cannot be {value}",
            hint="it must be a name without spaces",
            field=what,
            value=repr(value)[:60],
        )
    return name


def limit_of(limit: int | None, top_k: int | None, filters: object) -> int:
    """How many are wanted: mem0's own defaults, of either way of calling."""
    most = top_k if top_k is not None else limit
    if most is None:
        return 100 if filters is None else 20
    if isinstance(most, bool) or not isinstance(most, int) or most < 0:
        raise CallError(
            "{field} cannot be {value}",
            hint="it must be a whole number, 0 or more",
            field="top_k",
            value=repr(most),
        )
    return most


def messages_in(messages: object) -> list[Mapping[str, Any]]:
    """Messages as a list, without those that nobody said."""
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    given = [messages] if isinstance(messages, Mapping) else messages
    if not isinstance(given, list | tuple) or not all(isinstance(one, Mapping) for one in given):
        raise CallError("messages must be a string, a message or a list of messages")
    return [
        one
        for one in given
        if one.get("role") not in (None, "system") and one.get("content") is not None
    ]


def text_in(message: Mapping[str, Any]) -> str:
    return text_of(message["content"])


def turn_of(message: Mapping[str, Any], timestamp: Any) -> dict[str, object]:
    turn: dict[str, object] = {
        "role": message["role"],
        "content": text_in(message),
        "id": uuid4().hex,
        "channel": CHANNEL,
    }
    if message["role"] == "user":
        turn["origin"] = "relayed"
        turn["content"] = in_parts(message["content"], text_of)
    if message.get("name"):
        turn["speaker"] = str(message["name"])
    if timestamp is not None:
        turn["at"] = timestamp
    return turn


def last_day(value: object) -> str | None:
    """The last day on which a memory holds, as YYYY-MM-DD."""
    if value is None:
        return None
    if isinstance(value, date):  # a moment is one too
        return f"{value:%Y-%m-%d}"
    with suppress(ValueError):
        return date.fromisoformat(str(value)).isoformat()
    raise CallError("expiration_date must be a date", hint="write it as YYYY-MM-DD")


def end_of(mark: Mapping[str, Any]) -> datetime | None:
    """The moment at which a memory ends: mem0 names the last day on which it holds, in UTC."""
    last = mark.get("expiration_date")
    if not last:
        return None
    return datetime.fromisoformat(str(last)).replace(tzinfo=UTC) + timedelta(days=1)


def moment_of(value: object) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC)
    with suppress(ValueError):
        return datetime.fromisoformat(str(value))
    raise CallError("{field} must be a date and time", field="reference_date")


# What a caller said of a memory


def said_of(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: one for name, one in (metadata or {}).items() if name not in _KEPT_APART}


def mark_of(scope: Scope, metadata: Mapping[str, Any] | None) -> Answer:
    return {
        "agent_ids": [scope.agent_id] if scope.agent_id else [],
        "run_ids": [scope.run_id] if scope.run_id else [],
        "metadata": said_of(metadata),
    }


def is_about(scope: Scope, mark: Mapping[str, Any]) -> bool:
    """Whether a memory is of the agent and run that a call is about."""
    return all(not one or one in mark.get(name, ()) for name, one in _asked(scope))


def left_of(scope: Scope, mark: Mapping[str, Any]) -> Answer:
    """What was said of a memory by others than a call is about; nothing where there are none."""
    rest = {name: [one for one in mark.get(name, ()) if one != it] for name, it in _asked(scope)}
    shared = any(rest[name] for name, it in _asked(scope) if it)
    return {**mark, **rest} if shared else {}


def _asked(scope: Scope) -> tuple[tuple[str, str], ...]:
    return ("agent_ids", scope.agent_id), ("run_ids", scope.run_id)


def merged(before: Mapping[str, Any], mark: Mapping[str, Any]) -> Answer:
    """What was said of a memory and is said now: a fact that two runs told belongs to both."""
    found = {**before, **mark}
    for name in ("agent_ids", "run_ids"):
        found[name] = [*dict.fromkeys((*before.get(name, ()), *mark.get(name, ())))]
    found["metadata"] = {**before.get("metadata", {}), **mark.get("metadata", {})}
    return found


# Answers


def id_of(record: Record) -> str:
    """The id that a caller gets: ours, and whose it is, since mem0 asks by the id alone."""
    return f"{record.id}@{'' if record.space == NOBODY else record.space}"


def parted(memory_id: object) -> tuple[str, str]:
    id, _, space = str(memory_id).partition("@")
    return id, space or NOBODY


def shown_as(record: Record, mark: Mapping[str, Any], scope: Scope | None = None) -> Answer:
    shown: Answer = {
        "id": id_of(record),
        "memory": record.content,
        "hash": md5(record.content.encode(), usedforsecurity=False).hexdigest(),
        "metadata": mark.get("metadata") or None,
        "created_at": record.created_at.isoformat(),
        "updated_at": record.updated_at.isoformat(),
    }
    if record.space != NOBODY:
        shown["user_id"] = record.space
    for name, asked in (("agent_id", scope and scope.agent_id), ("run_id", scope and scope.run_id)):
        if held := mark.get(f"{name}s"):
            shown[name] = asked or held[-1]
    for name in ("actor_id", "role", "expiration_date"):
        if mark.get(name):
            shown[name] = mark[name]
    return shown


def steps(memory_id: str, versions: Sequence[Version], mark: Answer) -> Iterator[Answer]:
    """The history of a memory as mem0 tells it: what changed its words, or whether it is there."""
    before: Record | None = None
    for one in versions:
        record, there = one.record, one.record.state == "active"
        was = before is not None and before.state == "active"
        if there == was and (before is None or before.content == record.content):
            before = record
            continue
        event = "DELETE" if not there else "UPDATE" if was else "ADD"
        yield {
            "id": f"{memory_id}#{one.version}",
            "memory_id": memory_id,
            "old_memory": before.content if before is not None and was else None,
            "new_memory": record.content if there else None,
            "event": event,
            "created_at": record.created_at.isoformat(),
            "updated_at": one.at.isoformat(),
            "is_deleted": not there,
            "actor_id": mark.get("actor_id"),
            "role": mark.get("role"),
        }
        before = record


def deleted(past: Sequence[Answer], now: datetime) -> list[Answer]:
    """A history of which no word is left, and that ends."""
    if not past:
        return []
    last = {**past[-1], "event": "DELETE", "updated_at": now.isoformat(), "is_deleted": True}
    last["id"] = f"{last['memory_id']}#deleted"
    told = past if past[-1]["is_deleted"] else [*past, last]
    return [{**one, "old_memory": None, "new_memory": None, "actor_id": None} for one in told]
