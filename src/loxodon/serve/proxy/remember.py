"""The memory's part in an exchange: what is recalled before it, what is journalled after it.

Recalling has a time limit, and a memory that fails or is slow again and again is left alone for a
while: a client never waits for it longer than it was told to.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from time import monotonic, perf_counter
from typing import Any, NamedTuple

from loxodon.errors import LoxodonError, NotFoundError, StoreError
from loxodon.layout import SPACES
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.recall.gate import State
from loxodon.serve.host import Host
from loxodon.serve.logs import log
from loxodon.serve.proxy.conversations import (
    Block,
    Conversation,
    Conversations,
    names_of,
    reply_name,
    session_of,
    short,
)
from loxodon.serve.proxy.gather import Reply
from loxodon.serve.proxy.inject import Additions
from loxodon.serve.proxy.requests import Asked, clean, fresh, is_chore
from loxodon.serve.proxy.speaking import Who
from loxodon.spaces import folder_name
from loxodon.text import quote
from loxodon.text.language import language_of
from loxodon.trust.forget import tombstones
from loxodon.types import KINDS, Chat
from loxodon.working.accounting import limits, usage_of

LIMIT = 1.5
CHANNEL = "proxy"
_SNAPSHOT_SECONDS = 60.0
"""For how long a snapshot serves all conversations that begin."""
_MOST_SNAPSHOTS = 64
_MOST_SPACES = 1_000
_IN_VIEW = 100_000
"""Characters of the conversation, the latest, that are compared with what is recalled."""
_MOST_TEXT = 1_000_000
"""Characters of a message that are journalled."""
_IN_ORDER = 2.0
"""Seconds that what is said waits in the journal for the reply before it."""
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
    recalled: tuple[str, ...]
    """The ids of what was recalled for its last message."""
    used: tuple[str, ...]
    """Those of them that are memories, unless an earlier request had them already."""
    about: dict[str, Any]
    """What may be logged of it."""
    settled: asyncio.Event
    """Set once both sides of it are journalled."""


class Patience:
    """Whether the memory is worth waiting for: not for a while after it failed three times."""

    def __init__(self, failures: int = 3, seconds: float = 10.0) -> None:
        self._most = failures
        self._seconds = seconds
        self._failed = 0
        self._until = 0.0

    def __bool__(self) -> bool:
        return monotonic() >= self._until

    def noted(self, *, good: bool) -> None:
        self._failed = 0 if good else self._failed + 1
        if self._failed >= self._most:
            self._until = monotonic() + self._seconds
            self._failed = self._most - 1  # one more failure then, and it rests again


class _Look(NamedTuple):
    """What is to be looked up for a message."""

    query: str
    """Empty where that was done already."""
    in_view: Sequence[str]
    chat: Chat
    state: State
    snapshot: bool
    language: str


class _Found(NamedTuple):
    block: Block | None
    state: State
    snapshot: str | None
    budget: int


class Remembering:
    """The memories of a home, as an exchange needs them.

    What is journalled has connections of its own: a write waits for others who write, and a recall
    should not wait with it.
    """

    def __init__(
        self, recalling: Host, journal: Host, limit: float = LIMIT, *, explain: bool = False
    ) -> None:
        self._recalling = recalling
        self._journal = journal
        self._limit = limit
        self._explain = explain
        self._conversations = Conversations()
        self._naming = Lock()
        self._patience: dict[str, Patience] = {}
        self._snapshots: dict[tuple[str, str, str], tuple[float, int, str]] = {}
        """When each was made, how much had been forgotten then, and what it says."""

    # Before

    async def prepared(self, asked: Asked, who: Who) -> Exchange | None:
        """An exchange that is to be remembered; None for one that is not."""
        names = names_of(asked)
        last = asked.last
        if (
            not who.remembers
            or not any(names)
            or (last >= 0 and is_chore(asked.messages[last].words))
        ):
            return None
        conversation, new = self._conversations.of(
            _heard_by(who), asked, names, who.session, monotonic()
        )
        self._let_go(who.space, conversation)
        about: dict[str, Any] = {"space": who.space}
        name = names[last] if last >= 0 else ""
        known = name in conversation.blocks
        look = _look(asked, who, conversation, known=known)
        if look is not None:
            await self._recall(look, name, who, conversation, about)
        block = conversation.blocks.get(name, Block())
        begins = not asked.text("previous_response_id") and (
            new or "conversation" not in asked.fields
        )
        added = Additions(
            conversation.snapshot or "" if begins else "",
            [
                (n, told.text)
                for n, one in enumerate(names)
                if (told := conversation.blocks.get(one)) and told.text
            ],
        )
        used = () if known else block.used
        return Exchange(
            asked, who, names, conversation, new, added, block.ids, used, about, asyncio.Event()
        )

    def _let_go(self, space: str, conversation: Conversation) -> None:
        """Tell nothing that was recalled before something was forgotten, by whomever it was."""
        size = tombstones.size(os.path.join(self._recalling.home, SPACES, folder_name(space)))
        if size != conversation.forgotten:
            conversation.forgotten = size
            conversation.renew()

    async def _recall(
        self, look: _Look, name: str, who: Who, conversation: Conversation, about: dict[str, Any]
    ) -> None:
        """Give a conversation what is looked for, if that can be had in time."""
        if len(self._patience) > _MOST_SPACES:
            self._patience.clear()
        patience = self._patience.setdefault(who.space, Patience())
        if not patience:
            about["recall_error"] = "resting"
            return
        started, trouble = perf_counter(), ""
        try:
            async with asyncio.timeout(self._limit):
                found = await self._recalling.call(
                    who.space, lambda memory: self._found(memory, look), make=False, agent=who.agent
                )
        except NotFoundError:  # nothing was ever said here
            found = _Found(Block() if look.query else None, look.state, None, 1)
        except TimeoutError:
            trouble = "late"
        except LoxodonError as error:
            trouble = error.code
        except Exception as error:  # whatever is wrong with the memory, the request goes through
            trouble = type(error).__name__
        patience.noted(good=not trouble)
        about["recall_ms"] = round((perf_counter() - started) * 1e3, 2)
        if trouble:
            about["recall_error"] = trouble
            return
        conversation.state = found.state
        conversation.snapshot = found.snapshot if look.snapshot else conversation.snapshot
        if found.block is not None:
            conversation.keep(name, found.block, found.budget)
            about |= {"gate": found.block.reason, "tokens": found.block.tokens}
            about |= {"ids": found.block.ids} if self._explain else {}

    def _found(self, memory: Memory, look: _Look) -> _Found:
        """What a memory has; in a thread."""
        budget = memory.config.recall.budget
        snapshot = self._snapshot(memory, look.language) if look.snapshot else None
        if not look.query:
            return _Found(None, look.state, snapshot, budget)
        if not memory.config.enabled:  # all that plain files have stands in the snapshot
            return _Found(Block(reason="off"), look.state, snapshot, budget)
        gate = memory.gate(look.query, chat=look.chat, state=look.state)
        if not gate.recall:
            return _Found(Block(reason=gate.reason), look.state, snapshot, budget)
        found = memory.recall(look.query, chat=look.chat, in_view=look.in_view)
        ids = tuple(item.id for item in found.items)
        used = () if found.unsure else tuple(one.id for one in found.items if one.kind in KINDS)
        block = Block(found.context, found.tokens, ids, gate.reason, used)
        return _Found(block, look.state.after(look.query, gate), snapshot, budget)

    def _snapshot(self, memory: Memory, language: str) -> str:
        key, now = (memory.space, memory.agent, language), monotonic()
        forgotten = tombstones.size(memory.workspace.folder)
        made = self._snapshots.get(key)
        if made is None or now - made[0] > _SNAPSHOT_SECONDS or made[1] != forgotten:
            made = self._snapshots[key] = now, forgotten, snapshot_of(memory, language)
            while len(self._snapshots) > _MOST_SNAPSHOTS:
                self._snapshots.pop(next(iter(self._snapshots)), None)
        return made[2]

    # After

    async def heard(self, exchange: Exchange) -> None:
        """Journal what the user said, once the upstream has taken it, and what it made use of."""
        conversation = exchange.conversation
        before, conversation.settled = conversation.settled, exchange.settled
        if before is not None:  # a client may answer a reply before we have put it down
            with suppress(TimeoutError):
                await asyncio.wait_for(before.wait(), _IN_ORDER)
        await self._write(exchange, turns_heard(exchange))
        if exchange.used:
            with suppress(LoxodonError):  # to count uses is not worth failing for
                await self._journal.call(
                    exchange.who.space,
                    lambda memory: memory.touch(exchange.used),
                    agent=exchange.who.agent,
                )

    def ended(self, exchange: Exchange, reply: Reply) -> None:
        """Note at once by which name the next request may go on."""
        if exchange.asked.kind == "responses":
            self._conversations.replied(_heard_by(exchange.who), exchange.conversation, reply.id)

    async def replied(self, exchange: Exchange, reply: Reply) -> None:
        """Journal what was replied, and save what matters where the context is nearly full."""
        conversation, who = exchange.conversation, exchange.who
        try:
            await self._write(exchange, turns_replied(exchange, reply))
        finally:
            exchange.settled.set()
        usage = usage_of(reply.usage)
        if usage is None:
            return
        at = limits(self._journal.config.working).flush_at
        filled, conversation.full = is_filled(usage.input + usage.output, at, conversation.full)
        if filled:
            await self._save(who.space)

    async def _save(self, space: str) -> None:
        """Make known what was said before the client drops it from a context that is full."""
        try:
            await self._journal.call(space, lambda memory: memory.flush(), apart=True)
        except LoxodonError as error:  # it is in the journal, and the schedule comes to it
            log("proxy.flush", space=space, error=error.code)

    async def _write(self, exchange: Exchange, turns: Sequence[Turn]) -> None:
        conversation, who = exchange.conversation, exchange.who
        if not turns or not who.journals:
            return

        def write(memory: Memory) -> int:
            with self._naming:  # two that begin with the same words must not share a name
                if not conversation.name:
                    taken = self._conversations.sessions()
                    conversation.name = session_of(memory, exchange.asked, exchange.names, taken)
            return memory.add(turns, conversation.name).added

        error = ""
        for pause in (*_PAUSES, None):
            try:
                added = await self._journal.call(
                    who.space, write, agent=who.agent, relays=who.relays
                )
            except StoreError as failure:
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


# --- Pure -----------------------------------------------------------------------------------------


def _heard_by(who: Who) -> str:
    """Whose conversations are told apart: what is recalled in private is not for a group."""
    return f"{who.chat} {who.agent}@{who.space}"


def _look(asked: Asked, who: Who, conversation: Conversation, *, known: bool) -> _Look | None:
    """What is to be looked up for a request; None where the conversation has it all."""
    words = asked.messages[asked.last].words if asked.last >= 0 else ""
    query = "" if known else clean(words)
    wants = conversation.snapshot is None and who.chat == "direct"
    if not (query or wants):
        return None
    told = [id for block in conversation.blocks.values() for id in block.ids]
    return _Look(
        query, [*_in_view(asked), *told], who.chat, conversation.state, wants, language_of(words)
    )


def snapshot_of(memory: Memory, language: str) -> str:
    """What a conversation begins with; empty where nothing is known."""
    if not memory.config.enabled:
        return memory.recall("MEMORY.md", budget=memory.config.snapshot.budget).context
    if not memory.list(limit=1):
        return ""
    about = t("what is known from earlier conversations", language)
    return f"{quote.heading('snapshot', language, about)}\n{memory.snapshot(language)}"


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
        replies = [n for n in earlier if messages[n].role == "assistant" and messages[n].text]
        before = [n for n in earlier if replies and n < replies[-1] and names[n]]
        if before:
            turns.append(_turn(exchange, before[-1]))
            text = clean(messages[replies[-1]].text)
            turns.append(_reply(exchange, names[before[-1]], text))
    turns += (_turn(exchange, place) for place in places)
    return [turn for turn in turns if turn["content"]]


def turns_replied(exchange: Exchange, reply: Reply) -> list[Turn]:
    """What the model said."""
    last = next(name for name in reversed(exchange.names) if name)
    return [_reply(exchange, last, reply.text)] if reply.text else []


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


def _in_view(asked: Asked) -> list[str]:
    """What the model has before it, the latest of it."""
    found: list[str] = []
    room = _IN_VIEW
    for one in reversed(asked.messages):
        room -= len(one.text)
        if room < 0:
            break
        if one.role in ("user", "assistant") and one.text:
            found.append(clean(one.text))
    return found
