"""Loxodon in the place of mem0: the same calls, the same answers, no model and no server.

    from loxodon.compat.mem0 import Memory

    memory = Memory()
    memory.add("I am allergic to peanuts", user_id="ann")
    memory.search("what can she not eat?", filters={"user_id": "ann"})

Both ways of calling are understood: ids as arguments (0.x, 1.x) and in `filters` (2.x). A user is
a space, with a wall around it; `agent_id` and `run_id` narrow what is asked for within it. What is
added without a user lies in a space of its own.

With `infer` messages are journalled and made known by the rules at once; without, each is kept as
it stands. What else mem0 lets a caller say of a memory, its metadata and ids, is a document beside
it. Deleting erases for good: the memory, the words of its history, and in the messages it was drawn
from the sentences that say it. Nothing that came by another way is touched by `delete_all`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from functools import wraps
from itertools import islice
from types import TracebackType
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from loxodon.clock import Clock
from loxodon.compat.edge import in_thread
from loxodon.compat.filters import mem0_admits
from loxodon.compat.mem0_calls import (
    CHANNEL,
    Answer,
    Scope,
    deleted,
    end_of,
    id_of,
    is_about,
    is_in,
    last_day,
    left_of,
    limit_of,
    mark_of,
    merged,
    messages_in,
    moment_of,
    parted,
    said_of,
    scope_of,
    session_of,
    setting,
    shown_as,
    steps,
    text_in,
    turn_of,
)
from loxodon.errors import CallError, GoneError, NotFoundError
from loxodon.http.host import Host
from loxodon.memory import Memory as Space
from loxodon.types import CAPTURED, Origin, Record

P = ParamSpec("P")
R = TypeVar("R")

Answers = dict[str, list[Answer]]

DEFAULT_HOME = "~/.loxodon"
ROOT = (CHANNEL,)  # The namespace of what a caller said of memories: ids and metadata
# The namespace of what is left of the histories of deleted memories: when, and not a word
DELETED = (CHANNEL, "deleted")

_MANY = 500  # Memories that are looked through where conditions leave some of them out
_ALL_TOKENS = 1 << 30
_TURNS = 10  # Turns that are looked at for memories that were drawn from them
_BY_A_TURN = 0.5  # What is left of the score of a turn for such a memory
_UNSET: Any = object()
_ORIGINS: Mapping[str, Origin] = {"user": "user", "assistant": "assistant", "tool": "tool"}
_LEARNED = frozenset({"learned", "held", "updated", "repeated"})
_KINDS: tuple[Literal["fact", "belief"], ...] = ("fact", "belief")


class Memory:
    """mem0's `Memory`, over a Loxodon home.

    `config` may name a `home`; else it is LOXODON_HOME, or ~/.loxodon. The rest of mem0's settings
    (models, vector stores) is read past: Loxodon's own are in the home's config.toml. Of `version`
    only `v1.0` counts, with which answers are bare lists, as they once were.
    """

    def __init__(self, config: object = None, *, clock: Clock | None = None) -> None:
        self.config = config
        home = setting(config, "home") or os.environ.get("LOXODON_HOME") or DEFAULT_HOME
        self.api_version = str(setting(config, "version") or "v1.1")
        self._host = Host(str(home), clock, surface="mem0")

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Memory:
        """A memory by mem0's settings, of which those of Loxodon count."""
        return cls(config_dict)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the databases. Closing twice is fine."""
        self._host.close()

    # What is said

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
    ) -> Any:
        """Take messages in; what became of the memories: `ADD`, `UPDATE` and `DELETE`.

        On disk when this returns. `timestamp` is when it was said. `prompt` has no meaning here:
        the rules need none.
        """
        if memory_type is not None:
            raise CallError(
                "cannot create memories of the type {type}",
                hint="omit memory_type; messages become facts and beliefs",
                type=repr(memory_type),
            )
        scope = scope_of(user_id, agent_id, run_id, filters)
        ends = last_day(expiration_date)
        said = messages_in(messages)
        mark = {**mark_of(scope, metadata), **({"expiration_date": ends} if ends else {})}
        with self._host.using(scope.space) as memory:
            if infer:
                results = _infer(memory, scope, said, mark, timestamp)
            else:
                with memory.documents.together():
                    results = [_keep(memory, one, mark) for one in said]
        return self._answer(results)

    # What is known

    def get(self, memory_id: str) -> Answer | None:
        """A memory by its id; None where there is none, or it was deleted."""
        with suppress(NotFoundError), self._holding(memory_id) as (memory, record):
            return {**shown_as(record, _marks(memory, record.id)), "score": None}
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
    ) -> Any:
        """The memories of a user, agent or run, newest first."""
        scope = scope_of(user_id, agent_id, run_id, filters)
        most = limit_of(limit, top_k, filters)
        results: list[Answer] = []
        with suppress(NotFoundError), self._host.using(scope.space, make=False) as memory:
            for size in (2 * most + 1, 0):  # mostly the newest are enough
                found = _admitted(memory, scope, memory.list(limit=size), show_expired)
                results = [shown_as(*one, scope) for one in islice(found, most)]
                if len(results) == most:
                    break
        return self._answer(results)

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
    ) -> Any:
        """The memories that answer a query, best first, each with a score from 0 to 1.

        `reference_date` asks for what was known and held then. `explain` tells how each was found.
        """
        if not isinstance(query, str) or not query.strip():
            raise CallError("the {what} is empty", hint="give a text", what="query")
        if threshold is not None and not 0 <= threshold <= 1:
            raise CallError(
                "{field} cannot be {value}",
                hint="it must be a number from 0 to 1",
                field="threshold",
                value=repr(threshold),
            )
        scope = scope_of(user_id, agent_id, run_id, filters)
        most, as_of = limit_of(limit, top_k, filters), moment_of(reference_date)
        results: list[Answer] = []
        with suppress(NotFoundError), self._host.using(scope.space, make=False) as memory:
            found = _recalled(memory, query, most, scope, as_of)
            if not found and threshold is None and as_of is None:
                found = _weightiest(memory)
            good = [id for id, (score, _) in found.items() if score >= (threshold or 0.0)]
            admitted = _admitted(memory, scope, map(memory.get, good), show_expired)
            for record, mark in islice(admitted, most):
                score, why = found[record.id]
                shown = {**shown_as(record, mark, scope), "score": score}
                results.append({**shown, "score_details": why} if explain else shown)
        return self._answer(results)

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
            raise CallError(
                "there is nothing to update", hint="give text, metadata or expiration_date"
            )
        with self._holding(memory_id) as (memory, record), memory.documents.together():
            mark = merged(_marks(memory, record.id), {"metadata": said_of(metadata)})
            if text is not None:
                memory.edit(record.id, content=text)
            if expiration_date is not _UNSET:
                mark["expiration_date"] = last_day(expiration_date)
                memory.edit(record.id, expires_at=end_of(mark))
            memory.documents.put(ROOT, record.id, mark, text="")
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Answer:
        """Erase a memory for good; see the module."""
        with self._holding(memory_id) as (memory, record):
            _erase(memory, [record.id])
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, user_id: Any = None, agent_id: Any = None, run_id: Any = None) -> Answer:
        """Erase the memories and messages of a user, agent or run that were added here."""
        scope = scope_of(user_id, agent_id, run_id, None)
        with suppress(NotFoundError), self._host.using(scope.space, make=False) as memory:
            _erase_all(memory, scope)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Answer]:
        """What was done to a memory, oldest first; nothing where there is none."""
        id, space = parted(memory_id)
        with suppress(NotFoundError), self._host.using(space, make=False) as memory:
            return _history(memory, id, memory_id)
        return []

    def reset(self) -> None:
        """Erase all that was ever added here, whoever's it is, and that it was there."""
        for space in self._host.spaces():
            with self._host.using(space) as memory:
                _erase_all(memory, Scope(space))
                memory.documents.clear(DELETED)

    def chat(self, query: str) -> Answer:
        """mem0 never made this work either; `examples/chat.py` is one."""
        raise NotImplementedError("examples/chat.py is a conversation with memory")

    @contextmanager
    def _holding(self, memory_id: str) -> Iterator[tuple[Space, Record]]:
        """An active memory by the id that a caller has, and its space while it is used."""
        id, space = parted(memory_id)
        gone = GoneError("no memory with the id {id}", id=repr(memory_id))
        with ExitStack() as stack:
            try:
                memory = stack.enter_context(self._host.using(space, make=False))
                record = memory.get(id)
            except NotFoundError:
                raise gone from None
            if record.state != "active":
                raise gone
            yield memory, record

    def _answer(self, results: list[Answer]) -> list[Answer] | Answers:
        return results if self.api_version == "v1.0" else {"results": results}


