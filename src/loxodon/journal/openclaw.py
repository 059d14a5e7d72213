"""OpenClaw's session transcripts.

A transcript is JSON lines: a header, then entries that name their parent and so form a tree. When
a person goes back and says something else, the new words are a new branch, and the old branch is
abandoned. Only the live conversation is read, the path from the root to the current leaf: an
abandoned branch was taken back by the person who wrote it.

Of that path only `message` entries become turns. Compaction summaries are derived from them,
`custom_message` was put in by a program, thinking is not said to anyone, and what a memory was
asked and answered is known. `openclaw_words` takes off what OpenClaw puts around a user's words.

The same entries are the rows of `transcript_events` in OpenClaw's SQLite database: `conversation`
reads them from anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import Literal, NamedTuple

from loxodon.errors import InputError
from loxodon.journal.jsonl import role_named, text_of
from loxodon.journal.lines import (
    Entry,
    FileLines,
    Numbered,
    Read,
    Trouble,
    check_name,
    check_text,
    inner,
    objects_in,
    session_of,
    word,
)
from loxodon.journal.openclaw_words import (
    Words,
    is_of_memory,
    is_silence,
    note_calls,
    own_words,
    without_recalled,
)
from loxodon.types import ORIGIN_OF_ROLE, Chat, Draft, Origin, Role

Kind = Literal["talk", "schedule", "heartbeat", "subagent", "dream", "hook", "incognito"]

_CHATS: dict[object, Chat] = {
    "direct": "direct",
    "dm": "direct",
    "group": "group",
    "channel": "room",
    "room": "room",
}
# What moves the conversation on. Entries of other types hang in the tree without being in it.
_ENTRY_TYPES = (
    "message",
    "thinking_level_change",
    "model_change",
    "compaction",
    "reset",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "session_info",
)
# Roles of messages that programs add for the model
_NOT_SAID = ("bashExecution", "custom", "hookMessage", "compactionSummary", "branchSummary")
# Programs whose messages in the user's name say nothing new
_ROUTINE = ("heartbeat", "memory_search", "memory_get")
_SENDER_FIELDS = ("senderName", "senderUsername", "senderId")


class About(NamedTuple):
    """What is to know of a session besides what was said in it."""

    chat: Chat = "direct"  # where nothing says otherwise: what may be private stays private
    channel: str = ""  # `telegram`, `discord`…; empty for OpenClaw's own
    kind: Kind = "talk"


def read_openclaw(lines: FileLines, name: str, zone: tzinfo | None) -> Read:
    """The live conversation of a transcript file, and the lines that cannot be read.

    A transcript without a header takes its session from the file name, as OpenClaw names them.
    """
    problems: list[Trouble] = []
    drafts, bad = conversation(objects_in(lines, problems), zone, session_of(name))
    return drafts, problems + bad


def conversation(
    entries: Iterable[Numbered], zone: tzinfo | None, session: str = "", about: About | None = None
) -> Read:
    """The turns of the live conversation in numbered entries, and those that cannot be read.

    `session` names it where the entries have no header; `about` is what an index says of it.
    """
    numbered = list(entries)
    problems: list[Trouble] = []
    for line, entry in numbered:
        if entry.get("type") == "session":
            try:
                session = _checked(entry, "id", "session") or session
            except InputError as error:
                problems.append((line, error))
            break
    drafts, bad = turns(live(numbered), zone, session, about)
    return drafts, problems + bad


def turns(
    path: Iterable[Numbered],
    zone: tzinfo | None,
    session: str,
    about: About | None,
    asked: set[str] | None = None,
) -> Read:
    """The turns in entries that are all of the live conversation, and those that cannot be read.

    `asked` gathers what the memory was asked, because its answers are not learned again; hand it
    from one part of a conversation to the next.
    """
    drafts: list[Draft] = []
    problems: list[Trouble] = []
    asked = set() if asked is None else asked
    for line, entry in path:
        try:
            draft = _draft(entry, line, session, zone, about, asked)
        except InputError as error:
            problems.append((line, error))
        else:
            if draft is not None:
                drafts.append(draft)
    return drafts, problems


# -- the tree ------------------------------------------------------------------------------------


class _Tree:
    """The entries so far: for each its parent, and the last reset above it.

    A node is known by its place in the lists, and its parent always stands before it, so that no
    chain of parents can be a ring whatever ids a file has.
    """

    def __init__(self, numbered: Iterable[Numbered]) -> None:
        self.nodes: list[Numbered] = []
        self.parents: list[int] = []
        self.resets: list[int] = []
        self.places: dict[str, int] = {}
        self.leaf = -1
        self.tip = -1  # the entry written last, which need not be in the conversation
        self.reset = -1
        for line, entry in numbered:
            if entry.get("type") == "leaf":
                self._move(entry)
            elif entry.get("type") != "session":
                self._add(line, entry)

    def _add(self, line: int, entry: Entry) -> None:
        place = len(self.nodes)
        self.nodes.append((line, entry))
        kind = entry.get("type", "message")
        counts = kind in _ENTRY_TYPES and entry.get("appendMode") != "side"
        parent = self._parent(entry)
        if counts and self._strays(parent):
            parent = self.leaf
        self.parents.append(parent)
        if kind == "reset":
            self.reset = place
        self.resets.append(place if kind == "reset" else self._reset_above(parent))
        name = entry.get("id")
        if isinstance(name, str):
            self.places[name] = place
        self.tip = place
        if counts:
            self.leaf = place

    def _parent(self, entry: Entry) -> int:
        """The parent; where it is missing or unknown, the entry goes on from the current leaf.

        A line that cannot be read takes its id with it: cutting there would lose all before it.
        """
        parent = entry.get("parentId", "")
        if parent is None:
            return -1
        return self.places.get(parent, self.leaf) if isinstance(parent, str) else self.leaf

    def _strays(self, parent: int) -> bool:
        """Whether an entry hangs on a side note, or on something before the last reset."""
        if parent == self.tip and parent != self.leaf:
            return True
        return self.reset >= 0 and self._reset_above(parent) != self.reset

    def _reset_above(self, place: int) -> int:
        return self.resets[place] if place >= 0 else -1

    def _move(self, entry: Entry) -> None:
        """A `leaf` entry: the conversation goes on from `targetId`."""
        target = entry.get("targetId", "")
        name = entry.get("id")
        place = -1 if target is None else self.places.get(str(target), -2)
        if place == -2:
            place = self._parent(entry)  # it leads nowhere: seen through, but not followed
        else:
            if self.leaf >= 0 and self.reset >= 0 and self._reset_above(place) != self.reset:
                place = self.leaf
            self.leaf = place
            self.tip = self.places.get(str(entry.get("appendParentId", "")), place)
        if isinstance(name, str):
            self.places[name] = place


def live(numbered: Iterable[Numbered]) -> list[Numbered]:
    """The entries on the path from the root to the current leaf, in order."""
    tree = _Tree(numbered)
    path: list[Numbered] = []
    place = tree.leaf
    while place >= 0:
        path.append(tree.nodes[place])
        place = tree.parents[place]
    path.reverse()
    return path


def leaf_of(numbered: Iterable[Numbered]) -> str:
    """The id of the entry that the next one hangs on; empty where that is not plain to see."""
    tree = _Tree(numbered)
    plain = tree.leaf >= 0 and tree.leaf == tree.tip
    return word(tree.nodes[tree.leaf][1], "id") if plain else ""


def goes_on(numbered: Iterable[Numbered], leaf: str) -> bool:
    """Whether these entries only go on from `leaf`, so that none before them need be read again."""
    known = {leaf}
    for _, entry in numbered:
        if entry.get("type") in ("leaf", "reset", "session") or entry.get("appendMode") == "side":
            return False
        parent = entry.get("parentId", leaf)
        if not isinstance(parent, str) or parent not in known:
            return False
        name = entry.get("id")
        if isinstance(name, str):
            known.add(name)
    return bool(leaf)


# -- the turns -----------------------------------------------------------------------------------


def _draft(
    entry: Entry, line: int, session: str, zone: tzinfo | None, about: About | None, asked: set[str]
) -> Draft | None:
    """The turn of one entry; None for one that is not a turn or that has no words."""
    if entry.get("type", "message") != "message":
        return None
    message = inner(entry, "message") or entry  # older ones are flat
    if message.get("role") in _NOT_SAID:
        return None
    role = role_named(message.get("role"))
    words = _said(message, role, asked)
    if not words.text.strip():
        return None
    check_text(words.text)
    chat: Chat = "group" if words.group else "direct"
    if about is not None:  # who may hear it is not for a text to say
        chat = about.chat
    several = words.group or chat != "direct"
    role, origin, speaker = _author(message, role, words.speaker, several)
    at: datetime | None = None
    if written := entry.get("timestamp") or message.get("timestamp"):
        from loxodon.journal.moments import read_instant, to_zone

        at = to_zone(read_instant(written, zone), zone)  # OpenClaw writes every time in UTC
    return Draft(
        line,
        role,
        words.text,
        session,
        _checked(entry, "id"),
        at,
        speaker,
        channel=about.channel if about else "",
        chat=chat,
        origin=origin,
    )


def _said(message: Entry, role: Role, asked: set[str]) -> Words:
    """What was said; nothing where it was nobody's words or was remembered."""
    content = message.get("content")
    if content is None:
        return Words("")
    if role == "assistant":
        note_calls(content, asked)
        text = text_of(content)
        return Words("" if is_silence(text) else text)
    if role == "tool":
        if is_of_memory(message) or word(message, "toolCallId") in asked:
            return Words("")
        return Words(without_recalled(text_of(content)))
    if role == "user":
        routine = inner(message, "provenance").get("sourceTool") in _ROUTINE
        return Words("") if routine else own_words(text_of(content))
    return Words(text_of(content))


