"""Replies as they are said, from servers that do it well and from others, in `loxodon chat`."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.each import each
from tests.models.server import KEY, Scene, Stage, answers, events, piece, says, silent, streams
from tests.serve.http.server import unscheduled
from tests.serve.shell import typed


def chat(
    server: Stage, *scenes: Any, given: str = "你好", timeout: float = 60, **env: str
) -> CompletedProcess[bytes]:
    """A chat of one message, or a few, and what it printed."""
    server.play(*scenes)
    with TemporaryDirectory() as top, unscheduled(Path(top, "home")):
        Path(top, "home", "config.toml").write_text(f"[chat]\ntimeout = {timeout}\n")
        found = {
            "HOME": top,
            "LOXODON_HOME": f"{top}/home",
            "LANG": "C.UTF-8",
            "LOXODON_CHAT_BASE_URL": f"http://127.0.0.1:{server.port}/v1",
            "LOXODON_CHAT_MODEL": "test",
            "LOXODON_CHAT_API_KEY": KEY,
        }
        done = typed("chat", env=found | env, given=given.encode())
    assert KEY.encode() not in done.stdout + done.stderr
    return done


def reply(server: Stage, *scenes: Any) -> str:
    done = chat(server, *scenes)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().removesuffix("\n")


def complaint(server: Stage, scene: Any, timeout: float = 60, **env: Any) -> str:
    done = chat(server, scene, timeout=timeout, **env)
    assert done.returncode != 0
    return done.stderr.decode()


def test_request_and_reply(server: Stage) -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 3}
    assert reply(server, streams("你", "好，", "Ann", usage=usage)) == "你好，Ann"
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.body["messages"][-1]["content"].endswith("你好")
    assert (request.body["stream"], request.body["model"]) == (True, "test")
    assert request.body["stream_options"] == {"include_usage": True}


@each(
    "form",
    [
        [piece("ok"), piece(ended="stop")],
        [piece("ok"), "data: [DONE]\n\n"],
        [": keep-alive\n\n", "event: message\nid: 7\nretry: 10\n", piece("ok", ended="stop")],
        ['data:{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\r\n\r\n'],
        [piece("o"), {"choices": []}, {"id": "x"}, piece("k"), "data:\n\n", "data: [DONE]\n\n"],
        [{"choices": [{"delta": None}]}, piece("ok", ended="stop"), "data: [DO"],
        [piece(content=[{"type": "text", "text": "ok"}]), piece(ended="stop")],
        [piece(reasoning_content="hm"), piece("ok", ended="stop")],
        [piece("<think>hm, hm</think>\n\nok"), piece(ended="stop")],
        [*map(piece, ("<th", "ink>hm,", " hm</", "think>", "\n\n", "ok")), piece(ended="stop")],
        [*map(piece, "  <think>hm, hm</think>\nok"), piece(ended="stop")],
        [piece("ok", ended="length")],
    ],
)
def test_each_server_has_its_ways(server: Stage, form: list[Any]) -> None:
    assert reply(server, events(*form)).strip() == "ok"


def test_words_that_only_begin_like_a_thought_are_said(server: Stage) -> None:
    for texts in (("<th", "ing> is it"), ("a <think>b</think>",), ("<",)):
        assert reply(server, streams(*texts)).strip() == "".join(texts)


def test_server_that_does_not_stream(server: Stage) -> None:
    assert reply(server, says("all at once")) == "all at once"


def test_server_that_cannot_report_is_not_asked_again(server: Stage) -> None:
    refusal = answers(400, b'{"detail": "unknown field stream_options"}')
    assert chat(server, refusal, streams("ok"), given="a\nb").stdout == b"ok\nok\n"
    reports = ["stream_options" in request.body for request in server.requests]
    assert reports == [True, False, False]


def test_bytes_that_are_no_text_spoil_only_themselves(server: Stage) -> None:
    form = 'data: {"choices":[{"delta":{"content":"a\udcffb"}}]}\n\ndata: [DONE]\n\n'
    assert reply(server, events(form)) == "a\ufffdb"


# What goes wrong


@each("status", [302, 401, 403, 404, 429, 500, 503])
def test_what_a_status_means(server: Stage, status: int) -> None:
    told = f'{{"error": {{"message": "no: {KEY}"}}}}'.encode()
    said = complaint(server, answers(status, told, Retry_After="7"))
    assert str(status) in said
    assert "no: ********" in said


@each(
    ("body", "told"),
    [
        (b'{"error": "plain"}', "plain"),
        (b'{"message": "m-sg"}', "m-sg"),
        (b"busy\n now", "busy now"),
        (b'{"detail": "d-tail"}', "d-tail"),
        (b"<html>nginx</html>", ""),
        (b"", ""),
        (b"\xff\xfe", "\ufffd"),
        (b"[" * 100_000, "[" * 100),
        (b"[1]", "[1]"),
    ],
)
def test_what_a_server_complains_of(server: Stage, body: bytes, told: str) -> None:
    said = complaint(server, answers(503, body))
    assert told in said
    assert "nginx" not in said


def chunk_cut_off(handler: BaseHTTPRequestHandler) -> None:
    handler.protocol_version = "HTTP/1.1"
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"ffff\r\ndata: {")
    handler.close_connection = True


@each(
    ("scene", "told"),
    [
        (events(piece("half a"), piece(" sent")), "cut off"),
        (chunk_cut_off, "cut off"),
        (events("data: {nonsense\n\n"), "valid reply"),
        (events("data: [1]\n\n"), "valid reply"),
        (events("<html>\n"), "valid reply"),
        (events("\udcff\udcfe\n"), "valid reply"),
        (events("data: " + "[" * 100_000 + "\n\n"), "valid reply"),
        *(
            (answers(200, body, Content_Type="application/json"), "valid reply")
            for body in (b"", b"hello", b"{}", b'{"choices": []}', b"\xff")
        ),
        (events(piece("well"), {"error": {"message": "out of memory"}}), "stopped with an error"),
        (answers(400, b'{"error": {"message": "prompt is too odd"}}'), "prompt is too odd"),
    ],
)
def test_what_is_no_whole_reply_is_told(server: Stage, scene: Scene, told: str) -> None:
    assert told in complaint(server, scene)


@pytest.mark.parametrize("where", ["before", "headers", "middle", "comments", "no line"])
def test_silence_ends(server: Stage, where: str) -> None:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        if where == "before":
            silent(server)(handler)
            return
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        drip = b"x"
        if where != "headers":
            handler.wfile.write(b"y\r\nContent-Type: text/event-stream\r\n\r\ndata: ")
            handler.wfile.write(json.dumps(piece("so")).encode() + b"\n\n")
            drip = {"comments": b": still here\n\n", "middle": b"", "no line": b"x"}[where]
        handler.wfile.flush()
        handler.close_connection = True
        while not server.over.wait(0.02):
            handler.wfile.write(drip)

    assert "within 0.3 seconds" in complaint(server, scene, timeout=0.3)


@each(
    "env",
    [
        {"LOXODON_CHAT_BASE_URL": "http://127.0.0.1:1/v1"},
        {"LOXODON_CHAT_BASE_URL": ""},
        {"LOXODON_CHAT_MODEL": ""},
        {"LOXODON_CHAT_BASE_URL": "nowhere"},
        {"LOXODON_CHAT_API_KEY": "a\nb"},
    ],
)
def test_what_is_no_model(server: Stage, env: dict[str, Any]) -> None:
    assert "error" in complaint(server, streams("ok"), **env)
