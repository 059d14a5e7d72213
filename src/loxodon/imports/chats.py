"""Exports of ChatGPT and Claude, and transcripts of Claude Code.

ChatGPT and Claude: the archive, its folder, or a file out of it.

    conversations.json   turns; where a message was edited or asked for anew, only those of the
                         branch that was on the screen last
    memories.json        what Claude knows of the user and of each project: memories
    projects.json        (or projects/*.json) of Claude: descriptions become memories, documents
                         turns

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
from loxodon.imports.document import instant_in, list_in, mapping_in, text_in
from loxodon.imports.found import Around, Found, NewMemory, Skipped, Talk, each_in, problem
from loxodon.imports.markdown import entries
from loxodon.imports.package import Package
from loxodon.journal.lines import check_name, check_text, split_lines
from loxodon.journal.transcripts import AGENTS, is_claude_code
from loxodon.types import Draft, Origin, Role, Source

_CONVERSATIONS = re.compile(r"(?:.*/)?conversations[-_]*\d*\.json", re.IGNORECASE)
_ROLES: dict[object, Role] = {"human": "user", "user": "user", "assistant": "assistant"}
_BATCH = 500  # turns of a transcript that are taken together


def files_of(package: Package) -> list[str]:
    """The files that have conversations: one, or numbered pieces of it."""
    return [one for one in package.names if package.alone or _CONVERSATIONS.fullmatch(one)]


def _session_of(value: Mapping[str, Any], *names: str) -> str:
    id = text_in(value, *names)
    check_name(id, "session")
    if not id:
        raise InputError("the conversation has no id", hint="importing it again would add it twice")
    return id


def _turn(line: int, role: Role, text: str, session: str, id: str, at: datetime | None) -> Draft:
    """A turn that the journal can keep. What a file says nobody says: it is a tool's."""
    check_name(id, "id")
    check_text(text)
    origin: Origin | None = "import" if role == "tool" else None
    return Draft(line, role, text, session, id, at, "", session.partition("-")[0], origin=origin)


# ChatGPT


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
        yield Skipped("private")
        return
    session = _session_of(value, "conversation_id", "id")
    nodes = {id: mapping_in(node, "message") for id, node in value["mapping"].items()}
    path = _shown_last(value, nodes)
    turns: list[Draft] = []
    for number, id in enumerate(path, 1):
        message = nodes[id]
        try:
            role = mapping_in(message, "author").get("role")
            if role == "assistant" and message.get("recipient") == "bio":
                yield _remembered(message, session, around)
            elif message and (reason := _left_out(message)):
                yield Skipped(reason)
            elif text := _chatgpt_text(message):
                at = instant_in(message, around.zone, "create_time", "update_time")
                id_there = text_in(message, "id")
                turns.append(_turn(number, _ROLES[role], text, f"chatgpt-{session}", id_there, at))
        except InputError as error:
            yield problem(file, f"{place}.mapping.{str(id)[:60]}", error)
    said = {id for id, one in nodes.items() if one and not _left_out(one) and _chatgpt_text(one)}
    if beside := said.difference(path):
        yield Skipped("branch", len(beside))
    if turns:
        yield Talk(tuple(turns))


