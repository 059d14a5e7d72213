"""What a model replied, from the bytes that went to the client.

The bytes are kept on the side while they pass and read once they have: nothing is decoded, parsed
or written anew between the upstream and the client. What cannot be read is nothing said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import httpx

from loxodon.journal.lines import Entry, inner, word, words_of
from loxodon.proxy.requests import Kind, clean, joined_blocks, parts_of
from loxodon.proxy.upstream import decoded

MOST_BYTES = 8 << 20  # of a reply that are kept; the rest is passed on all the same
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
    id: str = ""  # of a response, by which the next request may name it
    final: bool = True  # false while the client has tools to call


class ReplyBytes:
    """Bytes of a reply, as they pass."""

    def __init__(self, kind: Kind) -> None:
        self._kind, self._kept = kind, bytearray()
        self._last, self._tail = False, b""
        self.complete = False  # whether the last event of a stream has come, whole

    def take(self, chunk: bytes) -> None:
        if len(self._kept) < MOST_BYTES:
            self._kept += chunk
        seen = self._tail + chunk
        self._last = self._last or any(mark in seen for mark in _LAST[self._kind])
        self.complete = self._last and seen.endswith((b"\n\n", b"\r\n\r\n"))
        self._tail = seen[-_LONGEST_MARK:]

    def reply(self, headers: httpx.Headers) -> Reply:
        """What they say, by the headers they came with."""
        data = decoded(bytes(self._kept), headers)
        streamed = "event-stream" in headers.get("content-type", "")
        lines = (one[5:] for one in data.splitlines() if one.startswith(b"data:"))
        found = _READERS[self._kind](_documents(lines if streamed else [data]))
        text = found.text.lstrip()  # some models think in front of what they say, between marks
        text = text.partition("</think>")[2] if text.startswith("<think>") else text
        return found._replace(text=clean(text))


def _documents(lines: Iterable[bytes]) -> Iterator[Entry]:
    for line in lines:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):  # `[DONE]`, a cut line, or nonsense
            continue
        if isinstance(found, Mapping):
            yield found


def _chat(documents: Iterator[Entry]) -> Reply:
    texts: list[str] = []
    final = True
    for one in documents:
        for choice in parts_of(one.get("choices")):
            if choice.get("index", 0) == 0:  # of several replies the first is the one told
                said = inner(choice, "delta") or inner(choice, "message")
                texts.append(words_of(said.get("content")))
                final = final and not parts_of(said.get("tool_calls"))
    return Reply("".join(texts), final=final)


def _response(documents: Iterator[Entry]) -> Reply:
    texts: dict[tuple[str, str], str] = {}
    id = ""
    for one in documents:
        type, whole = one.get("type"), one if "output" in one else inner(one, "response")
        id = id or word(whole, "id")
        if type == "response.output_text.delta":
            where = str(one.get("output_index")), str(one.get("content_index"))
            texts[where] = texts.get(where, "") + word(one, "delta")
        elif whole.get("output") and type != "response.created":
            items = parts_of(whole["output"])
            said = (words_of(one.get("content")) for one in items if one.get("type") == "message")
            final = not any(one.get("type") in _CLIENT_CALLS for one in items)
            return Reply("\n".join(filter(None, said)), id, final)
    return Reply("\n".join(texts.values()), id)


def _message(documents: Iterator[Entry]) -> Reply:
    blocks: dict[str, dict[str, Any]] = {}
    for one in documents:
        place, delta = str(one.get("index")), inner(one, "delta")
        if one.get("type") == "content_block_start":
            blocks[place] = dict(inner(one, "content_block"))
        elif delta.get("type") == "text_delta":
            block = blocks.setdefault(place, {"type": "text"})
            block["text"] = word(block, "text") + word(delta, "text")
        for n, given in enumerate(parts_of(one.get("content"))):  # of a reply that is not streamed
            blocks[str(n)] = dict(given)
    content = [*blocks.values()]
    calls = any(one.get("type") == "tool_use" for one in content)
    return Reply(joined_blocks(content), final=not calls)


_READERS = {"chat": _chat, "responses": _response, "messages": _message}
