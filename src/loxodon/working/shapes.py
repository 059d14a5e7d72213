"""Messages as chat completions have them: `role`, `content` (text or parts), and for tools
`tool_calls` and `tool_call_id`. A transcript keeps them so; one that OpenClaw or an earlier version
wrote is read all the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from loxodon.errors import InputError

Message = Mapping[str, Any]  # A message as it is sent to a model

ROLES = ("system", "developer", "user", "assistant", "tool")
_SHAPE = "chat"
_ABOUT = ("shape", "timestamp", "usage")  # what a transcript says of a message
_IMAGES = ("image", "image_url", "input_image")


def checked(message: str | Message) -> dict[str, Any]:
    """A message that can be kept and sent; text alone is the user's. InputError if it cannot."""
    if isinstance(message, str):
        return {"role": "user", "content": message}
    role = message.get("role") if isinstance(message, Mapping) else None
    if role not in ROLES:
        raise InputError(
            "{role} is not a message role",
            hint="use one of {roles}",
            role=repr(role)[:60],
            roles=", ".join(ROLES),
        )
    content = message.get("content")
    good = isinstance(content, str) or (content is None and role == "assistant")
    if isinstance(content, Sequence):
        good = good or all(isinstance(part, Mapping) for part in content)
    if not good:
        raise InputError(
            "the content of a message is neither text nor a list of parts",
            hint='write it as text, or as [{"type": "text", "text": "…"}]',
        )
    return dict(message)


def text_of(message: Message) -> str:
    """The words of a message; images and other parts have none."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def images_in(message: Message) -> int:
    """How many images a message has."""
    content = message.get("content")
    parts = content if isinstance(content, list | tuple) else ()
    return sum(isinstance(part, Mapping) and part.get("type") in _IMAGES for part in parts)


def calls_in(message: Message) -> list[Mapping[str, Any]]:
    """The tool calls of an assistant's message."""
    calls = message.get("tool_calls")
    if message.get("role") != "assistant" or not isinstance(calls, list | tuple):
        return []
    return [call for call in calls if isinstance(call, Mapping)]


def call_id(call: Mapping[str, Any]) -> str:
    """The id by which a tool's result names its call."""
    return str(call.get("id") or "")


def call_name(call: Mapping[str, Any]) -> str:
    """Which tool is called."""
    function = call.get("function")
    name = function.get("name") if isinstance(function, Mapping) else call.get("name")
    return name if isinstance(name, str) else ""


def call_arguments(call: Mapping[str, Any]) -> str:
    """What a tool is called with, as the model wrote it."""
    function = call.get("function")
    arguments = function.get("arguments") if isinstance(function, Mapping) else call.get("input")
    return arguments if isinstance(arguments, str) else json.dumps(arguments, default=str)


def to_kept(message: Message, at: datetime) -> dict[str, Any]:
    """A sent message as a transcript has it."""
    return {**message, "shape": _SHAPE, "timestamp": int(at.timestamp() * 1_000)}


def to_sent(kept: Mapping[str, Any]) -> dict[str, Any] | None:
    """A message of a transcript as it is sent; None for one that no model takes."""
    if kept.get("shape") == _SHAPE:
        return {name: value for name, value in kept.items() if name not in _ABOUT}
    # As OpenClaw has it, and as transcripts had it before: `toolResult`, blocks `toolCall`, `image`
    role = "tool" if kept.get("role") == "toolResult" else kept.get("role")
    if role not in ROLES:
        return None
    content = kept.get("content")
    sent: dict[str, Any] = {"role": role, "content": content if isinstance(content, str) else ""}
    if isinstance(content, list):
        blocks = [block for block in content if isinstance(block, Mapping)]
        calls = [_call(block) for block in blocks if block.get("type") == "toolCall"]
        said = [block for block in blocks if block.get("type") not in ("toolCall", "thinking")]
        sent["content"] = [_part(block) for block in said]
        if role != "user" and all(block.get("type") == "text" for block in said):
            sent["content"] = "\n".join(str(block.get("text", "")) for block in said)
        if calls and role == "assistant":
            sent |= {"content": sent["content"] or None, "tool_calls": calls}
    if role == "tool":
        sent["tool_call_id"] = str(kept.get("toolCallId") or "")
    name = kept.get("toolName") if role == "tool" else kept.get("name")
    sent |= {"name": name} if isinstance(name, str) and name else {}
    return sent | _mapping(kept.get("extra"))


def _part(block: Mapping[str, Any]) -> dict[str, Any]:
    if block.get("type") != "image" or not isinstance(block.get("data"), str):
        return dict(block)
    url = f"data:{block.get('mimeType', '')};base64,{block['data']}"
    return {"type": "image_url", "image_url": {"url": url, **_mapping(block.get("extra"))}}


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(block.get("call"), Mapping):
        return dict(block["call"])
    written = block.get("partialArgs")
    if not isinstance(written, str):
        written = json.dumps(block.get("arguments") or {}, ensure_ascii=False)
    function = {"name": str(block.get("name") or ""), "arguments": written}
    return {"id": str(block.get("id") or ""), "type": "function", "function": function}


def _mapping(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}
