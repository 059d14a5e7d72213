"""Turns as JSON: one object a line, an array of them, or `{"messages": [...]}`.

    {"role": "user", "content": "…", "at": "2026-02-04T10:30:00+08:00", "session": "s1"}

`at` may be called timestamp, time, created_at or ts, and be a count of seconds or milliseconds;
`content` may be called text or message, and be a list of blocks as OpenAI and Anthropic write
them. `id`, `session`, `speaker`, `channel`, `chat` and `origin` are optional. Other fields are
ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from typing import NoReturn

from loxodon.clock import in_zone
from loxodon.errors import InputError
from loxodon.types import CHATS, ORIGIN_OF_ROLE, ORIGINS, Chat, Draft, Origin, Role
from loxodon.workspace.readers.lines import FileLines, Trouble, check_name, check_text, shown

ROLE_NAMES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "tool": "tool",
    "toolresult": "tool",
    "tool_result": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}
_TIME_FIELDS = ("at", "timestamp", "time", "created_at", "ts")
_TEXT_FIELDS = ("content", "text", "message")

_SHOWN_BLOCKS = {
    "image": "[image]",
    "image_url": "[image]",
    "input_image": "[image]",
    "audio": "[audio]",
    "input_audio": "[audio]",
    "video": "[video]",
    "file": "[file]",
    "input_file": "[file]",
    "document": "[file]",
}
_TOOL_BLOCKS = ("tool_result", "toolResult", "function_call_output")


def draft_from_mapping(value: Mapping[str, object], line: int, zone: tzinfo | None) -> Draft:
    """One turn from one mapping; raises InputError where it is not a turn."""
    if not isinstance(value, Mapping):  # callers of the library are not all type-checked
        raise InputError(
            "the turn must be a mapping, not {type}",
            hint="write each turn as a dict with a role and content",
            type=type(value).__name__,
        )
    draft = _draft(value, line, zone)
    if draft is None:
        _no_text()
    return draft


def role_named(role: object) -> Role:
    """The role that a word stands for; raises InputError for an unknown one."""
    if isinstance(role, str):
        known = ROLE_NAMES.get(role) or ROLE_NAMES.get(role.strip().lower())
        if known:
            return known
    if role is None:
        raise InputError(
            "the message has no role", hint="give it a role: user, assistant, system or tool"
        )
    raise InputError(
        "unknown role {role}", hint="use user, assistant, system or tool", role=shown(role)
    )


def text_of(content: object) -> str:
    """The text of a message: a string, or blocks of which thinking and tool calls are left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list | tuple):
        raise InputError(
            "the content must be text, not {type}",
            hint="use a string, or a list of blocks with a type and a text",
            type=type(content).__name__,
        )
    return _joined(content)


def _joined(blocks: list[object] | tuple[object, ...], kinds: tuple[str, ...] = ()) -> str:
    """The text of the blocks of these kinds; of all but tool results where none are named."""
    texts: list[str] = []
    for block in blocks:
        if isinstance(block, str):
            if not kinds:
                texts.append(block)
            continue
        if not isinstance(block, Mapping):
            raise InputError(
                "the list of blocks in the content contains {type}",
                hint="each block needs a type and a text",
                type=type(block).__name__,
            )
        kind = block.get("type")
        if kind in _TOOL_BLOCKS:
            if kinds:
                inner = block.get("content", block.get("output", ""))
                texts.append(text_of(inner) if inner is not None else "")
        elif not kinds:
            texts.append(_block_text(block, kind))
    return "\n".join(text for text in texts if text)


def _block_text(block: Mapping[str, object], kind: object) -> str:
    if isinstance(kind, str) and kind in _SHOWN_BLOCKS:
        return _SHOWN_BLOCKS[kind]
    if kind is not None and kind not in ("text", "input_text", "output_text"):
        return ""  # thinking, tool calls, and what is yet to be invented: not what was said
    text = block.get("text")
    if not isinstance(text, str):
        raise InputError(
            "the text of a block must be a string, not {type}",
            hint="use a string",
            type=type(text).__name__,
        )
    return text


