"""Exports of ChatGPT and Claude, and transcripts of Claude Code.

ChatGPT and Claude: the archive, its folder, or a file out of it.

    conversations.json   turns; where a message was edited or asked for anew, only those of the
                         branch that was on the screen last
    memories.json        what Claude knows of the user and of each project: memories
    projects.json        (or projects/*.json) of Claude: the names of the projects

What tools and hidden messages say is left out. What ChatGPT was told to remember (its tool `bio`)
becomes memories.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from loxodon.errors import InputError
from loxodon.imports.markdown import entries
from loxodon.imports.package import (
    Around,
    Found,
    NewMemory,
    Package,
    each_in,
    instant_in,
    list_in,
    problem,
    text_in,
)
from loxodon.journal.jsonl import role_named
from loxodon.journal.lines import checked, inner, split_lines
from loxodon.journal.transcripts import AGENTS
from loxodon.types import Draft, Role, Source

_CONVERSATIONS = re.compile(r"(?:.*/)?conversations[-_]*\d*\.json", re.IGNORECASE)
is_of_claude = re.compile(r"(?:.*/)?(memories|projects)(?:/.*)?\.json", re.IGNORECASE).fullmatch
_ROLES: dict[object, Role] = {"user": "user", "assistant": "assistant"}


def files_of(package: Package) -> list[str]:
    """The files that have conversations: one, or numbered pieces of it."""
    return [one for one in package.names if package.alone or _CONVERSATIONS.fullmatch(one)]


def _session_of(value: Mapping[str, Any], *names: str) -> str:
    if not (id := text_in(value, *names)):
        raise InputError("the conversation has no id", hint="importing it again would add it twice")
    return id


def _turn(line: int, role: Role, text: str, session: str, id: str, at: datetime | None) -> Draft:
    return checked(Draft(line, role, text, session, id, at, channel=session.partition("-")[0]))


def _branch(parents: dict[str, str], leaf: str) -> list[str]:
    """The messages up to the leaf that was shown last; up to the last where none is named."""
    leaf = leaf if leaf in parents else next(reversed(parents), "")
    path: dict[str, None] = {}
    while leaf in parents and leaf not in path:
        path[leaf] = None
        leaf = parents[leaf]
    return [*path][::-1]


# -- ChatGPT --------------------------------------------------------------------------------------


def is_chatgpt(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("mapping"), Mapping)


def read_chatgpt(package: Package, around: Around) -> Iterator[Found]:
    for file in files_of(package):
        yield from each_in(package, file, ("conversations",), partial(_chatgpt, file, around))


def _chatgpt(file: str, around: Around, value: Any, place: str) -> Iterator[Found]:
    if not is_chatgpt(value):
        raise InputError(
            "this is not a ChatGPT conversation",
            hint="a conversation has a `mapping` of its messages",
        )
    if value.get("is_do_not_remember"):
        return
    session = _session_of(value, "conversation_id", "id")
    nodes = {id: inner(node, "message") for id, node in value["mapping"].items()}
    parents = {id: text_in(node, "parent") for id, node in value["mapping"].items()}
    for number, id in enumerate(_branch(parents, text_in(value, "current_node")), 1):
        message, text = nodes[id], _chatgpt_text(nodes[id])
        role, recipient = inner(message, "author").get("role"), message.get("recipient")
        hidden = inner(message, "metadata").get("is_visually_hidden_from_conversation")
        # Other kinds are thoughts, recaps, and what the user set up.
        kind = inner(message, "content").get("content_type", "text")
        is_said = kind in ("text", "multimodal_text", "code") and not hidden
        there = text_in(message, "id")
        try:
            at = instant_in(message, around.zone, "create_time", "update_time")
            if role == "assistant" and recipient == "bio":
                note = text.removesuffix(".").strip()
                # What it took out of its own memory is no memory.
                if note and not note.lower().startswith(("{", "[", "forget")):
                    key, source = ("chatgpt", "bio", session, there or note), there[:512]
                    yield NewMemory(note, key, Source(f"chatgpt-{session}", source), since=at)
            elif role in _ROLES and recipient in (None, "", "all") and is_said and text:
                yield _turn(number, _ROLES[role], text, f"chatgpt-{session}", there, at)
        except InputError as error:
            yield problem(file, f"{place}.mapping.{str(id)[:60]}", error)


def _chatgpt_text(message: Mapping[str, Any]) -> str:
    """What was said; pictures and sounds are named, their transcripts are taken."""
    content = message.get("content")
    texts: list[str] = []
    for part in list_in(content, "parts"):
        kind = text_in(part, "content_type")
        if isinstance(part, str):
            texts.append(part.strip())
        elif kind.startswith("image"):
            texts.append("[image]")
        else:
            texts.append("[audio]" if kind.endswith("_asset_pointer") else text_in(part, "text"))
    return "\n".join(filter(None, texts)) or text_in(content, "text", "result")


# -- Claude ---------------------------------------------------------------------------------------


def is_claude(value: object) -> bool:
    """Whether something is a conversation, what Claude remembers, or a project."""
    if not isinstance(value, Mapping):
        return False
    marks = {"chat_messages", "conversations_memory", "project_memories", "prompt_template"}
    return bool(marks & value.keys()) or {"docs", "name"} <= value.keys()


def read_claude(package: Package, around: Around) -> Iterator[Found]:
    projects: dict[str, str] = {}
    beside = [] if package.alone else filter(is_of_claude, package.names)
    # Projects first, because memories name them.
    for file in (*sorted(beside, key=lambda one: "memories" in one.lower()), *files_of(package)):
        inside = ("conversations", "projects")
        yield from each_in(package, file, inside, partial(_claude, file, around, projects))


def _claude(
    file: str, around: Around, projects: dict[str, str], value: Any, place: str
) -> Iterator[Found]:
    if not is_claude(value):
        raise InputError("this is not part of a Claude export")
    if "chat_messages" in value:
        yield from _conversation(value, file, place, around)
    elif "conversations_memory" in value or "project_memories" in value:
        texts = {"": text_in(value, "conversations_memory")}
        for id in (by_project := inner(value, "project_memories")):
            texts[projects.get(id, "")] = text_in(by_project, id)
        for project, text in texts.items():
            for entry in entries(text.split("\n"), "", around.zone):
                key = ("claude", "memory", project, entry.text)
                source, of = Source(file=file, line=entry.line), project or entry.project
                yield NewMemory(entry.text, key, source, category=entry.category, project=of)
    else:
        projects[text_in(value, "uuid")] = text_in(value, "name")


def _conversation(
    value: Mapping[str, Any], file: str, place: str, around: Around
) -> Iterator[Found]:
    session = f"claude-{_session_of(value, 'uuid', 'id')}"
    messages = [one for one in list_in(value, "chat_messages") if isinstance(one, Mapping)]
    ids = [text_in(one, "uuid") for one in messages]
    parents = [text_in(one, "parent_message_uuid") for one in messages]
    if all(parents) and len({*parents}) < len(parents):  # some branch off
        shown = text_in(value, "current_leaf_message_uuid")
        by_id = dict(zip(ids, messages, strict=True))
        messages = [by_id[id] for id in _branch(dict(zip(ids, parents, strict=True)), shown)]
    for number, message in enumerate(messages, 1):
        try:
            role = role_named(text_in(message, "sender", "role"))
            id, at = text_in(message, "uuid", "id"), instant_in(message, around.zone, "created_at")
            # The blocks of text; in older exports there is only `text`.
            blocks = (one for one in list_in(message, "content") if text_in(one, "type") == "text")
            text = "\n".join(filter(None, (text_in(one, "text") for one in blocks)))
            if text := text or text_in(message, "text"):
                yield _turn(number, role, text, session, id, at)
        except InputError as error:
            yield problem(file, f"{place}.chat_messages[{number - 1}]", error)


# -- Claude Code ----------------------------------------------------------------------------------


def read_transcripts(package: Package, around: Around) -> Iterator[Found]:
    """Read as `loxodon follow` does, so that what was followed is not imported again."""
    read = AGENTS["claude-code"].read
    for file in package.names:
        if package.alone or file.lower().endswith(".jsonl"):
            drafts, problems = read(split_lines(package.read(file)), file, around.zone)
            yield from (problem(file, line, error) for line, error in problems)
            yield from drafts
