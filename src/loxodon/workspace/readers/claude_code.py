"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`.

Each line is an object with a type. `user` and `assistant` have a message as the API takes it; one
answer may be spread over several lines, each with its own id. The rest is bookkeeping.

What was said and then taken back by going to an earlier place is in the file, and is read: it was
said, and the hooks journal a turn before anybody can take it back.
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

_NOT_SAID = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")
"""Flags of lines that nobody says to anybody: of agents that the agent calls, put in by programs,
summaries, and failures."""
_PUT_IN = (
    "system-reminder",
    "command-name",
    "command-message",
    "command-args",
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "task-notification",
    "ide_opened_file",
    "ide_selection",
    "user-prompt-submit-hook",
)
"""Tags around what Claude Code puts into a message of the user's: notes to the model, commands and
what they printed, what is open in the editor."""
_INTERRUPTED = "[Request interrupted by user"


def read_claude_code(
    lines: FileLines, name: str, zone: tzinfo | None
) -> tuple[list[Draft], list[Trouble]]:
    """The conversation in a transcript, and the lines that cannot be read."""
    return read_lines(lines, name, zone, read_entry)


def read_entry(line: int, entry: Entry, opening: Opening) -> Opening | Said | None:
    """What a line says."""
    kind = word(entry, "type")
    if kind not in ("user", "assistant") or any(entry.get(flag) for flag in _NOT_SAID):
        return None
    # `claude -p` and the SDK are called by programs: what they ask is not what a person said.
    if word(entry, "entrypoint").startswith("sdk"):
        return None
    if inner(entry, "origin").get("kind", "human") != "human":
        return None
    message = inner(entry, "message")
    text = text_in(message.get("content"))
    if kind == "user":
        text = "" if _has_result(message) else own_words(text)
    elif message.get("model") == "<synthetic>":
        return None
    role: Role = "user" if kind == "user" else "assistant"
    # A session that was forked begins with copies, which name what they are copies of.
    copied = inner(entry, "forkedFrom")
    id = word(copied, "messageUuid") or word(entry, "uuid") or str(line)
    session = word(copied, "sessionId") or word(entry, "sessionId")
    return Said(role, text, id, entry.get("timestamp"), session)


def _has_result(message: Entry) -> bool:
    """Whether a message in the user's name hands over what a tool gave back."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return any(isinstance(one, dict) and one.get("type") == "tool_result" for one in blocks)


def own_words(text: str) -> str:
    """What the person wrote of a message in their name."""
    text = without_blocks(text, _PUT_IN)
    return "" if text.lstrip().startswith(_INTERRUPTED) else text


def is_claude_code(entry: Entry) -> bool:
    """Whether a first line is one of Claude Code's."""
    if "parentUuid" in entry and "sessionId" in entry:
        return True
    marks = {"summary": "leafUuid", "file-history-snapshot": "snapshot"}
    if word(entry, "type") == "queue-operation":
        return "operation" in entry and "sessionId" in entry
    return marks.get(word(entry, "type"), "?") in entry
