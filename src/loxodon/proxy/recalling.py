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
from loxodon.proxy.conversations import Block, Conversation, Conversations, message_names
from loxodon.proxy.inject import Additions
from loxodon.proxy.journal import Exchange, Journal
from loxodon.proxy.requests import ModelRequest, Speaker, clean
from loxodon.recall.gate import State
from loxodon.serve.host import Host
from loxodon.text import quote
from loxodon.text.language import language_of
from loxodon.types import KINDS, Chat

_LIMIT = 1.5  # seconds that a client waits for the memory
_SNAPSHOT_SECONDS = 60.0  # for which a snapshot serves all conversations that begin
_MOST_SNAPSHOTS = 64
_MOST_SPACES = 1_000  # whose failures are remembered
_IN_VIEW = 100_000  # characters of the conversation that are compared with what is recalled
_FAILURES = 3  # in a row, after which a memory is left alone
_REST_SECONDS = 10.0  # for which it is
OUTCOMES = ("used", "nothing-found", "not-needed", "timed-out", "failed", "skipped", "off")


class _Failures:
    """How often in a row a memory failed, and until when it is left alone."""

    def __init__(self) -> None:
        self.count, self.until = 0, 0.0

    def note(self, *, failed: bool) -> None:
        self.count = self.count + 1 if failed else 0
        if self.count >= _FAILURES:
            self.until = monotonic() + _REST_SECONDS
            self.count = _FAILURES - 1  # one more failure then, and it rests again


class _Query(NamedTuple):
    """What is to be looked up for a message."""

    words: str  # empty where they were looked up before
    in_view: Sequence[str]
    chat: Chat
    state: State
    snapshot: bool
    language: str


class _Found(NamedTuple):
    block: Block | None
    state: State
    snapshot: str | None
    budget: int = 1


