"""A model on the loopback that every agent takes for its provider's: it answers in the form it is
asked in (Anthropic, OpenAI, Gemini), and keeps every prompt that it was given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple
from uuid import uuid4

Request = dict[str, Any]
Events = list[tuple[str, dict[str, Any]]]


class Reply(NamedTuple):
    """What the model says: words, or a call of a tool."""

    text: str = ""
    tool: str = ""
    arguments: dict[str, Any] = {}  # noqa: RUF012 never changed
    namespace: str = ""  # what the tool is called within, where an agent says so


class Model:
    """What was asked, and what is to be said next (`Noted.` where nothing is)."""

    def __init__(self) -> None:
        # Those of conversations. What an agent asks beside them, such as a title, has no tools.
        self.prompts: list[Request] = []
        self.replies: list[Reply] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def seen(self, place: int = -1) -> str:
        """A prompt, all of it, as text."""
        return json.dumps(self.prompts[place], ensure_ascii=False)

    def tools(self) -> list[str]:
        """The tools in the last prompt, as the agent calls them."""
        return _tools(self.prompts[-1])

    def reply(self, request: Request) -> Reply:
        tools = _tools(request)
        if not tools:
            return Reply("Talk")
        self.prompts.append(request)
        reply = self.replies.pop(0) if self.replies else Reply("Noted.")
        if reply.tool:
            (named,) = (one for one in tools if one.endswith(reply.tool))
            namespace, _, name = named.rpartition("/")
            return reply._replace(tool=name, namespace=namespace)
        return reply


def _id(kind: str) -> str:
    return f"{kind}_{uuid4().hex}"


def _tools(request: Request) -> list[str]:
    """The names of the tools that a request brings, in any of the forms."""
    found = []
    for one in request.get("tools") or ():
        if declared := one.get("functionDeclarations"):
            found += [each["name"] for each in declared]
        elif one.get("type") == "namespace":  # Codex puts the tools of a server together
            found += [f"{one['name']}/{each['name']}" for each in one["tools"]]
        else:
            found.append(one.get("name") or one.get("function", {}).get("name", ""))
    return found


def anthropic(reply: Reply) -> Events:
    block: dict[str, Any]
    if reply.tool:
        block = {"type": "tool_use", "id": _id("toolu"), "name": reply.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(reply.arguments)}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": reply.text}
    usage = {"input_tokens": 10, "output_tokens": 5}
    message: dict[str, Any] = {
        "id": _id("msg"),
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    ended = {"stop_reason": "tool_use" if reply.tool else "end_turn", "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": usage},
        {"type": "message_stop"},
    ]
    return [(one["type"], one) for one in events]


def anthropic_whole(reply: Reply) -> dict[str, Any]:
    (_, started), *_ = anthropic(reply)
    text = {"type": "text", "text": reply.text}
    return {**started["message"], "content": [text], "stop_reason": "end_turn"}


def responses(reply: Reply) -> Events:
    item: dict[str, Any]
    if reply.tool:
        item = {
            "type": "function_call",
            "id": _id("fc"),
            "call_id": _id("call"),
            "name": reply.tool,
            "arguments": json.dumps(reply.arguments),
        } | ({"namespace": reply.namespace} if reply.namespace else {})
    else:
        words = {"type": "output_text", "text": reply.text, "annotations": []}
        item = {"type": "message", "id": _id("msg"), "role": "assistant", "content": [words]}
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 15,
    }
    done = {"id": "resp_1", "status": "completed", "output": [item], "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]
    return [(one["type"], one) for one in events]


def completions(reply: Reply) -> Events:
    delta: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.tool:
        function = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
        call = {"index": 0, "id": _id("call"), "type": "function", "function": function}
        delta = {"role": "assistant", "tool_calls": [call]}
    return chunks(delta, "tool_calls" if reply.tool else "stop")


def chunks(delta: dict[str, Any], ended: str) -> Events:
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "tiny"}
    choices: list[dict[str, Any]]
    choices = [{"delta": delta, "finish_reason": None}, {"delta": {}, "finish_reason": ended}]
    return [("", {**chunk, "choices": [{"index": 0, **one}]}) for one in choices]


def gemini(reply: Reply) -> Events:
    part: dict[str, Any] = {"text": reply.text}
    if reply.tool:
        part = {"functionCall": {"name": reply.tool, "args": reply.arguments}}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    content = {"role": "model", "parts": [part]}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return [("", {"candidates": [candidate], "usageMetadata": usage})]


def _answer(model: Model, path: str, request: Request) -> Events | dict[str, Any]:
    """A stream of events, or one object."""
    where = path.partition("?")[0]
    if where.endswith(("count_tokens", ":countTokens")):
        return {"input_tokens": 10, "totalTokens": 10}
    reply = model.reply(request)
    if where.endswith("/messages"):
        return anthropic(reply) if request.get("stream") else anthropic_whole(reply)
    if where.endswith("/responses"):
        return responses(reply)
    if where.endswith("/chat/completions"):
        return completions(reply)
    if where.endswith(":streamGenerateContent"):
        return gemini(reply)
    if where.endswith(":generateContent"):
        return gemini(reply)[0][1]
    return {}


class Quiet(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Tests speak for themselves."""


@contextmanager
def serving(handler: type[Quiet], kind: type[HTTPServer] = ThreadingHTTPServer) -> Iterator[int]:
    """A server on the loopback; its port."""
    server = kind(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def running() -> Iterator[Model]:
    model = Model()

    class Handler(Quiet):
        def do_GET(self) -> None:
            self._whole({"data": [], "models": []})

        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length", 0))
            request = json.loads(self.rfile.read(size) or b"{}")
            answer = _answer(model, self.path, request)
            if isinstance(answer, dict):
                self._whole(answer)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for name, event in answer:
                head = f"event: {name}\n" if name else ""
                self.wfile.write(f"{head}data: {json.dumps(event)}\n\n".encode())
            if not answer[0][0] and self.path.endswith("/chat/completions"):
                self.wfile.write(b"data: [DONE]\n\n")

        def _whole(self, value: dict[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with serving(Handler) as model.port:
        yield model