def instant_in(value: Mapping[str, object], zone: tzinfo | None) -> datetime | None:
    """The time in any of the fields that may hold it; None where there is none."""
    for field in _TIME_FIELDS:
        found = value.get(field)
        if found is None or found == "":
            continue
        if isinstance(found, str) and found[4:5] == "-":  # the usual way, kept quick
            try:
                moment = datetime.fromisoformat(found)
            except ValueError:
                pass
            else:
                if 1 < moment.year < 9999:
                    return moment if moment.tzinfo is not None else in_zone(moment, zone)
        from loxodon.workspace.readers.moments import read_instant

        return read_instant(found, zone)
    return None


def _draft(value: Mapping[str, object], line: int, zone: tzinfo | None) -> Draft | None:
    """The turn in a mapping; None for one that only calls tools, which nobody said."""
    role, text, content = _said(value)
    if not text or text.isspace():
        if _says_nothing(value, role, content):
            return None
        _no_text()
    check_text(text)
    return Draft(
        line,
        role,
        text,
        _name(value, "session", "session_id"),
        _name(value, "id"),
        instant_in(value, zone),
        _name(value, "speaker", "name"),
        _name(value, "channel"),
        _chat(value.get("chat")),
        _origin(value.get("origin"), role),
    )


def _said(value: Mapping[str, object]) -> tuple[Role, str, object]:
    """Who says what, and the content that this was taken from."""
    role = role_named(value.get("role"))
    content: object = None
    for field in _TEXT_FIELDS:
        content = value.get(field)
        if content is not None:
            break
    if isinstance(content, str):
        return role, content, content
    if content is None:
        return role, "", content
    text = text_of(content)
    if role == "user" and not text.strip() and isinstance(content, list | tuple):
        # Anthropic hands tool results over in the user's name; they are not the user's words.
        results = _joined(content, _TOOL_BLOCKS)
        if results.strip():
            return "tool", results, content
    return role, text, content


def _says_nothing(value: Mapping[str, object], role: Role, content: object) -> bool:
    """Whether a message without text is in order: a call of a tool, or a tool's empty answer."""
    if role == "tool" or value.get("tool_calls") or value.get("function_call"):
        return True
    return isinstance(content, list | tuple) and len(content) > 0


def _no_text() -> NoReturn:
    raise InputError("the message has no text", hint="add content, or remove the message")


def _name(value: Mapping[str, object], *fields: str) -> str:
    for field in fields:
        found = value.get(field)
        if found is None:
            continue
        if isinstance(found, int) and not isinstance(found, bool) and abs(found) < 10**100:
            found = str(found)
        if not isinstance(found, str):
            raise InputError(
                "the {field} must be text, not {type}",
                hint="use a string, or omit it",
                field=field,
                type=type(found).__name__,
            )
        check_name(found, field)
        return found
    return ""


def _chat(value: object) -> Chat:
    if value is None:
        return "direct"
    if value in CHATS:
        return value
    raise InputError(
        "unknown chat type {chat}", hint="use direct, group or room, or omit it", chat=shown(value)
    )


def _origin(value: object, role: Role) -> Origin:
    if value is None:
        return ORIGIN_OF_ROLE[role]
    if value in ORIGINS:
        return value
    raise InputError(
        "unknown origin {origin}",
        hint="use user, assistant, tool, web, file, group or import, or omit it",
        origin=shown(value),
    )


def parse_line(text: str, *, cut: bool = False) -> object:
    """The JSON value of one line; `cut` says that the line has no end yet. Raises InputError."""
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise InputError(
            "the JSON is nested too deeply",
            hint="a message needs no nesting beyond its list of blocks",
        ) from None
    except ValueError as error:
        if cut and not text.rstrip().endswith("}"):
            raise InputError(
                "the last line is cut off",
                hint="if it is still being written, read the file again later",
            ) from None
        raise _not_json(error) from None


def _not_json(error: ValueError) -> InputError:
    # Not every ValueError is a JSONDecodeError: a number of 5,000 digits raises a plain one.
    return InputError(
        "the line is not JSON: {reason} at column {column}",
        hint="write one JSON object per line",
        reason=getattr(error, "msg", "a number is too long").removesuffix(" starting at"),
        column=getattr(error, "colno", 1),
    )


