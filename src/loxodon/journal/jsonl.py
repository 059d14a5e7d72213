"""Turns as JSON: one object a line, an array of them, or `{"messages": [...]}`.

    {"role": "user", "content": "…", "at": "2026-02-04T10:30:00+08:00", "session": "s1"}

`at` may be called timestamp, time, created_at or ts, and be a count of seconds or milliseconds;
`content` may be called text or message, and be a list of blocks as OpenAI and Anthropic write
them. `id`, `session`, `speaker`, `channel`, `chat` and `origin` are optional. Other fields are
ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from typing import Any

from loxodon.errors import InputError
from loxodon.journal import lines
from loxodon.journal.lines import Entry, FileLines, Read, Trouble, check_name, drafts_in, shown
from loxodon.journal.moments import read_instant
from loxodon.types import CHATS, ORIGIN_OF_ROLE, ORIGINS, Draft, Role

_WORDS_FOR: dict[Role, str] = {
    "user": "user human",
    "assistant": "assistant ai bot model",
    "tool": "tool toolresult tool_result function",
    "system": "system developer",
}
_ROLES = {word: role for role, words in _WORDS_FOR.items() for word in words.split()}
_TIME_FIELDS = ("at", "timestamp", "time", "created_at", "ts")
_TEXT_FIELDS = ("content", "text", "message")
_SESSION_FIELDS = ("session", "session_id")
_MEDIA = {name: f"[{name}]" for name in ("image", "audio", "video", "file")} | {
    "document": "[file]"
}
_TOOL_BLOCKS = ("tool_result", "toolResult", "function_call_output")
_LINES = 10**9  # more lines than a file has


def drafts_of(turns: Iterable[Entry], zone: tzinfo | None) -> list[Draft]:
    """Turns as drafts; one InputError for all that cannot be taken."""
    numbered = enumerate(turns, 1)
    drafts, problems = drafts_in(numbered, lambda n, turn: draft_from_mapping(turn, n, zone))
    if problems:
        place, first = problems[0]
        about: Any = {"hint": "{error_hint}", "problems": problems, "place": place, "error": first}
        raise InputError("turn {place} is invalid: {error}", **about)
    return drafts


def draft_from_mapping(value: Entry, line: int, zone: tzinfo | None) -> Draft:
    draft = _draft(line, value, zone)
    if draft is None:
        raise _no_text()
    return draft


def read_jsonl(file: FileLines, name: str, zone: tzinfo | None) -> Read:
    """The turns of a file, and the lines that are none; in a document, a line is a place."""
    numbered: Iterable[tuple[int, object]]
    problems: list[Trouble] = []
    try:
        document = json.loads("" if file.problems else "\n".join(file.texts))
        numbered = enumerate(document if isinstance(document, list) else [document], 1)
    except (ValueError, RecursionError):  # lines, each of which is a document
        numbered = lines.objects_in(file, problems)
    # Many messages on one line have many places: the same words twice are two turns.
    messages = (
        (number + place * _LINES, message)
        for number, value in numbered
        for place, message in enumerate(_messages_in(value))
    )
    drafts, bad = drafts_in(messages, partial(_draft, zone=zone))
    return drafts, [*problems, *((place % _LINES, error) for place, error in bad)]


def _messages_in(value: object) -> Sequence[object]:
    """The messages of a conversation, each with its session; else what it is itself."""
    messages = value.get("messages") if isinstance(value, Mapping) and "role" not in value else None
    if not isinstance(value, Mapping) or not isinstance(messages, list):
        return [value]
    session = next((value[n] for n in (*_SESSION_FIELDS, "id") if n in value), None)
    own: dict[str, Any] = {} if session is None else {"session": session}
    return [{**own, **one} if isinstance(one, dict) else one for one in messages]


def _draft(line: int, given: object, zone: tzinfo | None) -> Draft | None:
    """The turn in a mapping; None for one that only calls tools, which nobody said."""
    value = lines.as_object(given)
    role = role_named(value.get("role"))
    content = next((value[n] for n in _TEXT_FIELDS if value.get(n) is not None), "")
    text = text_of(content)
    blocks = content if isinstance(content, list | tuple) else ()
    if role == "user" and blocks and not text.strip():
        # Anthropic hands tool results over in the user's name; they are not the user's words.
        text = text_of(blocks, results=True)
        role = "tool" if text.strip() else role
    if not text.strip():
        # A call of a tool and a tool's empty answer are in order.
        if role == "tool" or value.get("tool_calls") or value.get("function_call") or blocks:
            return None
        raise _no_text()
    lines.check_text(text)
    at = next((value[n] for n in _TIME_FIELDS if value.get(n) not in (None, "")), None)
    return Draft(
        line,
        role,
        text,
        _name(value, *_SESSION_FIELDS),
        _name(value, "id"),
        None if at is None else read_instant(at, zone),
        _name(value, "speaker", "name"),
        _name(value, "channel"),
        _one_of(value, "chat", CHATS) or "direct",
        _one_of(value, "origin", ORIGINS) or ORIGIN_OF_ROLE[role],
    )


def role_named(role: object) -> Role:
    known = _ROLES.get(role.strip().lower()) if isinstance(role, str) else None
    if known is None:
        hint = "use user, assistant, system or tool"
        raise InputError("unknown role {role}", hint=hint, role=shown(role))
    return known


def text_of(content: object, *, results: bool = False) -> str:
    """The text of a message, without thinking and tools; with `results` what tools gave back."""
    if isinstance(content, str):
        return content
    texts: list[object] = []
    for block in content if isinstance(content, list | tuple) else [content]:
        kind = block.get("type", "text") if isinstance(block, Mapping) else "text"
        medium = str(kind).removeprefix("input_").removesuffix("_url")
        if results or kind in _TOOL_BLOCKS:
            if results and kind in _TOOL_BLOCKS and isinstance(block, Mapping):
                texts.append(text_of(block.get("content", block.get("output")) or ""))
        elif medium in _MEDIA:
            texts.append(_MEDIA[medium])
        elif kind in ("text", "input_text", "output_text", None):
            texts.append(block.get("text") if isinstance(block, Mapping) else block)
        # Else thinking, tool calls, and what is yet to be invented: not what was said
    for text in texts:
        if not isinstance(text, str):
            hint = "use a string, or a list of blocks with a type and a text"
            name = type(text).__name__
            raise InputError("the content must be text, not {type}", hint=hint, type=name)
    return "\n".join(str(text) for text in texts if text)


def _no_text() -> InputError:
    return InputError("the message has no text", hint="add content, or remove the message")


def _name(value: Entry, *fields: str) -> str:
    field = next((name for name in fields if value.get(name) is not None), "")
    found = value[field] if field else ""
    if isinstance(found, int) and not isinstance(found, bool) and abs(found) < 10**100:
        found = str(found)
    if not isinstance(found, str):
        hint = "use a string, or omit it"
        name = type(found).__name__
        raise InputError("the {field} must be text, not {type}", hint=hint, field=field, type=name)
    check_name(found, field)
    return found


def _one_of(value: Entry, field: str, known: Sequence[Any]) -> Any:
    """A word of those known, or None; raises InputError for another."""
    found = value.get(field)
    if found is not None and found not in known:
        hint = "use one of {known}, or omit it"
        about: Any = {"field": field, "value": shown(found), "known": ", ".join(known)}
        raise InputError("unknown {field} {value}", hint=hint, **about)
    return found
