"""A memory behind a wall: as one agent, or a chat that others hear, may see and change it.

The wall itself is in the store (`store/walls.py`); here is what a memory does to stand behind one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loxodon.errors import ForbiddenError
from loxodon.store.walls import Wall, checked_agent, owners_only

if TYPE_CHECKING:
    from loxodon.types import Chat, Draft


def wall_of(agent: str = "", chat: Chat = "direct") -> Wall:
    """The wall for an agent and a chat; an InputError for a name that no agent can have."""
    return Wall(checked_agent(agent), chat != "direct")


def narrower(wall: Wall, agent: str, chat: Chat) -> Wall:
    """The wall for an agent and a chat, asked for from behind another: it only gets narrower."""
    wanted = wall_of(agent, chat)
    if wall.agent and wanted.agent not in ("", wall.agent):
        raise owners_only()
    return Wall(wall.agent or wanted.agent, wall.group or wanted.group)


def placed(
    drafts: Sequence[Draft], names: Sequence[str], wall: Wall
) -> tuple[Sequence[Draft], Sequence[str]]:
    """Drafts, and names for their session, as whoever is behind a wall hands them in.

    The owner may hand in what was said to an agent (`Draft.agent`); an agent only its own.
    """
    if not wall.stands and not any(draft.agent for draft in drafts):
        return drafts, names
    found = []
    for draft in drafts:
        if wall.agent and draft.agent not in ("", wall.agent):
            raise ForbiddenError(
                "what was said to {agent} is not for {own} to journal",
                hint="leave the agent out, or ask as the owner", agent=repr(draft.agent),
                own=repr(wall.agent),
            )  # fmt: skip
        agent = wall.agent or checked_agent(draft.agent)
        named = draft.session or (names[0] if draft.agent else "")
        if named:
            named = Wall(agent, wall.group).session(named)
        chat = "group" if wall.group and draft.chat == "direct" else draft.chat
        found.append(draft._replace(session=named, agent=agent, chat=chat))
    return found, [wall.session(name) for name in names]
