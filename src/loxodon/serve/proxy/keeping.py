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
from loxodon.memory import Memory
from loxodon.serve.host import Host
from loxodon.serve.logs import log
from loxodon.serve.proxy.conversations import (
    Conversation,
    Conversations,
    reply_name,
    session_of,
    short,
)
from loxodon.serve.proxy.gather import Gathering, Reply
from loxodon.serve.proxy.inject import Additions
from loxodon.serve.proxy.requests import Asked, Said, clean, fresh
from loxodon.serve.proxy.speaking import Who
from loxodon.working.accounting import limits, usage_of

CHANNEL = "proxy"
_MOST_TEXT = 1_000_000
"""Characters of a message that are journalled."""
_SMALL = 1 << 16
"""Bytes of a reply that are read on the spot; more would keep others waiting."""
_IN_ORDER = 2.0
"""Seconds that what is said waits in the journal for a reply that is being written."""
_PAUSES = (0.2, 1.0, 3.0)
"""Seconds after which the journal is tried again."""

Turn = dict[str, Any]


class Exchange(NamedTuple):
    """A request, with what the memory has for it."""

    asked: Asked
    who: Who
    names: Sequence[str]
    conversation: Conversation
    new: bool
    """Whether the conversation was not kept in mind before."""
    additions: Additions
    used: tuple[str, ...]
    """The memories that were recalled for its last message, unless an earlier request had them."""
    about: dict[str, Any]
    """What may be told of it: what came of asking the memory, and what of it is journalled."""


class Journal:
    """Where exchanges are kept."""

    def __init__(self, host: Host, conversations: Conversations, limit: float) -> None:
        self._host = host
        self._conversations = conversations
        self._naming = Lock()
        self.limit = limit
        """Seconds that a client waits for what it must find on disk."""

    async def write(self, exchange: Exchange, turns: Sequence[Turn]) -> None:
        """Put turns on disk, and try again where that fails; what is lost is logged."""
        conversation, who = exchange.conversation, exchange.who
        if not turns or not who.journals:
            return
        error = ""
        for pause in (*_PAUSES, None):
            try:
                added = await self._host.call(
                    who.space,
                    lambda memory: self._add(memory, exchange, turns),
                    agent=who.agent,
                    relays=who.relays,
                )
            except (BusyStoreError, FullStoreError, UnwritableStoreError) as failure:
                error = failure.code
            except LoxodonError as failure:  # which another time would not change
                error = failure.code
                break
            else:
                about = exchange.about
                about["session"] = conversation.name
                about["added"] = added + about.get("added", 0)
                return
            if pause is not None:
                await asyncio.sleep(pause)
        log("proxy.lost", space=who.space, session=conversation.name, turns=len(turns), error=error)

    def _add(self, memory: Memory, exchange: Exchange, turns: Sequence[Turn]) -> int:
        conversation = exchange.conversation
        with self._naming:  # two that begin with the same words must not share a name
            if not conversation.name:
                taken = self._conversations.sessions()
                conversation.name = session_of(memory, exchange.asked, exchange.names, taken)
        found = memory.add(turns, conversation.name)
        if found.paused:
            exchange.about["paused"] = True
        return found.added

    async def used(self, exchange: Exchange) -> None:
        """Note which memories an exchange made use of."""
        who = exchange.who
        if exchange.used:
            with suppress(LoxodonError):  # to count uses is not worth failing for
                await self._host.call(
                    who.space, lambda memory: memory.touch(exchange.used), agent=who.agent
                )

    async def save(self, exchange: Exchange, reply: Reply) -> None:
        """Make known what was said before the client drops it from a context that is full."""
        usage, conversation = usage_of(reply.usage), exchange.conversation
        if usage is None:
            return
        at = limits(self._host.config.working).flush_at
        filled, conversation.full = is_filled(usage.input + usage.output, at, conversation.full)
        if not filled:
            return
        try:
            await self._host.call(exchange.who.space, lambda memory: memory.flush(), apart=True)
        except LoxodonError as error:  # it is in the journal, and the schedule comes to it
            log("proxy.flush", space=exchange.who.space, error=error.code)

    def named(self, exchange: Exchange, reply: Reply) -> None:
        """Note by which name the next request may go on."""
        if exchange.asked.kind == "responses":
            self._conversations.replied(exchange.who.hearers, exchange.conversation, reply.id)


