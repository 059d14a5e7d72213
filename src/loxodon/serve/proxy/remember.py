"""The memory's part in an exchange before it is sent: what is recalled for it.

Recalling has a time limit, and a memory that fails or is slow again and again is left alone for a
while: a client never waits for it longer than it was told to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic, perf_counter
from typing import Any, NamedTuple

from loxodon.errors import LoxodonError, NotFoundError
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.recall.gate import State
from loxodon.serve.host import Host
from loxodon.serve.proxy.conversations import Block, Conversation, Conversations, names_of
from loxodon.serve.proxy.inject import Additions
from loxodon.serve.proxy.keeping import Exchange, Journal, Keeping
from loxodon.serve.proxy.requests import Asked, clean
from loxodon.serve.proxy.speaking import Who
from loxodon.text import quote
from loxodon.text.language import language_of
from loxodon.types import KINDS, Chat

LIMIT = 1.5
_SNAPSHOT_SECONDS = 60.0
"""For how long a snapshot serves all conversations that begin."""
_MOST_SNAPSHOTS = 64
_MOST_SPACES = 1_000
_IN_VIEW = 100_000
"""Characters of the conversation, the latest, that are compared with what is recalled."""
OUTCOMES = (
    "used",
    "nothing-found",
    "not-needed",  # the gate says so
    "timed-out",
    "failed",
    "skipped",  # after three that failed or were late
    "off",
)
"""What can come of asking the memory for a request."""


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
        self._limit = limit
        self._explain = explain
        self._conversations = Conversations()
        self._keeper = Journal(journal, self._conversations, limit)
        self._patience: dict[str, Patience] = {}
        self._snapshots: dict[tuple[str, str, str], tuple[float, str, str]] = {}
        """When each was made, how much had been forgotten then, and what it says."""

    # Before

    async def prepared(self, asked: Asked, who: Who) -> Exchange | None:
        """An exchange that is to be remembered; None for one that is not."""
        names = names_of(asked)
        last = asked.last
        if not who.remembers or not any(names) or asked.is_chore:
            return None
        conversation, new = self._conversations.of(
            who.hearers, asked, names, who.session, monotonic()
        )
        await self._let_go(who.space, conversation)
        about: dict[str, Any] = {"space": who.space}
        name = names[last] if last >= 0 else ""
        known = name in conversation.blocks
        look = _look(asked, who, conversation, known=known)
        trouble = ""
        if look is not None:
            trouble = await self._recall(look, name, who, conversation, about)
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
        about |= {"memory": trouble or block.outcome, "recalled": len(block.ids)}
        return Exchange(asked, who, names, conversation, new, added, used, about)

    @property
    def waiting(self) -> int:
        """Recalls that have not returned."""
        return self._recalling.waiting

    def keeping(self, exchange: Exchange) -> Keeping:
        """What journals an exchange, once the upstream has taken it."""
        return Keeping(self._keeper, exchange)

    async def _let_go(self, space: str, conversation: Conversation) -> None:
        """Tell nothing that was recalled before something was forgotten, by whomever it was."""
        try:
            async with asyncio.timeout(self._limit):
                version = await self._recalling.call(space, _forgotten, make=False)
        except NotFoundError:  # nothing was ever said here
            version = ""
        except (TimeoutError, LoxodonError):  # nobody knows
            version = "unknown"
        if version != conversation.forgotten:
            conversation.forgotten = version
            conversation.renew()

    async def _recall(
        self, look: _Look, name: str, who: Who, conversation: Conversation, about: dict[str, Any]
    ) -> str:
        """Give a conversation what is looked for; the outcome where that cannot be had in time."""
        if len(self._patience) > _MOST_SPACES:
            self._patience.clear()
        patience = self._patience.setdefault(who.space, Patience())
        if not patience:
            about["recall_error"] = "resting"
            return "skipped"
        started, trouble = perf_counter(), ""
        try:
            async with asyncio.timeout(self._limit):
                found = await self._recalling.call(
                    who.space, lambda memory: self._found(memory, look), make=False, agent=who.agent
                )
        except NotFoundError:  # nothing was ever said here
            nothing = Block(outcome="nothing-found")
            found = _Found(nothing if look.query else None, look.state, None, 1)
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
            return "timed-out" if trouble == "late" else "failed"
        conversation.state = found.state
        conversation.snapshot = found.snapshot if look.snapshot else conversation.snapshot
        if found.block is not None:
            conversation.keep(name, found.block, found.budget)
            about |= {"gate": found.block.reason, "tokens": found.block.tokens}
            about |= {"ids": found.block.ids} if self._explain else {}
        return ""

    def _found(self, memory: Memory, look: _Look) -> _Found:
        """What a memory has; in a thread."""
        budget = memory.config.recall.budget
        snapshot = self._snapshot(memory, look.language) if look.snapshot else None
        if not look.query:
            return _Found(None, look.state, snapshot, budget)
        if not memory.config.enabled:  # all that plain files have stands in the snapshot
            return _Found(Block(reason="off", outcome="off"), look.state, snapshot, budget)
        gate = memory.gate(look.query, chat=look.chat, state=look.state)
        if not gate.recall:
            return _Found(Block(reason=gate.reason), look.state, snapshot, budget)
        found = memory.recall(look.query, chat=look.chat, in_view=look.in_view)
        ids = tuple(item.id for item in found.items)
        used = () if found.unsure else tuple(one.id for one in found.items if one.kind in KINDS)
        outcome = "used" if ids else "nothing-found"
        block = Block(found.context, found.tokens, ids, gate.reason, used, outcome)
        return _Found(block, look.state.after(look.query, gate), snapshot, budget)

    def _snapshot(self, memory: Memory, language: str) -> str:
        key, now = (memory.space, memory.agent, language), monotonic()
        forgotten = _forgotten(memory)
        made = self._snapshots.get(key)
        if made is None or now - made[0] > _SNAPSHOT_SECONDS or made[1] != forgotten:
            made = self._snapshots[key] = now, forgotten, snapshot_of(memory, language)
            while len(self._snapshots) > _MOST_SNAPSHOTS:
                self._snapshots.pop(next(iter(self._snapshots)), None)
        return made[2]


def _forgotten(memory: Memory) -> str:
    """What changes whenever something is forgotten."""
    return memory.workspace.store.tombstones_version if memory.config.enabled else ""


# --- Pure -----------------------------------------------------------------------------------------


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
