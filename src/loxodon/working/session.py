"""A session: what an agent's loop calls before and after each request to its model.

    session = Session.open(memory, "main", ask=ask_my_model)
    messages = session.prepare("What did we decide?", system=SOUL)
    reply, usage = send(messages)
    session.finish(reply, usage)

`prepare` saves the message and returns what to send, within the window; `finish` saves the reply
and then, while nobody waits, saves what matters and compacts where that is due. Memory is never in
the way: what it could not do is in `problem`, and tried again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from datetime import datetime
from functools import lru_cache
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from loxodon.errors import InputError, LoxodonError
from loxodon.fields import choice, number
from loxodon.filelock import at_fork, lock_at
from loxodon.guard.guard import LATELY
from loxodon.guard.own_words import in_parts
from loxodon.security.audit import recorded_as
from loxodon.spaces import space_path
from loxodon.text.check import checked_text
from loxodon.tokens import estimate
from loxodon.types import CHATS, Chat
from loxodon.working.accounting import Gauge, limits, tokens_of, tokens_of_tools, usage_of
from loxodon.working.compaction import Compacted, by_agent, by_memory, place_to_cut, summed_up
from loxodon.working.context import Shown, context_of, is_waiting, joined
from loxodon.working.flush import (
    Ask,
    Flushed,
    careful,
    flush_due,
    is_silent,
    learned,
    reason,
    save,
    silent_turn,
)
from loxodon.working.overflow import is_overflow, window_in
from loxodon.working.pruning import Kept, applied, pruned
from loxodon.working.shapes import Message, checked, text_of, to_kept
from loxodon.working.transcript import FLUSHED, LONGEST_KEY, Entry, Transcript

if TYPE_CHECKING:
    from loxodon.memory import Memory

# Sends messages to a model; its reply, and what it says that took (None where it does not)
Send = Callable[[Sequence[Message]], tuple[str | Message, object]]
T = TypeVar("T")

# Messages that are journalled again when a session is opened, in case a kill came in between
_HEALED = 50
_COUNTED = 4_096  # Texts whose tokens are kept in mind
_WORK_LOCK = "working-{}.lock"
_LOCK_SECONDS = 30.0
_CACHE_SECONDS = 300.0  # after which a provider's cache counts as expired
_LONGEST = 1_000_000  # Characters of a message that are journalled
_SILENT_TURN = 600  # Tokens that the request of a flush and a short answer take
_PROTECTED = 3  # latest messages of the assistant whose tool results are kept whole


class _Frame(NamedTuple):
    """What a request has beside the conversation; none of it is kept."""

    system: tuple[Message, ...] = ()
    before: tuple[Message, ...] = ()
    tools: int = 0


class Session(AbstractContextManager["Session"]):
    """One conversation of an agent, and what its model sees of it."""

    def __init__(
        self,
        memory: Memory,
        key: str = "main",
        *,
        window: int = 0,
        ask: Ask | None = None,
        chat: Chat = "direct",
        journal: bool = True,
        typed: bool = False,
    ) -> None:
        """The session called `key` of a memory's space, begun where there is none.

        `window` is that of the agent's model (0 for the setting `working.window`). `ask` sends
        messages to that model and returns its text; with it the model saves what matters and sums
        up, without it the rules do. `journal` is False where somebody else journals what is said.
        `typed` says that the user's messages are as a person typed them; else a program may have
        put files or pages into them, and of these nothing becomes a wish of the user.
        """
        choice("chat", chat, CHATS)
        self.chat = memory.chat if chat == "direct" else chat
        self.key = memory.guard.name(checked_text(key, "session", LONGEST_KEY))
        # What memory could not do the last time it should have; empty where all is well
        self.problem = ""
        self._memory = memory
        self._config = memory.config.working
        self.limits = limits(self._config, number("window", window))
        self._ask = careful(ask) if ask else None
        self._tell = by_agent(self._ask) if self._ask else by_memory(memory)
        self._keeps_journal = journal
        self._typed = typed
        # A context is counted several times for each request, and most of it has not changed.
        self._count = lru_cache(maxsize=_COUNTED)(estimate)
        self._frame = _Frame()
        self.after_fork()
        self._begin()
        at_fork(self)

    @classmethod
    def open(cls, memory: Memory, key: str = "main", **options: Any) -> Session:
        return cls(memory, key, **options)

    def after_fork(self) -> None:
        self._guard = RLock()

    def _begin(self, new: bool = False) -> None:
        rows = self._memory.store.working_sessions if self._memory.config.enabled else None
        self._transcript = Transcript(rows, self.key, self._memory.now(), self.chat, new=new)
        self._transcript.refresh()
        # What the last flush of this object saved, and what its last compaction did
        self.flushed: Flushed | None = None
        self.compacted: Compacted | None = None
        self._seen: tuple[int, tuple[Shown, ...]] = (-1, ())
        about = self._transcript.about
        self._gauge = Gauge(about.get("tokensBeside") or 0, about.get("tokenRate") or 1.0)
        self._kept: Kept = {}
        self._sent = 0
        self._sent_at: datetime | None = None
        self._recovered = False
        said = [entry for entry in self._transcript.live if entry.get("type") == "message"]
        self._journalled = {entry["id"] for entry in said[:-_HEALED]}

    def new(self) -> None:
        """Begin anew: an empty conversation under the same key. The one before is kept."""
        with self._guard:
            self._begin(new=True)

    @property
    def id(self) -> str:
        return self._transcript.id

    @property
    def name(self) -> str:
        """What the journal calls this session."""
        return f"{self.key}/{self.id[:8]}"

    @property
    def about(self) -> Mapping[str, Any]:
        return dict(self._transcript.about)

    def transcript(self) -> str:
        """All that was said, as JSON lines: the format of OpenClaw, which `loxodon add` reads."""
        with self._guard:
            return "".join(f"{line}\n" for line in self._transcript.lines())

    @property
    def shown(self) -> tuple[Shown, ...]:
        """What the model sees of the conversation, unpruned."""
        if self._seen[0] != self._transcript.version:
            self._seen = (self._transcript.version, tuple(context_of(self._transcript.live)))
        return self._seen[1]

    @property
    def tokens(self) -> int:
        """What the context takes as it is sent, as far as is known."""
        return self._beside() + sum(map(self._size, applied(self.shown, self._kept)))

    # Before and after a request

    def prepare(
        self,
        message: str | Message | None = None,
        *,
        system: str | Sequence[Message] | None = None,
        before: str | Sequence[Message] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> list[dict[str, Any]]:
        """What to send: the conversation with `message`, within the window.

        Without a message the conversation goes on where it is, as after results of tools. `system`
        stands at the head, `before` (such as what was recalled) right before what the user said
        last; neither is kept, and what is not given is as it was before. `tools` are only counted.
        """
        with self._guard:
            frame = self._frame
            self._frame = _Frame(
                frame.system if system is None else _framed(system, "system"),
                frame.before if before is None else _framed(before, "user"),
                frame.tools if tools is None else tokens_of_tools(tools, self._count),
            )
            if message is not None:
                self._put(checked(message))
                self._recovered = False
            else:
                try:
                    self._transcript.refresh()
                except LoxodonError as error:
                    self.problem = reason(error)
            return self._fitted()

    def add(self, message: Message) -> str:
        """Save a message of the conversation, such as a tool's result; its id."""
        with self._guard:
            return self._put(checked(message))

    def note(self, kind: str, content: object, *, shown: bool = False) -> str:
        """Save something of a program's own; its id. `shown` lets the model see it."""
        with self._guard:
            if shown and not isinstance(content, str):
                raise InputError("the text for the model must be a string", hint="use text")
            fields = {"content": content, "display": False} if shown else {"data": content}
            type = "custom_message" if shown else "custom"
            id = self._keep(type, {"customType": kind, **fields})
            self._save()
            return id

    def finish(self, reply: str | Message, usage: object = None, *, maintain: bool = True) -> None:
        """Save the reply and learn from the `usage` that the provider reports; then `maintain`."""
        with self._guard:
            given = {"role": "assistant", "content": reply} if isinstance(reply, str) else reply
            message = checked(given)
            reported = usage_of(usage)
            if reported:
                self._gauge = self._gauge.learned(self._sent, reported[0])
            self._sent_at = self._memory.now()
            self._recovered = False
            self._put(message, reported or (self._sent, tokens_of(message, self._count)))
            if maintain:
                self.maintain()

    def maintain(self) -> None:
        """Save what matters and compact, where either is due and nothing waits for a tool."""
        with self._guard:
            if is_waiting(self.shown):
                return
            self._prune()
            flushed_in = self._transcript.about.get("memoryFlushCompactionCount")
            if self._config.compact and self.tokens > self.limits.most:
                self._alone(self._compact)
            elif flush_due(self.tokens, self.limits.flush_at, self._cycle, flushed_in):
                self._alone(self._flush)

    def recover(self, error: object, status: int | None = None) -> list[dict[str, Any]] | None:
        """What to send instead, where `error` says that what was sent is too long, once a message;
        None for any other error, and where nothing can be shorter."""
        with self._guard:
            if self._recovered or not is_overflow(error, status):
                return None
            self._recovered = True
            was, window = self._sent, window_in(error)
            if window and window < self.limits.window:
                self.limits = limits(self._config, window)
            else:  # it takes more than we count
                self._gauge = self._gauge.learned(was, max(self.tokens, self.limits.window))
            if self._config.compact:
                self._alone(lambda: self._compact(forced=True, silent=False))
            messages = self._fitted()
            return messages if self._sent < was else None

    def turn(self, message: str | Message, send: Send, **frame: Any) -> str | Message:
        """One message and its reply: `prepare`, `send`, `recover` where it must, `finish`."""
        messages = self.prepare(message, **frame)
        try:
            reply, usage = send(messages)
        except Exception as error:  # each client has errors of its own; all but one kind go on
            shorter = self.recover(error)
            if shorter is None:
                raise
            reply, usage = send(shorter)
        self.finish(reply, usage)
        return reply

    # Flush and compaction

    def flush(self) -> Flushed:
        """Save what matters now, due or not."""
        with self._guard:
            return self._alone(lambda: self._flush(forced=True)) or Flushed()

    def compact(self) -> Compacted | None:
        """Compact now, due or not; None where there is nothing to sum up."""
        with self._guard:
            return self._alone(lambda: self._compact(forced=True))

    def _alone(self, work: Callable[[], T | None]) -> T | None:
        """Do what only one process should do to this session at a time."""
        folder = space_path(self._memory.root, self._memory.space)
        # Not the lock of writers: a model may be asked meanwhile.
        path = os.path.join(folder, _WORK_LOCK.format(self.id[:2]))
        try:
            with closing(lock_at(path)) as lock:
                lock.acquire(_LOCK_SECONDS)  # who holds it longer hangs: better twice than never
                self._transcript.refresh()
                self._transcript.look_up()
                return work()
        except LoxodonError as error:
            self.problem = reason(error)
            return None

    @property
    def _cycle(self) -> int:
        """How often the conversation was compacted."""
        return int(self._transcript.about.get("compactionCount") or 0)

    def _flush(self, forced: bool = False, silent: bool = True) -> Flushed | None:
        """Save what matters, once a cycle; `silent` lets the agent's model have its turn."""
        cycle, shown = self._cycle, self.shown
        if not forced and self._transcript.about.get("memoryFlushCompactionCount") == cycle:
            return None
        try:
            self._save()
            found = learned(self._memory)
        except LoxodonError as error:
            self.problem = reason(error)
            self.flushed = Flushed(problem=self.problem)
            return self.flushed
        noted: Sequence[str] = ()
        self.problem = ""
        fits = self.tokens + _SILENT_TURN <= self.limits.window
        if silent and self._ask and self._config.flush and fits:
            messages = joined([*self._frame.system, *applied(shown, self._kept)])
            said = "\n".join(text_of(one.message)[:200] for one in shown if one.role == "user")
            try:
                notes = silent_turn(self._ask, messages, self._memory.now(), said[-4_000:])
                noted = save(self._memory, notes, shown)
            except LoxodonError as error:  # the rules have saved theirs, the journal has the rest
                self.problem = reason(error)
        self.flushed = Flushed(found, tuple(noted), self.problem)
        self._keep("custom", {"customType": FLUSHED, "data": {"learned": found, "noted": noted}})
        at = self._memory.now().isoformat(timespec="seconds")
        self._save(memoryFlushAt=at, memoryFlushCompactionCount=cycle)
        return self.flushed

    def _compact(self, forced: bool = False, silent: bool = True) -> Compacted | None:
        """Put a summary in the place of the beginning; `forced` also where that is not due."""
        shown, before = self.shown, self.tokens
        if not forced and before <= self.limits.most:
            return None  # another process did it
        room = self.limits.most - self._beside() - self.limits.summary
        keep = max(0, min(self.limits.keep, int(room / 1.5)))
        sent = applied(shown, self._kept)
        if forced:  # asked for: what is left is to be less, however little there is
            keep = min(keep, sum(map(self._size, sent)) // 2)
        as_sent = [one._replace(message=message) for one, message in zip(shown, sent, strict=True)]
        cut_at = place_to_cut(as_sent, self._size, keep)
        if cut_at is None:
            return None
        flushed = self._flush(silent=silent)
        summary, by_model, problem = summed_up(
            shown, cut_at, self.limits.summary, self.limits.most, self._count, self._tell
        )
        first = shown[cut_at.place].id
        fields = {"summary": summary, "firstKeptEntryId": first, "tokensBefore": before}
        id = self._keep("compaction", fields)
        self._save(compactionCount=self._cycle + 1)
        self.problem = problem or self.problem
        self._count.cache_clear()  # it has what is no longer in sight
        self.compacted = Compacted(id, before, self.tokens, summary, by_model, problem, flushed)
        return self.compacted

    # What is sent

    def _fitted(self) -> list[dict[str, Any]]:
        """The messages to send, made to fit as far as that can be helped."""
        self._prune()
        if self._config.compact and self.tokens > self.limits.most:
            self._alone(self._compact)
            self._prune()
        if self.tokens > self.limits.most:
            self._prune(protect=0)
        shown, messages = self.shown, applied(self.shown, self._kept)
        asked = [n for n, one in enumerate(shown) if one.role == "user" and one.kind == "message"]
        place = asked[-1] if asked else len(messages)
        framed = [*messages[:place], *self._frame.before, *messages[place:]]
        whole = joined([*self._frame.system, *framed])
        self._sent = self._frame.tools + sum(tokens_of(one, self._count) for one in whole)
        self._sent_at = self._memory.now()
        return whole

    def _prune(self, protect: int = _PROTECTED) -> None:
        age = abs((self._memory.now() - self._sent_at).total_seconds()) if self._sent_at else None
        cold = age is None or age > _CACHE_SECONDS
        self._kept = pruned(
            self.shown, self._kept, self._size, self._beside(), self.limits, cold, protect
        )

    def _size(self, message: Message) -> int:
        return int(self._gauge.rate * tokens_of(message, self._count)) + 1

    def _beside(self) -> int:
        frame = (*self._frame.system, *self._frame.before)
        tools = int(self._gauge.rate * self._frame.tools)
        return self._gauge.beside + tools + sum(map(self._size, frame))

    # What is kept

    def _keep(self, type: str, fields: Mapping[str, Any]) -> str:
        """Add an entry, as far as it may be kept; `_save` puts it down."""
        return self._transcript.append(type, self._memory.guard.value(fields), self._memory.now())

    def _put(self, message: Message, took: tuple[int, int] | None = None) -> str:
        """Save a message; a reply with the tokens that it `took`, read and said."""
        text = message.get("content")
        if isinstance(text, str):  # without what it gives of a secret asked for right before
            lately = [text_of(one.message) for one in self.shown[-LATELY:]]
            message = {**message, "content": self._memory.guard.answered(text, lately)}
        kept, changes = to_kept(message, self._memory.now()), {}
        if took is not None:
            kept["usage"] = {"input": took[0], "output": took[1]}
        id = self._keep("message", {"message": kept})
        if took is not None:
            about = self._transcript.about
            changes = {
                "inputTokens": int(about.get("inputTokens") or 0) + took[0],
                "outputTokens": int(about.get("outputTokens") or 0) + took[1],
                "contextTokens": self.tokens,
                "tokensBeside": self._gauge.beside,
                "tokenRate": self._gauge.rate,
            }
        self._save(**changes)
        return id

    def _save(self, **changes: Any) -> None:
        """Put down what was said, and where the session stands; what fails is tried again later."""
        done: list[str] = []
        try:
            with recorded_as(self._memory, "add"), self._transcript.saving():
                if changes:
                    self._transcript.update(changes, self._memory.now())
                try:
                    done = self._journal()
                except LoxodonError as error:
                    self.problem = reason(error)
            self._journalled.update(done)
        except LoxodonError as error:
            self.problem = reason(error)

    def _journal(self) -> list[str]:
        """Journal what was said and is not yet; the ids of those entries."""
        said = [entry for entry in self._transcript.live if entry.get("type") == "message"]
        new = [entry for entry in said if entry["id"] not in self._journalled]
        turns = [turn for entry in new if (turn := self._turn(entry))]
        if turns and self._keeps_journal:
            self._memory.add(turns, self.name)
        return [entry["id"] for entry in new]

    def _turn(self, entry: Entry) -> dict[str, object] | None:
        """An entry as a turn of the journal: what people and the assistant say to each other."""
        message = entry.get("message")
        if not isinstance(message, Mapping) or message.get("role") not in ("user", "assistant"):
            return None
        text = in_parts(message.get("content"), lambda part: text_of({"content": part}))
        text = text[:_LONGEST].encode("utf-8", "replace").decode().replace("\0", "")
        if not text.strip() or is_silent(text):
            return None
        origin = "group" if self.chat != "direct" else "" if self._typed else "relayed"
        turn = {
            "role": message["role"],
            "content": text,
            "id": entry.get("id"),
            "at": entry.get("timestamp"),
            "chat": self.chat,
            "speaker": message.get("name") if isinstance(message.get("name"), str) else None,
            "origin": origin if message["role"] == "user" else None,
        }
        return {name: value for name, value in turn.items() if value}

    def __exit__(self, *error: object) -> None:
        """Nothing is held open between calls."""


def _framed(given: str | Sequence[Message], role: str) -> tuple[Message, ...]:
    if isinstance(given, str):
        return ({"role": role, "content": given},) if given else ()
    return tuple(checked(message) for message in given)
