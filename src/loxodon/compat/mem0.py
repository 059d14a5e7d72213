"""Loxodon in the place of mem0: the same calls, the same answers, no model and no server.

    from loxodon.compat.mem0 import Memory

    memory = Memory()
    memory.add("I am allergic to peanuts", user_id="ann")
    memory.search("what can she not eat?", filters={"user_id": "ann"})

Ids may be arguments (0.x, 1.x) or in `filters` (2.x). A user is a space; `agent_id` and `run_id`
narrow what is asked for within it. With `infer` messages are journalled and made known by the rules
at once; without, each is kept as it stands. What a caller says of a memory, its metadata and ids,
is a document beside it, its mark. Deleting erases for good: the memory, its history, and in the
messages it was drawn from the sentences that say it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import md5
from itertools import islice
from typing import Any, NamedTuple
from uuid import uuid4

from loxodon.clock import Clock
from loxodon.compat.filters import mem0_admits
from loxodon.errors import CallError, NotFoundError
from loxodon.guard.own_words import in_parts
from loxodon.http.host import Host
from loxodon.journal.jsonl import text_of
from loxodon.memory import Memory as Space
from loxodon.types import CAPTURED, Origin, Record

Answer = dict[str, Any]
Answers = dict[str, list[Answer]]

CHANNEL = "mem0"
ROOT = (CHANNEL,)  # The namespace of the marks
NOBODY = "(no user)"  # The space of what was added without a user; no user can be called so
_IDS = ("user_id", "agent_id", "run_id")
_KEPT_APART = frozenset({*_IDS, "actor_id"})  # what metadata cannot set: whose a memory is
_MANY = 500  # Memories that are looked through where conditions leave some of them out
_ALL_TOKENS = 1 << 30
_TURNS = 10  # Turns that are looked at for memories that were drawn from them
_BY_A_TURN = 0.5  # What is left of the score of a turn for such a memory
_UNSET: Any = object()
_ORIGINS: Mapping[str, Origin] = {"user": "user", "assistant": "assistant", "tool": "tool"}


class Scope(NamedTuple):
    space: str
    agent_id: str = ""
    run_id: str = ""
    conditions: Mapping[str, Any] = {}

    @property
    def asked(self) -> tuple[tuple[str, str], ...]:
        return ("agent_ids", self.agent_id), ("run_ids", self.run_id)

    @property
    def session(self) -> str:
        """Where a call journals to; with an agent it has a space, as the name of no run."""
        return (self.run_id or CHANNEL) + (f" ({self.agent_id})" if self.agent_id else "")

    def has_session(self, session: str) -> bool:
        run, _, agent = session.partition(" ")
        return self.run_id in ("", run) and (not self.agent_id or agent == f"({self.agent_id})")

    def has_mark(self, mark: Mapping[str, Any]) -> bool:
        return all(not one or one in mark.get(name, ()) for name, one in self.asked)


def _scope(user_id: Any, agent_id: Any, run_id: Any, filters: Mapping[str, Any] | None) -> Scope:
    conditions, ids = dict(filters or {}), []
    for name, given in zip(_IDS, (user_id, agent_id, run_id), strict=True):
        beside = conditions.pop(name, None)
        value = beside if given is None else given
        id = "" if value is None else str(value).strip()
        if value is not None and (not isinstance(value, str | int) or len(id.split()) != 1):
            raise _bad(name, value, "it must be a name without spaces")
        ids.append(id)
    if not any(ids):
        hint = "give at least one of user_id, agent_id and run_id"
        raise CallError("no user, agent or run given", hint=hint)
    return Scope(ids[0] or NOBODY, ids[1], ids[2], conditions)


def _bad(field: str, value: object, hint: str) -> CallError:
    return CallError("{field} cannot be {value}", hint=hint, field=field, value=repr(value)[:60])


def _most(limit: int | None, top_k: int | None, filters: object) -> int:
    """How many are wanted: mem0's own defaults, of either way of calling."""
    asked = limit if top_k is None else top_k
    most = asked if asked is not None else 100 if filters is None else 20
    if type(most) is not int or most < 0:
        raise _bad("top_k", most, "it must be a whole number, 0 or more")
    return most


