"""A model on the loopback that OpenClaw takes for its provider: it streams what it is told to say,
and keeps every prompt that it was given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Model:
    """What was asked, and what is to be said next (`OK` where nothing is)."""

    def __init__(self) -> None:
        self.prompts: list[dict[str, Any]] = []
        self.replies: list[dict[str, Any]] = []
        self.port = 0

    def calls(self, tool: str, **arguments: object) -> None:
        """Let the next answer be a call of a tool."""
        call = {
            "index": 0,
            "id": "call_1",
            "type": "function",
            "function": {"name": tool, "arguments": json.dumps(arguments)},
        }
        self.replies.append({"tool_calls": [call]})

    def seen(self) -> str:
        """The last prompt, all of it, as text."""
        return json.dumps(self.prompts[-1]["messages"], ensure_ascii=False)


@contextmanager
def running() -> Iterator[Model]:
    model = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length", 0))
            model.prompts.append(json.loads(self.rfile.read(size)))
            delta = model.replies.pop(0) if model.replies else {"content": "OK"}
            ended = "tool_calls" if "tool_calls" in delta else "stop"
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for choice in (
                {"delta": {"role": "assistant", **delta}, "finish_reason": None},
                {"delta": {}, "finish_reason": ended},
            ):
                chunk = {
                    "id": "c",
                    "object": "chat.completion.chunk",
                    "created": 0,
                    "model": "tiny",
                    "choices": [{"index": 0, **choice}],
                }
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, format: str, *args: object) -> None:
            """Tests speak for themselves."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.port = server.server_port
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
