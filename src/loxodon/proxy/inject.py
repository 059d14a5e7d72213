"""Puts what was recalled into a request, at a place that leaves the client's own words alone.

    system (the client's)                 stays the common beginning of all its conversations
    ▸ the snapshot                        once, as the conversation began; the same in every request
    user, assistant, …
    ▸ what was recalled for the message   right before it; in later requests it stands there still
    user: the message

So a provider's prompt cache stays good from one request to the next. Some models take a system
message only at the very beginning: for them everything goes there (`system`). In Anthropic's API
the snapshot is one more block of `system`, and what was recalled is a block of the message it is
for, before the user's text; neither has a cache mark of its own, as a request may have only four.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Literal

from loxodon.proxy.requests import (
    Message,
    ModelRequest,
    Value,
    array_items,
    is_reminder,
    is_text,
    is_tool_result,
    members,
)

Placement = Literal["turn", "system", "none"]  # beside the messages, all at the beginning, nowhere
NEXT: dict[Placement, Placement] = {"turn": "system", "system": "none"}  # after a refusal
_SYSTEM = ("system", "developer")

Insertion = tuple[int, str]  # where in the body, and the text


def injected(
    request: ModelRequest, snapshot: str, blocks: Sequence[tuple[int, str]], placement: Placement
) -> str:
    """The body of a request with what is added; the very same where nothing is."""
    body = request.body
    if placement == "none" or not (snapshot or blocks):
        return body
    if placement == "system":
        every = [snapshot, *(text for _, text in blocks)]
        return _spliced(body, _at_the_beginning(request, every))
    if request.kind == "messages":
        put = _into_field(request, "system", snapshot)
        for place, text in blocks:
            put += _into_message(request, place, text)
        return _spliced(body, put)
    given = request.fields.get("input")
    if request.kind == "responses" and given and isinstance(given.value, str):
        # One text becomes a list, with the client's own text in it as it was written.
        texts = filter(None, (snapshot, *(text for _, text in blocks)))
        before = ",".join(_system_message(request, text) for text in texts)
        head = f'[{before},{{"role":"user","content":'
        return _spliced(body, [(given.start, head), (given.end, "}]")])
    put = [_before(request, place, text) for place, text in blocks]
    if snapshot:
        leading = (n for n, one in enumerate(request.messages) if one.role not in _SYSTEM)
        place = next(leading, len(request.messages))
        put.insert(0, _before(request, place, snapshot))
    return _spliced(body, put)


def _spliced(text: str, insertions: Iterable[Insertion]) -> str:
    """The text with these put in, at one place in the order given; itself where there are none."""
    parts: list[str] = []
    done = 0
    for place, put in sorted(insertions, key=lambda one: one[0]):
        parts += (text[done:place], put)
        done = place
    return "".join((*parts, text[done:])) if parts else text


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _system_message(request: ModelRequest, text: str) -> str:
    used = [one.role for one in request.messages if one.role in _SYSTEM]
    role = used[0] if used else ("system" if request.kind == "chat" else "developer")
    type = {"type": "message"} if request.kind == "responses" else {}
    return _json({**type, "role": role, "content": text})


def _before(request: ModelRequest, place: int, text: str) -> Insertion:
    message = _system_message(request, text)
    if place < len(request.messages):
        return request.messages[place].place.start, f"{message},"
    return request.messages[-1].place.end, f",{message}"


def _at_the_beginning(request: ModelRequest, texts: Iterable[str]) -> list[Insertion]:
    """Everything in the one place that every model takes instructions at."""
    text = "\n\n".join(filter(None, texts))
    if request.kind != "chat":
        field = "instructions" if request.kind == "responses" else "system"
        return _into_field(request, field, text)
    if not text or not request.messages:
        return []
    first = request.messages[0]
    if first.role not in _SYSTEM:
        return [_before(request, 0, text)]
    content = _content(request, first)
    return [_at_the_end(request.body, content, text)] if content else []


def _content(request: ModelRequest, message: Message) -> Value | None:
    """The content of a message, with its place in the body."""
    fields = dict(members(request.body, message.place.start)[0]) if message.role else {}
    return fields.get("content")


def _into_field(request: ModelRequest, field: str, text: str) -> list[Insertion]:
    """Put text behind the instructions that a request has in a field of their own."""
    given = request.fields.get(field)
    if text and given is None:
        return [(request.body.index("{") + 1, f'"{field}":{_json(text)},')]
    taken = (str, list) if request.kind == "messages" else str
    if text and given is not None and isinstance(given.value, taken):
        return [_at_the_end(request.body, given, text)]
    return []  # null, or what is yet to be invented, is not ours to replace


def _into_message(request: ModelRequest, place: int, text: str) -> list[Insertion]:
    """Put a block before the user's text, behind the results of tools, which have to be first."""
    content = _content(request, request.messages[place])
    block = _json({"type": "text", "text": text})
    if content is None:
        return []
    if isinstance(content.value, str):
        return [(content.start, f'[{block},{{"type":"text","text":'), (content.end, "}]")]
    for given in reversed(array_items(request.body, content.start)):
        if is_tool_result(given.value):
            return [(given.end, f",{block}")]
        if is_text(given.value) and not is_reminder(given.value):
            return [(given.start, f"{block},")]
    return []


def _at_the_end(body: str, content: Value, text: str) -> Insertion:
    """Put text behind what a content says, which is a text or a list of parts."""
    if isinstance(content.value, str):
        return content.end - 1, _json(f"\n\n{text}" if content.value else text)[1:-1]
    part = _json({"type": "text", "text": text})
    return content.end - 1, f",{part}" if array_items(body, content.start) else part
