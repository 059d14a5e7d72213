"""Replies as they are said, from servers that do it well and from others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from threading import Event, Semaphore, Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.config import ChatConfig
from loxodon.errors import (
    BadReplyError,
    BusyModelError,
    ConfigError,
    ModelError,
    RejectedModelError,
    UnreachableModelError,
)
from loxodon.models import stream
from loxodon.models.stream import StreamPiece, Talker
from tests.models.server import KEY, Stage, answers, events, piece, says, silent, streams

MESSAGES = [{"role": "user", "content": "你好"}]
USAGE = {"prompt_tokens": 12, "completion_tokens": 3}


def talker(server: Stage, **values: Any) -> Talker:
    config = ChatConfig(f"http://127.0.0.1:{server.port}/v1", "test", KEY, 60.0)
    return Talker(config._replace(**values))


def said(pieces: Iterator[StreamPiece]) -> list[str]:
    return [one.text for one in pieces if not one.thought]


def test_a_reply_comes_in_pieces(server: Stage) -> None:
    server.play(streams("你", "好，", "Ann", usage=USAGE))
    one = talker(server)
    assert said(one.reply(MESSAGES)) == ["你", "好，", "Ann"]
    assert one.usage == USAGE
    assert not one.cut
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "test",
        "messages": MESSAGES,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_each_piece_is_there_before_the_next_is_sent(server: Stage) -> None:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        events(piece("first"), then=lambda: server.over.wait(60))(handler)

    server.play(scene)
    pieces = talker(server).reply(MESSAGES)
    assert next(pieces) == StreamPiece("first")
    pieces.close()


@pytest.mark.parametrize(
    "form",
    [
        [piece("ok"), piece(ended="stop")],
        [piece("ok"), "data: [DONE]\n\n"],
        [": keep-alive\n\n", "event: message\nid: 7\nretry: 10\n", piece("ok", ended="stop")],
        ['data:{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\r\n\r\n'],
        [piece("o"), {"choices": []}, {"id": "x"}, piece("k"), "data:\n\n", "data: [DONE]\n\n"],
        [{"choices": [{"delta": None}]}, piece("ok", ended="stop"), "data: [DO"],
        [
            {"choices": [{"delta": {"content": [{"type": "text", "text": "ok"}]}}]},
            "data: [DONE]\n\n",
        ],
    ],
)
def test_each_server_has_its_ways(server: Stage, form: list[Any]) -> None:
    server.play(events(*form))
    assert "".join(said(talker(server).reply(MESSAGES))) == "ok"


def test_a_server_that_does_not_stream(server: Stage) -> None:
    server.play(says("all at once", usage=USAGE))
    one = talker(server)
    assert said(one.reply(MESSAGES)) == ["all at once"]
    assert one.usage == USAGE


def test_a_server_that_cannot_report_is_not_asked_again(server: Stage) -> None:
    server.play(answers(400, b'{"detail": "unknown field stream_options"}'), streams("ok"))
    one = talker(server)
    assert one.ask(MESSAGES) == one.ask(MESSAGES) == "ok"
    reports = ["stream_options" in request.body for request in server.requests]
    assert reports == [True, False, False]


def test_what_was_refused_for_another_reason_is_told(server: Stage) -> None:
    server.play(answers(400, b'{"error": {"message": "prompt is too long"}}'))
    one = talker(server)
    for _ in range(2):
        with pytest.raises(RejectedModelError) as caught:
            one.ask(MESSAGES)
        assert caught.value.values["said"] == "prompt is too long"
    assert "stream_options" in server.requests[2].body


def test_the_end_at_the_limit_of_tokens(server: Stage) -> None:
    server.play(streams("and so", ended="length"))
    one = talker(server)
    assert one.ask(MESSAGES) == "and so"
    assert one.cut


# What is thought


@pytest.mark.parametrize(
    "texts",
    [
        ["<think>hm, hm</think>\n\nyes"],
        ["<th", "ink>hm,", " hm</", "think>", "\n\n", "yes"],
        list("  <think>hm, hm</think>\nyes"),
    ],
)
def test_thoughts_are_told_from_what_is_said(server: Stage, texts: list[str]) -> None:
    server.play(streams(*texts))
    pieces = list(talker(server).reply(MESSAGES))
    assert "".join(one.text for one in pieces if one.thought) == "hm, hm"
    assert "".join(one.text for one in pieces if not one.thought) == "yes"


def test_thoughts_in_a_place_of_their_own(server: Stage) -> None:
    server.play(events(piece(reasoning_content="hm"), piece("yes", ended="stop")))
    assert list(talker(server).reply(MESSAGES)) == [StreamPiece("hm", True), StreamPiece("yes")]


@given(st.lists(st.text("<think/> \nab", max_size=6), max_size=8))
def test_nothing_that_is_said_is_lost(texts: list[str]) -> None:
    thoughts = stream._Thoughts()
    pieces = [one for text in texts for one in thoughts.feed(text)] + list(thoughts.end())
    whole = "".join(texts)
    if not whole.lstrip().startswith("<think>"):
        assert "".join(one.text for one in pieces).strip() == whole.strip()
        assert not any(one.thought for one in pieces)
    elif "</think>" in whole:
        spoken = "".join(one.text for one in pieces if not one.thought)
        assert spoken.strip() == whole.partition("</think>")[2].strip()


# What goes wrong


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, RejectedModelError),
        (403, RejectedModelError),
        (404, RejectedModelError),
        (302, RejectedModelError),
        (429, BusyModelError),
        (500, BusyModelError),
        (503, BusyModelError),
    ],
)
def test_what_a_status_means(server: Stage, status: int, kind: type[ModelError]) -> None:
    told = f'{{"error": {{"message": "no: {KEY}"}}}}'.encode()
    server.play(answers(status, told, Retry_After="7"))
    with pytest.raises(kind) as caught:
        talker(server).ask(MESSAGES)
    assert caught.value.values["status"] == status
    assert caught.value.values["said"] == "no: ********"
    assert KEY not in repr(caught.value) + caught.value.hint


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"error": "plain"}', "plain"),
        (b'{"message": "m"}', "m"),
        (b"busy\n now", "busy now"),
        (b'{"detail": "d"}', "d"),
        (b"<html>nginx</html>", ""),
        (b"", ""),
        (b"\xff\xfe", "\ufffd" * 2),
        (b"[" * 100_000, "[" * 300),
        (b"[1]", "[1]"),
    ],
)
def test_what_a_server_complains_of(server: Stage, body: bytes, told: str) -> None:
    server.play(answers(503, body))
    with pytest.raises(BusyModelError) as caught:
        talker(server).ask(MESSAGES)
    assert caught.value.values["said"] == told


def test_a_reply_that_is_cut_off(server: Stage) -> None:
    server.play(events(piece("half a"), piece(" sent")))
    heard: list[str] = []
    with pytest.raises(UnreachableModelError, match="cut off"):
        heard.extend(one.text for one in recorded(talker(server), heard))
    assert heard == ["half a", " sent"]


def recorded(one: Talker, heard: list[str]) -> Iterator[StreamPiece]:
    for found in one.reply(MESSAGES):
        heard.append(found.text)
        yield from ()


def test_a_chunk_that_is_cut_off(server: Stage) -> None:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        handler.protocol_version = "HTTP/1.1"
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"ffff\r\ndata: {")
        handler.close_connection = True

    server.play(scene)
    with pytest.raises(UnreachableModelError, match="cut off"):
        talker(server).ask(MESSAGES)


@pytest.mark.parametrize(
    "form",
    [
        ["data: {nonsense\n\n"],
        ["data: [1]\n\n"],
        ["<html>\n"],
        ["\udcff\udcfe\n"],
        ["data: " + "[" * 100_000 + "\n\n"],
    ],
)
def test_what_is_no_stream(server: Stage, form: list[str]) -> None:
    server.play(events(*form))
    with pytest.raises(BadReplyError, match="valid reply"):
        talker(server).ask(MESSAGES)


@pytest.mark.parametrize("body", [b"", b"hello", b"{}", b'{"choices": []}', b"\xff"])
def test_what_is_no_answer(server: Stage, body: bytes) -> None:
    server.play(answers(200, body, Content_Type="application/json"))
    with pytest.raises(BadReplyError, match="valid reply"):
        talker(server).ask(MESSAGES)


def test_a_model_that_breaks_off(server: Stage) -> None:
    server.play(events(piece("well"), {"error": {"message": "out of memory", "code": 500}}))
    with pytest.raises(BusyModelError, match="stopped with an error") as caught:
        talker(server).ask(MESSAGES)
    assert caught.value.values["said"] == "out of memory"


def test_bytes_that_are_no_text_spoil_only_themselves(server: Stage) -> None:
    server.play(events('data: {"choices":[{"delta":{"content":"a\udcffb"}}]}\n\ndata: [DONE]\n\n'))
    assert talker(server).ask(MESSAGES) == "a\ufffdb"


def test_a_stream_without_end(server: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MOST_BYTES", 100_000)

    def scene(handler: BaseHTTPRequestHandler) -> None:
        events(*[piece("x" * 1_000)] * 1_000)(handler)

    server.play(scene)
    with pytest.raises(BadReplyError, match="longer than 100000 bytes"):
        talker(server).ask(MESSAGES)


@pytest.mark.parametrize("where", ["before", "headers", "middle", "comments", "no line"])
def test_a_silence_ends(server: Stage, where: str) -> None:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        if where == "before":
            silent(server)(handler)
            return
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        drip = b"x"
        if where != "headers":
            handler.wfile.write(b"y\r\nContent-Type: text/event-stream\r\n\r\ndata: ")
            handler.wfile.write(b'{"choices":[{"delta":{"content":"so"}}]}\n\n')
            drip = {"comments": b": still here\n\n", "middle": b"", "no line": b"x"}[where]
        handler.wfile.flush()
        handler.close_connection = True
        while not server.over.wait(0.02):
            handler.wfile.write(drip)

    server.play(scene)
    with pytest.raises(UnreachableModelError, match=r"within 0\.3 seconds"):
        talker(server, timeout=0.3).ask(MESSAGES)


def test_a_slow_reply_that_goes_on_is_waited_for(
    server: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two thirds of the time that a silence may last pass before each piece."""
    now, looks, heard = [0.0], Semaphore(0), Semaphore(0)
    noted = stream._Patience.heard

    class Watched(Event):
        def wait(self, timeout: float | None = None) -> bool:
            looks.release()
            return super().wait(0.001)

    def hears(patience: stream._Patience) -> None:
        noted(patience)
        heard.release()

    def scene(handler: BaseHTTPRequestHandler) -> None:
        events()(handler)
        for letter in "slowly":
            now[0] += 40
            while looks.acquire(blocking=False):
                pass
            for _ in range(2):  # when the second begins, the first has seen what time it is
                looks.acquire()
            handler.wfile.write(f"data: {json.dumps(piece(letter))}\n\n".encode())
            heard.acquire()
        handler.wfile.write(b"data: [DONE]\n\n")

    monkeypatch.setattr(stream, "monotonic", lambda: now[0])
    monkeypatch.setattr(stream, "Event", Watched)
    monkeypatch.setattr(stream._Patience, "heard", hears)
    server.play(scene)
    assert talker(server, timeout=60.0).ask(MESSAGES) == "slowly"