def _author(message: Entry, role: Role, speaker: str, several: bool) -> tuple[Role, Origin, str]:
    """Whose words they are: a message in the user's name may be another person's or a program's.

    Among `several` they are the user's own only where OpenClaw says that the owner spoke.
    """
    if role == "tool":
        return role, "tool", _checked(message, "toolName")
    if role != "user":
        return role, ORIGIN_OF_ROLE[role], ""
    provenance = inner(message, "provenance")
    if provenance.get("kind") in ("inter_session", "internal_system"):
        return "system", "tool", _checked(provenance, "sourceTool")
    sender = inner(message, "__openclaw")
    named = next((field for field in _SENDER_FIELDS if sender.get(field)), "")
    speaker = _checked(sender, named) or speaker
    owner = sender.get("senderIsOwner")
    theirs = owner is False or (owner is not True and several)
    return (role, "group", speaker) if theirs else (role, "user", "")


def _checked(entry: Entry, name: str, field: str = "") -> str:
    """A name in an entry; what is not text there is no name."""
    value = word(entry, name)
    check_name(value, field or name)
    return value


# -- what a session is, by its key and its entry in the index of sessions ------------------------


def about_session(key: str, entry: Entry) -> About:
    """What the session with this key is; `entry` is what the index has on it.

        agent:main:main                         the private conversation with the agent `main`
        agent:main:telegram:group:42            a group
        agent:main:cron:JOB:run:RUN             a schedule's own session
        agent:main:subagent:ID                  an agent that an agent called

    Where nobody speaks but programs there is nothing to remember of a person; OpenClaw's own memory
    leaves such sessions out, and so do we.
    """
    scope = _scope(key)
    parts = scope.split(":")
    chat = _CHATS.get(_text(entry, "chatType").lower()) or _chat_of(scope, parts)
    return About(chat, _channel(entry, parts), _kind(scope, key.lower(), entry))


def _scope(key: str) -> str:
    """The key without the agent it belongs to."""
    parts = key.lower().split(":", 2)
    return parts[2] if len(parts) == 3 and parts[0] == "agent" else key.lower()


def _kind(scope: str, key: str, entry: Entry) -> Kind:
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


def _channel(entry: Entry, parts: list[str]) -> str:
    delivery = inner(entry, "deliveryContext"), inner(entry, "delivery")
    places = (
        (entry, "channel"),
        (entry, "lastChannel"),
        (inner(entry, "origin"), "provider"),
        *((one, "channel") for one in delivery),
    )
    for place, name in places:
        if _text(place, name):
            return _text(place, name)
    peer = parts[1:3] if len(parts) > 2 else []
    return parts[0][:64] if any(part in _CHATS for part in peer) else ""


def _text(entry: Entry, name: str) -> str:
    """A short text in an entry; empty for anything else."""
    value = word(entry, name)
    return value.strip() if len(value) <= 512 and value.isprintable() else ""