def _end(last_day: object) -> datetime | None:
    """The moment at which a memory ends: mem0 names the last day on which it holds, in UTC."""
    if last_day is None:
        return None
    return datetime.fromisoformat(str(last_day)[:10]).replace(tzinfo=UTC) + timedelta(days=1)


class Memory(AbstractContextManager["Memory"]):
    """mem0's `Memory`, over a Loxodon home.

    `config` may name a `home`; else it is LOXODON_HOME, or ~/.loxodon. The rest of mem0's settings
    (models, vector stores) is read past: Loxodon's own are in the home's config.toml.
    """

    def __init__(self, config: object = None, *, clock: Clock | None = None) -> None:
        self.config = config
        named = config.get("home") if isinstance(config, Mapping) else None
        home = named or os.environ.get("LOXODON_HOME") or "~/.loxodon"
        self._host = Host(str(home), clock, surface="mem0")

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Memory:
        return cls(config_dict)

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._host.close()

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        user_id: Any = None,
        agent_id: Any = None,
        run_id: Any = None,
        metadata: Mapping[str, Any] | None = None,
        filters: Mapping[str, Any] | None = None,
        prompt: str | None = None,
        *,
        timestamp: Any = None,
        expiration_date: Any = None,
        infer: bool = True,
        memory_type: str | None = None,
    ) -> Answers:
        """Take messages in; what became of the memories: `ADD`, `UPDATE` and `DELETE`.

        On disk when this returns. `timestamp` is when it was said; `prompt` has no meaning here.
        """
        if memory_type is not None:
            raise _bad("memory_type", memory_type, "omit it; messages become facts and beliefs")
        scope = _scope(user_id, agent_id, run_id, filters)
        given = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        given = [given] if isinstance(given, Mapping) else given
        if not isinstance(given, list | tuple) or not all(isinstance(m, Mapping) for m in given):
            raise CallError("messages must be a string, a message or a list of messages")
        said = [one for one in given if one.get("role") not in (None, "system")]
        said = [one for one in said if one.get("content") is not None]
        own = {name: [one] if one else [] for name, one in scope.asked}
        mark: Answer = {**own, "metadata": _said_of(metadata)}
        ends = _end(expiration_date)
        with self._host.using(scope.space) as memory:
            if infer:
                return {"results": _infer(memory, scope, said, mark, ends, timestamp)}
            with memory.documents.together():
                return {"results": [_keep(memory, one, mark, ends) for one in said]}

    def get(self, memory_id: str) -> Answer | None:
        """A memory by its id; None where there is none, or it was deleted."""
        with suppress(CallError), self._holding(memory_id) as (memory, record):
            return {**_shown(record, _mark(memory, record.id)), "score": None}
        return None

    def get_all(
        self,
        user_id: Any = None,
        agent_id: Any = None,
        run_id: Any = None,
        limit: int | None = None,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        show_expired: bool = False,
    ) -> Answers:
        """The memories of a user, agent or run, newest first."""
        scope = _scope(user_id, agent_id, run_id, filters)
        most = _most(limit, top_k, filters)
        results: list[Answer] = []
        with suppress(NotFoundError), self._host.using(scope.space, make=False) as memory:
            found = _admitted(memory, scope, memory.list(), show_expired)
            results = [_shown(*one, scope) for one in islice(found, most)]
        return {"results": results}

    def search(
        self,
        query: str,
        user_id: Any = None,
        agent_id: Any = None,
        run_id: Any = None,
        limit: int | None = None,
        filters: Mapping[str, Any] | None = None,
        *,
        top_k: int | None = None,
        threshold: float | None = None,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any = None,
        show_expired: bool = False,
    ) -> Answers:
        """The memories that answer a query, best first, each with a score from 0 to 1.

        `reference_date` asks for what was known and held then. `rerank` and `explain` are for
        mem0's own ways of searching.
        """
        if not isinstance(query, str) or not query.strip():
            raise CallError("the {what} is empty", hint="give a text", what="query")
        if threshold is not None and not 0 <= threshold <= 1:
            raise _bad("threshold", threshold, "it must be a number from 0 to 1")
        scope = _scope(user_id, agent_id, run_id, filters)
        most = _most(limit, top_k, filters)
        results: list[Answer] = []
        with suppress(NotFoundError), self._host.using(scope.space, make=False) as memory:
            found = _recalled(memory, query, most, scope, reference_date)
            if not found and threshold is None and reference_date is None:
                # mem0 hands over the nearest however far: `What do you know about me?`
                ranked = sorted(memory.list(), key=lambda one: -one.importance * one.strength)
                found = {record.id: 0.0 for record in ranked}
            good = [id for id, score in found.items() if score >= (threshold or 0.0)]
            admitted = _admitted(memory, scope, map(memory.get, good), show_expired)
            for record, mark in islice(admitted, most):
                results.append({**_shown(record, mark, scope), "score": found[record.id]})
        return {"results": results}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = _UNSET,
        data: str | None = None,
    ) -> Answer:
        """Change the words or the metadata of a memory; what it was stays in its history."""
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is _UNSET:
            hint = "give text, metadata or expiration_date"
            raise CallError("there is nothing to update", hint=hint)
        with self._holding(memory_id) as (memory, record), memory.documents.together():
            mark = _merged(_mark(memory, record.id), {"metadata": _said_of(metadata)})
            if text is not None:
                memory.edit(record.id, content=text)
            if expiration_date is not _UNSET:
                memory.edit(record.id, expires_at=_end(expiration_date))
            memory.documents.put(ROOT, record.id, mark, text="")
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Answer:
        """Erase a memory for good; see the module."""
        with self._holding(memory_id) as (memory, record):
            memory.forget(record.id, only=True)  # and the documents that have its id
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, user_id: Any = None, agent_id: Any = None, run_id: Any = None) -> Answer:
        """Erase the memories and messages of a user, agent or run that were added here."""
        scope = _scope(user_id, agent_id, run_id, None)
        with suppress(NotFoundError), self._host.using(scope.space, make=False) as memory:
            _erase_all(memory, scope)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Answer]:
        """What was done to a memory, oldest first; nothing where there is none any more."""
        id, space = _parted(memory_id)
        old, found = None, list[Answer]()
        with suppress(NotFoundError), self._host.using(space, make=False) as memory:
            mark = _mark(memory, id)
            for one in memory.history(id):
                new = one.record.content if one.record.state == "active" else None
                if one.record.id != id or new == old:  # neither its words nor whether it is there
                    continue
                event = {
                    "id": f"{memory_id}#{one.version}",
                    "memory_id": memory_id,
                    "old_memory": old,
                    "new_memory": new,
                    "event": "DELETE" if new is None else "ADD" if old is None else "UPDATE",
                    "created_at": one.record.created_at.isoformat(),
                    "updated_at": one.at.isoformat(),
                    "is_deleted": new is None,
                    "actor_id": mark.get("actor_id"),
                    "role": mark.get("role"),
                }
                found.append(event)
                old = new
        return found

    def reset(self) -> None:
        """Erase all that was ever added here, whoever's it is."""
        for space in self._host.spaces():
            with self._host.using(space) as memory:
                _erase_all(memory, Scope(space))

    def chat(self, query: str) -> Answer:
        raise NotImplementedError("mem0 has none either; examples/chat.py is one")

    @contextmanager
    def _holding(self, memory_id: str) -> Iterator[tuple[Space, Record]]:
        """An active memory by the id that a caller has, and its space while it is used."""
        id, space = _parted(memory_id)
        gone = CallError("no memory with the id {id}", id=repr(memory_id))
        try:
            with self._host.using(space, make=False) as memory:
                record = memory.get(id)
                if record.state != "active":
                    raise gone
                yield memory, record
        except NotFoundError:
            raise gone from None


