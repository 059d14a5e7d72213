"""Gemini CLI's transcripts: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`.

The first line says of what session it is. The others are messages, each with an id and written
again when there is more to say of it, or changes to what the first line said (`$set`, which may
bring the messages as the model has them now: shortened, and with summaries; these are not read).
Older versions write one JSON object with all messages in it, to a `.json` file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import tzinfo

from loxodon.types import Draft, Role
from loxodon.workspace.readers.agents import (
    Entry,
    Numbered,
    Opening,
    Said,
    read_lines,
    text_in,
    turns_in,
    without_blocks,
    word,
)
from loxodon.workspace.readers.lines import FileLines, Trouble, session_of

_ROLES: dict[str, Role] = {"user": "user", "gemini": "assistant"}
_PUT_IN = ("hook_context", "session_context", "state_snapshot")
_FILES = "\n--- Content from referenced files ---"
"""What stands before files that were named in a message."""
_SHELL = "I ran the following shell command:\n```sh\n"
"""How a message begins that tells the model of a command of the user's."""
_GO_ON = ("System: ", "Please continue.")
"""How messages begin with which the program itself makes the model go on. They show what the user
said last, as if it were said again."""


def read_gemini(
    lines: FileLines, name: str, zone: tzinfo | None
) -> tuple[list[Draft], list[Trouble]]:
    """The conversation in a transcript of either kind, and the lines that cannot be read."""
    whole = document_entries("\n".join(text or "" for text in lines.texts))
    if whole is None:
        return read_lines(lines, name, zone, read_entry)
    found = turns_in(whole, read_entry, Opening(session_of(name)), zone)
    return found.drafts, found.problems


def document_entries(text: str) -> list[Numbered] | None:
    """The entries of a transcript that is one JSON object; None for any other text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    messages = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(messages, list):
        return None
    return [(number, one) for number, one in enumerate([value, *messages], 1) if _is_object(one)]


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def read_entry(line: int, entry: Entry, opening: Opening) -> Opening | Said | None:
    """What a line says; the one that names a session is about all of them."""
    if "projectHash" in entry and word(entry, "sessionId"):
        return Opening(word(entry, "sessionId"), entry.get("kind") != "subagent")
    role = _ROLES.get(word(entry, "type"))
    if role is None or not word(entry, "id"):
        return None
    shown, text = entry.get("displayContent"), text_in(entry.get("content") or "")
    if role == "user":
        if shown and text.startswith(_GO_ON):
            return None
        text = own_words(text_in(shown) if shown else text)
    return Said(role, text, word(entry, "id"), entry.get("timestamp"))


def own_words(text: str) -> str:
    """What the person wrote of a message in their name."""
    text = without_blocks(text.partition(_FILES)[0], _PUT_IN)
    return "" if text.startswith(_SHELL) else text


def is_gemini(entry: Entry) -> bool:
    """Whether a first line, or a whole document, is one of Gemini CLI's."""
    return "projectHash" in entry and "sessionId" in entry