def _shown_last(value: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The ids of the nodes from the root to the leaf that was shown last.

    Without a leaf (older exports, or one that is not there) it is the newest message.
    """
    leaf = value.get("current_node")
    if not isinstance(leaf, str) or leaf not in nodes:
        leaf = max(nodes, key=lambda node: _time(nodes[node]), default=None)
    path: dict[str, None] = {}
    while isinstance(leaf, str) and leaf in nodes and leaf not in path:
        path[leaf] = None
        node = value["mapping"][leaf]
        leaf = node.get("parent") if isinstance(node, Mapping) else None
    return [*path][::-1]


def _time(message: Mapping[str, Any]) -> float:
    time = message.get("create_time")
    return float(time) if isinstance(time, int | float) and abs(time) < 1e15 else 0.0


def _left_out(message: Mapping[str, Any]) -> str:
    """Why a message is not taken; empty for one that is."""
    role = mapping_in(message, "author").get("role")
    if role == "system" or mapping_in(message, "metadata").get(
        "is_visually_hidden_from_conversation"
    ):
        return "hidden"
    if role not in ("user", "assistant") or message.get("recipient") not in (None, "", "all"):
        return "tools"
    kind = mapping_in(message, "content").get("content_type")
    said = kind in (None, "text", "multimodal_text", "code")
    return "" if said else "hidden"  # thoughts, recaps, what the user set up


def _chatgpt_text(message: Mapping[str, Any]) -> str:
    """What was said; pictures and sounds are named, their transcripts are taken."""
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    texts = (
        part.strip() if isinstance(part, str) else _named(part)
        for part in list_in(content, "parts")
    )
    return "\n".join(text for text in texts if text) or text_in(content, "text", "result")


def _named(part: object) -> str:
    kind = text_in(part, "content_type")
    if kind.startswith("image"):
        return "[image]"
    if kind.endswith("_asset_pointer"):
        return "[audio]"
    return text_in(part, "text")  # an audio transcription, and what is yet to be invented


def _remembered(message: Mapping[str, Any], session: str, around: Around) -> NewMemory | Skipped:
    """What ChatGPT put into its own memory; what it took out of there is no memory."""
    text = _chatgpt_text(message).removesuffix(".").strip()
    if not text or text.startswith(("{", "[")) or text.lower().startswith("forget"):
        return Skipped("tools")
    id = text_in(message, "id")
    return NewMemory(
        text,
        ("chatgpt", "bio", session, id or text),
        Source(f"chatgpt-{session}", id[:512]),
        since=instant_in(message, around.zone, "create_time"),
    )


# Claude


def is_claude(value: object) -> bool:
    """Whether something is a conversation, what Claude remembers, or a project."""
    if not isinstance(value, Mapping):
        return False
    marks = {"chat_messages", "conversations_memory", "project_memories", "prompt_template"}
    return bool(marks & value.keys()) or {"docs", "name"} <= value.keys()


def read_claude(package: Package, around: Around) -> Iterator[Found]:
    # Projects first, because memories name them.
    others = [] if package.alone else [*_about(package, "projects"), *_about(package, "memories")]
    projects: dict[str, str] = {}
    for file in dict.fromkeys((*others, *files_of(package))):
        inside = ("conversations", "projects")
        yield from each_in(package, file, inside, partial(_claude, file, around, projects))


def _about(package: Package, what: str) -> list[str]:
    """The files named `what`, or in a folder of that name."""
    named = re.compile(rf"(?:.*/)?{what}(?:/.*)?\.json", re.IGNORECASE)
    return [one for one in package.names if named.fullmatch(one)]


def _claude(
    file: str, around: Around, projects: dict[str, str], value: Any, place: str
) -> Iterator[Found]:
    if not is_claude(value):
        raise InputError("this is not part of a Claude export")
    if "chat_messages" in value:
        yield from _conversation(value, file, place, around)
    elif "conversations_memory" in value or "project_memories" in value:
        yield from _prose(text_in(value, "conversations_memory"), file, "")
        for id in (by_project := mapping_in(value, "project_memories")):
            yield from _prose(text_in(by_project, id), file, projects.get(id, ""))
    else:
        projects[text_in(value, "uuid")] = text_in(value, "name")
        yield from _project(value, file, place, around)


def _conversation(
    value: Mapping[str, Any], file: str, place: str, around: Around
) -> Iterator[Found]:
    session = f"claude-{_session_of(value, 'uuid', 'id')}"
    messages = [one for one in list_in(value, "chat_messages") if isinstance(one, Mapping)]
    path = _live_branch(messages, text_in(value, "current_leaf_message_uuid"))
    if len(path) < len(messages):
        yield Skipped("branch", len(messages) - len(path))
    turns: list[Draft] = []
    for number, message in enumerate(path):
        try:
            role = _ROLES.get(text_in(message, "sender", "role"))
            if role is None:
                raise InputError(
                    "unknown sender {sender}",
                    hint="it must be human or assistant",
                    sender=repr(message.get("sender"))[:60],
                )
            id, at = (
                text_in(message, "uuid", "id"),
                instant_in(message, around.zone, "created_at"),
            )
            if text := _claude_text(message):
                turns.append(_turn(len(turns) + 1, role, text, session, id, at))
            for n, one in enumerate(list_in(message, "attachments"), 1):
                if text := text_in(one, "extracted_content"):
                    text = _titled(text_in(one, "file_name"), text)
                    part = f"{id}/{n}" if id else ""
                    turns.append(_turn(len(turns) + 1, "tool", text, session, part, at))
        except InputError as error:
            yield problem(file, f"{place}.chat_messages[{number}]", error)
    if turns:
        yield Talk(tuple(turns))


def _titled(title: str, text: str) -> str:
    return f"{title}\n{text}" if title else text


def _live_branch(messages: list[Mapping[str, Any]], leaf: str) -> list[Mapping[str, Any]]:
    """The messages up to the leaf that was shown last, or to the last; all where none branch off.

    Exports before 2025 do not say what a message answers: there the list is the conversation.
    """
    by_id = {text_in(one, "uuid"): one for one in messages}
    parents = [text_in(one, "parent_message_uuid") for one in messages]
    if not all(parents) or len(set(parents)) == len(parents):
        return messages
    current = leaf if leaf in by_id else text_in(messages[-1], "uuid")
    path: list[Mapping[str, Any]] = []
    while current in by_id:
        path.append(by_id.pop(current))  # so that a ring comes to an end
        current = text_in(path[-1], "parent_message_uuid")
    return path[::-1]


def _claude_text(message: Mapping[str, Any]) -> str:
    """What was said: the blocks of text; in older exports there is only `text`."""
    blocks = (one for one in list_in(message, "content") if text_in(one, "type") == "text")
    return "\n".join(filter(None, (text_in(one, "text") for one in blocks))) or text_in(
        message, "text"
    )


def _prose(text: str, file: str, project: str) -> Iterator[Found]:
    for entry in entries(text.split("\n")):
        if isinstance(entry, Skipped):
            yield entry
            continue
        yield NewMemory(
            entry.text,
            ("claude", "memory", project, entry.text),
            Source(file=file, line=entry.line),
            category=entry.category,
            project=project or entry.project,
        )


def _project(value: Mapping[str, Any], file: str, place: str, around: Around) -> Iterator[Found]:
    name, id = text_in(value, "name"), text_in(value, "uuid", "id")
    check_name(id, "id")
    since = instant_in(value, around.zone, "created_at")
    for field, category in (("description", "fact"), ("prompt_template", "config")):
        if text := text_in(value, field):
            yield NewMemory(
                f"{name}: {text}" if name else text,
                ("claude", "project", id, field),
                Source(file=file, line=1),
                category=category,
                project=name,
                since=since,
            )
    turns: list[Draft] = []
    for n, doc in enumerate(list_in(value, "docs")):
        if not (text := text_in(doc, "content")):
            continue
        try:
            at = instant_in(doc, around.zone, "created_at") or since
            text = _titled(text_in(doc, "filename"), text)
            session = f"claude-project-{id}"
            turns.append(_turn(n + 1, "tool", text, session, text_in(doc, "uuid"), at))
        except InputError as error:
            yield problem(file, f"{place}.docs[{n}]", error)
    if turns:
        yield Talk(tuple(turns))


# Claude Code


def is_claude_code_entry(value: object, head: bytes) -> bool:
    """Whether a file with this first line is a transcript; one too long to be parsed has marks."""
    if isinstance(value, dict) and is_claude_code(value):
        return True
    return head[:1] == b"{" and b'"sessionId":' in head and b'"parentUuid":' in head


def read_transcripts(package: Package, around: Around) -> Iterator[Found]:
    """A file of `~/.claude/projects`, or a folder of them.

    They are read as `loxodon follow` reads them, so that what was followed is not imported again.
    """
    files = [one for one in package.names if package.alone or one.lower().endswith(".jsonl")]
    for file in files:
        drafts, problems = AGENTS["claude-code"].read(
            split_lines(package.read(file)), file, around.zone
        )
        yield from (problem(file, line, error) for line, error in problems)
        for start in range(0, len(drafts), _BATCH):
            yield Talk(tuple(drafts[start : start + _BATCH]))
