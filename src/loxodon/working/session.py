"""A session: what an agent's loop calls before and after each request to its model.

    session = Session.open(memory, "main", ask=ask_my_model)
    messages = session.prepare("What did we decide?", system=SOUL)
    reply, usage = send(messages)
    session.finish(reply, usage)

`prepare` puts the message on disk and returns what to send: within the window, old results of
tools pruned, a summary in the place of what is no longer in sight. `finish` puts the reply on disk,
learns from the usage, and then, while nobody waits, saves what matters and compacts where that is
due. A result of a tool is handed to `add`; `prepare()` without a message goes on after it. Where a
provider refuses a request as too long, `recover` gives a shorter one, once.

Memory is never in the way: what it could not do is in `problem`, and tried again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon.errors import InputError, LoxodonError
from loxodon.fields import choice, number
from loxodon.filelock import at_fork
from loxodon.layout import SESSIONS
from loxodon.spaces import space_path
from loxodon.store.walls import Wall
from loxodon.text.check import checked_text
from loxodon.text.language import language_of
from loxodon.tokens import counter
from loxodon.trust.guard.guard import LATELY
from loxodon.trust.origin.own import in_parts
from loxodon.types import CHATS, Chat
from loxodon.working.accounting import Gauge, limits, tokens_of, tokens_of_tools, usage_of
from loxodon.working.compaction import Compacted, compaction_due, place_to_cut, summed_up
from loxodon.working.context import Shown, context_of, joined, open_calls
from loxodon.working.flush import (
    Ask,
    Flushed,
    flush_due,
    is_silent,
    learned,
    reason,
    save,
    silent_turn,
)
from loxodon.working.model import by_agent, by_memory, careful
from loxodon.working.overflow import is_overflow, window_in
from loxodon.working.pruning import Kept, applied, pruned, squeezed
from loxodon.working.sessions import FLUSHED, LONGEST_KEY, Entry, Sessions, locked
from loxodon.working.shapes import Message, checked, text_of, to_kept

if TYPE_CHECKING:
    from loxodon.memory import Memory

Send = Callable[[Sequence[Message]], tuple[str | Message, object]]
"""Sends messages to a model; its reply, and what it says that took (None where it does not)."""

_HEALED = 50
"""Messages that are journalled again when a session is opened, in case a kill came in between."""
_COUNTED = 4_096
"""Texts whose tokens are kept in mind."""
_SILENT_TURN = 600
"""Tokens that the request of a flush and a short answer take."""


class Done(NamedTuple):
    """What was done about a context once a reply was in."""

    tokens: int
    """What the context takes now."""
    flushed: Flushed | None = None
    compacted: Compacted | None = None


class _Frame(NamedTuple):
    """What a request has beside the conversation; none of it is kept."""

    system: tuple[Message, ...] = ()
    before: tuple[Message, ...] = ()
    tools: int = 0


class Session:
    """One conversation of an agent, and what its model sees of it."""

    def __init__(
        self,
        memory: Memory,
        sessions: Sessions,
        key: str,
        window: int,
        ask: Ask | None,
        chat: Chat,
        journal: bool,
        typed: bool,
    ) -> None:
        self.key = key
        # Two agents who both call theirs `main` have two, and neither is the owner's.
        self._filed = Wall(memory.agent, memory.chat != "direct").session(key)
        self.chat = chat
        self.problem = ""
        """What memory could not do the last time it should have; empty where all is well."""
        self._memory = memory
        self._sessions = sessions
        self._transcript = sessions.open(self._filed, memory.now(), chat)
        self._config = memory.config.working
        self.limits = limits(self._config, window)
        self._ask = careful(ask) if ask else None
        self._tell = by_agent(self._ask) if self._ask else by_memory(memory)
        self._keeps_journal = journal
        self._typed = typed
        # A context is counted several times for each request, and most of it has not changed.
        self._count = lru_cache(maxsize=_COUNTED)(counter(memory.config.tokenizer))
        self._guard = RLock()
        self._frame = _Frame()
        self._begin()
        at_fork(self)

    def after_fork(self) -> None:
        self._guard = RLock()

    def _begin(self) -> None:
        self._transcript.refresh()
        self._count.cache_clear()
        self._seen: tuple[int, tuple[Shown, ...]] = (-1, ())
        self.flushed: Flushed | None = None
        """What the last flush of this object saved, and below what its last compaction did."""
        self.compacted: Compacted | None = None
        self._entry = self._sessions.index().get(self._filed, {})
        self._gauge = _gauge(self._entry)
        self._kept: Kept = {}
        self._sent = 0
        self._sent_at: datetime | None = None
        self._recovered = False
        said = [entry for entry in self._transcript.live if entry.get("type") == "message"]
        self._journalled = {str(entry.get("id")) for entry in said[:-_HEALED]}

    @classmethod
    def open(
        cls,
        memory: Memory,
        key: str = "main",
        *,
        window: int = 0,
        ask: Ask | None = None,
        chat: Chat = "direct",
        journal: bool = True,
        typed: bool = False,
    ) -> Session:
        """The session called `key` of a memory's space, begun where there is none.

        `window` is that of the agent's model (the setting `working.window` where 0). `ask` sends
        messages to that model and returns its text; with it the model itself saves what matters and
        sums up, without it the rules do. With `journal`, what is said goes to the memory's journal;
        leave that to whoever else does it with False. `typed` says that the user's messages are as
        a person typed them; else a program may have put files or pages into them, and of these
        nothing becomes a wish of the user.
        """
        choice("chat", chat, CHATS)
        window = number("window", window)
        chat = memory.chat if chat == "direct" else chat
        key = memory.guard.name(checked_text(key, "session", LONGEST_KEY))
        folder = os.path.join(space_path(memory.root, memory.space), SESSIONS)
        sessions = Sessions(folder, memory.seal)
        return cls(memory, sessions, key, window, ask, chat, journal, typed)

    @property
    def id(self) -> str:
        """The id of the transcript."""
        return self._transcript.id

    @property
    def path(self) -> str:
        """The file of the transcript."""
        return self._transcript.path

    @property
    def name(self) -> str:
        """What the journal calls this session."""
        return f"{self.key}/{self.id[:8]}"

    @property
    def about(self) -> Mapping[str, Any]:
        """What the index says of this session."""
        return dict(self._entry)

    @property
    def shown(self) -> tuple[Shown, ...]:
        """What the model sees of the conversation, unpruned."""
        if self._seen[0] != self._transcript.version:
            self._seen = (self._transcript.version, tuple(context_of(self._transcript.live)))
        return self._seen[1]

    @property
    def tokens(self) -> int:
        """What the context takes now, as far as is known."""
        return self._tokens(self.shown)

    def new(self) -> None:
        """Begin anew: an empty conversation under the same key. The one before stays on disk."""
        with self._guard:
            self._transcript = self._sessions.new(self._filed, self._memory.now(), self.chat)
            self._begin()

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
                self._transcript.refresh()
            return self._fitted()

    def add(self, message: Message) -> str:
        """Put a message of the conversation on disk, such as a tool's result; its id."""
        with self._guard:
            return self._put(checked(message))

    def note(self, kind: str, content: object, *, shown: bool = False) -> str:
        """Put something of a program's own on disk; its id. `shown` lets the model see it."""
        with self._guard:
            now = self._memory.now()
            if not shown:
                return self._keep("custom", {"customType": kind, "data": content}, now)
            if not isinstance(content, str):
                raise InputError("the text for the model must be a string", hint="use text")
            fields = {"customType": kind, "content": content, "display": False}
            return self._keep("custom_message", fields, now)

    def finish(self, reply: str | Message, usage: object = None, *, maintain: bool = True) -> Done:
        """Put the reply on disk and learn from what it took; then `maintain`, unless told not to.

        `usage` is what the provider reports, in any of the usual words.
        """
        with self._guard:
            message = {"role": "assistant", "content": reply} if isinstance(reply, str) else reply
            message = checked(message)
            reported = usage_of(usage)
            if reported:
                self._gauge = self._gauge.learned(self._sent, reported.input)
            self._sent_at = self._memory.now()
            self._recovered = False
            took = reported or (self._sent, tokens_of(message, self._count))
            self._put(message, {"usage": {"input": took[0], "output": took[1]}})
            self._note_tokens(*took)
            return self.maintain() if maintain else Done(self.tokens)

    def maintain(self) -> Done:
        """Save what matters and compact, where either is due and nothing waits for a tool."""
        with self._guard:
            if open_calls(self._transcript.live):
                return Done(self.tokens)
            self._prune()
            flushed = compacted = None
            tokens = self.tokens_pruned
            if self._config.compact and compaction_due(tokens, self.limits.most):
                compacted = self._compact()
                flushed = compacted.flushed if compacted else None
            elif self._flush_due(tokens):
                flushed = self._alone(self._flush)
            return Done(self.tokens_pruned, flushed, compacted)

    def recover(self, error: object, status: int | None = None) -> list[dict[str, Any]] | None:
        """What to send instead, where `error` says that what was sent is too long; once a message.

        None for any other error, and where nothing can be shorter.
        """
        with self._guard:
            if self._recovered or not is_overflow(error, status):
                return None
            self._recovered = True
            was, tokens = self._sent, self.tokens_pruned
            told = window_in(error)
            if told and told < self.limits.window:
                self.limits = limits(self._config, told)
            else:  # it takes more than we count
                self._gauge = self._gauge.learned(was, max(tokens, self.limits.window))
            if self._config.compact:
                self._compact(forced=True, silent=False)
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

    # What is due

    def flush(self) -> Flushed:
        """Save what matters now, due or not."""
        with self._guard:
            return self._alone(lambda: self._flush(forced=True)) or Flushed()

    def compact(self) -> Compacted | None:
        """Compact now, due or not; None where there is nothing to sum up."""
        with self._guard:
            return self._compact(forced=True)

    def _alone(self, work: Callable[[], Any]) -> Any:
        """Do what only one process should do to this session at a time."""
        try:
            with locked(f"{self.path}.work.lock", brief=False):  # a model may be asked meanwhile
                self._transcript.refresh()
                self._entry = self._sessions.index().get(self._filed, self._entry)
                return work()
        except LoxodonError as error:
            self.problem = reason(error)
            return None

    def _flush_due(self, tokens: int) -> bool:
        return flush_due(
            tokens,
            self.limits.flush_at,
            int(self._entry.get("compactionCount") or 0),
            self._entry.get("memoryFlushCompactionCount"),
        )

    def _flush(self, forced: bool = False, silent: bool = True) -> Flushed | None:
        """Save what matters, once a cycle."""
        cycle = int(self._entry.get("compactionCount") or 0)
        if not forced and self._entry.get("memoryFlushCompactionCount") == cycle:
            return None
        self.flushed = flushed = self._saved(silent)
        self.problem = flushed.problem
        if flushed.done:
            now = self._memory.now()
            data = {"learned": flushed.learned, "noted": list(flushed.noted)}
            self._keep("custom", {"customType": FLUSHED, "data": data}, now)
            at = now.isoformat(timespec="seconds")
            self._update(memoryFlushAt=at, memoryFlushCompactionCount=cycle)
        return flushed

    def _saved(self, silent: bool) -> Flushed:
        shown = self.shown
        try:
            self._journal(everything=True)
            found = learned(self._memory)
        except LoxodonError as error:
            return Flushed(problem=reason(error), done=False)
        if not silent or self._ask is None or not self._config.flush:
            return Flushed(found)
        messages = joined([*self._frame.system, *applied(shown, self._kept)])
        if self.tokens_pruned + _SILENT_TURN > self.limits.window:
            return Flushed(found)  # it would only be refused
        try:
            said = "\n".join(text_of(one.message)[:200] for one in shown if one.role == "user")
            language, own = language_of(said[-4_000:]), self._memory.config.prompts
            notes = silent_turn(self._ask, messages, self._memory.now(), language, own)
            return Flushed(found, tuple(save(self._memory, notes, shown)))
        except LoxodonError as error:  # what the rules know is saved, and the journal has the rest
            return Flushed(found, problem=reason(error))

    def _compact(self, forced: bool = False, silent: bool = True) -> Compacted | None:
        done: Compacted | None = self._alone(lambda: self._compacted(forced, silent))
        return done

    def _compacted(self, forced: bool, silent: bool) -> Compacted | None:
        shown = self.shown
        before = self.tokens_pruned
        if not forced and not compaction_due(before, self.limits.most):
            return None  # another process did it
        room = self.limits.most - self._beside() - self.limits.summary
        keep = max(0, min(self.limits.keep, int(room / 1.5)))
        if forced:  # asked for: what is left is to be less, however little there is
            keep = min(keep, sum(map(self._size, applied(shown, self._kept))) // 2)
        cut_at = place_to_cut(
            [
                one._replace(message=message)
                for one, message in zip(shown, applied(shown, self._kept), strict=True)
            ],
            self._size,
            keep,
        )
        if cut_at is None:
            return None
        flushed = self._flush(silent=silent)
        summary, by_model, problem = summed_up(
            shown,
            cut_at,
            self.limits.summary,
            self.limits.most,
            self._count,
            self._tell,
            self._memory.config.prompts.compaction,
        )
        fields = {
            "summary": summary,
            "firstKeptEntryId": shown[cut_at.place].id,
            "tokensBefore": before,
        }
        id = self._keep("compaction", fields, self._memory.now())
        self._update(compactionCount=int(self._entry.get("compactionCount") or 0) + 1)
        self.problem = problem or self.problem
        self._count.cache_clear()  # it has what is no longer in sight
        self.compacted = Compacted(
            id, before, self.tokens_pruned, summary, by_model, problem, flushed
        )
        return self.compacted

    # What is sent

    @property
    def tokens_pruned(self) -> int:
        """What the context takes as it is sent."""
        shown = self.shown
        return self._beside() + sum(map(self._size, applied(shown, self._kept)))

    def _fitted(self) -> list[dict[str, Any]]:
        """The messages to send, made to fit as far as that can be helped."""
        self._prune()
        if self._config.compact and compaction_due(self.tokens_pruned, self.limits.most):
            self._compact()
            self._prune()
        shown = self.shown
        if compaction_due(self.tokens_pruned, self.limits.most):
            self._kept = squeezed(
                shown, self._kept, self._size, beside=self._beside(), most=self.limits.most
            )
        messages = self._with_frame(shown)
        self._sent = sum(tokens_of(message, self._count) for message in messages)
        self._sent += self._frame.tools
        self._sent_at = self._memory.now()
        return messages

    def _prune(self) -> None:
        now = self._memory.now()
        age = abs((now - self._sent_at).total_seconds()) if self._sent_at else None
        self._kept = pruned(
            self.shown,
            self._kept,
            self._size,
            beside=self._beside(),
            window=self.limits.window,
            most=self.limits.most,
            cold=age is None or age > self._config.cache_ttl,
            protect=self._config.protect,
        )

    def _with_frame(self, shown: Sequence[Shown]) -> list[dict[str, Any]]:
        messages = applied(shown, self._kept)
        asked = [n for n, one in enumerate(shown) if one.role == "user" and one.kind == "message"]
        place = asked[-1] if asked else len(messages)
        framed = [*messages[:place], *self._frame.before, *messages[place:]]
        return joined([*self._frame.system, *framed])

    def _size(self, message: Message) -> int:
        return int(self._gauge.rate * tokens_of(message, self._count)) + 1

    def _beside(self) -> int:
        frame = (*self._frame.system, *self._frame.before)
        tools = int(self._gauge.rate * self._frame.tools)
        return self._gauge.beside + tools + sum(map(self._size, frame))

    def _tokens(self, shown: Sequence[Shown]) -> int:
        return self._beside() + sum(self._size(one.message) for one in shown)

    # What is kept

    def _keep(self, type: str, fields: Mapping[str, Any], now: datetime) -> str:
        """Put an entry on disk, as far as it may be kept."""
        return self._transcript.append(type, self._memory.guard.value(fields), now)

    def _put(self, message: Message, more: Mapping[str, Any] | None = None) -> str:
        now = self._memory.now()
        kept = to_kept(self._unanswered(message), now) | dict(more or {})
        id = self._keep("message", {"message": kept}, now)
        if self._keeps_journal:
            try:
                self._journal()
            except LoxodonError as error:  # it is on disk, and journalled with what comes next
                self.problem = reason(error)
        return id

    def _unanswered(self, message: Message) -> Message:
        """A message without what it gives of something secret that was asked for right before."""
        text = message.get("content")
        if not isinstance(text, str):
            return message
        lately = [text_of(one.message) for one in self.shown[-LATELY:]]
        return {**message, "content": self._memory.guard.answered(text, lately)}

    def _journal(self, everything: bool = False) -> None:
        """Journal what was said and is not journalled yet."""
        if not self._keeps_journal:
            return
        known = set() if everything else self._journalled
        entries = [
            entry
            for entry in self._transcript.live
            if entry.get("type") == "message" and str(entry.get("id")) not in known
        ]
        turns = [turn for entry in entries if (turn := self._turn(entry))]
        try:
            self._memory.add(turns, self.name)
        except InputError:
            for turn in turns:  # one that the journal cannot take keeps no other out
                try:
                    self._memory.add([turn], self.name)
                except InputError as error:
                    self.problem = reason(error)
        self._journalled.update(str(entry.get("id")) for entry in entries)

    def _turn(self, entry: Entry) -> dict[str, object] | None:
        """An entry as a turn of the journal: what people and the assistant say to each other."""
        message = entry.get("message")
        if not isinstance(message, Mapping) or message.get("role") not in ("user", "assistant"):
            return None
        text = in_parts(message.get("content"), lambda part: text_of({"content": part}))
        text = text.encode("utf-8", "replace").decode().replace("\0", "")
        if not text.strip() or is_silent(text):
            return None
        turn: dict[str, object] = {
            "role": message["role"],
            "content": text,
            "id": entry.get("id"),
            "at": entry.get("timestamp"),
            "chat": self.chat,
        }
        if message["role"] == "user" and self.chat != "direct":
            turn["origin"] = "group"
        elif message["role"] == "user" and not self._typed:
            turn["origin"] = "relayed"
        if isinstance(message.get("name"), str):
            turn["speaker"] = message["name"]
        return turn

    def _note_tokens(self, read: int, said: int) -> None:
        self._update(
            inputTokens=int(self._entry.get("inputTokens") or 0) + read,
            outputTokens=int(self._entry.get("outputTokens") or 0) + said,
            contextTokens=self.tokens_pruned,
            tokensBeside=self._gauge.beside,
            tokenRate=self._gauge.rate,
        )

    def _update(self, **changes: Any) -> None:
        """Put down in the index what changed, unless the key has gone on to another transcript."""
        self._entry = {**self._entry, **changes}

        def change(entry: dict[str, Any]) -> dict[str, Any]:
            return {**entry, **changes} if entry.get("sessionId", self.id) == self.id else entry

        try:
            self._sessions.update(self._filed, self._memory.now(), change)
        except LoxodonError as error:  # the transcript tells the same
            self.problem = reason(error)

    def close(self) -> None:
        """Nothing is held open between calls; for the sake of `with`."""

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _framed(given: str | Sequence[Message], role: str) -> tuple[Message, ...]:
    if isinstance(given, str):
        return ({"role": role, "content": given},) if given else ()
    return tuple(checked(message) for message in given)


def _gauge(entry: Mapping[str, Any]) -> Gauge:
    beside, rate = entry.get("tokensBeside"), entry.get("tokenRate")
    if isinstance(beside, int) and isinstance(rate, int | float) and 0.4 < rate < 3:
        return Gauge(beside, float(rate))
    return Gauge()
