"""Messages in the two shapes that they have: sent to a model, and kept in a transcript.

A message that is sent is as chat completions have it: `role`, `content` (text or parts), and for
tools `tool_calls` and `tool_call_id`. In a transcript it is as OpenClaw writes it: blocks `text`,
`image` and `toolCall`, and the role `toolResult`. What one shape has and the other has no place for
is kept beside it (`extra`), so that a message comes back as it was said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from loxodon.errors import InputError

Message = Mapping[str, Any]  # A message as it is sent to a model

ROLES = ("system", "developer", "user", "assistant", "tool")
_KNOWN = frozenset({"role", "content", "tool_calls", "tool_call_id", "name"})
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
    role = message["role"]
    kept: dict[str, Any] = {"role": "toolResult" if role == "tool" else role}
    if role == "tool":
        kept["toolCallId"] = message.get("tool_call_id", "")
        kept["toolName"] = message.get("name") or ""
        kept["isError"] = False
    elif message.get("name"):
        kept["name"] = message["name"]
    content = message.get("content")
    blocks = content if isinstance(content, str) else [_block(part) for part in content or ()]
    if calls := calls_in(message):
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}] if blocks else []
        blocks += [_call_block(call) for call in calls]
    kept["content"] = blocks
    extra = {name: value for name, value in message.items() if name not in _KNOWN and value}
    if extra:
        kept["extra"] = extra
    kept["timestamp"] = int(at.timestamp() * 1_000)
    return kept


def to_sent(kept: Mapping[str, Any]) -> dict[str, Any] | None:
    """A message of a transcript as it is sent; None for one that no model takes."""
    role = "tool" if kept.get("role") == "toolResult" else kept.get("role")
    if role not in ROLES:
        return None
    sent: dict[str, Any] = {"role": role}
    content = kept.get("content")
    if isinstance(content, list):
        blocks = [block for block in content if isinstance(block, Mapping)]
        calls = [_call(block) for block in blocks if block.get("type") == "toolCall"]
        sent["content"] = _parts(blocks, flat=role in ("assistant", "tool"))
        if calls and role == "assistant":
            sent["content"] = sent["content"] or None
            sent["tool_calls"] = calls
    else:
        sent["content"] = content if isinstance(content, str) else ""
    if role == "tool":
        sent["tool_call_id"] = str(kept.get("toolCallId") or "")
    name = kept.get("toolName") if role == "tool" else kept.get("name")
    if isinstance(name, str) and name:
        sent["name"] = name
    extra = kept.get("extra")
    return sent | dict(extra) if isinstance(extra, Mapping) else sent


def _block(part: Mapping[str, Any]) -> dict[str, Any]:
    given = part.get("image_url")
    address: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    url = address.get("url")
    if part.get("type") != "image_url" or not isinstance(url, str) or not url.startswith("data:"):
        return dict(part)
    kind, _, data = url.removeprefix("data:").partition(";base64,")
    more = {name: value for name, value in address.items() if name != "url"}
    return {"type": "image", "data": data, "mimeType": kind, **({"extra": more} if more else {})}


def _parts(blocks: Sequence[Mapping[str, Any]], flat: bool) -> str | list[dict[str, Any]]:
    """What is said in blocks; text alone as text where that is how it is sent (`flat`)."""
    said = [block for block in blocks if block.get("type") not in ("toolCall", "thinking")]
    if flat and all(block.get("type") == "text" for block in said):
        return "\n".join(str(block.get("text", "")) for block in said)
    return [_part(block) for block in said]


def _part(block: Mapping[str, Any]) -> dict[str, Any]:
    if block.get("type") != "image" or not isinstance(block.get("data"), str):
        return dict(block)
    url = f"data:{block.get('mimeType', '')};base64,{block['data']}"
    extra = block.get("extra")
    more = dict(extra) if isinstance(extra, Mapping) else {}
    return {"type": "image_url", "image_url": {"url": url, **more}}


def _call_block(call: Mapping[str, Any]) -> dict[str, Any]:
    block: dict[str, Any] = {
        "type": "toolCall",
        "id": call_id(call),
        "name": call_name(call),
        "arguments": {},
    }
    written = call_arguments(call)
    try:
        arguments = json.loads(written)
    except (ValueError, RecursionError):  # models write bad JSON; it comes back as it was
        arguments = None
    if isinstance(arguments, dict):
        block["arguments"] = arguments
    block["partialArgs"] = written
    plain = {"id": call_id(call), "type": "function", "function": _function(block)}
    return block if dict(call) == plain else block | {"call": dict(call)}


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(block.get("call"), Mapping):
        return dict(block["call"])
    return {"id": str(block.get("id") or ""), "type": "function", "function": _function(block)}


def _function(block: Mapping[str, Any]) -> dict[str, Any]:
    written = block.get("partialArgs")
    if not isinstance(written, str):
        written = json.dumps(block.get("arguments") or {}, ensure_ascii=False)
    return {"name": str(block.get("name") or ""), "arguments": written}