# What is said


def _keep(memory: Space, message: Mapping[str, Any], mark: Answer) -> Answer:
    role, name, text = str(message.get("role")), message.get("name"), text_in(message)
    whole = {**mark, "role": role, **({"actor_id": str(name)} if name else {})}
    record = memory.capture(text, expires_at=end_of(mark), origin=_ORIGINS.get(role, "import"))
    memory.documents.put(ROOT, record.id, whole, text="")
    return {
        "id": id_of(record),
        "memory": record.content,
        "event": "ADD",
        "actor_id": whole.get("actor_id"),
        "role": role,
    }


def _infer(
    memory: Space, scope: Scope, messages: Sequence[Mapping[str, Any]], mark: Answer, timestamp: Any
) -> list[Answer]:
    """Journal messages, make them known, and tell what that changed."""
    turns = [turn_of(message, timestamp) for message in messages if text_in(message).strip()]
    since = memory.now()
    before = Counter(memory.changes_since(since))
    memory.add(turns, session=session_of(scope))
    memory.flush()
    changes: dict[str, list[str]] = {}
    for id, change, _ in (Counter(memory.changes_since(since)) - before).elements():
        changes.setdefault(id, []).append(change)
    # What became of memories by the turns that were `told`; other changes are another's doing
    told = {str(turn["id"]) for turn in turns}
    changed = [(memory.get(id), done) for id, done in changes.items()]
    learned = [
        (record, done)
        for record, done in changed
        if record.state == "active" and record.kind != "summary" and not _LEARNED.isdisjoint(done)
        if any(source.turn in told for source in record.sources)
    ]
    results = []
    for record, done in learned:
        results += _learned(memory, record, done)
        # Note what the caller said of a memory, beside what was said of it before
        with memory.documents.together():
            memory.documents.put(ROOT, record.id, merged(_marks(memory, record.id), mark), text="")
            if ends := end_of(mark):
                memory.edit(record.id, expires_at=ends)
    replaced = {record.replaces for record, _ in learned}
    gone = [
        record
        for record, done in changed
        if record.state == "archived" and ("retracted" in done or record.id in replaced)
    ]
    return results + [{"id": id_of(one), "memory": one.content, "event": "DELETE"} for one in gone]