class Keeping:
    """The keeping of one exchange.

    What begins a conversation is journalled once the upstream has taken it: a key that is good for
    nothing there puts nothing into a memory either. What goes on with one is journalled while the
    upstream works, so that a reply waits for no disk.
    """

    def __init__(self, journal: Journal, exchange: Exchange) -> None:
        self._journal = journal
        self._exchange = exchange
        self._gathering = Gathering(exchange.asked.kind)
        self._heard: asyncio.Task[None] | None = None
        self._replied: asyncio.Task[None] | None = None
        self._accepted = False
        self._reply: Reply | None = None

    def begin(self) -> None:
        """The request is on its way to the upstream."""
        if self._exchange.conversation.accepted:
            self._heard = asyncio.create_task(self._write_heard())

    async def heard(self) -> None:
        """The upstream has taken the request: see that what the user said is journalled."""
        self._accepted = self._exchange.conversation.accepted = True
        self._heard = self._heard or asyncio.create_task(self._write_heard())
        await self._in_time(self._heard)

    def take(self, chunk: bytes) -> None:
        """Note bytes of the reply."""
        self._gathering.take(chunk)

    @property
    def complete(self) -> bool:
        """Whether what was taken says that nothing follows."""
        return self._gathering.complete

    async def replied(self, headers: Mapping[str, str]) -> None:
        """Journal what was replied, once; of a reply that broke off, as far as it came."""
        if self._reply is not None or not self._accepted:
            return
        if self._gathering.size <= _SMALL:
            reply = self._gathering.reply(headers)
        else:
            reply = await asyncio.to_thread(self._gathering.reply, headers)
        self._reply = reply
        self._exchange.about["calls"] = len(reply.calls)
        self._journal.named(self._exchange, reply)
        self._exchange.conversation.ending = ending = asyncio.Event()
        self._replied = asyncio.create_task(self._write_replied(reply, ending))
        await self._in_time(self._replied)

    async def ended(self, headers: Mapping[str, str]) -> None:
        """Do what is left once the client has all of it, or has hung up."""
        await self.replied(headers)
        for task in (self._heard, self._replied):
            if task is not None:
                await task
        if self._reply is not None:
            await self._journal.used(self._exchange)
            await self._journal.save(self._exchange, self._reply)

    async def _write_heard(self) -> None:
        before = self._exchange.conversation.ending
        if before is not None:  # of a reply that broke off, or that was slow to write
            with suppress(TimeoutError):
                await asyncio.wait_for(before.wait(), _IN_ORDER)
        await self._journal.write(self._exchange, turns_heard(self._exchange))

    async def _write_replied(self, reply: Reply, ending: asyncio.Event) -> None:
        try:
            if self._heard is not None:
                await self._heard
            await self._journal.write(self._exchange, turns_replied(self._exchange, reply))
        finally:
            ending.set()

    async def _in_time(self, task: asyncio.Task[None]) -> None:
        """Wait for something no longer than a client should; it goes on."""
        if not task.done():
            await asyncio.wait({task}, timeout=self._journal.limit)


# --- Pure -----------------------------------------------------------------------------------------


def is_filled(tokens: int, most: int, full: bool) -> tuple[bool, bool]:
    """Whether a context has just come near its end, and whether it is there now.

    It has to be half as large before that can happen again: once for each time that the client
    makes room in it.
    """
    if tokens >= most:
        return not full, True
    return False, full and tokens > most // 2


def turns_heard(exchange: Exchange) -> list[Turn]:
    """What the user said since the last request.

    Of a conversation that was not kept in mind also the exchange before it: it may be that we were
    ended before its reply was journalled.
    """
    messages, names = exchange.asked.messages, exchange.names
    places = fresh(messages)
    turns: list[Turn] = []
    if exchange.new and places:
        earlier = range(places[0])
        replies = [n for n in earlier if _is_reply(messages[n])]
        before = [n for n in earlier if replies and n < replies[-1] and names[n]]
        if before:
            turns.append(_turn(exchange, before[-1]))
            text = clean(messages[replies[-1]].text)
            turns.append(_reply(exchange, names[before[-1]], text))
    turns += (_turn(exchange, place) for place in places)
    return [turn for turn in turns if turn["content"]]


def turns_replied(exchange: Exchange, reply: Reply) -> list[Turn]:
    """What the model replied: all that it does with tools is one exchange, which ends with it."""
    last = next(name for name in reversed(exchange.names) if name)
    return [_reply(exchange, last, reply.text)] if reply.text and reply.final else []


def _is_reply(said: Said) -> bool:
    return said.role == "assistant" and bool(said.text) and not said.calls


def _turn(exchange: Exchange, place: int) -> Turn:
    said, who = exchange.asked.messages[place], exchange.who
    turn: Turn = {
        "role": "user",
        "content": clean(said.text)[:_MOST_TEXT],
        "id": short(exchange.names[place]),
        "channel": CHANNEL,
        "chat": who.chat,
        "speaker": clean(said.name)[:100] or who.speaker,
    }
    turn["origin"] = "relayed" if who.chat == "direct" else "group"
    return turn


def _reply(exchange: Exchange, user: str, text: str) -> Turn:
    return {
        "role": "assistant",
        "content": text[:_MOST_TEXT],
        "id": reply_name(short(user), text),
        "channel": CHANNEL,
        "chat": exchange.who.chat,
    }