class Recalling:
    """The memories of a home, as requests need them.

    What is journalled has connections of its own: a write waits for others who write, and a recall
    should not wait with it.
    """

    def __init__(
        self, host: Host, journal: Host, limit: float = _LIMIT, *, explain: bool = False
    ) -> None:
        self._host = host
        self._limit = limit
        self._explain = explain
        self._conversations = Conversations()
        self.journal = Journal(journal, self._conversations, limit)
        self._failures: dict[str, _Failures] = {}
        # By space, agent and language: when it was made, what was forgotten then, and its text
        self._snapshots: dict[tuple[str, str, str], tuple[float, str, str]] = {}

    @property
    def waiting(self) -> int:
        """Recalls that have not returned."""
        return self._host.waiting

    async def prepare(
        self, request: ModelRequest, speaker: Speaker, about: dict[str, Any]
    ) -> Exchange | None:
        """An exchange to remember, with what is added to it; None for one that is not remembered.

        `about` is told what came of it.
        """
        names = message_names(request)
        if not speaker.remembers or not any(names) or request.is_chore:
            about["memory"] = "off"
            return None
        conversation, new = self._conversations.find(
            speaker.audience, request, names, speaker.session, monotonic()
        )
        await self._renew_if_forgotten(speaker.space, conversation)
        about["space"] = speaker.space
        name = names[request.last] if request.last >= 0 else ""
        known = name in conversation.blocks
        words = "" if known else clean(request.last_words)
        wants_snapshot = conversation.snapshot is None and speaker.chat == "direct"
        trouble = ""
        if words or wants_snapshot:
            told = [id for block in conversation.blocks.values() for id in block.ids]
            query = _Query(
                words,
                [*_in_view(request), *told],
                speaker.chat,
                conversation.state,
                wants_snapshot,
                language_of(request.last_words),
            )
            trouble = await self._recall(query, name, speaker, conversation, about)
        block = conversation.blocks.get(name, Block())
        begins = not request.text("previous_response_id") and (
            new or "conversation" not in request.fields
        )
        kept = ((n, conversation.blocks.get(one)) for n, one in enumerate(names))
        blocks = [(n, one.text) for n, one in kept if one and one.text]
        added = Additions(conversation.snapshot or "" if begins else "", blocks)
        about |= {"memory": trouble or block.outcome, "recalled": len(block.ids)}
        used = () if known else block.used
        return Exchange(request, speaker, names, conversation, new, added, used, about)

    async def _renew_if_forgotten(self, space: str, conversation: Conversation) -> None:
        """Tell nothing that was recalled before something was forgotten, by whomever it was."""
        try:
            async with asyncio.timeout(self._limit):
                version = await self._host.call(space, _forgotten, make=False)
        except NotFoundError:  # nothing was ever said here
            version = ""
        except (TimeoutError, LoxodonError):  # nobody knows
            version = "unknown"
        if version != conversation.forgotten:
            conversation.forgotten = version
            conversation.renew()

    async def _recall(
        self,
        query: _Query,
        name: str,
        speaker: Speaker,
        conversation: Conversation,
        about: dict[str, Any],
    ) -> str:
        """Give a conversation what is looked for; the outcome where that cannot be had in time."""
        if len(self._failures) > _MOST_SPACES:
            self._failures.clear()
        failures = self._failures.setdefault(speaker.space, _Failures())
        if monotonic() < failures.until:
            about["recall_error"] = "resting"
            return "skipped"
        started, trouble = perf_counter(), ""
        try:
            async with asyncio.timeout(self._limit):
                found = await self._host.call(
                    speaker.space,
                    lambda memory: self._look_up(memory, query),
                    make=False,
                    agent=speaker.agent,
                )
        except NotFoundError:  # nothing was ever said here
            block = Block(outcome="nothing-found") if query.words else None
            found = _Found(block, query.state, None)
        except TimeoutError:
            trouble = "late"
        except LoxodonError as error:
            trouble = error.code
        except Exception as error:  # whatever is wrong with the memory, the request goes through
            trouble = type(error).__name__
        failures.note(failed=bool(trouble))
        about["recall_ms"] = round((perf_counter() - started) * 1e3, 2)
        if trouble:
            about["recall_error"] = trouble
            return "timed-out" if trouble == "late" else "failed"
        conversation.state = found.state
        conversation.snapshot = found.snapshot if query.snapshot else conversation.snapshot
        if found.block is not None:
            conversation.keep(name, found.block, found.budget)
            about |= {"gate": found.block.reason, "tokens": found.block.tokens}
            about |= {"ids": found.block.ids} if self._explain else {}
        return ""

    def _look_up(self, memory: Memory, query: _Query) -> _Found:
        """What a memory has; in a thread."""
        snapshot = self._snapshot(memory, query.language) if query.snapshot else None
        budget = memory.config.recall.budget
        if not query.words:
            return _Found(None, query.state, snapshot, budget)
        if not memory.config.enabled:  # all that plain files have stands in the snapshot
            return _Found(Block(reason="off", outcome="off"), query.state, snapshot, budget)
        gate = memory.gate(query.words, chat=query.chat, state=query.state)
        if not gate.recall:
            return _Found(Block(reason=gate.reason), query.state, snapshot, budget)
        found = memory.recall(query.words, chat=query.chat, in_view=query.in_view)
        ids = tuple(item.id for item in found.items)
        used = () if found.unsure else tuple(one.id for one in found.items if one.kind in KINDS)
        outcome = "used" if ids else "nothing-found"
        block = Block(found.context, found.tokens, ids, gate.reason, used, outcome)
        return _Found(block, query.state.after(query.words, gate), snapshot, budget)

    def _snapshot(self, memory: Memory, language: str) -> str:
        """What a conversation begins with; empty where nothing is known."""
        key, now = (memory.space, memory.agent, language), monotonic()
        forgotten = _forgotten(memory)
        made = self._snapshots.get(key)
        if made and now - made[0] <= _SNAPSHOT_SECONDS and made[1] == forgotten:
            return made[2]
        if not memory.config.enabled:
            text = memory.recall("MEMORY.md", budget=memory.config.snapshot.budget).context
        elif memory.list(limit=1):
            about = t("what is known from earlier conversations", language)
            heading = quote.heading("snapshot", language, about)
            text = f"{heading}\n{memory.snapshot(language)}"
        else:
            text = ""
        self._snapshots[key] = now, forgotten, text
        while len(self._snapshots) > _MOST_SNAPSHOTS:
            self._snapshots.pop(next(iter(self._snapshots)), None)
        return text


def _forgotten(memory: Memory) -> str:
    """What changes whenever something is forgotten."""
    return memory.workspace.store.tombstones_version if memory.config.enabled else ""


def _in_view(request: ModelRequest) -> list[str]:
    """What the model has before it, the latest of it."""
    found: list[str] = []
    room = _IN_VIEW
    for one in reversed(request.messages):
        room -= len(one.text)
        if room < 0:
            break
        if one.role in ("user", "assistant") and one.text:
            found.append(clean(one.text))
    return found
