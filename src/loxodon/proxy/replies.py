"""What a model replied, from the bytes that went to the client.

The bytes are kept on the side while they pass and read once they have: nothing is decoded, parsed
or written anew between the upstream and the client. What cannot be read is nothing said.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from loxodon.proxy.requests import Kind, clean, joined_blocks, tool_calls, words_of

MOST_BYTES = 8 * 2**20  # of a reply that are kept; the rest is passed on all the same
READABLE = ("gzip", "x-gzip", "deflate", "identity")  # encodings that a reply is read in
# What the last event of a stream has in it. In what a model says, quotes and line ends are escaped,
# so that it cannot say these.
_LAST = {
    "chat": (b"data: [DONE]", b"data:[DONE]"),
    "responses": (b'"response.completed"', b'"response.incomplete"', b'"response.failed"'),
    "messages": (b'"message_stop"',),
}
_LONGEST_MARK = 32  # bytes of one of these: it may come in two pieces
_CLIENT_CALLS = ("function_call", "custom_tool_call")  # the server has made other calls itself


class Reply(NamedTuple):
    """What was replied; of a reply that was cut, as far as it came."""

    text: str = ""
    calls: tuple[str, ...] = ()  # the tools that are to be called
    id: str = ""  # of a response, by which the next request may name it
    usage: Mapping[str, Any] | None = None
    final: bool = True  # false while the client has tools to call


class ReplyBytes:
    """Bytes of a reply, as they pass."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._chunks: list[bytes] = []
        self._last = False
        self._tail = b""
        self.size = 0
        self.complete = False  # whether the last event of a stream has come, whole

    def take(self, chunk: bytes) -> None:
        if self.size < MOST_BYTES:
            self._chunks.append(chunk)
            self.size += len(chunk)
        seen = self._tail + chunk
        self._last = self._last or any(mark in seen for mark in _LAST[self._kind])
        self.complete = self._last and seen.endswith((b"\n\n", b"\r\n\r\n"))
        self._tail = seen[-_LONGEST_MARK:]

    def reply(self, headers: Mapping[str, str]) -> Reply:
        """What they say, by the headers they came with."""
        data = decoded(b"".join(self._chunks), headers.get("content-encoding", ""))
        if "event-stream" in headers.get("content-type", ""):
            return _read(self._kind, _FROM_EVENTS[self._kind](_events(data)))
        try:
            return _read(self._kind, _mapping(json.loads(data)))
        except (ValueError, RecursionError):
            return Reply()


def decoded(data: bytes, encoding: str) -> bytes:
    """The bytes of a reply unpacked, as far as they can be and not more than is kept of any."""
    for name in reversed([one.strip().lower() for one in encoding.split(",") if one.strip()]):
        if name == "identity":
            continue
        packed, data = data, b""
        windows = (31,) if "gzip" in name else (15, -15)  # some send deflate without its header
        for window in windows if name in READABLE else ():
            try:
                data = zlib.decompressobj(window).decompress(packed, MOST_BYTES)
                break
            except zlib.error:
                continue
    return data


def _events(data: bytes) -> Iterator[Mapping[str, Any]]:
    """The documents of a stream; what is no document is passed over."""
    for line in data.splitlines():
        if not line.startswith(b"data:"):
            continue
        try:
            found = json.loads(line[5:])
        except (ValueError, RecursionError):  # `[DONE]`, a cut line, or nonsense
            continue
        if isinstance(found, Mapping):
            yield found


def _chat_events(events: Iterator[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The completion that these events tell of, as a server that does not stream has it."""
    whole: dict[str, Any] = {}
    texts: list[str] = []
    calls: list[Mapping[str, Any]] = []
    for event in events:
        whole |= {name: event[name] for name in ("id", "usage") if event.get(name)}
        for choice in _mappings(event.get("choices")):
            if choice.get("index", 0) == 0:  # of several replies the first is the one told
                delta = _mapping(choice.get("delta"))
                texts.append(_text(delta.get("content")))
                calls += _mappings(delta.get("tool_calls"))
    message = {"content": "".join(texts), "tool_calls": calls}
    return {**whole, "choices": [{"message": message}]}


def _response_events(events: Iterator[Mapping[str, Any]]) -> Mapping[str, Any]:
    texts: dict[tuple[str, str], list[str]] = {}
    id = ""
    for event in events:
        kind, whole = event.get("type"), _mapping(event.get("response"))
        id = id or _text(whole.get("id"))
        if kind in ("response.completed", "response.incomplete") and whole.get("output"):
            return whole
        if kind == "response.output_text.delta":
            where = str(event.get("output_index")), str(event.get("content_index"))
            texts.setdefault(where, []).append(_text(event.get("delta")))
    content = "\n".join("".join(one) for one in texts.values())
    return {"id": id, "output": [{"type": "message", "content": content}]}


def _message_events(events: Iterator[Mapping[str, Any]]) -> Mapping[str, Any]:
    message: dict[str, Any] = {}
    usage: dict[str, Any] = {}
    blocks: dict[str, dict[str, Any]] = {}
    texts: dict[str, list[str]] = {}
    for event in events:
        kind, place = event.get("type"), str(event.get("index"))
        if kind in ("message_start", "message_delta"):  # the latter has only what has changed
            begun = _mapping(event.get("message")) if kind == "message_start" else event
            message = dict(begun) if kind == "message_start" else message
            used = _mapping(begun.get("usage"))
            usage |= {name: one for name, one in used.items() if one is not None}
        elif kind == "content_block_start":
            blocks[place] = dict(_mapping(event.get("content_block")))
        elif kind == "content_block_delta":
            delta = _mapping(event.get("delta"))
            if delta.get("type") == "text_delta":
                texts.setdefault(place, []).append(_text(delta.get("text")))
    for place, parts in texts.items():
        block = blocks.setdefault(place, {"type": "text"})
        block["text"] = _text(block.get("text")) + "".join(parts)
    return {**message, "content": [*blocks.values()], "usage": usage}


_FROM_EVENTS = {"chat": _chat_events, "responses": _response_events, "messages": _message_events}


def _read(kind: Kind, whole: Mapping[str, Any]) -> Reply:
    """The reply in a document of an API."""
    text, calls, final = "", [], True
    if kind == "chat":
        message = _mapping(next(_mappings(whole.get("choices")), {}).get("message"))
        text = words_of(message.get("content"))
        functions = [_mapping(one.get("function")) for one in _mappings(message.get("tool_calls"))]
        calls = [name for one in functions if (name := _text(one.get("name")))]
        final = not calls
    elif kind == "messages":
        text, calls = joined_blocks(whole.get("content")), tool_calls(whole.get("content"))
        final = not calls
    else:
        items = list(_mappings(whole.get("output")))
        said = (words_of(one.get("content")) for one in items if one.get("type") == "message")
        text = "\n".join(filter(None, said))
        called = [one for one in items if one.get("type") != "message" and _text(one.get("name"))]
        calls = [one["name"] for one in called]
        final = not any(one.get("type") in _CLIENT_CALLS for one in called)
    # Some models think in front of what they say, between marks.
    text = text.lstrip()
    text = clean(text.partition("</think>")[2] if text.startswith("<think>") else text)
    usage = _mapping(whole.get("usage")) or None
    return Reply(text, tuple(calls), _text(whole.get("id")), usage, final)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: object) -> Iterator[Mapping[str, Any]]:
    return (one for one in (value if isinstance(value, list) else ()) if isinstance(one, Mapping))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
