"""The journal's part in an exchange: both sides of it, each on disk in time.

What the user said is in the journal before the client gets the first byte of the reply, and the
reply before it gets the last. So whoever has seen a reply finds it remembered, even where the proxy
is killed the moment after. A journal that cannot be written is waited for no longer than a recall;
it is tried again while the client goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, NamedTuple

from loxodon.errors import BusyStoreError, FullStoreError, LoxodonError, UnwritableStoreError
from loxodon.http.host import Host
from loxodon.http.logs import log
from loxodon.memory import Memory
from loxodon.proxy.conversations import Conversation, Conversations, reply_name, session_of, short
from loxodon.proxy.inject import Additions
from loxodon.proxy.replies import Reply, ReplyBytes
from loxodon.proxy.requests import ModelRequest, Speaker, clean, unanswered
from loxodon.working.accounting import limits, usage_of

_MOST_TEXT = 1_000_000  # characters of a message that are journalled
_READ_INLINE = 1 << 16  # bytes of a reply; reading more would keep other requests waiting
_IN_ORDER = 2.0  # seconds that what is said waits for the reply before it to be written
_PAUSES = (0.2, 1.0, 3.0)  # seconds after which the journal is tried again

Turn = dict[str, Any]


class Exchange(NamedTuple):
    """A request, with what the memory has for it."""

    request: ModelRequest
    speaker: Speaker
    names: Sequence[str]
    conversation: Conversation
    new: bool  # whether the conversation was not kept in mind before
    additions: Additions
    used: tuple[str, ...]  # recalled for its last message, unless an earlier request had them
    about: dict[str, Any]  # what the log and the headers say of it


class Journal:
    """Where exchanges are kept. A client waits `limit` seconds for what it must find on disk."""

    def __init__(self, host: Host, conversations: Conversations, limit: float) -> None:
        self._host = host
        self.conversations = conversations
        self._naming = Lock()
        self.limit = limit

    async def write(self, exchange: Exchange, turns: Sequence[Turn]) -> None:
        """Put turns on disk, and try again where that fails; what is lost is logged."""
        conversation, speaker, about = exchange.conversation, exchange.speaker, exchange.about
        if not turns or not speaker.journals:
            return

        def add(memory: Memory) -> int:
            with self._naming:  # two that begin with the same words must not share a name
                if not conversation.name:
                    taken = self.conversations.sessions()
                    conversation.name = session_of(memory, exchange.names, taken)
            found = memory.add(turns, conversation.name)
            if found.paused:
                about["paused"] = True
            return found.added

        error = ""
        for pause in (*_PAUSES, None):
            try:
                added = await self._host.call(
                    speaker.space, add, agent=speaker.agent, relays=speaker.relays
                )
                about |= {"session": conversation.name, "added": added + about.get("added", 0)}
                return
            except (BusyStoreError, FullStoreError, UnwritableStoreError) as failure:
                error = failure.code
            except LoxodonError as failure:  # which another time would not change
                error = failure.code
                break
            if pause is not None:
                await asyncio.sleep(pause)
        lost = {"session": conversation.name, "turns": len(turns), "error": error}
        log("proxy.lost", space=speaker.space, **lost)

    async def finish(self, exchange: Exchange, reply: Reply) -> None:
        """Count the memories that were used, and consolidate before the client drops a full
        context."""
        space, conversation = exchange.speaker.space, exchange.conversation
        if exchange.used:
            with suppress(LoxodonError):  # to count uses is not worth failing for
                agent = exchange.speaker.agent
                await self._host.call(
                    space, lambda memory: memory.touch(exchange.used), agent=agent
                )
        usage = usage_of(reply.usage)
        if usage is None:
            return
        most, tokens = limits(self._host.config.working).flush_at, usage.input + usage.output
        was_full = conversation.full
        # Once for each time that the client makes room: it has to be half as large in between.
        conversation.full = tokens >= most or (was_full and tokens > most // 2)
        if conversation.full and not was_full:
            try:
                await self._host.call(space, lambda memory: memory.flush(), apart=True)
            except LoxodonError as error:  # it is in the journal, and the schedule comes to it
                log("proxy.flush", space=space, error=error.code)


class Recorder:
    """Journals one exchange.

    What begins a conversation is journalled once the upstream has taken it: a key that is good for
    nothing there puts nothing into a memory either. What goes on with one is journalled while the
    upstream works, so that a reply waits for no disk.
    """

    def __init__(self, journal: Journal, exchange: Exchange) -> None:
        self._journal = journal
        self._exchange = exchange
        self._bytes = ReplyBytes(exchange.request.kind)
        self._heard: asyncio.Task[None] | None = None
        self._replied: asyncio.Task[None] | None = None
        self._headers: Mapping[str, str] | None = None  # of a reply that is coming
        self._reply: Reply | None = None
        self.take = self._bytes.take

    def begin(self) -> None:
        """The request is on its way to the upstream."""
        if self._exchange.conversation.accepted:
            self._heard = asyncio.create_task(self._write_heard())

    async def heard(self, headers: Mapping[str, str]) -> None:
        """The upstream has taken the request: see that what the user said is journalled."""
        self._headers = headers
        self._exchange.conversation.accepted = True
        self._heard = self._heard or asyncio.create_task(self._write_heard())
        await self._in_time(self._heard)

    @property
    def complete(self) -> bool:
        """Whether what was taken says that nothing follows."""
        return self._bytes.complete

    async def replied(self) -> None:
        """Journal what was replied, once; of a reply that broke off, as far as it came."""
        if self._reply is not None or self._headers is None:
            return
        if self._bytes.size <= _READ_INLINE:
            reply = self._bytes.reply(self._headers)
        else:
            reply = await asyncio.to_thread(self._bytes.reply, self._headers)
        self._reply = reply
        exchange = self._exchange
        exchange.about["calls"] = len(reply.calls)
        if exchange.request.kind == "responses":  # the next request may go on by its name
            audience, conversation = exchange.speaker.audience, exchange.conversation
            self._journal.conversations.replied(audience, conversation, reply.id)
        exchange.conversation.ending = ending = asyncio.Event()
        self._replied = asyncio.create_task(self._write_replied(reply, ending))
        await self._in_time(self._replied)

    async def ended(self) -> None:
        """Do what is left once the client has all of it, or has hung up."""
        await self.replied()
        for task in (self._heard, self._replied):
            if task is not None:
                await task
        if self._reply is not None:
            await self._journal.finish(self._exchange, self._reply)

    async def _write_heard(self) -> None:
        before = self._exchange.conversation.ending
        if before is not None:  # of a reply that broke off, or that was slow to write
            with suppress(TimeoutError):
                await asyncio.wait_for(before.wait(), _IN_ORDER)
        await self._journal.write(self._exchange, _turns_heard(self._exchange))

    async def _write_replied(self, reply: Reply, ending: asyncio.Event) -> None:
        try:
            if self._heard is not None:
                await self._heard
            if reply.text and reply.final:  # all that is done with tools is one exchange
                last = next(name for name in reversed(self._exchange.names) if name)
                turn = _reply_turn(self._exchange, last, reply.text)
                await self._journal.write(self._exchange, [turn])
        finally:
            ending.set()

    async def _in_time(self, task: asyncio.Task[None]) -> None:
        """Wait for something no longer than a client should; it goes on."""
        if not task.done():
            await asyncio.wait({task}, timeout=self._journal.limit)


def _turns_heard(exchange: Exchange) -> list[Turn]:
    """What the user said since the last request.

    Of a conversation that was not kept in mind also the exchange before it: the proxy may have
    ended before its reply was journalled.
    """
    messages, names = exchange.request.messages, exchange.names
    places = unanswered(messages)
    turns: list[Turn] = []
    if exchange.new and places:
        earlier = range(places[0])
        replies = [
            n
            for n in earlier
            if messages[n].role == "assistant" and messages[n].text and not messages[n].calls
        ]
        before = [n for n in earlier if replies and n < replies[-1] and names[n]]
        if before:
            turns.append(_user_turn(exchange, before[-1]))
            text = clean(messages[replies[-1]].text)
            turns.append(_reply_turn(exchange, names[before[-1]], text))
    turns += (_user_turn(exchange, place) for place in places)
    return [turn for turn in turns if turn["content"]]


def _user_turn(exchange: Exchange, place: int) -> Turn:
    message, speaker = exchange.request.messages[place], exchange.speaker
    return {
        "role": "user",
        "content": clean(message.text)[:_MOST_TEXT],
        "id": short(exchange.names[place]),
        "channel": "proxy",
        "chat": speaker.chat,
        "speaker": clean(message.name)[:100] or speaker.name,
        "origin": "relayed" if speaker.chat == "direct" else "group",
    }


def _reply_turn(exchange: Exchange, user: str, text: str) -> Turn:
    return {
        "role": "assistant",
        "content": text[:_MOST_TEXT],
        "id": reply_name(short(user), text),
        "channel": "proxy",
        "chat": exchange.speaker.chat,
    }