def test_a_reply_is_stopped_from_another_thread(server: Stage) -> None:
    server.play(events(piece("so"), then=lambda: server.over.wait(60)))
    one = talker(server)
    pieces = one.reply(MESSAGES)
    assert next(pieces) == StreamPiece("so")
    stopper = Thread(target=one.stop)
    stopper.start()
    with pytest.raises(UnreachableModelError, match="cut off"):
        next(pieces)
    stopper.join()


def test_a_reply_that_has_not_begun_is_stopped_too(server: Stage) -> None:
    one = talker(server, timeout=60.0)

    def scene(handler: BaseHTTPRequestHandler) -> None:
        one.stop()
        server.over.wait(60)

    server.play(scene)
    with pytest.raises(UnreachableModelError):
        one.ask(MESSAGES)


def test_nobody_is_there() -> None:
    with pytest.raises(UnreachableModelError, match="cannot reach"):
        Talker(ChatConfig("http://127.0.0.1:1/v1", "test")).ask(MESSAGES)


@pytest.mark.parametrize(
    "config",
    [
        ChatConfig(),
        ChatConfig("http://127.0.0.1:1/v1"),
        ChatConfig(name="test"),
        ChatConfig("nowhere", "test"),
        ChatConfig("http://127.0.0.1:1", "test", "a\nb"),
    ],
)
def test_what_is_no_model(config: ChatConfig) -> None:
    with pytest.raises(ConfigError):
        Talker(config)


def test_the_key_is_not_shown() -> None:
    assert KEY not in repr(ChatConfig("http://127.0.0.1:1", "test", KEY))
