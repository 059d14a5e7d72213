"""Our members of `openclaw.json`: put in, found, and taken out again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.workspace.openclaw import json5

SLOT = ("plugins", "slots", "memory")
ENTRY = ("plugins", "entries", "loxodon")
ALLOWED = ("plugins", "allow")
SERVER = ("mcp", "servers", "loxodon")
NAME = "loxodon"
_GRANTS = {
    "enabled": True,
    "hooks": {"allowConversationAccess": True},
    # While OpenClaw's own dreaming is on, its own memory is loaded beside whatever has the slot,
    # and its tools win. Whether it is on is read from the entry of the plugin in the slot.
    "config": {"dreaming": {"enabled": False}},
}


_SERVING = ("mcp", "--chat", "group", "--audience", "private")
"""OpenClaw gives the tools of a server to group sessions too, and does not say which one asks: so
they tell what a group may hear. What they are told stays private; private chats have the plugin."""


class ConfigEdit(NamedTuple):
    """One change, as it must be known to be taken back."""

    path: tuple[str, ...]
    piece: str
    """What was put in, to the letter; empty where a value was replaced."""
    was: str | None
    """What was written there before."""
    known: int
    """How many names of the path were there already."""

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> ConfigEdit:
        return cls(tuple(value["path"]), value["piece"], value["was"], value["known"])


def with_ours(text: str, command: Sequence[str]) -> tuple[str, list[ConfigEdit]]:
    """`text` with the plugin in the memory slot and the MCP server, and what was done for it."""
    wanted: list[tuple[tuple[str, ...], object]] = [
        (SLOT, NAME),
        (ENTRY, _GRANTS),
        (SERVER, {"command": command[0], "args": [*command[1:], *_SERVING]}),
    ]
    edits: list[ConfigEdit] = []
    for path, value in wanted:
        text, edit = _put(text, path, value)
        edits += [edit] if edit else []
    allowed = json5.parse(text).at(ALLOWED)
    if allowed and isinstance(allowed.value, list) and NAME not in allowed.value:
        text, piece = json5.append(text, ALLOWED, NAME)
        edits.append(ConfigEdit(ALLOWED, piece, None, len(ALLOWED)))
    return text, edits


def _put(text: str, path: tuple[str, ...], value: object) -> tuple[str, ConfigEdit | None]:
    root = json5.parse(text)
    old = root.at(path)
    if old is None:
        known = next(n for n in range(len(path), -1, -1) if root.at(path[:n]) is not None)
        text, piece = json5.put(text, path, value)
        return text, ConfigEdit(path, piece, None, known)
    if old.value == value:
        return text, None
    was = json5.raw(text, path)
    return json5.replace(text, path, json5.compact(value)), ConfigEdit(path, "", was, len(path))


def without_ours(text: str, edits: Sequence[ConfigEdit]) -> str:
    """`text` as it was before: to the letter where our pieces still stand, else member by member.

    OpenClaw writes its file anew when it changes something, and people edit it.
    """
    for edit in reversed(edits):
        text = _undone(text, edit)
    return text


def _undone(text: str, edit: ConfigEdit) -> str:
    if edit.path == ALLOWED:
        return _disallowed(text, edit.piece)
    if edit.piece and text.count(edit.piece) == 1:
        plain = text.replace(edit.piece, "")
        if _is_gone(plain, edit):
            return plain
    node = json5.parse(text).at(edit.path)
    if node is None or (edit.path == SLOT and node.value != NAME):
        return text  # someone else took the place since
    if edit.was is not None:
        return json5.replace(text, edit.path, edit.was)
    text = json5.drop(text, edit.path)
    for length in range(len(edit.path) - 1, edit.known, -1):
        above = json5.parse(text).at(edit.path[:length])
        if above is not None and above.value == {}:
            text = json5.drop(text, edit.path[:length])
    return text


def _disallowed(text: str, piece: str) -> str:
    """`text` without us in the list of plugins; the same words may stand elsewhere too."""
    allowed = json5.parse(text).at(ALLOWED)
    for item in allowed.items if allowed else ():
        begin = item.end - len(piece)
        if item.value == NAME and text[begin : item.end] == piece:
            return text[:begin] + text[item.end :]
    return json5.drop_item(text, ALLOWED, NAME)


def _is_gone(text: str, edit: ConfigEdit) -> bool:
    try:
        return json5.parse(text).at(edit.path) is None
    except InputError:
        return False


def found(text: str) -> dict[str, bool]:
    """Which of our members are there."""
    root = json5.parse(text)
    slot, allowed = root.at(SLOT), root.at(ALLOWED)
    barred = allowed is not None and isinstance(allowed.value, list) and NAME not in allowed.value
    return {
        "slot": slot is not None and slot.value == NAME,
        "entry": root.at(ENTRY) is not None and not barred,
        "server": root.at(SERVER) is not None,
    }