def _learned(memory: Space, record: Record, done: Sequence[str]) -> list[Answer]:
    """What messages made of a memory; nothing where it only heard again what it knew."""
    event: Answer = {"id": id_of(record), "memory": record.content}
    if "learned" in done or "held" in done:
        return [{**event, "event": "ADD"}]
    (earlier, *_) = memory.history(record.id)[-1 - len(done) :]
    if earlier.record.content == record.content:
        return []
    return [{**event, "event": "UPDATE", "previous_memory": earlier.record.content}]


# What lies in a space


def _marks(memory: Space, id: str) -> Answer:
    found = memory.documents.get(ROOT, id)
    return dict(found.value) if found else {}


def _admitted(
    memory: Space, scope: Scope, records: Iterable[Record], show_expired: bool
) -> Iterator[tuple[Record, Answer]]:
    """Those of these memories that a call is about, with what was said of them, in order."""
    known: dict[str, Answer] | None = None
    if scope.is_narrow:  # one look at all is faster than one for each
        known = {one.key: one.value for one in memory.documents.newest(ROOT)}
    now = memory.now()
    for record in records:
        if record.state != "active" or record.kind == "summary":
            continue
        if record.expires_at is not None and record.expires_at <= now and not show_expired:
            continue
        mark = _marks(memory, record.id) if known is None else known.get(record.id, {})
        if not is_about(scope, mark):
            continue
        if mem0_admits(scope.conditions, {**mark.get("metadata", {}), **shown_as(record, mark)}):
            yield record, mark


def _history(memory: Space, id: str, memory_id: str) -> list[Answer]:
    versions = []
    with suppress(NotFoundError):
        versions = [one for one in memory.history(id) if one.record.id == id]
    if not versions and (deleted := memory.documents.get(DELETED, id)):
        return list(deleted.value)
    return list(steps(memory_id, versions, _marks(memory, id)))


