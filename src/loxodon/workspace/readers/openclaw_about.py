"""What a session of OpenClaw is, by its key and its entry in the index of sessions.

    agent:main:main                         the private conversation with the agent `main`
    agent:main:telegram:group:42            a group
    agent:main:cron:JOB:run:RUN             a schedule's own session
    agent:main:subagent:ID                  an agent that an agent called

Where nobody speaks but programs there is nothing to remember of a person; OpenClaw's own memory
leaves such sessions out, and so do we.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Literal, NamedTuple

from loxodon.types import Chat

Kind = Literal["talk", "schedule", "heartbeat", "subagent", "dream", "hook", "incognito"]

_CHATS: dict[object, Chat] = {
    "direct": "direct",
    "dm": "direct",
    "group": "group",
    "channel": "room",
    "room": "room",
}


class About(NamedTuple):
    """What is to know of a session besides what was said in it."""

    chat: Chat = "direct"
    """Direct where nothing says otherwise: what is not known to be public stays private."""
    channel: str = ""
    """`telegram`, `discord`…; empty for OpenClaw's own."""
    kind: Kind = "talk"


def about_session(key: str, entry: Mapping[str, object]) -> About:
    """What the session with this key is; `entry` is what the index has on it."""
    scope = _scope(key)
    parts = scope.split(":")
    chat = _CHATS.get(_text(entry, "chatType").lower()) or _chat_of(scope, parts)
    return About(chat, _channel(entry, parts), _kind(scope, key.lower(), entry))


def _scope(key: str) -> str:
    """The key without the agent it belongs to."""
    parts = key.lower().split(":", 2)
    return parts[2] if len(parts) == 3 and parts[0] == "agent" else key.lower()


def _kind(scope: str, key: str, entry: Mapping[str, object]) -> Kind:
    parents = [_scope(_text(entry, name)) for name in ("spawnedBy", "parentSessionKey")]
    if any(one.startswith("cron:") for one in (scope, *parents)) or (
        _text(entry, "createdVia") == "cron"
    ):
        return "schedule"
    if any(one.startswith("dreaming-narrative-") for one in (scope, parents[0])):
        return "dream"
    if ":incognito-" in key:
        return "incognito"
    if _text(entry, "heartbeatIsolatedBaseSessionKey") or scope.endswith(":heartbeat"):
        return "heartbeat"
    if parents[0] or scope.startswith("subagent:") or ":subagent:" in scope:
        return "subagent"
    if scope.startswith("hook:") or _text(entry, "hookExternalContentSource"):
        return "hook"
    return "talk"


def _chat_of(scope: str, parts: list[str]) -> Chat:
    if scope.endswith("@g.us"):  # how older versions name a group of WhatsApp
        return "group"
    if parts[0] == "discord" and parts[-1].startswith("channel-"):  # and a room of Discord
        return "room"
    # The kind of peer comes first, or after the channel, or after the channel and an account.
    for part, next_part in pairwise(parts[:4]):
        if part in _CHATS and next_part:
            return _CHATS[part]
    return "direct"


def _channel(entry: Mapping[str, object], parts: list[str]) -> str:
    for name in ("channel", "lastChannel"):
        if _text(entry, name):
            return _text(entry, name)
    for name, field in (
        ("origin", "provider"),
        ("deliveryContext", "channel"),
        ("delivery", "channel"),
    ):
        inner = entry.get(name)
        if isinstance(inner, Mapping) and _text(inner, field):
            return _text(inner, field)
    peer = parts[1:3] if len(parts) > 2 else []
    return parts[0][:64] if any(part in _CHATS for part in peer) else ""


def _text(entry: Mapping[str, object], name: str) -> str:
    """A short text in an entry; empty for anything else."""
    value = entry.get(name)
    return (
        value.strip()
        if isinstance(value, str) and len(value) <= 512 and value.isprintable()
        else ""
    )
