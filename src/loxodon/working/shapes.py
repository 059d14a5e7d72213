"""Messages as chat completions have them: `role`, `content` (text or parts), and for tools
`tool_calls` and `tool_call_id`. A transcript keeps them so.
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
    content = message.get("content") if role else None
    good = isinstance(content, str) or (content is None and role == "assistant")
    if isinstance(content, Sequence):
        good = good or all(isinstance(part, Mapping) for part in content)
    if role not in ROLES or not good:
        raise InputError(
            "a message has the role {role} and this content, which no model takes",
            hint="use one of {roles}, and text or a list of parts",
            role=repr(role)[:60],
            roles=", ".join(ROLES),
        )
    return dict(message)


def text_of(message: Message) -> str:
    """The words of a message; images and other parts have none."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in _parts(message))
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def images_in(message: Message) -> int:
    return sum(part.get("type") in _IMAGES for part in _parts(message))


def _parts(message: Message) -> list[Mapping[str, Any]]:
    content = message.get("content")
    parts = content if isinstance(content, list | tuple) else ()
    return [part for part in parts if isinstance(part, Mapping)]


def calls_in(message: Message) -> list[Mapping[str, Any]]:
    calls = message.get("tool_calls")
    if message.get("role") != "assistant" or not isinstance(calls, list | tuple):
        return []
    return [call for call in calls if isinstance(call, Mapping)]


def call_text(call: Mapping[str, Any]) -> str:
    """The name of the tool, and what it is called with, as the model wrote it."""
    function = call.get("function")
    called = function if isinstance(function, Mapping) else call
    arguments = called.get("arguments", called.get("input"))
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, default=str)
    return f"{called.get('name') or ''} {text}"


def to_kept(message: Message, at: datetime) -> dict[str, Any]:
    return {**message, "shape": _SHAPE, "timestamp": int(at.timestamp() * 1_000)}


def to_sent(kept: object) -> dict[str, Any] | None:
    """A message of a transcript as it is sent; None for one that no model takes.

    Of messages that an earlier version kept in another shape, only the words.
    """
    if not isinstance(kept, Mapping) or kept.get("role") not in ROLES:
        return None
    if kept.get("shape") == _SHAPE:
        return {name: value for name, value in kept.items() if name not in _ABOUT}
    name = {"name": kept["name"]} if isinstance(kept.get("name"), str) else {}
    return {"role": kept["role"], "content": text_of(kept), **name}
