"""A memory behind a wall: as one agent, or a chat that others hear, may see and change it.

The wall itself is in the store (`store/walls.py`): what can be seen, in whose voice words come, and
which memories may be changed. What may be done at all, each verb says (`Verb.access`).
"""

from __future__ import annotations

from collections.abc import Sequence

from loxodon.errors import ForbiddenError
from loxodon.store.walls import MAY_NAME, Wall, checked_agent, owners_only
from loxodon.types import ORIGIN_OF_ROLE, Chat, Draft, Origin


def wall_of(agent: str = "", chat: Chat = "direct", relays: bool = False) -> Wall:
    """The wall for an agent and a chat; an InputError for a name that no agent can have."""
    wall = Wall(checked_agent(agent), chat != "direct")
    return wall._replace(relays=relays and wall.stands)


def narrower(wall: Wall, agent: str, chat: Chat, relays: bool | None) -> Wall:
    """The wall for an agent and a chat, asked for from behind another: it only gets narrower."""
    wanted = wall_of(agent, chat, bool(relays))
    if not wall.stands:
        return wanted
    if wall.agent and wanted.agent not in ("", wall.agent):
        raise owners_only()
    may_relay = wall.relays and relays is not False
    return Wall(wall.agent or wanted.agent, wall.group or wanted.group, relays=may_relay)


def origin_of(wall: Wall, named: Origin | None) -> Origin:
    """Where words come from that whoever is behind a wall keeps: where they say, or from them."""
    if named is None:
        return wall.voice
    if wall.speaks and named not in MAY_NAME:
        raise ForbiddenError(
            "an agent cannot use the origin {origin}",
            hint="omit the origin; to let an agent pass on the user's words, the owner runs "
            "`loxodon token add NAME --for-agent AGENT --relays-user`",
            origin=named,
        )
    return named


def placed(
    drafts: Sequence[Draft], names: Sequence[str], wall: Wall
) -> tuple[Sequence[Draft], Sequence[str]]:
    """Drafts, and names for their session, as whoever is behind a wall hands them in."""
    if not wall.stands and not any(draft.agent for draft in drafts):
        return drafts, names
    found = []
    for draft in drafts:
        if wall.agent and draft.agent not in ("", wall.agent):
            raise ForbiddenError(
                "{own} cannot add messages of the agent {agent}",
                hint="omit the agent, or do this as the owner",
                agent=repr(draft.agent),
                own=repr(wall.agent),
            )
        agent = wall.agent or checked_agent(draft.agent)
        named = draft.session or (names[0] if draft.agent else "")
        named = Wall(agent, wall.group).session(named) if named else ""
        chat = "group" if wall.group and draft.chat == "direct" else draft.chat
        origin = wall.heard(draft.origin or ORIGIN_OF_ROLE[draft.role])
        found.append(draft._replace(session=named, agent=agent, chat=chat, origin=origin))
    return found, [wall.session(name) for name in names]