def _keep(memory: Space, message: Mapping[str, Any], mark: Answer, ends: datetime | None) -> Answer:
    role, name, text = str(message.get("role")), message.get("name"), text_of(message["content"])
    whole = {**mark, "role": role, **({"actor_id": str(name)} if name else {})}
    record = memory.capture(text, expires_at=ends, origin=_ORIGINS.get(role, "import"))
    memory.documents.put(ROOT, record.id, whole, text="")
    return {**_event("ADD", record), "actor_id": whole.get("actor_id"), "role": role}


def _infer(
    memory: Space,
    scope: Scope,
    messages: Sequence[Mapping[str, Any]],
    mark: Answer,
    ends: datetime | None,
    timestamp: Any,
) -> list[Answer]:
    """Journal messages, make them known, and tell what that changed."""
    turns = []
    for one in messages:
        role, content, name = one["role"], one["content"], one.get("name")
        text = in_parts(content, text_of) if role == "user" else text_of(content)
        if text_of(content).strip():
            turn = {"role": role, "content": text, "id": uuid4().hex, "channel": CHANNEL}
            turn |= {"at": timestamp} if timestamp else {}
            turn |= {"speaker": str(name)} if name else {}
            turns.append(turn | {"origin": "relayed"} if role == "user" else turn)
    before = {one.id: one for one in memory.list()}
    memory.add(turns, session=scope.session)
    memory.flush()
    after = {one.id: one for one in reversed(memory.list())}
    told = {turn["id"] for turn in turns}  # other changes are another's doing
    results = []
    for id, record in after.items():
        if record.kind == "summary" or not any(one.turn in told for one in record.sources):
            continue
        earlier = before.get(id)
        if earlier is None:
            results.append(_event("ADD", record))
        elif earlier.content != record.content:
            results.append({**_event("UPDATE", record), "previous_memory": earlier.content})
        with memory.documents.together():
            memory.documents.put(ROOT, id, _merged(_mark(memory, id), mark), text="")
            if ends:
                memory.edit(id, expires_at=ends)
    replaced = {one.replaces for one in after.values()}
    gone = (one for id, one in before.items() if id not in after)  # of which some only faded
    results += [
        _event("DELETE", one)
        for one in gone
        if one.id in replaced or memory.history(one.id)[-1].change == "retracted"
    ]
    return results


