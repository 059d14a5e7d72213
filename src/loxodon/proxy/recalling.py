"""The memory's part in an exchange before it is sent: what is recalled for it.

Recalling has a time limit, and a memory that fails or is slow again and again is left alone for a
while: a client never waits for it longer than it was told to.
"""

from __future__ import annotations

import asyncio
from time import monotonic, perf_counter
from typing import Any, NamedTuple

from loxodon.errors import LoxodonError, NotFoundError
from loxodon.http.host import Host
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.proxy.conversations import Block, Conversation, Conversations, message_names
from loxodon.proxy.inject import Additions
from loxodon.proxy.journal import Exchange, Journal
from loxodon.proxy.requests import ModelRequest, Speaker, clean
from loxodon.recall.gate import State
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


class _Found(NamedTuple):
    """What a memory has for a request."""

    forgotten: str = ""  # what changes whenever something is forgotten
    block: Block | None = None  # for its last message, where nothing was known for that
    state: State = State()
    snapshot: str | None = None
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
        # By space: failures in a row, and until when its memory is left alone
        self._failures: dict[str, tuple[int, float]] = {}
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
        about["space"] = speaker.space
        name = names[request.last] if request.last >= 0 else ""
        known = conversation.blocks.get(name)
        trouble = await self._recall(request, name, speaker, conversation, about)
        block = conversation.blocks.get(name, Block())
        begins = not request.text("previous_response_id") and (
            new or "conversation" not in request.fields
        )
        kept = ((n, conversation.blocks.get(one)) for n, one in enumerate(names))
        blocks = [(n, one.text) for n, one in kept if one and one.text]
        added = Additions(conversation.snapshot or "" if begins else "", blocks)
        about |= {"memory": trouble or block.outcome, "recalled": len(block.ids)}
        used = () if block is known else block.used
        return Exchange(request, speaker, names, conversation, new, added, used, about)

    async def _recall(
        self,
        request: ModelRequest,
        name: str,
        speaker: Speaker,
        conversation: Conversation,
        about: dict[str, Any],
    ) -> str:
        """Give a conversation what the memory has for it; the outcome where that cannot be had.

        Nothing is told that was recalled before something was forgotten, by whomever it was.
        """
        if len(self._failures) > _MOST_SPACES:
            self._failures.clear()
        failures, rests_until = self._failures.get(speaker.space, (0, 0.0))
        if monotonic() < rests_until:
            conversation.renew("unknown")
            about["recall_error"] = "resting"
            return "skipped"

        def look_up(memory: Memory) -> _Found:
            return self._look_up(memory, request, name, speaker.chat, conversation)

        started, trouble, found = perf_counter(), "", _Found("unknown")
        try:
            async with asyncio.timeout(self._limit):
                found = await self._host.call(
                    speaker.space, look_up, make=False, agent=speaker.agent
                )
        except NotFoundError:  # nothing was ever said here
            found = _Found(block=Block(outcome="nothing-found") if name else None)
        except TimeoutError:
            trouble = "late"
        except LoxodonError as error:
            trouble = error.code
        except Exception as error:  # whatever is wrong with the memory, the request goes through
            trouble = type(error).__name__
        if not trouble:
            self._failures.pop(speaker.space, None)
        elif failures + 1 >= _FAILURES:  # one more failure then, and it rests again
            self._failures[speaker.space] = failures, monotonic() + _REST_SECONDS
        else:
            self._failures[speaker.space] = failures + 1, 0.0
        about["recall_ms"] = round((perf_counter() - started) * 1e3, 2)
        conversation.renew(found.forgotten)
        if trouble:
            about["recall_error"] = trouble
            return "timed-out" if trouble == "late" else "failed"
        if found.snapshot is not None:
            conversation.snapshot = found.snapshot
        if found.block is not None:
            conversation.state = found.state
            conversation.keep(name, found.block, found.budget)
            about |= {"gate": found.block.reason, "tokens": found.block.tokens}
            about |= {"ids": found.block.ids} if self._explain else {}
        return ""

    def _look_up(
        self,
        memory: Memory,
        request: ModelRequest,
        name: str,
        chat: Chat,
        conversation: Conversation,
    ) -> _Found:
        """What a memory has; in a thread."""
        words = request.last_words
        forgotten = _forgotten(memory)
        kept = conversation if forgotten == conversation.forgotten else Conversation()
        snapshot = None
        if kept.snapshot is None and chat == "direct":
            snapshot = self._snapshot(memory, language_of(words))
        found = _Found(forgotten, None, kept.state, snapshot, memory.config.recall.budget)
        words = clean(words)
        if not words or name in kept.blocks:
            return found
        if not memory.config.enabled:  # all that plain files have stands in the snapshot
            return found._replace(block=Block(reason="off", outcome="off"))
        gate = memory.gate(words, chat=chat, state=kept.state)
        if not gate.recall:
            return found._replace(block=Block(reason=gate.reason))
        told = [id for block in kept.blocks.values() for id in block.ids]
        recall = memory.recall(words, chat=chat, in_view=[*_in_view(request), *told])
        ids = tuple(item.id for item in recall.items)
        used = () if recall.unsure else tuple(one.id for one in recall.items if one.kind in KINDS)
        outcome = "used" if ids else "nothing-found"
        block = Block(recall.context, recall.tokens, ids, gate.reason, used, outcome)
        return found._replace(block=block, state=kept.state.after(words, gate))

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
