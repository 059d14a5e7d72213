"""Transcripts of Claude Code: a file of `~/.claude/projects`, or a folder of them.

Each line is an entry with a `uuid` and the `parentUuid` that it answers. What the user typed and
what the assistant wrote become turns; tools, thoughts, subagents, commands and what the program
says of itself do not. Where a message was taken back and typed anew, what came of the first is left
out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from loxodon.errors import InputError
from loxodon.types import Draft, Role
from loxodon.workspace.imports.document import instant_in, text_in
from loxodon.workspace.imports.found import Around, Found, Skipped, Talk, problem
from loxodon.workspace.imports.package import Package
from loxodon.workspace.readers.jsonl import parse_line
from loxodon.workspace.readers.lines import check_name, check_text, split_lines

FORMAT = "claude-code"
_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant"}
_OTHERS = ("summary", "system", "file-history-snapshot", "queue-operation", "progress")
_HIDDEN = (
    "isSidechain",
    "isMeta",
    "isCompactSummary",
    "isApiErrorMessage",
    "isVisibleInTranscriptOnly",
)
"""Marks of entries that nobody typed and nobody was answered with."""
_OF_PROGRAM = re.compile(
    r"\s*(?:<(?:command-|local-command|bash-|user-memory|task-notification)"
    r"|Caveat: The messages below|\[Request interrupted)"
)
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_BATCH = 500


def is_entry(value: object) -> bool:
    """Whether a line is one of such a transcript."""
    if not isinstance(value, Mapping):
        return False
    if value.get("type") in _ROLES:
        return "sessionId" in value and isinstance(value.get("message"), Mapping)
    return value.get("type") in _OTHERS and bool(
        {"sessionId", "leafUuid", "messageId"} & value.keys()
    )


def is_head(head: bytes) -> bool:
    """Whether a file that begins so is one, where its first line is too long to be read at once."""
    return head[:1] == b"{" and b'"sessionId":' in head and b'"parentUuid":' in head


def read(package: Package, around: Around) -> Iterator[Found]:
    alone = not (package.is_folder or package.is_archive)
    files = [name for name in package.names if alone or name.lower().endswith(".jsonl")]
    if not files:
        raise InputError(
            "{file} contains no Claude Code transcript",
            hint="give a .jsonl file of ~/.claude/projects, or a folder of them",
            file=package.name,
        )
    for name in files:
        yield from _transcript(package, name, around)


def _transcript(package: Package, name: str, around: Around) -> Iterator[Found]:
    lines = split_lines(package.read(name))
    for line, refused in lines.problems:
        yield problem(name, line, refused)
    last = 0 if lines.whole else len(lines.texts)
    entries: list[tuple[int, Mapping[str, Any]]] = []
    for number, text in enumerate(lines.texts, 1):
        if text and not text.isspace():
            try:
                value = parse_line(text, cut=number == last)
                if not isinstance(value, Mapping):
                    raise InputError("this is not an entry of a Claude Code transcript")
                entries.append((number, value))
            except InputError as error:
                yield problem(name, number, error)
    left = _taken_back([one for _, one in entries])
    turns: list[Draft] = []
    for number, one in entries:
        try:
            found = _entry(one, number, around, left)
        except InputError as error:
            yield problem(name, number, error)
            continue
        if isinstance(found, Draft):
            turns.append(found)
        elif found is not None:
            yield found
        if len(turns) >= _BATCH:
            yield Talk(tuple(turns))
            turns = []
    if turns:
        yield Talk(tuple(turns))


def _taken_back(entries: list[Mapping[str, Any]]) -> set[str]:
    """The entries that are on no branch any more: something else was typed in their place."""
    typed: dict[str, str] = {}
    left: set[str] = set()
    for one in entries:
        parent, id = text_in(one, "parentUuid"), text_in(one, "uuid")
        if parent and one.get("type") == "user" and not _is_hidden(one) and _said(one):
            if parent in typed:
                left.add(typed[parent])
            typed[parent] = id
    for one in entries:  # an answer stands behind what it answers
        if text_in(one, "parentUuid") in left:
            left.add(text_in(one, "uuid"))
    return left


def _is_hidden(entry: Mapping[str, Any]) -> bool:
    return any(entry.get(name) is True for name in _HIDDEN)


def _entry(
    entry: Mapping[str, Any], line: int, around: Around, left: set[str]
) -> Draft | Skipped | None:
    role = _ROLES.get(str(entry.get("type")))
    if role is None:
        return None
    if _is_hidden(entry):
        return Skipped("hidden")
    id, session = text_in(entry, "uuid"), text_in(entry, "sessionId")
    if id and id in left:
        return Skipped("branch")
    text = _said(entry)
    if not text:
        return Skipped("tools")
    check_text(text)
    check_name(id, "id")
    check_name(session, "session")
    at = instant_in(entry, around.zone, "timestamp")
    return Draft(line, role, text, f"{FORMAT}-{session}", id, at, channel=FORMAT)


def _said(entry: Mapping[str, Any]) -> str:
    """What a person typed, or the assistant wrote; empty for what tools and the program say."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts: list[str] = []
    for one in blocks:
        text = one.get("text") if isinstance(one, Mapping) and one.get("type") == "text" else None
        if isinstance(text, str) and not _OF_PROGRAM.match(text):
            texts.append(_REMINDER.sub("", text).strip())
    return "\n".join(filter(None, texts))
