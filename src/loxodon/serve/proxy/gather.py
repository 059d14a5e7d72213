"""What a model replied, from the bytes that went to the client.

The bytes are kept on the side while they pass and read once they have: so nothing is decoded,
parsed or written anew between the upstream and the client. What cannot be read is nothing said.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from loxodon.serve.proxy.requests import Kind, blocks_said, calls_in, clean, words_of

MOST_BYTES = 8 * 2**20
"""Bytes of a reply that are kept; what comes after them is passed on all the same."""
_LAST = {
    "chat": (b"data: [DONE]", b"data:[DONE]"),
    "responses": tuple(b'"response.%b"' % how for how in (b"completed", b"incomplete", b"failed")),
    "messages": (b'"message_stop"',),
}
"""What the last event of a stream has in it. In what a model says, quotes and line ends are
escaped, so that it cannot say these."""
_MOST_MARK = 32
"""Bytes that one of these takes at most: it may come in two pieces."""
READABLE = ("gzip", "x-gzip", "deflate", "identity")
"""Encodings that a reply may have to be read."""
_FOR_THE_CLIENT = ("function_call", "custom_tool_call")
"""Calls in a response that the client is to make; others the server has made itself."""
_THINKING = ("<think>", "</think>")


class Reply(NamedTuple):
    """What was replied; of a reply that was cut, as far as it came."""

    text: str = ""
    calls: tuple[str, ...] = ()
    """The tools that are to be called."""
    id: str = ""
    """Of a response, by which the next request may name it."""
    usage: Mapping[str, Any] | None = None
    final: bool = True
    """Whether nothing is to follow: not while the client has tools to call."""


class Gathering:
    """Bytes of a reply, as they pass."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._chunks: list[bytes] = []
        self._last = False
        self._tail = b""
        self.size = 0
        self.complete = False
        """Whether the last event of a stream has come, whole."""

    def take(self, chunk: bytes) -> None:
        if self.size < MOST_BYTES:
            self._chunks.append(chunk)
            self.size += len(chunk)
        seen = self._tail + chunk
        self._last = self._last or any(mark in seen for mark in _LAST[self._kind])
        self.complete = self._last and seen.endswith((b"\n\n", b"\r\n\r\n"))
        self._tail = seen[-_MOST_MARK:]

    def reply(self, headers: Mapping[str, str]) -> Reply:
        """What they say, by the headers they came with."""
        kind = self._kind
        data = decoded(b"".join(self._chunks), headers.get("content-encoding", ""))
        if "event-stream" in headers.get("content-type", ""):
            return _from_events(kind, data)
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            return Reply()
        return _from_document(kind, found)


def decoded(data: bytes, encoding: str) -> bytes:
    """The bytes of a reply as they were before they were packed; none where that is not known."""
    for name in reversed([one.strip().lower() for one in encoding.split(",") if one.strip()]):
        if name not in READABLE:
            return b""
        if name != "identity":
            data = _inflated(data, name)
    return data


def _inflated(data: bytes, name: str) -> bytes:
    """What was packed, as far as it can be unpacked, and not more than is kept of any reply."""
    for window in (31,) if "gzip" in name else (15, -15):  # some send deflate without its header
        try:
            return zlib.decompressobj(window).decompress(data, MOST_BYTES)
        except zlib.error:
            continue
    return b""


# --- A stream of events ---------------------------------------------------------------------------


def _from_events(kind: Kind, data: bytes) -> Reply:
    return _READERS[kind](_events(data))


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


def _chat_events(events: Iterator[Mapping[str, Any]]) -> Reply:
    texts: list[str] = []
    calls: dict[str, None] = {}
    id, usage = "", None
    for event in events:
        id = id or _text(event.get("id"))
        usage = _mapping(event.get("usage")) or usage
        for choice in _mappings(event.get("choices")):
            if choice.get("index", 0) != 0:  # of several replies the first is the one told
                continue
            delta = _mapping(choice.get("delta")) or {}
            texts.append(_text(delta.get("content")))
            calls |= dict.fromkeys(_called(delta))
    return Reply(_spoken("".join(texts)), tuple(calls), id, usage, not calls)


