"""An export of ChatGPT: the archive, its folder, or `conversations.json` out of it.

A conversation is a tree: what was edited or asked for anew stands beside what came of it. Only the
branch that was on the screen last is taken. What the user and the assistant said become turns; what
tools and hidden messages said does not. What ChatGPT was told to remember (its tool `bio`) becomes
memories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loxodon.errors import InputError
from loxodon.journal.lines import check_name, check_text
from loxodon.types import Draft, FileProblem, Role, Source
from loxodon.workspace.imports.document import elements, instant_in, text_in
from loxodon.workspace.imports.found import Around, Found, NewMemory, Skipped, Talk, problem_at
from loxodon.workspace.imports.package import Package

FORMAT = "chatgpt"
_SAID = ("text", "multimodal_text", "code")
_PICTURES = ("image_asset_pointer", "image")
_SOUNDS = ("audio_asset_pointer", "real_time_user_audio_video_asset_pointer")
_MEMORY_TOOL = "bio"


def files_of(package: Package) -> list[str]:
    """The files that have conversations: one, or numbered pieces of it."""
    found = []
    for name in package.names:
        base = name.rsplit("/", 1)[-1].lower()
        number = base.removeprefix("conversations").removesuffix(".json").lstrip("-_")
        conversations = base.startswith("conversations") and base.endswith(".json")
        if conversations and (not number or number.isdecimal()):
            found.append(name)
    return found or ([] if package.is_folder or package.is_archive else package.names)


def is_conversation(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("mapping"), Mapping)


def read(package: Package, around: Around) -> Iterator[Found]:
    files = files_of(package)
    if not files:
        raise InputError(
            "{file} does not contain conversations.json",
            hint="use the original ChatGPT archive, or its conversations.json",
            file=package.name,
        )
    for name in files:
        for place, value in elements(package, name, ("conversations",)):
            if is_conversation(value):
                yield from _conversation(value, name, place, around)
            else:
                yield problem_at(name, place or ".", _no_conversation())


def _no_conversation() -> InputError:
    return InputError(
        "this is not a ChatGPT conversation", hint="a conversation has a `mapping` of its messages"
    )


def _conversation(
    value: Mapping[str, Any], file: str, place: str, around: Around
) -> Iterator[Found]:
    if value.get("is_do_not_remember"):
        yield Skipped("private")
        return
    id = text_in(value, "conversation_id", "id")
    try:
        check_name(id, "session")
        if not id:
            raise InputError(
                "the conversation has no id", hint="importing it again would add it twice"
            )
    except InputError as error:
        yield problem_at(file, place, error)
        return
    mapping: Mapping[str, Any] = value["mapping"]
    path = _live_branch(value.get("current_node"), mapping)
    turns: list[Draft] = []
    for number, node_id in enumerate(path, 1):
        message = mapping[node_id].get("message")
        if isinstance(message, Mapping):
            found = _message(message, number, id, around)
            if isinstance(found, Draft):
                turns.append(found)
            elif isinstance(found, InputError):
                yield problem_at(file, f"{place}.mapping.{str(node_id)[:60]}", found)
            elif found is not None:
                yield found
    beside = sum(map(_has_text, mapping.values())) - sum(_has_text(mapping[one]) for one in path)
    if beside > 0:
        yield Skipped("branch", beside)
    if turns:
        yield Talk(tuple(turns))


def _live_branch(leaf: object, mapping: Mapping[str, Any]) -> list[str]:
    """The ids of the nodes from the root to the leaf that was shown last.

    Without a leaf (older exports, or one that is not there) it is the newest message.
    """
    if not isinstance(leaf, str) or leaf not in mapping:
        leaf = max(mapping, key=lambda node: _time(mapping[node]), default=None)
    path: list[str] = []
    seen: set[str] = set()
    while isinstance(leaf, str) and leaf in mapping and leaf not in seen:
        node = mapping[leaf]
        if not isinstance(node, Mapping):
            break
        seen.add(leaf)
        path.append(leaf)
        leaf = node.get("parent")
    return path[::-1]


def _time(node: object) -> float:
    message = node.get("message") if isinstance(node, Mapping) else None
    time = message.get("create_time") if isinstance(message, Mapping) else None
    return float(time) if isinstance(time, int | float) and abs(time) < 1e15 else 0.0


def _has_text(node: object) -> bool:
    """Whether a node is something that a person or the assistant said."""
    message = node.get("message") if isinstance(node, Mapping) else None
    if not isinstance(message, Mapping):
        return False
    author = message.get("author")
    role = author.get("role") if isinstance(author, Mapping) else None
    return role in ("user", "assistant") and not _left_out(message, role) and bool(_text(message))


_ROLES: tuple[Role, ...] = ("user", "assistant")


def _message(
    message: Mapping[str, Any], number: int, session: str, around: Around
) -> Draft | NewMemory | Skipped | InputError | FileProblem | None:
    author = message.get("author")
    author = author if isinstance(author, Mapping) else {}
    role = author.get("role")
    if role == "assistant" and message.get("recipient") == _MEMORY_TOOL:
        return _remembered(message, session, around)
    reason = _left_out(message, role)
    if reason:
        return Skipped(reason)
    text = _text(message)
    if not text:
        return None
    try:
        check_text(text)
        id = text_in(message, "id")
        check_name(id, "id")
        at = instant_in(message, around.zone, "create_time", "update_time")
    except InputError as error:
        return error
    said_by = _ROLES[_ROLES.index(role)]
    return Draft(number, said_by, text, f"{FORMAT}-{session}", id, at, channel=FORMAT)


def _left_out(message: Mapping[str, Any], role: object) -> str:
    """Why a message is not taken; empty for one that is."""
    metadata = message.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    if role == "system" or metadata.get("is_visually_hidden_from_conversation"):
        return "hidden"
    if role not in _ROLES or message.get("recipient") not in (None, "", "all"):
        return "tools"
    content = message.get("content")
    kind = content.get("content_type") if isinstance(content, Mapping) else "text"
    return "" if kind in (None, *_SAID) else "hidden"  # thoughts, recaps, what the user set up


def _text(message: Mapping[str, Any]) -> str:
    """What was said; pictures and sounds are named, their transcripts are taken."""
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, Mapping):
        return ""
    parts = content.get("parts")
    if not isinstance(parts, list):
        return text_in(content, "text", "result").strip()
    return "\n".join(text for part in parts if (text := _part(part).strip()))


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return ""
    kind = part.get("content_type")
    if kind in _PICTURES:
        return "[image]"
    if kind in _SOUNDS:
        return "[audio]"
    return text_in(part, "text")  # an audio transcription, and what is yet to be invented


def _remembered(
    message: Mapping[str, Any], session: str, around: Around
) -> NewMemory | Skipped | InputError:
    """What ChatGPT put into its own memory; what it took out of there is no memory."""
    text = _text(message).removesuffix(".").strip()
    if not text or text.startswith(("{", "[")) or text.lower().startswith("forget"):
        return Skipped("tools")
    id = text_in(message, "id")
    try:
        since = instant_in(message, around.zone, "create_time")
    except InputError as error:
        return error
    return NewMemory(
        text,
        (FORMAT, "bio", session, id or text),
        Source(f"{FORMAT}-{session}", id[:512]),
        since=since,
    )
