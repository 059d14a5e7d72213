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

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo

from loxodon.errors import InputError
from loxodon.types import ORIGIN_OF_ROLE, Chat, Draft, Origin, Role
from loxodon.workspace.readers.jsonl import as_object, parse_line, role_named, text_of
from loxodon.workspace.readers.lines import FileLines, Trouble, check_name, check_text, session_of
from loxodon.workspace.readers.openclaw_about import About
from loxodon.workspace.readers.openclaw_words import (
    Words,
    is_of_memory,
    is_silence,
    note_calls,
    own_words,
    without_recalled,
)

Entry = Mapping[str, object]

ENTRY_TYPES = (
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
"""What moves the conversation on. Entries of other types hang in the tree without being in it."""

_NOT_SAID = ("bashExecution", "custom", "hookMessage", "compactionSummary", "branchSummary")
"""Roles of messages that programs add for the model."""
_ROUTINE = ("heartbeat", "memory_search", "memory_get")
"""Programs whose messages in the user's name say nothing new."""


def read_openclaw(
    lines: FileLines, name: str, zone: tzinfo | None
) -> tuple[list[Draft], list[Trouble]]:
    """The live conversation of a transcript file, and the lines that cannot be read.

    A transcript without a header takes its session from the file name, as OpenClaw names them.
    """
    entries: list[tuple[int, Entry]] = []
    problems = list(lines.problems)
    last = 0 if lines.whole else len(lines.texts)
    for number, text in enumerate(lines.texts, 1):
        if not text or text.isspace():
            continue
        try:
            entries.append((number, as_object(parse_line(text, cut=number == last))))
        except InputError as error:
            problems.append((number, error))
    drafts, troubles = conversation(entries, zone, session_of(name))
    return drafts, problems + troubles


def conversation(
    entries: Iterable[tuple[int, Entry]],
    zone: tzinfo | None,
    session: str = "",
    about: About | None = None,
) -> tuple[list[Draft], list[Trouble]]:
    """The turns of the live conversation in numbered entries, and those that cannot be read.

    `session` names it where the entries have no header; `about` is what an index says of it.
    """
    numbered = list(entries)
    problems: list[Trouble] = []
    for line, entry in numbered:
        if entry.get("type") == "session":
            try:
                session = _checked(entry.get("id"), "session") or session
            except InputError as error:
                problems.append((line, error))
            break
    drafts, troubles = turns(live(numbered), zone, session, about)
    return drafts, problems + troubles


def turns(
    path: Iterable[tuple[int, Entry]],
    zone: tzinfo | None,
    session: str,
    about: About | None,
    asked: set[str] | None = None,
) -> tuple[list[Draft], list[Trouble]]:
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


class _Tree:
    """The entries so far: for each its parent, and the last reset above it.

    A node is known by its place in the lists, and its parent always stands before it, so that no
    chain of parents can be a ring whatever ids a file has.
    """

    def __init__(self) -> None:
        self.parents: list[int] = []
        self.resets: list[int] = []
        self.places: dict[str, int] = {}
        self.leaf = -1
        self.tip = -1
        """The entry written last, which need not be in the conversation."""
        self.reset = -1

    def add(self, entry: Entry) -> None:
        if entry.get("type") == "leaf":
            self._move(entry)
            return
        place = len(self.parents)
        kind = entry.get("type", "message")
        counts = kind in ENTRY_TYPES and entry.get("appendMode") != "side"
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


def live(numbered: Iterable[tuple[int, Entry]]) -> list[tuple[int, Entry]]:
    """The entries on the path from the root to the current leaf, in order."""
    tree, nodes = _grown(numbered)
    path: list[tuple[int, Entry]] = []
    place = tree.leaf
    while place >= 0:
        path.append(nodes[place])
        place = tree.parents[place]
    path.reverse()
    return path


def leaf_of(numbered: Iterable[tuple[int, Entry]]) -> str:
    """The id of the entry that the next one hangs on; empty where that is not plain to see."""
    tree, nodes = _grown(numbered)
    if tree.leaf < 0 or tree.leaf != tree.tip:
        return ""
    name = nodes[tree.leaf][1].get("id")
    return name if isinstance(name, str) else ""


def goes_on(numbered: Iterable[tuple[int, Entry]], leaf: str) -> bool:
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


def _grown(numbered: Iterable[tuple[int, Entry]]) -> tuple[_Tree, list[tuple[int, Entry]]]:
    """The tree of these entries, and its nodes."""
    tree = _Tree()
    nodes: list[tuple[int, Entry]] = []
    for line, entry in numbered:
        if entry.get("type") == "session":
            continue
        tree.add(entry)
        if entry.get("type") != "leaf":
            nodes.append((line, entry))
    return tree, nodes


def _draft(
    entry: Entry, line: int, session: str, zone: tzinfo | None, about: About | None, asked: set[str]
) -> Draft | None:
    """The turn of one entry; None for one that is not a turn or that has no words."""
    if entry.get("type", "message") != "message":
        return None
    inner = entry.get("message")
    message = inner if isinstance(inner, Mapping) else entry  # older ones are flat
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
    return Draft(
        line,
        role,
        words.text,
        session,
        _checked(entry.get("id"), "id"),
        _instant(entry, message, zone),
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
        call = message.get("toolCallId")
        if is_of_memory(message) or (isinstance(call, str) and call in asked):
            return Words("")
        return Words(without_recalled(text_of(content)))
    if role == "user" and _source_tool(message) in _ROUTINE:
        return Words("")
    return own_words(text_of(content)) if role == "user" else Words(text_of(content))


def _source_tool(message: Entry) -> object:
    provenance = message.get("provenance")
    return provenance.get("sourceTool") if isinstance(provenance, Mapping) else None


def _author(message: Entry, role: Role, speaker: str, several: bool) -> tuple[Role, Origin, str]:
    """Whose words they are: a message in the user's name may be another person's or a program's.

    Among `several` they are the user's own only where OpenClaw says that the owner spoke.
    """
    if role == "tool":
        return role, "tool", _checked(message.get("toolName"), "toolName")
    if role != "user":
        return role, ORIGIN_OF_ROLE[role], ""
    provenance = message.get("provenance")
    kind = provenance.get("kind") if isinstance(provenance, Mapping) else None
    if isinstance(provenance, Mapping) and kind in ("inter_session", "internal_system"):
        return "system", "tool", _checked(provenance.get("sourceTool"), "sourceTool")
    extra = message.get("__openclaw")
    if not isinstance(extra, Mapping):
        return (role, "group", speaker) if several else (role, "user", "")
    for field in ("senderName", "senderUsername", "senderId"):
        speaker = _checked(extra.get(field), field) or speaker
        if extra.get(field):
            break
    owner = extra.get("senderIsOwner")
    theirs = owner is False or (owner is not True and several)
    return (role, "group", speaker) if theirs else (role, "user", "")


def _checked(value: object, field: str) -> str:
    """A name in an entry; what is not text there is no name."""
    if not isinstance(value, str):
        return ""
    check_name(value, field)
    return value


def _instant(entry: Entry, message: Entry, zone: tzinfo | None) -> datetime | None:
    """When the entry was written, in the user's zone: OpenClaw writes every time in UTC."""
    value = entry.get("timestamp") or message.get("timestamp")
    if not value:
        return None
    from loxodon.workspace.readers.moments import read_instant, to_zone

    return to_zone(read_instant(value, zone), zone)
