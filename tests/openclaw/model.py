"""A model on the loopback that OpenClaw takes for its provider: it streams what it is told to say,
and keeps every prompt that it was given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.real_agents.model import Quiet, chunks, serving


class Model:
    """What was asked and answered, and the calls that are to be made next."""

    def __init__(self) -> None:
        # Each prompt, all of it as text, and the reply; empty where that was a call
        self.answered: list[tuple[str, str]] = []
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

    def reply(self, prompt: Any) -> dict[str, Any]:
        """What is said next, with a number by which the reply is known."""
        # Programs ask too, to name a conversation or on a schedule: a call is not for them.
        told = json.dumps(prompt["messages"], ensure_ascii=False)
        wanted = self.replies and prompt.get("tools")
        delta = self.replies.pop(0) if wanted else {"content": f"Reply {len(self.answered)}."}
        self.answered.append((told, str(delta.get("content", ""))))
        return delta


@contextmanager
def running() -> Iterator[Model]:
    model = Model()

    class Handler(Quiet):
        def do_POST(self) -> None:  # noqa: N802
            size = int(self.headers.get("Content-Length", 0))
            delta = model.reply(json.loads(self.rfile.read(size)))
            ended = "tool_calls" if "tool_calls" in delta else "stop"
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for _, chunk in chunks({"role": "assistant", **delta}, ended):
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

    with serving(Handler) as model.port:
        yield model
