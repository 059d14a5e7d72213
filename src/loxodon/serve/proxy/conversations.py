"""Which conversation a request goes on with, and what its messages are called in the journal.

A chat client sends all that was said with every request, and has no name for it. Each message of
the user is called by a digest of itself and of those before it: said again in another place it has
another name; sent again (a retry, a tool's answer, the next request) it has the same. What the
model said is no part of it, because clients send that back shortened, or have it said anew.

What was recalled for a message is kept with the conversation and put into later requests at the
same place, so that the upstream sees a conversation that only grows: its prompt cache stays good.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

from loxodon.errors import LoxodonError
from loxodon.memory import Memory
from loxodon.recall.gate import State
from loxodon.serve.proxy.requests import Asked, Said

MOST = 500
"""Conversations that are kept in mind."""
_MOST_KEYS = 300
"""Messages by which one of them is recognised."""
_AGAIN = 600.0
"""Seconds within which a first message that is sent again is the same conversation."""
_STALE = 3_600.0
"""Seconds after which no prompt cache is left to keep: what was put away since must not be told."""
_DAYS = 30
"""How far back a conversation is looked for that was not kept in mind."""
_ROOM = 4
"""Recalls' worth of tokens that the blocks of a conversation may take."""

Key = tuple[str, str]


class Block(NamedTuple):
    """What was recalled for a message; empty where nothing was."""

    text: str = ""
    tokens: int = 0
    ids: tuple[str, ...] = ()
    reason: str = ""
    """What the gate said."""
    used: tuple[str, ...] = ()
    """The ids that are of memories, where what was found is to the point."""
    outcome: str = "not-needed"
    """What came of asking the memory, one of `remember.OUTCOMES`."""


class Conversation:
    """What is kept in mind of one conversation."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        """Its session in the journal; empty until the first of it is journalled."""
        self.snapshot: str | None = None
        """What it began with; None until that is known."""
        self.state = State()
        self.blocks: dict[str, Block] = {}
        self.full = False
        """Whether it has come near the end of the context window."""
        self.accepted = False
        """Whether the upstream has taken a request of it: whoever goes on with it may be heard."""
        self.ending: asyncio.Event | None = None
        """Of its latest reply that has ended: set once that is journalled."""
        self.used_at = 0.0
        self.forgotten = ""
        """What had been forgotten when it was last looked at."""
        self.keys: OrderedDict[Key, None] = OrderedDict()

    def renew(self) -> None:
        """Let go of what was recalled, so that it is recalled anew."""
        self.snapshot, self.blocks, self.state = None, {}, State()

    def keep(self, id: str, block: Block, budget: int) -> None:
        """Keep what was recalled for a message.

        Where all of it grows too large only the last stays: the upstream's cache then begins anew
        once, rather than with every message.
        """
        self.blocks[id] = block
        if sum(one.tokens for one in self.blocks.values()) > _ROOM * budget:
            self.blocks = {id: block}
            self.state = State()  # what is gone may be recalled again


def names_of(asked: Asked) -> list[str]:
    """What each message of the user is called; empty for those of others."""
    before = asked.text("previous_response_id")
    names = []
    for one in asked.messages:
        if one.role == "user":
            before = digest(before, one.name, one.text)
        names.append(before if one.role == "user" else "")
    return names


def reply_name(user: str, reply: str) -> str:
    """What a reply to a message is called; another if it is given anew in other words."""
    return f"{user}-{digest(' '.join(reply.split()))[:4]}"


def short(name: str) -> str:
    """A message's name within its session, short because recalls cite it."""
    return name[:8]


def digest(*parts: str) -> str:
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class Conversations:
    """Those that are kept in mind, the latest of them."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: dict[Key, Conversation] = {}
        self._all: OrderedDict[int, Conversation] = OrderedDict()

    def __len__(self) -> int:
        return len(self._all)

    def of(
        self, space: str, asked: Asked, names: Sequence[str], session: str, now: float
    ) -> tuple[Conversation, bool]:
        """The conversation of a request, and whether it was not kept in mind before.

        `space` tells apart who hears it too: what was recalled for one is not for others.
        """
        users = [name for name in names if name]
        found = self._find(space, asked, users, session, now)
        conversation = found or Conversation(session)
        if found and now - found.used_at > _STALE:
            found.renew()
        conversation.used_at = now
        keys = [(space, name) for name in users]
        keys += [(space, link) for link in _links(asked.messages)]
        if session:
            keys.append((space, f"session {session}"))
        self._note(conversation, keys)
        return conversation, found is None

    def sessions(self) -> list[str]:
        """The sessions of all of them; from any thread."""
        return [one.name for one in list(self._all.values())]

    def replied(self, space: str, conversation: Conversation, response: str) -> None:
        """A reply that the next request may name instead of repeating what was said."""
        if response:
            self._note(conversation, [(space, f"response {response}")])

    def _find(
        self, space: str, asked: Asked, users: Sequence[str], session: str, now: float
    ) -> Conversation | None:
        if session:
            return self._known.get((space, f"session {session}"))
        previous = asked.text("previous_response_id")
        if previous:
            return self._known.get((space, f"response {previous}"))
        for name in reversed(users):
            found = self._known.get((space, name))
            if found and (len(users) > 1 or now - found.used_at <= _AGAIN):
                return found
        # A client that sends only the latest messages: these stand side by side as before.
        links = [self._known.get((space, link)) for link in _links(asked.messages)]
        return next((found for found in reversed(links) if found), None)

    def _note(self, conversation: Conversation, keys: Iterable[Key]) -> None:
        for key in keys:
            self._known[key] = conversation
            conversation.keys[key] = None
            conversation.keys.move_to_end(key)
        while len(conversation.keys) > _MOST_KEYS:
            self._forget(conversation, conversation.keys.popitem(last=False)[0])
        self._all[id(conversation)] = conversation
        self._all.move_to_end(id(conversation))
        while len(self._all) > self._most:
            _, oldest = self._all.popitem(last=False)
            for key in oldest.keys:
                self._forget(oldest, key)

    def _forget(self, conversation: Conversation, key: Key) -> None:
        if self._known.get(key) is conversation:
            del self._known[key]


def _links(messages: Sequence[Said]) -> list[str]:
    """Names for two messages of the user that follow each other, wherever they stand."""
    said = [one.text for one in messages if one.role == "user"]
    return [f"link {digest(*pair)}" for pair in pairwise(said)]


def session_of(memory: Memory, asked: Asked, names: Sequence[str], taken: Iterable[str]) -> str:
    """The session in the journal of a conversation that was not kept in mind.

    One that the journal has, where an earlier message of it stands there; else a new one, called
    by its day and its first message. `taken` are sessions that others have now.
    """
    users = [name for name in names if name]
    first, today = users[0][:6], memory.now()
    if len(users) > 1:
        for day in range(_DAYS):
            name = _called(today - timedelta(days=day), first)
            if any(_has(memory, name, user) for user in users[-2::-1][:3]):
                return name
    name = base = _called(today, first)
    others, number = frozenset(taken), 1
    while name in others:
        number += 1
        name = f"{base}-{number}"
    return name


def _called(day: datetime, first: str) -> str:
    return f"chat-{day:%y%m%d}-{first}"


def _has(memory: Memory, session: str, turn: str) -> bool:
    try:
        memory.turn(f"{session}:{short(turn)}")
    except LoxodonError:  # it has not, or cannot tell
        return False
    return True
