"""One exchange with a model, as the memory has part in it: what is recalled before it is sent, and
what is journalled of both sides.

A client never waits for the memory longer than it was told to. What the user said is in the journal
before the client gets the first byte of the reply, and the reply before it gets the last: whoever
has seen a reply finds it remembered, even where the proxy is killed the moment after. A journal
that cannot be written is tried again while the client goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic, perf_counter
from typing import Any, NamedTuple

import httpx

from loxodon.errors import (
    BusyStoreError,
    FullStoreError,
    LoxodonError,
    NotFoundError,
    UnwritableStoreError,
)
from loxodon.http.host import Host
from loxodon.http.logs import log
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.proxy import conversations
from loxodon.proxy.conversations import SHORT, Block, Conversation, Conversations
from loxodon.proxy.replies import Reply, ReplyBytes
from loxodon.proxy.requests import ModelRequest, Speaker, clean, unanswered
from loxodon.recall.gate import State
from loxodon.text import quote
from loxodon.text.language import language_of

OUTCOMES = ("used", "nothing-found", "not-needed", "timed-out", "failed", "off")
_IN_VIEW = 100_000  # characters of the conversation that are compared with what is recalled
_MOST_TEXT = 1_000_000  # characters of a message that are journalled
_PAUSES = (0.2, 1.0, 3.0)  # seconds after which the journal is tried again
_PASSING = (BusyStoreError, FullStoreError, UnwritableStoreError)  # which another time may change

Turn = dict[str, Any]


class _Found(NamedTuple):
    """What a memory has for a request."""

    forgotten: str = ""  # what changes whenever something is forgotten
    block: Block | None = None  # for its last message, where nothing was known for that
    state: State = State()
    snapshot: str | None = None
    budget: int = 1


class Memories:
    """The memories of a home, as exchanges need them.

    What is journalled has connections of its own: a write waits for others who write, and a recall
    should not wait with it.
    """

    def __init__(self, host: Host, journal: Host, limit: float, *, explain: bool = False) -> None:
        self.host, self.journal, self.limit, self.explain = host, journal, limit, explain
        self.conversations = Conversations()


def _snapshot(memory: Memory, language: str) -> str:
    """What a conversation begins with; empty where nothing is known."""
    if not memory.config.enabled:
        return memory.recall("MEMORY.md", budget=memory.config.snapshot.budget).context
    if not memory.list(limit=1):
        return ""
    about = t("what is known from earlier conversations", language)
    return f"{quote.heading('snapshot', language, about)}\n{memory.snapshot(language)}"


class Exchange:
    """A request that is remembered. `about` is told what the log and the headers say of it."""

    def __init__(
        self, memories: Memories, request: ModelRequest, speaker: Speaker, about: dict[str, Any]
    ) -> None:
        self._memories, self.request, self._speaker = memories, request, speaker
        self._names, self._about = conversations.message_names(request), about
        self._conversation, self._new = memories.conversations.find(
            speaker.audience, request, self._names, speaker.session, monotonic()
        )
        self.reply_bytes = ReplyBytes(request.kind)
        self._headers: httpx.Headers | None = None  # of a reply that is coming
        self._writing_heard: asyncio.Task[None] | None = None
        self._writing_reply: asyncio.Task[None] | None = None

    @property
    def additions(self) -> tuple[str, list[tuple[int, str]]]:
        """The snapshot, where the conversation begins, and what was recalled for its messages: the
        number of each, and the text."""
        conversation, request = self._conversation, self.request
        begins = not request.text("previous_response_id") and (
            self._new or "conversation" not in request.fields
        )
        blocks = ((n, conversation.blocks.get(name)) for n, name in enumerate(self._names))
        told = [(n, block.text) for n, block in blocks if block and block.text]
        return conversation.snapshot or "" if begins else "", told

    async def recall(self) -> None:
        """Give the conversation what the memory has for it. Nothing is told that was recalled
        before something was forgotten, by whomever it was."""
        name = self._names[self.request.last] if self.request.last >= 0 else ""
        conversation, about, memories = self._conversation, self._about, self._memories
        about["space"] = self._speaker.space
        started, trouble, found = perf_counter(), "", _Found("unknown")
        try:
            async with asyncio.timeout(memories.limit):
                found = await memories.host.call(
                    self._speaker.space,
                    lambda memory: self._look_up(memory, name),
                    make=False,
                    agent=self._speaker.caller.agent,
                )
        except NotFoundError:  # nothing was ever said here
            found = _Found(block=Block(outcome="nothing-found") if name else None)
        except TimeoutError:
            trouble = "late"
        except Exception as error:  # whatever is wrong with it, the request goes through
            trouble = error.code if isinstance(error, LoxodonError) else type(error).__name__
        about["recall_ms"] = round((perf_counter() - started) * 1e3, 2)
        conversation.renew(found.forgotten)
        if found.snapshot is not None:
            conversation.snapshot = found.snapshot
        if found.block is not None:
            conversation.state = found.state
            conversation.keep(name, found.block, found.budget)
            about |= {"gate": found.block.reason, "tokens": found.block.tokens}
            about |= {"ids": found.block.ids} if memories.explain else {}
        block = conversation.blocks.get(name, Block())
        outcomes = {"": block.outcome, "late": "timed-out"}
        about |= {"memory": outcomes.get(trouble, "failed"), "recalled": len(block.ids)}
        about |= {"recall_error": trouble} if trouble else {}

    def _look_up(self, memory: Memory, name: str) -> _Found:
        """What the memory has; in a thread."""
        request, chat, words = self.request, self._speaker.chat, clean(self.request.last_words)
        enabled, snapshot = memory.config.enabled, None
        forgotten = memory.workspace.store.scalar("tombstones_version") if enabled else ""
        kept = self._conversation
        kept = kept if forgotten == kept.forgotten else Conversation()
        if kept.snapshot is None and chat == "direct":
            snapshot = _snapshot(memory, language_of(words))
        found = _Found(forgotten, None, kept.state, snapshot, memory.config.recall.budget)
        if not words or name in kept.blocks:
            return found
        if not enabled:  # all that plain files have stands in the snapshot
            return found._replace(block=Block(reason="off", outcome="off"))
        gate = memory.gate(words, chat=chat, state=kept.state)
        if not gate.recall:
            return found._replace(block=Block(reason=gate.reason))
        stand = (kept.blocks.get(one, Block()) for one in self._names)
        in_view = [id for block in stand for id in block.ids]
        room = _IN_VIEW
        for one in reversed(request.messages):  # what the model has before it, the latest of it
            room -= len(one.text)
            if room < 0:
                break
            if one.role in ("user", "assistant") and one.text:
                in_view.append(clean(one.text))
        recall = memory.recall(words, chat=chat, in_view=in_view)
        ids = tuple(item.id for item in recall.items)
        outcome = "used" if ids else "nothing-found"
        block = Block(recall.context, recall.tokens, ids, gate.reason, outcome)
        return found._replace(block=block, state=kept.state.after(words, gate))

    def begin(self) -> None:
        """The request is on its way to the upstream."""
        if self._conversation.accepted:
            self._writing_heard = asyncio.create_task(self._write_heard())

    async def heard(self, headers: httpx.Headers) -> None:
        """The upstream has taken the request: see that what the user said is journalled."""
        self._headers = headers
        self._conversation.accepted = True
        self._writing_heard = self._writing_heard or asyncio.create_task(self._write_heard())
        await asyncio.wait({self._writing_heard}, timeout=self._memories.limit)

    async def replied(self) -> None:
        """Journal what was replied, once; of a reply that broke off, as far as it came."""
        if self._writing_reply is not None or self._headers is None:
            return
        reply = self.reply_bytes.reply(self._headers)
        if reply.id:  # the next request may go on by its name
            names = [f"response {reply.id}"]
            self._memories.conversations.note(self._conversation, self._speaker.audience, names)
        self._writing_reply = asyncio.create_task(self._write_replied(reply))
        await asyncio.wait({self._writing_reply}, timeout=self._memories.limit)

    async def ended(self) -> None:
        """Do what is left once the client has all of it, or has hung up."""
        await self.replied()
        for task in filter(None, (self._writing_heard, self._writing_reply)):
            await task

    async def _write_heard(self) -> None:
        """Journal what the user said since the last request."""
        messages, speaker = self.request.messages, self._speaker
        turns = [
            {
                "role": "user",
                "content": clean(messages[place].text)[:_MOST_TEXT],
                "id": self._names[place][:SHORT],
                "speaker": clean(messages[place].name)[:100] or speaker.name,
                "origin": "relayed" if speaker.chat == "direct" else "group",
            }
            for place in unanswered(messages)
        ]
        await self._write(turns)

    async def _write_replied(self, reply: Reply) -> None:
        if self._writing_heard is not None:
            await self._writing_heard
        if reply.text and reply.final:  # all that is done with tools is one exchange
            last = next(name for name in reversed(self._names) if name)
            id = conversations.reply_name(last, reply.text)
            await self._write([{"role": "assistant", "content": reply.text[:_MOST_TEXT], "id": id}])

    async def _write(self, turns: Sequence[Turn]) -> None:
        """Put turns on disk, and try again where that fails; what is lost is logged."""
        conversation, about, speaker = self._conversation, self._about, self._speaker
        caller = speaker.caller
        said = [
            {**turn, "channel": "proxy", "chat": speaker.chat} for turn in turns if turn["content"]
        ]
        if not said or not caller.may("write"):
            return

        def add(memory: Memory) -> int:
            first = next(filter(None, self._names))
            known = self._memories.conversations
            found = memory.add(said, known.name(conversation, memory.now(), first))
            about.update({"paused": True} if found.paused else {})
            return found.added

        for pause in (*_PAUSES, 0):
            try:
                added = await self._memories.journal.call(
                    speaker.space, add, agent=caller.agent, relays=caller.relays
                )
                about |= {"session": conversation.name, "added": added + about.get("added", 0)}
                return
            except LoxodonError as error:
                if not pause or not isinstance(error, _PASSING):
                    lost = {"session": conversation.name, "turns": len(turns), "error": error.code}
                    log("proxy.lost", space=speaker.space, **lost)
                    return
            await asyncio.sleep(pause)
