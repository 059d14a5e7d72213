"""An export of Claude: the archive, its folder, or a file out of it.

    conversations.json   turns; text that was attached becomes turns of its own, read from a file
    memories.json        what Claude knows of the user and of each project: memories
    projects.json        (or projects/*.json) descriptions become memories, documents turns

Where a message was edited or asked for anew, only the branch that goes on is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loxodon.errors import InputError
from loxodon.journal.lines import check_name, check_text
from loxodon.types import Draft, Role, Source
from loxodon.workspace.imports.chatgpt import files_of
from loxodon.workspace.imports.claims import TRUST
from loxodon.workspace.imports.document import elements, instant_in, text_in
from loxodon.workspace.imports.found import Around, Found, NewMemory, Skipped, Talk, problem_at
from loxodon.workspace.imports.notes import entries
from loxodon.workspace.imports.package import Package

FORMAT = "claude"
_ROLES: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}


def is_conversation(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("chat_messages"), list)


def is_memory(value: object) -> bool:
    return isinstance(value, Mapping) and (
        isinstance(value.get("conversations_memory"), str)
        or isinstance(value.get("project_memories"), Mapping)
    )


def is_project(value: object) -> bool:
    return isinstance(value, Mapping) and (
        "prompt_template" in value or ("docs" in value and "name" in value)
    )


def _other_files(package: Package) -> list[str]:
    """The files beside the conversations that have something to remember; projects first, because
    memories name them."""
    chosen: list[tuple[int, str]] = []
    for name in package.names:
        parts = name.lower().split("/")
        if not parts[-1].endswith(".json"):
            continue
        if parts[-1] == "projects.json" or "projects" in parts[:-1]:
            chosen.append((0, name))
        elif parts[-1] == "memories.json" or "memories" in parts[:-1]:
            chosen.append((1, name))
    return [name for _, name in sorted(chosen)]


def read(package: Package, around: Around) -> Iterator[Found]:
    alone = not (package.is_folder or package.is_archive)
    others = [] if alone else _other_files(package)
    files = [*others, *(name for name in files_of(package) if name not in others)]
    if not files:
        raise InputError(
            "{file} does not contain conversations.json",
            hint="use the original Claude archive, or a file from it",
            file=package.name,
        )
    projects: dict[str, str] = {}
    for name in files:
        for place, value in elements(package, name, ("conversations", "projects")):
            if is_conversation(value):
                yield from _conversation(value, name, place, around)
            elif is_memory(value):
                yield from _memories(value, name, projects)
            elif is_project(value):
                projects[text_in(value, "uuid")] = text_in(value, "name").strip()
                yield from _project(value, name, place, around)
            else:
                yield problem_at(name, place or ".", _unknown())


def _unknown() -> InputError:
    return InputError("this is not part of a Claude export")


# Conversations


def _conversation(
    value: Mapping[str, Any], file: str, place: str, around: Around
) -> Iterator[Found]:
    id = text_in(value, "uuid", "id")
    try:
        check_name(id, "session")
        if not id:
            raise InputError(
                "the conversation has no id", hint="importing it again would add it twice"
            )
    except InputError as error:
        yield problem_at(file, place, error)
        return
    messages = [one for one in value["chat_messages"] if isinstance(one, Mapping)]
    path = _live_branch(messages, value.get("current_leaf_message_uuid"))
    if len(path) < len(messages):
        yield Skipped("branch", len(messages) - len(path))
    turns: list[Draft] = []
    for number, message in enumerate(path, 1):
        try:
            turns += _message(message, number * _ROOM, f"{FORMAT}-{id}", around)
        except InputError as error:
            yield problem_at(file, f"{place}.chat_messages[{number - 1}]", error)
    if turns:
        yield Talk(tuple(turns))


_READ: Role = "tool"
"""Who says what stands in a document: nobody, it was read."""
_ROOM = 1_000
"""Places that a message leaves for what is attached to it."""


def _live_branch(messages: list[Mapping[str, Any]], leaf: object) -> list[Mapping[str, Any]]:
    """The messages up to the leaf that was shown last, or to the last; all where none branch off.

    Exports before 2025 do not say what a message answers: there the list is the conversation.
    """
    by_id = {text_in(one, "uuid"): one for one in messages}
    parents = [text_in(one, "parent_message_uuid") for one in messages]
    if not all(parents) or len(set(parents)) == len(parents) or not messages:
        return messages
    current = leaf if isinstance(leaf, str) and leaf in by_id else text_in(messages[-1], "uuid")
    path: list[Mapping[str, Any]] = []
    while current in by_id:
        one = by_id.pop(current)  # so that a ring comes to an end
        path.append(one)
        current = text_in(one, "parent_message_uuid")
    return path[::-1]


def _message(
    message: Mapping[str, Any], line: int, session: str, around: Around
) -> Iterator[Draft]:
    role = _ROLES.get(str(message.get("sender", message.get("role"))))
    if role is None:
        raise InputError(
            "unknown sender {sender}",
            hint="it must be human or assistant",
            sender=repr(message.get("sender"))[:60],
        )
    id = text_in(message, "uuid", "id")
    check_name(id, "id")
    at = instant_in(message, around.zone, "created_at")
    draft = Draft(line, role, "", session, id, at, channel=FORMAT)
    text = _text(message)
    if text:
        check_text(text)
        yield draft._replace(content=text)
    attachments = message.get("attachments")
    for n, one in enumerate(attachments if isinstance(attachments, list) else (), 1):
        attached = text_in(one, "extracted_content").strip() if isinstance(one, Mapping) else ""
        if attached:
            name = text_in(one, "file_name").strip()
            attached = f"{name}\n{attached}" if name else attached
            check_text(attached)
            yield draft._replace(
                line=line + n,
                role=_READ,
                origin=TRUST,
                id=f"{id}/{n}" if id else "",
                content=attached,
            )


def _text(message: Mapping[str, Any]) -> str:
    """What was said: the blocks of text; in older exports there is only `text`."""
    blocks = message.get("content")
    texts = [
        block["text"]
        for block in (blocks if isinstance(blocks, list) else ())
        if isinstance(block, Mapping)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    ]
    said = "\n".join(text.strip() for text in texts if text.strip())
    return said or text_in(message, "text").strip()


# What Claude keeps of itself


def _memories(value: Mapping[str, Any], file: str, projects: Mapping[str, str]) -> Iterator[Found]:
    yield from _prose(text_in(value, "conversations_memory"), file, "")
    by_project = value.get("project_memories")
    for id, text in by_project.items() if isinstance(by_project, Mapping) else ():
        if isinstance(text, str):
            yield from _prose(text, file, projects.get(id, ""))


def _prose(text: str, file: str, project: str) -> Iterator[Found]:
    for entry in entries(text.split("\n")):
        if isinstance(entry, Skipped):
            yield entry
            continue
        yield NewMemory(
            entry.text,
            (FORMAT, "memory", project, entry.text),
            Source(file=file, line=entry.line),
            category=entry.category,
            project=project or entry.project,
        )


def _project(value: Mapping[str, Any], file: str, place: str, around: Around) -> Iterator[Found]:
    name, id = text_in(value, "name").strip(), text_in(value, "uuid", "id")
    since = None
    try:
        since = instant_in(value, around.zone, "created_at")
        check_name(id, "id")
    except InputError as error:
        yield problem_at(file, place or ".", error)
        return
    for field, category in (("description", "fact"), ("prompt_template", "config")):
        text = text_in(value, field).strip()
        if text:
            yield NewMemory(
                f"{name}: {text}" if name else text,
                (FORMAT, "project", id, field),
                Source(file=file, line=1),
                category=category,
                project=name,
                since=since,
            )
    docs = value.get("docs")
    turns = []
    for n, doc in enumerate(docs if isinstance(docs, list) else (), 1):
        if not isinstance(doc, Mapping) or not text_in(doc, "content").strip():
            continue
        title, text = text_in(doc, "filename").strip(), text_in(doc, "content").strip()
        try:
            at = instant_in(doc, around.zone, "created_at") or since
            check_text(text)
            check_name(text_in(doc, "uuid"), "id")
        except InputError as error:
            yield problem_at(file, f"{place}.docs[{n - 1}]", error)
            continue
        turns.append(
            Draft(
                n,
                _READ,
                f"{title}\n{text}" if title else text,
                f"{FORMAT}-project-{id}",
                text_in(doc, "uuid"),
                at,
                channel=FORMAT,
                origin=TRUST,
            )
        )
    if turns:
        yield Talk(tuple(turns))