def _response_events(events: Iterator[Mapping[str, Any]]) -> Reply:
    texts: dict[tuple[object, object], list[str]] = {}
    id = ""
    for event in events:
        kind = event.get("type")
        whole = _mapping(event.get("response"))
        if whole is not None:
            id = id or _text(whole.get("id"))
            if kind in ("response.completed", "response.incomplete") and whole.get("output"):
                return _from_document("responses", whole)
        if kind == "response.output_text.delta":
            where = (event.get("output_index"), event.get("content_index"))
            texts.setdefault(_hashable(where), []).append(_text(event.get("delta")))
    return Reply(_spoken("\n".join("".join(one) for one in texts.values())), (), id)


def _message_events(events: Iterator[Mapping[str, Any]]) -> Reply:
    begun: Mapping[str, Any] = {}
    usage: dict[str, Any] = {}
    blocks: dict[str, dict[str, Any]] = {}
    texts: dict[str, list[str]] = {}
    for event in events:
        kind, place = event.get("type"), str(event.get("index"))
        if kind == "message_start":
            begun = _mapping(event.get("message")) or {}
            usage |= _used(begun)
        elif kind == "message_delta":  # which says again only what has changed
            usage |= _used(event)
        elif kind == "content_block_start":
            blocks[place] = dict(_mapping(event.get("content_block")) or {})
        elif kind == "content_block_delta":
            delta = _mapping(event.get("delta")) or {}
            if delta.get("type") == "text_delta":
                texts.setdefault(place, []).append(_text(delta.get("text")))
    for place, parts in texts.items():
        block = blocks.setdefault(place, {"type": "text"})
        block["text"] = _text(block.get("text")) + "".join(parts)
    return _from_document("messages", {**begun, "content": [*blocks.values()], "usage": usage})


def _used(told: Mapping[str, Any]) -> dict[str, Any]:
    used = _mapping(told.get("usage")) or {}
    return {name: one for name, one in used.items() if one is not None}


_READERS = {"chat": _chat_events, "responses": _response_events, "messages": _message_events}


def _hashable(where: tuple[object, object]) -> tuple[object, object]:
    return str(where[0]), str(where[1])


# --- One document ---------------------------------------------------------------------------------


def _from_document(kind: Kind, found: object) -> Reply:
    whole = _mapping(found) or {}
    id, usage = _text(whole.get("id")), _mapping(whole.get("usage"))
    if kind == "chat":
        choices = list(_mappings(whole.get("choices")))
        message = _mapping(choices[0].get("message")) or {} if choices else {}
        called = _called(message)
        return Reply(_spoken(words_of(message.get("content"))), called, id, usage, not called)
    if kind == "messages":
        called = tuple(calls_in(whole.get("content")))
        return Reply(_spoken(blocks_said(whole.get("content"))), called, id, usage, not called)
    texts, calls, final = [], [], True
    for item in _mappings(whole.get("output")):
        if item.get("type") == "message":
            texts.append(words_of(item.get("content")))
        elif isinstance(item.get("name"), str):
            calls.append(item["name"])
            final = final and item.get("type") not in _FOR_THE_CLIENT
    return Reply(_spoken("\n".join(filter(None, texts))), tuple(calls), id, usage, final)


def _called(message: Mapping[str, Any]) -> tuple[str, ...]:
    functions = (_mapping(call.get("function")) for call in _mappings(message.get("tool_calls")))
    names = (_text(function.get("name")) for function in functions if function)
    return tuple(name for name in names if name)


def _spoken(text: str) -> str:
    """What was said aloud: some models think in front of it, between marks."""
    text = text.lstrip()
    if text.startswith(_THINKING[0]):
        text = text.partition(_THINKING[1])[2]
    return clean(text)


def _mapping(value: object) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None


def _mappings(value: object) -> Iterator[Mapping[str, Any]]:
    return (
        (one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else iter(())
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
