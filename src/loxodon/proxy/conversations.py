"""Which conversation a request goes on with, and what its messages are called in the journal.

A chat client sends all that was said with every request, and has no name for it. Each message of
the user is called by a digest of itself and of those before it: said again in another place it has
another name; sent again (a retry, a tool's answer, the next request) it has the same. What the
model said is no part of it, because clients send that back shortened, or have it said anew.

What was recalled for a message is kept with the conversation and put into later requests at the
same place, so that the upstream sees a conversation that only grows: its prompt cache stays good.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain, count, pairwise
from threading import Lock
from typing import NamedTuple

from loxodon.proxy.requests import ModelRequest, digest
from loxodon.recall.gate import State

_MOST_KEYS = 20_000  # messages by which conversations are recognised, the latest
_REPEATED = 600.0  # seconds within which a first message sent again is the same conversation
_STALE = 3_600.0  # seconds: no prompt cache is left, and what was put away since must not be told
SHORT = 8  # characters of a message's name within its session, which recalls cite
_ROOM = 4  # recalls' worth of tokens that the blocks of a conversation may take


class Block(NamedTuple):
    """What was recalled for a message; empty where nothing was."""

    text: str = ""
    tokens: int = 0
    ids: tuple[str, ...] = ()
    reason: str = ""  # what the gate said
    outcome: str = "not-needed"  # one of `exchange.OUTCOMES`


class Conversation:
    """What is kept in mind of one conversation."""

    def __init__(self, name: str = "") -> None:
        self.name = name  # its session in the journal; empty until it is journalled
        self.snapshot: str | None = None  # what it began with; None until that is known
        self.state = State()
        self.blocks: dict[str, Block] = {}
        self.accepted = False  # whether the upstream has taken a request of it
        self.used_at = 0.0
        self.forgotten = ""  # the version of what was forgotten when it was last looked at

    def renew(self, forgotten: str) -> None:
        """Drop what was recalled where something was forgotten since: it is recalled anew."""
        if forgotten != self.forgotten:
            self.snapshot, self.blocks, self.state = None, {}, State()
            self.forgotten = forgotten

    def keep(self, id: str, block: Block, budget: int) -> None:
        """Keep what was recalled for a message.

        Where all of it grows too large only the last stays: the upstream's cache then begins anew
        once, rather than with every message.
        """
        self.blocks[id] = block
        if sum(one.tokens for one in self.blocks.values()) > _ROOM * budget:
            self.blocks = {id: block}
            self.state = State()  # what is gone may be recalled again


def message_names(request: ModelRequest) -> list[str]:
    """What each message of the user is called; empty for those of others."""
    before = request.text("previous_response_id")
    names = []
    for one in request.messages:
        if one.role == "user":
            before = _digest_of(before, one.name, one.text)
        names.append(before if one.role == "user" else "")
    return names


def reply_name(user: str, reply: str) -> str:
    """What a reply to a message is called; another if it is given anew in other words."""
    return f"{user[:SHORT]}-{_digest_of(' '.join(reply.split()))[:4]}"


def _digest_of(*parts: str) -> str:
    return digest("".join(f"{len(part)}:{part}" for part in parts))


class Conversations:
    """Those that are kept in mind, the latest of them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Conversation] = {}  # by audience and name of a message
        self._naming = Lock()

    def find(
        self, audience: str, request: ModelRequest, names: Sequence[str], session: str, now: float
    ) -> tuple[Conversation, bool]:
        """The conversation of a request, and whether it was not kept in mind before.

        `audience` tells apart who hears it too: what was recalled for one is not for others.
        """
        users = [name for name in names if name]
        said = [one.text for one in request.messages if one.role == "user"]
        # Two messages that follow each other, by which a client is known that sends only the latest
        links = [f"link {_digest_of(*pair)}" for pair in pairwise(said)]
        previous = request.text("previous_response_id")
        if session or previous:
            name = f"session {session}" if session else f"response {previous}"
            found = self._known.get((audience, name))
        else:
            same = [self._known.get((audience, name)) for name in reversed(users)]
            if len(users) == 1 and same[0] and now - same[0].used_at > _REPEATED:
                same = []  # the same words, at the beginning of another conversation
            linked = (self._known.get((audience, link)) for link in reversed(links))
            found = next(filter(None, (*same, *linked)), None)
        conversation = found or Conversation(session)
        if found and now - found.used_at > _STALE:
            found.renew("stale")
        conversation.used_at = now
        keys = [*users, *links, *([f"session {session}"] if session else [])]
        self.note(conversation, audience, keys)
        return conversation, found is None

    def name(self, conversation: Conversation, now: datetime, first: str) -> str:
        """Its session in the journal, called by the day and the first message, that no other
        conversation has; after a restart the same again. From any thread."""
        with self._naming:  # two that begin alike must not share a name
            if not conversation.name:
                taken = {one.name for one in list(self._known.values())}
                base = f"chat-{now:%y%m%d}-{first[:6]}"
                names = chain([base], (f"{base}-{number}" for number in count(2)))
                conversation.name = next(name for name in names if name not in taken)
            return conversation.name

    def note(self, conversation: Conversation, audience: str, names: Iterable[str]) -> None:
        """Know a conversation by these names too."""
        for name in names:
            self._known.pop((audience, name), None)  # so that it is the latest
            self._known[audience, name] = conversation
        while len(self._known) > _MOST_KEYS:
            del self._known[next(iter(self._known))]
