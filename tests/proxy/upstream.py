"""A real HTTP/1.1 server on the loopback that plays a model's server, well or badly."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, NamedTuple

Scene = Callable[["Handler"], None]


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def texts(self) -> list[tuple[str, str]]:
        """Role and content of each message."""
        return [(one["role"], one["content"]) for one in self.json["messages"]]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Stage

    def _play(self) -> None:
        try:
            body = self._body()
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.server.requests.append(Request(self.command, self.path, headers, body))
            scenes = self.server.scenes
            scene = scenes.pop(0) if len(scenes) > 1 else scenes[0]
            scene(self)
        except OSError:
            self.server.dropped.set()
            self.close_connection = True

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def begin(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        pass


for _method in ("GET", "POST", "DELETE", "PUT", "OPTIONS"):
    setattr(Handler, f"do_{_method}", Handler._play)


class Stage(ThreadingHTTPServer):
    """What the server does, a scene for each request (the last for all others), and what it got."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.scenes: list[Scene] = []
        self.requests: list[Request] = []
        self.dropped = Event()
        """Set when someone hung up on us."""
        self.go = Event()
        """What scenes wait for that stop half-way."""
        self.play("ok")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def play(self, *scenes: Scene | str) -> None:
        self.scenes = [one if callable(one) else says(one) for one in scenes]
        self.requests.clear()
        self.dropped.clear()
        self.go.clear()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke: the proxy's, when it was told to."""


def answers(status: int, body: bytes, **headers: str) -> Scene:
    def scene(handler: Handler) -> None:
        handler.begin(status, Content_Length=str(len(body)), **headers)
        handler.wfile.write(body)

    return scene


def document(data: object, status: int = 200, **headers: str) -> Scene:
    return answers(status, json.dumps(data).encode(), Content_Type="application/json", **headers)


def failure(status: int, message: str, **headers: str) -> Scene:
    error = {"message": message, "type": "test", "param": None, "code": None}
    return document({"error": error}, status, **headers)


CHAT = {"id": "chatcmpl-1", "created": 1, "model": "test"}


def completion(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return {"object": "chat.completion", **CHAT, "choices": [choice], **more}


def delta(content: dict[str, Any], index: int = 0) -> bytes:
    choice = {"index": index, "delta": content, "finish_reason": None}
    return event({"object": "chat.completion.chunk", **CHAT, "choices": [choice]})


def event(data: object) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


DONE = b"data: [DONE]\n\n"


def streams(chunks: Iterable[bytes | Callable[[Handler], None]], **headers: str) -> Scene:
    """Send these one by one; what is no bytes is called, to wait or to break off."""

    def scene(handler: Handler) -> None:
        handler.begin(200, Content_Type="text/event-stream", Transfer_Encoding="chunked", **headers)
        for chunk in chunks:
            if callable(chunk):
                chunk(handler)
            else:
                handler.chunk(chunk)
        handler.chunk(b"")

    return scene


def deltas(text: str) -> list[bytes]:
    said = (delta({"content": one}) for one in text.split("|"))
    return [delta({"role": "assistant"}), *said, DONE]


def says(text: str) -> Scene:
    """Reply as the request asks for it: streaming or whole, chat, response or message."""

    def scene(handler: Handler) -> None:
        asked = json.loads(handler.server.requests[-1].body or b"{}")
        if handler.path.partition("?")[0].endswith("/messages"):
            blocks = [{"type": "text", "text": text}]
            replies(blocks, stream=bool(asked.get("stream")))(handler)
            return
        chat = "messages" in asked
        if chat and asked.get("stream"):
            streams(deltas(text))(handler)
        elif chat:
            document(completion({"content": text}))(handler)
        elif asked.get("stream"):
            streams(response_events(text, f"resp_{len(handler.server.requests)}"))(handler)
        else:
            document(response(text, f"resp_{len(handler.server.requests)}"))(handler)

    return scene


def response(text: str, id: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    done = {"role": "assistant", "status": "completed", "content": [part]}
    item = {"id": "msg_1", "type": "message", **done}
    more = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    about = {"object": "response", "created_at": 1, "model": "test", "status": "completed"}
    return {"id": id, **about, "output": [item], **more}


def response_events(text: str, id: str) -> Sequence[bytes]:
    begun = {**response(text, id), "output": [], "status": "in_progress"}
    parts: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    of = {"output_index": 0, "content_index": 0, "item_id": "msg_1", "logprobs": []}
    parts += ({"type": "response.output_text.delta", "delta": one, **of} for one in text)
    parts.append({"type": "response.completed", "response": response(text, id)})
    return [
        f"event: {one['type']}\n".encode() + event({**one, "sequence_number": n})
        for n, one in enumerate(parts)
    ]


def replies(blocks: Sequence[dict[str, Any]], *, stream: bool = False, **more: Any) -> Scene:
    """A message of Anthropic's API, whole or as its events."""
    return streams(message_events(blocks, **more)) if stream else document(message(blocks, **more))


def message(blocks: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    calls = any(one["type"] == "tool_use" for one in blocks)
    ended = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    said = {"type": "message", "role": "assistant", "model": "test", "content": list(blocks)}
    return {
        "id": "msg_1",
        **said,
        **ended,
        "usage": {"input_tokens": 9, "output_tokens": 3},
        **more,
    }


def message_events(blocks: Sequence[dict[str, Any]], **more: Any) -> list[bytes]:
    whole = message(blocks, **more)
    begun = {**whole, "content": [], "stop_reason": None}
    found = [message_event("message_start", message=begun), message_event("ping")]
    for n, one in enumerate(whole["content"]):
        empty, deltas = _in_deltas(one)
        found.append(message_event("content_block_start", index=n, content_block=empty))
        found += (message_event("content_block_delta", index=n, delta=part) for part in deltas)
        found.append(message_event("content_block_stop", index=n))
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    used = {"output_tokens": whole["usage"]["output_tokens"]}
    found.append(message_event("message_delta", delta=ended, usage=used))
    return [*found, message_event("message_stop")]


def message_event(type: str, **more: Any) -> bytes:
    return f"event: {type}\n".encode() + event({"type": type, **more})


def _in_deltas(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """How a block begins in a stream, and what comes after."""
    if block["type"] == "text":
        parts = [{"type": "text_delta", "text": one} for one in block["text"].split(" ")]
        for one in parts[1:]:
            one["text"] = f" {one['text']}"
        return {**block, "text": ""}, parts
    if block["type"] == "thinking":
        parts = [{"type": "thinking_delta", "thinking": block["thinking"]}]
        return {**block, "thinking": ""}, [*parts, {"type": "signature_delta", "signature": "s"}]
    if block["type"] == "tool_use":
        given = json.dumps(block["input"])
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": given}]
    return block, []  # what a server's own tool found comes whole


def zipped(text: str) -> Scene:
    body = gzip.compress(json.dumps(completion({"content": text})).encode())
    return answers(200, body, Content_Type="application/json", Content_Encoding="gzip")


def waits(handler: Handler) -> None:
    """Stop until the test says go."""
    handler.server.go.wait(60)


def breaks(handler: Handler) -> None:
    """Break off in the middle."""
    handler.connection.close()
    raise OSError


@contextmanager
def stage(port: int = 0) -> Iterator[Stage]:
    """A server that is up while the block runs."""
    with Stage(port) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.go.set()
            server.shutdown()
            thread.join()


def main() -> None:
    """A server that says ok, as a program of its own that can be killed."""
    with Stage(int(sys.argv[1])) as server:
        print(server.url, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
