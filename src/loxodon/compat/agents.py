"""A session of the OpenAI Agents SDK in a Loxodon home.

    from agents import Agent, Runner
    from loxodon import Memory
    from loxodon.compat.agents import LoxodonSession

    with Memory.open("~/.loxodon") as memory:
        session = LoxodonSession("monday", memory)
        await Runner.run(agent, "I am allergic to peanuts.", session=session)

The items of the conversation are kept exactly. What was said is journalled as well, and so
remembered; the session can be cleared, the journal stays. What earlier sessions tell is put before
the model by `RunConfig(call_model_input_filter=session.recall)`.
"""

from __future__ import annotations

import dataclasses
from asyncio import to_thread
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from loxodon.compat.documents import Document
from loxodon.guard.own_words import in_parts
from loxodon.journal.lines import words_of
from loxodon.memory import Memory
from loxodon.text.check import checked_text

ROOT = "agents"  # The first name of the namespace that a session's items are in

Item = Any  # What the SDK calls a TResponseInputItem: a JSON object

_MAX_SESSION = 512
_MAX_SAID = 200_000  # characters of an item that are journalled


class LoxodonSession:
    """A `Session` on a memory, which stays whose it is: closing it is up to the caller.

    Several of the same name, also in other processes, are one.
    """

    def __init__(self, session_id: str, memory: Memory, *, session_settings: Any = None) -> None:
        self.session_id = session_id
        # The SDK's own: `limit` is how many items are handed to the agent
        self.session_settings = _settings(session_settings)
        self._memory = memory
        self._journal = checked_text(session_id, "session", _MAX_SESSION)
        self._namespace = (ROOT, session_id)

    async def get_items(self, limit: int | None = None) -> list[Item]:
        """The items of the conversation, oldest first; the latest `limit` of them."""
        most = getattr(self.session_settings, "limit", None) if limit is None else limit
        if most == 0:
            return []
        found = await to_thread(self._memory.documents.newest, self._namespace, max(most or 0, 0))
        return [one.value for one in reversed(found)]

    async def add_items(self, items: Sequence[Item]) -> None:
        """Keep items after those that are there: all of them, or none."""
        documents, given = self._memory.documents, list(items)

        def add() -> None:
            with documents.together():
                kept = documents.append(self._namespace, given)
                if turns := [turn for one in kept if (turn := _turn(one))]:
                    self._memory.add(turns, session=self._journal)

        if given:
            await to_thread(add)

    async def pop_item(self) -> Item | None:
        """Take away the last item, and return it; None where there is none."""
        gone = await to_thread(self._take_away, 1)
        return gone[0].value if gone else None

    async def clear_session(self) -> None:
        """Take all items away; what was said stays in the journal."""
        await to_thread(self._take_away, 0)

    def _take_away(self, limit: int) -> list[Document]:
        documents = self._memory.documents
        with documents.together():
            gone = documents.newest(self._namespace, limit)
            for one in gone:
                documents.delete(self._namespace, one.key)
        return gone

    async def recall(self, data: Any) -> Any:
        """The SDK's `call_model_input_filter`: with the instructions, what is remembered for the
        user's last message. What stands in the conversation is not repeated, nothing of it is kept
        in the session, and a message that asks for nothing gets nothing."""
        told = data.model_data
        said = [one for one in map(_said, told.input) if one]
        asked = next((text for role, text in reversed(said) if role == "user"), "")
        in_view = [text for _, text in said]

        def found() -> str:
            wanted = asked and self._memory.gate(asked).recall
            return self._memory.recall(asked, in_view=in_view).context if wanted else ""

        if not (context := await to_thread(found)):
            return told
        whole = "\n\n".join(filter(None, (told.instructions, context)))
        return dataclasses.replace(told, instructions=whole)


def _turn(document: Document) -> dict[str, object] | None:
    """What an item says, as a turn; None for one that says nothing to anybody."""
    if (said := _said(document.value)) is None:
        return None
    role, text = said
    turn: dict[str, object] = {"role": role, "content": text, "id": document.key, "channel": ROOT}
    return {**turn, "origin": "relayed"} if role == "user" else turn


def _said(item: object) -> tuple[str, str] | None:
    """Who says what in an item, if anybody says anything."""
    if not isinstance(item, Mapping):
        return None
    if item.get("type") == "function_call_output":
        role, said = "tool", item.get("output")
    else:
        role, said = str(item.get("role")), item.get("content")
    text = in_parts(said, words_of) if role == "user" else words_of(said)
    text = text[:_MAX_SAID].replace("\0", "").encode("utf-8", "replace").decode("utf-8").strip()
    return (role, text) if role in ("user", "assistant", "tool") and text else None


def _settings(given: Any) -> Any:
    """Settings as the SDK has them, which checks what it is given."""
    try:
        from agents.memory import session_settings as sdk  # type: ignore[import-not-found, unused-ignore]
    except ImportError:  # it is not installed, or has no settings yet
        return SimpleNamespace(**given) if isinstance(given, Mapping) else given
    return sdk.SessionSettings() if given is None else sdk.coerce_session_settings(given)