def _erase(memory: Space, ids: Sequence[str], turns: Sequence[str] = ()) -> None:
    """Erase memories and turns, and nothing else; that there were such memories is kept."""
    if not ids and not turns:
        return
    now = memory.now()
    past = {id: deleted(_history(memory, id, id_of(memory.get(id))), now) for id in ids}
    memory.forget(*ids, *turns, only=True)  # and with a memory the documents that have its id
    with memory.documents.together():
        for id, left in past.items():
            memory.documents.put(DELETED, id, left, text="")


def _erase_all(memory: Space, scope: Scope) -> None:
    """Erase all of a user, agent or run that came through here, and nothing that did not.

    A memory that came by another way too, or was told by another agent or run, stays theirs.
    """
    marks = {one.key: one.value for one in memory.documents.newest(ROOT)}
    said = {(one.session, one.id): one for one in memory.journal() if one.channel == CHANNEL}
    own = {key: turn for key, turn in said.items() if is_in(scope, turn.session)}
    gone = []
    with memory.documents.together():
        for record in memory.list(state=None):
            sources = {(one.session, one.turn) for one in record.sources}
            if (mark := marks.get(record.id)) is None:
                if sources and sources <= own.keys():
                    gone.append(record.id)
            elif is_about(scope, mark):
                if "role" in mark:  # kept as it stood: its source is that
                    sources = {key for key in sources if key[0] != CAPTURED}
                rest = left_of(scope, mark)
                if not rest and sources <= said.keys():
                    gone.append(record.id)
                elif rest:
                    memory.documents.put(ROOT, record.id, rest, text="")
                else:
                    memory.documents.delete(ROOT, record.id)
    _erase(memory, gone, [turn.ref for turn in own.values()])


def _recalled(
    memory: Space, query: str, most: int, scope: Scope, as_of: datetime | None
) -> dict[str, tuple[float, Mapping[str, Any]]]:
    """(score, why) of the memories that a recall finds, by id, best first."""
    top = max(most, _MANY if scope.is_narrow else 0)
    found: dict[str, tuple[float, Mapping[str, Any]]] = {}
    for kind in _KINDS:
        for item in memory.recall(query, top, _ALL_TOKENS, kind=kind, as_of=as_of).items:
            found[item.id] = (item.score, item.why)
    # What was said may have the words of the question where what was made of it has not.
    for item in memory.recall(query, _TURNS, _ALL_TOKENS, kind="turn", as_of=as_of).items:
        for record in memory.drawn_from(memory.turn(item.id)):
            found.setdefault(record.id, (item.score * _BY_A_TURN, item.why))
    ranked = sorted(found.items(), key=lambda one: -one[1][0])
    return {id: (round(score / (1 + score), 4), why) for id, (score, why) in ranked}


def _weightiest(memory: Space) -> dict[str, tuple[float, Mapping[str, Any]]]:
    """All memories by id, what matters most first, for a question that none has a word of.

    mem0 hands over the nearest however far they are, and programs ask it `What do you know about
    me?`.
    """
    ranked = sorted(memory.list(), key=lambda one: -one.importance * one.strength)
    return {record.id: (0.0, {}) for record in ranked}


# Without keeping an event loop waiting


def _async(
    method: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    @wraps(method)
    async def call(self: AsyncMemory, /, *args: P.args, **more: P.kwargs) -> R:
        return await in_thread(lambda: method(self.memory, *args, **more))

    return call


class AsyncMemory:
    """mem0's `AsyncMemory`: all that `Memory` does, in threads."""

    def __init__(self, config: object = None, *, clock: Clock | None = None) -> None:
        self.memory = Memory(config, clock=clock)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> AsyncMemory:
        """A memory by mem0's settings, of which those of Loxodon count."""
        return cls(config_dict)

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the databases. Closing twice is fine."""
        self.memory.close()

    add = _async(Memory.add)
    get = _async(Memory.get)
    get_all = _async(Memory.get_all)
    search = _async(Memory.search)
    update = _async(Memory.update)
    delete = _async(Memory.delete)
    delete_all = _async(Memory.delete_all)
    history = _async(Memory.history)
    reset = _async(Memory.reset)
    chat = _async(Memory.chat)