def _event(event: str, record: Record) -> Answer:
    return {"id": _id(record), "memory": record.content, "event": event}


def _mark(memory: Space, id: str) -> Answer:
    found = memory.documents.get(ROOT, id)
    return dict(found.value) if found else {}


def _said_of(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: one for name, one in (metadata or {}).items() if name not in _KEPT_APART}


def _merged(before: Mapping[str, Any], mark: Mapping[str, Any]) -> Answer:
    """What was said of a memory and is said now: a fact that two runs told belongs to both."""
    found = {**before, **mark}
    for name in ("agent_ids", "run_ids"):
        found[name] = [*dict.fromkeys((*before.get(name, ()), *mark.get(name, ())))]
    found["metadata"] = {**before.get("metadata", {}), **mark.get("metadata", {})}
    return found


def _admitted(
    memory: Space, scope: Scope, records: Iterable[Record], show_expired: bool
) -> Iterator[tuple[Record, Answer]]:
    """Those of these memories that a call is about, with what was said of them, in order."""
    marks = None
    if scope != Scope(scope.space):  # one look at all is faster than one for each
        marks = {one.key: one.value for one in memory.documents.newest(ROOT)}
    now = memory.now()
    for record in records:
        is_over = record.expires_at is not None and record.expires_at <= now
        if record.state != "active" or record.kind == "summary" or (is_over and not show_expired):
            continue
        mark = _mark(memory, record.id) if marks is None else marks.get(record.id, {})
        known = {**mark.get("metadata", {}), **_shown(record, mark)}
        if scope.has_mark(mark) and mem0_admits(scope.conditions, known):
            yield record, mark


