"""Who hears what is said in a session of OpenClaw, told by the session's key and who wrote.

A key is `agent:ID:main`, or `agent:ID:CHANNEL:direct:PEER`, `…:group:…`, `…:channel:…`. Private
memories are for the owner alone. So a chat is private where it is plainly one of two, and the other
one is plainly the owner; whatever else counts as a group. (What was said there is journalled the
other way round: private unless it is plainly public.)
"""

from __future__ import annotations

from collections.abc import Sequence

from loxodon.types import Chat

_PRIVATE = frozenset({"direct", "dm"})
# Channels that nobody but the owner is on; a run without a channel is begun on the machine
_LOCAL = frozenset({"webchat", "cli", "tui", "internal", "control-ui"})
# Runs whose answer may go anywhere
_UNATTENDED = frozenset({"cron", "hook", "subagent", "acp", "node"})
_ANYBODY = "*"


def chat_of(
    key: str, channel: str = "", main: str = "main", sender: str = "", owners: Sequence[str] = ()
) -> Chat:
    """The kind of chat that the session `key` is; `main` is what OpenClaw calls the session that
    private chats share, `sender` who wrote, and `owners` whom it knows as its owner."""
    parts, channel = key.strip().lower().split(":"), channel.strip().lower()
    if parts[0] == "agent":
        parts = parts[2:]
    if not parts or not parts[0] or parts[0] in _UNATTENDED:
        return "group"
    is_local = not channel or channel in _LOCAL
    peer = next((n for n, part in enumerate(parts[:3]) if part in _PRIVATE), None)
    if parts[0] == (main.strip().lower() or "main"):
        mine = len(parts) == 1 and (is_local or _is_one_of(owners, sender, channel))
    elif peer is not None and len(parts) > peer + 1 and not _shared(parts[:peer]):
        where = parts[0] if peer else channel
        mine = where in _LOCAL or _is_one_of(owners, sender or parts[peer + 1], where)
    else:
        mine = len(parts) <= 2 and not _shared(parts) and is_local
    return "direct" if mine else "group"


def owners_of(owners: Sequence[str], allowed: Sequence[str]) -> list[str]:
    """Whom OpenClaw calls its owner; else whoever alone may write on the channel."""
    if owners:
        return [one for one in owners if one.strip() != _ANYBODY]
    return list(allowed) if len(allowed) == 1 and allowed[0].strip() != _ANYBODY else []


def _is_one_of(owners: Sequence[str], who: str, channel: str) -> bool:
    """Whether `who` is among the owners: by a name for any channel, or one for this channel."""
    name = _on(channel, who)
    return bool(name) and name in {_on(channel, one) for one in owners}


def _on(channel: str, name: str) -> str:
    """A name without the channel before it, where it is this one: `telegram:42`."""
    name = name.strip().lower()
    return name.removeprefix(f"{channel}:").strip() if channel else name


def _shared(parts: list[str]) -> bool:
    return any(
        part in ("group", "channel", "room", "thread") or part.startswith("guild") or "@" in part
        for part in parts
    )


def texts_in(value: object) -> list[str]:
    """Names in a list that a program sent or a person wrote."""
    return [str(one) for one in value] if isinstance(value, list) else []
