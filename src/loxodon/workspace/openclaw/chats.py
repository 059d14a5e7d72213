"""Who hears what is said in a session of OpenClaw, told by the session's key.

A key is `agent:ID:main`, or `agent:ID:CHANNEL:direct:PEER`, `…:group:…`, `…:channel:…`. Private
memories are for the owner alone, so whatever is not plainly a private chat counts as a group. (What
was said there is journalled the other way round: private unless it is plainly public.)
"""

from __future__ import annotations

from loxodon.types import Chat

_PRIVATE = frozenset({"direct", "dm"})
_LOCAL = frozenset({"", "webchat", "cli", "tui", "internal", "control-ui"})
"""Channels that nobody but the owner is on."""
_UNATTENDED = frozenset({"cron", "hook", "subagent", "acp", "node"})
"""Runs whose answer may go anywhere."""


def chat_of(key: str, channel: str = "", main: str = "main") -> Chat:
    """The kind of chat that the session `key` is, on `channel` where that is known.

    `main` is what OpenClaw calls the session that the owner's private chats share.
    """
    parts = key.strip().lower().split(":")
    if parts[0] == "agent":
        parts = parts[2:]
    if not parts or not parts[0] or parts[0] in _UNATTENDED:
        return "group"
    if parts[0] == (main.strip().lower() or "main"):
        return "direct" if len(parts) == 1 else "group"
    peer = next((n for n, part in enumerate(parts[:3]) if part in _PRIVATE), None)
    if peer is not None and len(parts) > peer + 1 and not _shared(parts[:peer]):
        return "direct"
    if len(parts) <= 2 and not _shared(parts) and channel.strip().lower() in _LOCAL:
        return "direct"
    return "group"


def _shared(parts: list[str]) -> bool:
    return any(
        part in ("group", "channel", "room", "thread") or part.startswith("guild") or "@" in part
        for part in parts
    )
