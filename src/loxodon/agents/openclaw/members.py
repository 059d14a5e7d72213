"""Our members of `openclaw.json`: put in, found, and taken out again."""

from __future__ import annotations

from collections.abc import Sequence

from loxodon.agents import json5
from loxodon.agents.json5 import ConfigEdit, append, put, undone
from loxodon.agents.openclaw.chats import owners_of, texts_in

SLOT = ("plugins", "slots", "memory")
ENTRY = ("plugins", "entries", "loxodon")
ALLOWED = ("plugins", "allow")
NAME = "loxodon"
_GRANTS = {
    "enabled": True,
    "hooks": {"allowConversationAccess": True},
    # While OpenClaw's own dreaming is on, its own memory is loaded beside whatever has the slot,
    # and its tools win. Whether it is on is read from the entry of the plugin in the slot.
    "config": {"dreaming": {"enabled": False}},
}
# What OpenClaw's own memory does with other conversations. Nothing else can have it on, and
# `openclaw doctor` says so. Only from 2026.8 on is it known: an older OpenClaw would refuse it.
ACROSS = ("memory", "search", "rememberAcrossConversations")


# Where plugins are. Up to 2026.7 one that is not named here is said to come from nowhere; and only
# a change of this has a running gateway start anew, without which it has no tools or commands.
LOAD = ("plugins", "load", "paths")


def with_ours(text: str, folder: str, *, newer: bool) -> tuple[str, list[ConfigEdit]]:
    """`text` with the plugin of a folder in the memory slot, and what was done for it."""
    wanted: list[tuple[tuple[str, ...], object]] = [(SLOT, NAME), (ENTRY, _GRANTS)]
    if newer:
        wanted.append((ACROSS, False))
    edits: list[ConfigEdit] = []
    for path, value in wanted:
        text, edit = put(text, path, value)
        edits += [edit] if edit else []
    listed: list[tuple[tuple[str, ...], str]] = [] if newer else [(LOAD, folder)]
    allowed = json5.parse(text).at(ALLOWED)
    if allowed and isinstance(allowed.value, list) and NAME not in allowed.value:
        listed.append((ALLOWED, NAME))
    for path, item in listed:
        text, added = append(text, path, item)
        edits.append(added)
    return text, edits


def without_ours(text: str, edits: Sequence[ConfigEdit]) -> str:
    for edit in reversed(edits):
        text = _undone(text, edit)
    return text


def _undone(text: str, edit: ConfigEdit) -> str:
    node = json5.parse(text).at(edit.path)
    if edit.path == SLOT and node is not None and node.value != NAME:
        return text  # someone else took the place since
    if edit.path == ALLOWED:  # earlier versions did not record what they put into the list
        edit = edit._replace(item=json5.compact(NAME))
    return undone(text, edit)


def found(text: str) -> dict[str, bool]:
    root = json5.parse(text)
    slot, allowed = root.at(SLOT), root.at(ALLOWED)
    barred = allowed is not None and isinstance(allowed.value, list) and NAME not in allowed.value
    return {
        "slot": slot is not None and slot.value == NAME,
        "entry": root.at(ENTRY) is not None and not barred,
    }


def channels_of(text: str) -> list[str]:
    root = json5.parse(text)
    owners, channels = root.at(("commands", "ownerAllowFrom")), root.at(("channels",))
    named = texts_in(owners.value if owners else None)
    found = channels.value if channels and isinstance(channels.value, dict) else {}
    return [
        name
        for name, one in found.items()
        if name not in _NO_CHANNELS and isinstance(one, dict) and one.get("enabled") is not False
        if not owners_of(named, texts_in(one.get("allowFrom")))
    ]


_NO_CHANNELS = ("defaults", "modelByChannel")  # what else stands among the channels