def as_object(value: object) -> Mapping[str, object]:
    """`value` where it is a JSON object; raises InputError for any other."""
    if isinstance(value, Mapping):
        return value
    raise InputError(
        "the line is a JSON {type}, not an object",
        hint="write one JSON object per line, with a role and content",
        type={"str": "string", "NoneType": "null", "bool": "boolean"}.get(
            type(value).__name__, "array" if isinstance(value, list) else "number"
        ),
    )


def read_jsonl(
    lines: FileLines, name: str, zone: tzinfo | None
) -> tuple[list[Draft], list[Trouble]]:
    """The turns of a file, and the lines that are none.

    In a file that is one JSON array or object, a line is the place of the message in it.
    """
    drafts: list[Draft] = []
    problems = list(lines.problems)
    document, broken = _document(lines)
    if document is not None:
        for place, value in enumerate(document, 1):
            _take(value, place, zone, drafts, problems)
        return drafts, problems
    last = 0 if lines.whole else len(lines.texts)
    for number, text in enumerate(lines.texts, 1):
        if not text or text.isspace():
            continue
        try:
            value = parse_line(text, cut=number == last)
        except InputError as error:
            problems.append((number, error))
            continue
        _take(value, number, zone, drafts, problems)
    if broken is not None and not drafts and len(problems) > 1:
        return drafts, [broken]  # one mistake in a document, not one in each of its lines
    return drafts, problems


_LINES = 10**9
"""More lines than a file has."""


def _take(
    value: object, line: int, zone: tzinfo | None, drafts: list[Draft], problems: list[Trouble]
) -> None:
    """Add the turns of one JSON value: a message, or a conversation with its messages."""
    try:
        mapping = as_object(value)
        messages = mapping.get("messages")
        if not isinstance(messages, list) or "role" in mapping:
            draft = _draft(mapping, line, zone)
            if draft is not None:
                drafts.append(draft)
            return
        session = _name(mapping, "session", "session_id", "id")
    except InputError as error:
        problems.append((line, error))
        return
    for place, message in enumerate(messages):
        try:
            draft = _draft(as_object(message), line, zone)
        except InputError as error:
            problems.append((line, error))
            continue
        if draft is not None:
            # Many messages on one line stand at many places: the same words twice are two turns.
            draft = draft._replace(line=line + place * _LINES)
            drafts.append(draft if draft.session else draft._replace(session=session))


def _document(lines: FileLines) -> tuple[list[object] | None, Trouble | None]:
    """The messages of a file that is one JSON value, or what is wrong with it if it tries to be."""
    first = next((text for text in lines.texts if text and not text.isspace()), "")
    if first.lstrip()[:1] not in ("[", "{") or None in lines.texts:
        return None, None
    import json

    try:
        alone = json.loads(first)
    except (ValueError, RecursionError):
        alone = None
    if isinstance(alone, dict):
        return None, None  # one object a line
    try:
        value = json.loads("\n".join(text or "" for text in lines.texts))
    except RecursionError:
        return None, None
    except ValueError as error:
        trouble = None if alone is not None else (getattr(error, "lineno", 1), _not_json(error))
        return None, trouble
    if isinstance(value, list):
        return value, None
    return _messages_of(value), None


def _messages_of(value: object) -> list[object]:
    """The messages of a conversation spread over lines, each with the session it is in."""
    if (
        not isinstance(value, dict)
        or "role" in value
        or not isinstance(value.get("messages"), list)
    ):
        return [value]
    session = value.get("session", value.get("session_id", value.get("id")))
    if session is None:
        return list(value["messages"])
    return [
        {"session": session, **message} if isinstance(message, dict) else message
        for message in value["messages"]
    ]


def drafts_of(turns: Iterable[Mapping[str, object]], zone: tzinfo | None) -> list[Draft]:
    """Turns as drafts; one InputError for all that cannot be taken."""
    drafts: list[Draft] = []
    problems: list[tuple[int, InputError]] = []
    for place, turn in enumerate(turns, 1):
        try:
            drafts.append(draft_from_mapping(turn, place, zone))
        except InputError as error:
            problems.append((place, error))
    if problems:
        place, first = problems[0]
        raise InputError(
            "turn {place} is invalid: {error}",
            hint="{error_hint}",
            problems=problems,
            place=place,
            error=first,
        )
    return drafts