def _recalled(memory: Space, query: str, most: int, scope: Scope, as_of: Any) -> dict[str, float]:
    """The score of each memory that a recall finds, best first."""
    top = most if scope == Scope(scope.space) else max(most, _MANY)
    store, found = memory.workspace.store, {}
    for kind in ("fact", "belief"):
        for item in memory.recall(query, top, _ALL_TOKENS, kind=kind, as_of=as_of).items:
            found[item.id] = item.score
    # What was said may have the words of the question where what was made of it has not.
    for item in memory.recall(query, _TURNS, _ALL_TOKENS, kind="turn", as_of=as_of).items:
        row = int(memory.turn(item.id).ref.removeprefix("t_"))
        for record in store.records(store.drawn_from([row]).get(row, [])).values():
            found.setdefault(record.id, item.score * _BY_A_TURN)
    ranked = sorted(found.items(), key=lambda one: -one[1])
    return {id: round(score / (1 + score), 4) for id, score in ranked}


def _erase_all(memory: Space, scope: Scope) -> None:
    """Erase all of a user, agent or run that came through here, and nothing that did not.

    With a message goes what is known only from it. A memory that came by another way too, or was
    told by another agent or run, stays theirs.
    """
    said = [one for one in memory.journal() if one.channel == CHANNEL]
    sessions = {CAPTURED, *(one.session for one in said)}
    gone = [one.ref for one in said if scope.has_session(one.session)]
    with memory.documents.together():
        for id, mark in ((one.key, one.value) for one in memory.documents.newest(ROOT)):
            if not scope.has_mark(mark):
                continue
            rest = {n: [one for one in mark.get(n, ()) if one != it] for n, it in scope.asked}
            if any(rest[name] for name, it in scope.asked if it):
                memory.documents.put(ROOT, id, {**mark, **rest}, text="")
            elif "role" in mark and {one.session for one in memory.get(id).sources} <= sessions:
                gone.append(id)  # which was kept as it stood
            else:
                memory.documents.delete(ROOT, id)
    if gone:
        memory.forget(*gone, only=True)


def _id(record: Record) -> str:
    """The id that a caller gets: ours, and whose it is, since mem0 asks by the id alone."""
    return f"{record.id}@{'' if record.space == NOBODY else record.space}"


def _parted(memory_id: object) -> tuple[str, str]:
    id, _, space = str(memory_id).partition("@")
    return id, space or NOBODY


def _shown(record: Record, mark: Mapping[str, Any], scope: Scope | None = None) -> Answer:
    shown: Answer = {
        "id": _id(record),
        "memory": record.content,
        "hash": md5(record.content.encode(), usedforsecurity=False).hexdigest(),
        "metadata": mark.get("metadata") or None,
        "created_at": record.created_at.isoformat(),
        "updated_at": record.updated_at.isoformat(),
    }
    if record.space != NOBODY:
        shown["user_id"] = record.space
    for names, asked in (scope or Scope("")).asked:
        if held := mark.get(names):
            shown[names.removesuffix("s")] = asked or held[-1]
    if record.expires_at:
        last = record.expires_at.astimezone(UTC) - timedelta(microseconds=1)
        shown["expiration_date"] = f"{last:%Y-%m-%d}"
    return shown | {name: mark[name] for name in ("actor_id", "role") if mark.get(name)}


class AsyncMemory:
    """mem0's `AsyncMemory`: each call of `Memory`, in a thread, so that no event loop waits."""

    def __init__(self, config: object = None, *, clock: Clock | None = None) -> None:
        self.memory = Memory(config, clock=clock)
        self.close = self.memory.close

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> AsyncMemory:
        return cls(config_dict)

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        return partial(asyncio.to_thread, getattr(self.memory, name))
