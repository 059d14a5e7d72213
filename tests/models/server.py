"""A real HTTP server on the loopback that plays a model's server, well or badly."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, NamedTuple

from loxodon.config import ModelConfig

Scene = Callable[[BaseHTTPRequestHandler], None]
KEY = "sk-very-secret-0123456789"


class Request(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Stage:
    """What the server does, a scene for each request (the last for all others), and what it got."""

    def __init__(self) -> None:
        self.scenes: list[Scene] = []
        self.requests: list[Request] = []
        self.port = 0
        self.over = Event()
        """Set when the test is over: scenes that hang wait for it."""

    def play(self, *scenes: Scene | str | dict[str, Any]) -> None:
        """Set the scenes; text or a value is what the model says."""
        self.scenes = [one if callable(one) else says(one) for one in scenes]

    def config(self, **values: Any) -> ModelConfig:
        return ModelConfig(f"http://127.0.0.1:{self.port}/v1", "test", KEY, **values)

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        size = int(handler.headers.get("Content-Length", 0))
        body = json.loads(handler.rfile.read(size))
        self.requests.append(Request(handler.path, dict(handler.headers), body))
        scene = self.scenes.pop(0) if len(self.scenes) > 1 else self.scenes[0]
        scene(handler)


def silent(server: Stage) -> Scene:
    """Say nothing until the test is over."""

    def scene(handler: BaseHTTPRequestHandler) -> None:
        server.over.wait(60)

    return scene


def answers(status: int, body: bytes = b"", **headers: str) -> Scene:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return scene


def completion(message: dict[str, Any], ended: str = "stop", **more: Any) -> Scene:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": ended}
    return answers(200, json.dumps({"choices": [choice], **more}).encode())


def says(text: str | dict[str, Any], ended: str = "stop", **more: Any) -> Scene:
    content = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    return completion({"content": content}, ended, **more)


@contextmanager
def stage() -> Iterator[Stage]:
    """A server that is up while the block runs."""
    one = Stage()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            try:
                one.handle(self)
            except OSError:
                return  # the client hung up: some scenes make it

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        one.port = server.server_address[1]
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield one
        finally:
            one.over.set()
            server.shutdown()
            thread.join()
