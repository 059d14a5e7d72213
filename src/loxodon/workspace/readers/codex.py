"""Codex's transcripts: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`.

A line is `{"timestamp", "type", "payload"}`. `event_msg` has what the person typed and what the
agent answered, each as it was said: as an item that is completed, or in earlier versions as a
message, never as both in the versions that we know. `response_item` has the same as the model gets
it, among instructions and files, and is not read. Up to the middle of 2025 lines were the items
alone.

One session may be gone on with by a person and by a program (`codex exec resume`). In later
versions each turn says which.

Messages have no ids. A rollout is only ever added to, so that a line is one by its number.
"""

from __future__ import annotations

from datetime import tzinfo

from loxodon.types import Draft, Role
from loxodon.workspace.readers.agents import (
    Entry,
    Opening,
    Said,
    inner,
    read_lines,
    text_in,
    without_blocks,
    word,
)
from loxodon.workspace.readers.lines import FileLines, Trouble

_ITEMS: dict[str, Role] = {"UserMessage": "user", "AgentMessage": "assistant"}
_ROLES: dict[str, Role] = {"user_message": "user", "agent_message": "assistant"}
_OLD_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
_PEOPLE = ("cli", "vscode", "")
"""Where a person types. The others are programs: `exec`, servers, agents that agents call."""
_RESUMED = "exec"
"""What a person may go on with."""
_PUT_IN = ("environment_context", "user_instructions", "turn_aborted", "hook_context")
_INSTRUCTIONS = "# AGENTS.md instructions for "
_EDITOR = ("# Context from my IDE setup:", "## My request for Codex:")
"""How a message begins that tells of the editor, and what stands before the person's words."""


def read_codex(
    lines: FileLines, name: str, zone: tzinfo | None
) -> tuple[list[Draft], list[Trouble]]:
    """The conversation in a rollout, and the lines that cannot be read."""
    return read_lines(lines, name, zone, read_entry)


def read_entry(line: int, entry: Entry, opening: Opening) -> Opening | Said | None:
    """What a line says; the first one says of what session it is."""
    payload = inner(entry, "payload")
    if line == 1:
        return _opening(payload if word(entry, "type") == "session_meta" else entry, opening)
    if begun := inner(payload, "turn_attribution"):
        by_agent = begun.get("parent_turn_id") or begun.get("initiating_agent_path")
        return opening._replace(person=begun.get("turn_trigger") == "user" and not by_agent)
    role, text = _message(entry, payload)
    if role is None:
        return None
    text = own_words(text) if role == "user" else text
    return Said(role, text, str(line), entry.get("timestamp"))


def _opening(about: Entry, opening: Opening) -> Opening:
    source = about.get("source", "")
    person = isinstance(source, str) and source in _PEOPLE
    session, parent = word(about, "id") or opening.session, word(about, "forked_from_id")
    return Opening(session, person or source == _RESUMED, parent, person)


def _message(entry: Entry, payload: Entry) -> tuple[Role | None, str]:
    """Who says what in a line, in the form of any version."""
    kind = word(entry, "type")
    if kind == "message":
        return _OLD_ROLES.get(word(entry, "role")), text_in(entry.get("content"))
    if kind != "event_msg" or payload.get("kind", "plain") not in ("plain", None):
        return None, ""
    if word(payload, "type") == "item_completed":
        item = inner(payload, "item")
        return _ITEMS.get(word(item, "type")), text_in(item.get("content"))
    return _ROLES.get(word(payload, "type")), word(payload, "message")


def own_words(text: str) -> str:
    """What the person wrote of a message in their name."""
    if text.startswith(_INSTRUCTIONS):
        return ""
    begin, words = _EDITOR
    if text.startswith(begin) and words in text:
        text = text.partition(words)[2]
    return without_blocks(text, _PUT_IN)


def is_codex(entry: Entry) -> bool:
    """Whether a first line is one of Codex's."""
    return word(entry, "type") == "session_meta" and isinstance(entry.get("payload"), dict)
