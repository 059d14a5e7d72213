"""OpenClaw's session transcripts.

A transcript is JSON lines: a header, then entries that name their parent and so form a tree. When
a person goes back and says something else, the new words are a new branch, and the old branch is
abandoned. Only the live conversation is read, the path from the root to the current leaf: an
abandoned branch was taken back by the person who wrote it.

Of that path only what a person or the agent said becomes turns, as with every agent. What OpenClaw
and its plugins put around a person's words is taken off, or the memory would learn its own output
in the user's name. The same entries are the rows of OpenClaw's database (`openclaw_db`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import tzinfo
from itertools import pairwise
from typing import NamedTuple

from loxodon.errors import InputError
from loxodon.journal import lines
from loxodon.journal.jsonl import role_named, text_of
from loxodon.journal.lines import Entry, FileLines, Numbered, Read, Trouble, inner, word
from loxodon.journal.transcripts import WRITTEN, draft_of, without_blocks, without_recalled
from loxodon.types import Chat, Draft

_WRITTEN = WRITTEN["openclaw"]
_CHATS: dict[str, Chat] = _WRITTEN["chats"]


class About(NamedTuple):
    """What is to know of a session besides what was said in it."""

    chat: Chat = "direct"  # where nothing says otherwise: what may be private stays private
    channel: str = ""  # `telegram`, `discord`…; empty for OpenClaw's own
    spoken: bool = True  # False where nobody speaks but programs


def read_openclaw(file: FileLines, name: str, zone: tzinfo | None) -> Read:
    problems: list[Trouble] = []
    entries = list(lines.objects_in(file, problems))
    session, _ = header_of(entries, lines.session_of(name))
    drafts, bad = turns(live(entries), zone, session, None)
    return drafts, problems + bad


def header_of(entries: Iterable[Numbered], session: str) -> tuple[str, str]:
    """The session that entries are of, else `session`, and the one that it was branched off."""
    header = next((entry for _, entry in entries if entry.get("type") == "session"), {})
    with suppress(InputError):
        lines.check_name(word(header, "id"), "session")
        return word(header, "id") or session, word(header, "parentSession")
    return session, ""


def turns(path: Iterable[Numbered], zone: tzinfo | None, session: str, about: About | None) -> Read:
    return lines.drafts_in(path, lambda line, entry: _said(line, entry, about, session, zone))


def live(numbered: Iterable[Numbered]) -> list[Numbered]:
    """The entries on the path from the root to the current leaf, in order."""
    # A parent always stands before its child here, so that no chain of them can be a ring.
    nodes: list[Numbered] = []
    parents: list[int] = []
    resets: list[int] = [-1]  # the last reset above each entry; before all of them, none
    places: dict[str, int] = {}
    leaf = reset = -1
    tip = -1  # the entry written last, which need not be in the conversation
    for line, entry in numbered:
        kind, name = entry.get("type", "message"), entry.get("id")
        if kind == "session":
            continue
        # Where the parent is unknown the entry goes on from the current leaf: a line that cannot
        # be read takes its id with it, and cutting there would lose all before it.
        parent = entry.get("parentId", "")
        place = -1 if parent is None else places.get(str(parent), leaf)
        if kind == "leaf":  # the conversation goes on from `targetId`
            target = entry.get("targetId", "")
            to = -1 if target is None else places.get(str(target))
            if to is not None:
                beyond = leaf >= 0 and reset >= 0 and resets[to + 1] != reset
                leaf = place = leaf if beyond else to
                tip = places.get(str(entry.get("appendParentId", "")), place)
        else:
            counts = kind in _WRITTEN["entry_types"] and entry.get("appendMode") != "side"
            # An entry that hangs on a side note, or on something before the last reset
            strays = place == tip != leaf or (reset >= 0 and resets[place + 1] != reset)
            parents.append(leaf if counts and strays else place)
            place = len(nodes)
            nodes.append((line, entry))
            reset = place if kind == "reset" else reset
            resets.append(place if kind == "reset" else resets[parents[-1] + 1])
            tip, leaf = place, place if counts else leaf
        if isinstance(name, str):
            places[name] = place
    path: list[Numbered] = []
    while leaf >= 0:
        path.append(nodes[leaf])
        leaf = parents[leaf]
    return path[::-1]


def _said(
    line: int, entry: Entry, about: About | None, session: str, zone: tzinfo | None
) -> Draft | None:
    """What a person or the agent said in an entry; None where nobody did."""
    if entry.get("type", "message") != "message":
        return None
    message = inner(entry, "message") or entry
    if message.get("role") in _WRITTEN["not_said"]:
        return None
    role, content = role_named(message.get("role")), message.get("content")
    provenance = inner(message, "provenance")
    program = provenance.get("kind") in ("inter_session", "internal_system")
    if role not in ("user", "assistant") or content is None or program:
        return None
    text, id = text_of(content), word(entry, "id")
    at = entry.get("timestamp") or message.get("timestamp")  # OpenClaw writes every time in UTC
    known = about or About()
    where: dict[str, object] = {"session": session, "chat": known.chat, "channel": known.channel}
    if role == "assistant":
        silent = len(text) < 100 and text.strip(" \t\r\n*_`\"'.").upper()
        if silent in ("NO_REPLY", "HEARTBEAT_OK"):
            return None
    elif provenance.get("sourceTool") in _WRITTEN["routine"]:
        return None
    else:
        text, speaker, group = own_words(text)
        # Who may hear it is not for a text to say, where the index of sessions knows.
        where["chat"] = known.chat if about or not group else "group"
        # Among several they are the user's own words only where OpenClaw says that the owner spoke.
        sender = inner(message, "__openclaw")
        owner, several = sender.get("senderIsOwner"), group or where["chat"] != "direct"
        if owner is False or (owner is not True and several):
            names = (word(sender, field) for field in _WRITTEN["sender_fields"])
            where |= {"speaker": next(filter(None, names), speaker), "origin": "group"}
    return draft_of(line, role, text, id, at, zone, **where)


def about_session(key: str, entry: Entry) -> About:
    """What the session with this key is, such as `agent:main:telegram:group:42`; `entry` is what
    the index has on it. Where nobody speaks but programs, nothing is to be remembered."""
    key = key.lower()
    scope, parent = _scope(key), _scope(word(entry, "parentSessionKey").lower())
    parts = scope.split(":")
    programs = (
        scope.startswith(tuple(_WRITTEN["programs"]))
        or scope.endswith(":heartbeat")
        or ":subagent:" in scope
        or ":incognito-" in key
        or parent.startswith("cron:")
        or word(entry, "createdVia") == "cron"
        or any(word(entry, name) for name in _WRITTEN["program_fields"])
    )
    kind = word(entry, "chatType").strip().lower()
    if kind not in _CHATS:
        # The kind of peer comes first, or after the channel, or after the channel and an account.
        peers = (one for one, after in pairwise(parts[:4]) if one in _CHATS and after)
        kind = next(peers, "direct")
        if scope.endswith("@g.us"):  # how older versions name a group of WhatsApp
            kind = "group"
        elif parts[0] == "discord" and parts[-1].startswith("channel-"):  # and a room of Discord
            kind = "room"
    of_peer = len(parts) > 2 and any(part in _CHATS for part in parts[1:3])
    channels = (
        word(entry, "channel"),
        word(entry, "lastChannel"),
        word(inner(entry, "origin"), "provider"),
        word(inner(entry, "deliveryContext"), "channel"),
        word(inner(entry, "delivery"), "channel"),
        parts[0] if of_peer else "",
    )
    usable = (one.strip()[:64] for one in channels if one.strip() and one.isprintable())
    return About(_CHATS[kind], next(usable, ""), not programs)


def _scope(key: str) -> str:
    """The key without the agent it belongs to."""
    parts = key.split(":", 2)
    return parts[2] if len(parts) == 3 and parts[0] == "agent" else key


# -- what a person wrote, out of what OpenClaw sent to the model in their name ---------------------

_MARKER = "⟦openclaw:ctx⟧"
_MOST_BLOCKS = 50  # taken off one message; a hostile one may have a million
# Older versions wrote `[Wed 2026-02-18 10:30 GMT+8] ` before the words.
_STAMP = re.compile(r"\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}.{0,40}?\] ")


def own_words(text: str) -> tuple[str, str, bool]:
    """What the person wrote, empty where nobody did; who that is, and whether it was in a group, as
    the context says."""
    own = without_recalled(without_blocks(text, [_WRITTEN["runtime"]]))
    speaker, group = "", False
    for _ in range(_MOST_BLOCKS):
        rest, about = _without_context(own.lstrip())
        if rest is None:
            break
        own = rest
        name = about.get("name", about.get("sender"))
        if isinstance(name, str) and name.isprintable() and not speaker:
            speaker = name[:100]
        group = group or about.get("is_group_chat") is True
    if stamp := _STAMP.match(own.lstrip()):
        own = own.lstrip()[stamp.end() :]
    for trailer in _WRITTEN["trailers"]:
        own = own.split(trailer, 1)[0]
    if own.lstrip().startswith(tuple(_WRITTEN["not_own"])):
        return "", "", False
    # Words that nothing was put around stay as they were written, spaces and all.
    return text if own == text else own.strip(), speaker, group


def _without_context(text: str) -> tuple[str | None, Entry]:
    """`text` without the block of context it begins with, and that block."""
    bare = text.removeprefix("Context:\n")
    for tag in ("relevant-memories", "active_memory_plugin"):
        if bare.startswith(f"<{tag}>"):
            _, end, rest = bare.partition(f"</{tag}>")
            return (rest if end else None), {}
    first, _, rest = text.partition("\n")
    news = first.startswith(("System: [", "System (untrusted): ["))
    if news or (first.startswith("Delivery: ") and "`message` tool" in first):
        return rest, {}
    marked = first.endswith(_MARKER)
    if not (marked or ("(untrusted" in first and first.endswith(":"))):
        return None, {}
    if not rest.startswith("```json\n"):
        return (rest.partition("\n\n")[2], {}) if marked else (None, {})
    block, end, after = rest[len("```json\n") :].partition("\n```")
    if not end:
        return None, {}
    with suppress(InputError):
        return after, lines.as_object(lines.parse_line(block))
    return after, {}
