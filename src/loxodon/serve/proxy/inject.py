"""Puts what was recalled into a request, at a place that leaves the client's own words alone.

    system (the client's)                 stays the common beginning of all its conversations
    ▸ the snapshot                        once, as the conversation began; the same in every request
    user, assistant, …
    ▸ what was recalled for the message   right before it; in later requests it stands there still
    user: the message

So a provider's prompt cache stays good from one request to the next. Some models take a system
message only at the very beginning: for them everything goes there (`system`).

Anthropic's API has its instructions apart, and not every model takes others between messages. There
the snapshot is one more block of `system`, and what was recalled is a block of the message it is
for, before the user's text. Both stand behind what the client has marked to be cached in `system`,
and neither has a mark of its own: a request may have four.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal, NamedTuple

from loxodon.serve.proxy.places import Insertion, Value, items_of, object_of, spliced
from loxodon.serve.proxy.requests import Asked, Said, is_by_the_user, is_result

Manner = Literal["turn", "system", "none"]
"""Where memories go: beside the messages they are for, all at the beginning, or nowhere."""
NEXT: dict[Manner, Manner] = {"turn": "system", "system": "none"}
"""What is tried where the upstream refuses it."""
_OF_SYSTEM = ("system", "developer")


class Additions(NamedTuple):
    """What is to be put into a request."""

    snapshot: str
    blocks: Sequence[tuple[int, str]]
    """What was recalled, and the place among the messages of the one it is for."""


def injected(asked: Asked, added: Additions, manner: Manner) -> str:
    """The body of a request with what is added; as it was where nothing is."""
    if manner == "none" or not (added.snapshot or added.blocks):
        return asked.body
    if manner == "system":
        latest = [text for place, text in added.blocks if place == asked.last]
        return _at_the_beginning(asked, "\n\n".join(filter(None, (added.snapshot, *latest))))
    if asked.kind == "messages":
        body = (one for place, text in added.blocks for one in _in_message(asked, place, text))
        return spliced(asked.body, [*_in_field(asked, "system", added.snapshot), *body])
    if asked.kind == "responses" and isinstance(asked.fields["input"].value, str):
        return _as_items(asked, added)
    put: list[Insertion] = []
    if added.snapshot:
        put.append(_before(asked, leading(asked.messages), added.snapshot))
    put += (_before(asked, place, text) for place, text in added.blocks)
    return spliced(asked.body, put)


def leading(messages: Sequence[Said]) -> int:
    """How many messages at the beginning are the client's own instructions."""
    places = (n for n, one in enumerate(messages) if one.role not in _OF_SYSTEM)
    return next(places, len(messages))


def _message(asked: Asked, text: str) -> str:
    message = {"role": _role(asked), "content": text}
    if asked.kind == "responses":
        message = {"type": "message", **message}
    return json.dumps(message, ensure_ascii=False)


def _role(asked: Asked) -> str:
    """The word for instructions that the client uses, or the one that most servers know."""
    used = [one.role for one in asked.messages if one.role in _OF_SYSTEM]
    return used[0] if used else ("system" if asked.kind == "chat" else "developer")


def _before(asked: Asked, place: int, text: str) -> Insertion:
    message = _message(asked, text)
    if place < len(asked.messages):
        return Insertion(asked.messages[place].place.start, f"{message},")
    return Insertion(asked.messages[-1].place.end, f",{message}")


def _as_items(asked: Asked, added: Additions) -> str:
    """An input that is one text, as a list: the client's own text in it as it was written."""
    texts = filter(None, (added.snapshot, *(text for _, text in added.blocks)))
    before = ",".join(_message(asked, text) for text in texts)
    told = asked.fields["input"]
    head, tail = f'[{before},{{"role":"user","content":', "}]"
    return spliced(asked.body, [Insertion(told.start, head), Insertion(told.end, tail)])


def _at_the_beginning(asked: Asked, text: str) -> str:
    """Everything in the one place that every model takes instructions at."""
    if asked.kind != "chat":
        field = "instructions" if asked.kind == "responses" else "system"
        return spliced(asked.body, _in_field(asked, field, text))
    if not text:
        return asked.body
    first = asked.messages[0] if asked.messages else None
    if first is None:
        return asked.body
    if first.role not in _OF_SYSTEM:
        return spliced(asked.body, [_before(asked, 0, text)])
    content = _content(asked, first)
    if content is None:
        return asked.body
    return spliced(asked.body, [_at_the_end(asked.body, content, text)])


def _content(asked: Asked, said: Said) -> Value | None:
    """The content of a message, with its place in the body."""
    start = said.place.start
    found = object_of(asked.body[start : said.place.end]).get("content")
    return found and found._replace(start=found.start + start, end=found.end + start)


def _in_field(asked: Asked, field: str, text: str) -> list[Insertion]:
    """Put text behind the instructions that a request has in a field of their own."""
    given = asked.fields.get(field)
    if text and given is None:
        told = json.dumps(text, ensure_ascii=False)
        return [Insertion(asked.body.index("{") + 1, f'"{field}":{told},')]
    taken = (str, list) if asked.kind == "messages" else str
    if text and given is not None and isinstance(given.value, taken):
        return [_at_the_end(asked.body, given, text)]
    return []  # null, or what is yet to be invented, is not ours to replace


def _in_message(asked: Asked, place: int, text: str) -> list[Insertion]:
    """Put a block before the user's text in a message, and behind the results of tools, which
    have to stand first."""
    content = _content(asked, asked.messages[place])
    told = json.dumps({"type": "text", "text": text}, ensure_ascii=False)
    if content is None:
        return []
    if isinstance(content.value, str):
        head = f'[{told},{{"type":"text","text":'
        return [Insertion(content.start, head), Insertion(content.end, "}]")]
    blocks = items_of(asked.body, content.start)
    for block in reversed(blocks):
        if is_result(block.value):
            return [Insertion(block.end, f",{told}")]
        if is_by_the_user(block.value):
            return [Insertion(block.start, f"{told},")]
    return []


def _at_the_end(body: str, content: Value, text: str) -> Insertion:
    """Put text behind what a content says, which is a text or a list of parts."""
    if isinstance(content.value, str):
        told = json.dumps(f"\n\n{text}" if content.value else text, ensure_ascii=False)
        return Insertion(content.end - 1, told[1:-1])
    part = json.dumps({"type": "text", "text": text}, ensure_ascii=False)
    parts = items_of(body, content.start)
    return Insertion(content.end - 1, f",{part}" if parts else part)
