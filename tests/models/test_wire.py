"""One exchange: whatever a server does, it ends in time, in an answer or a clear error."""

from __future__ import annotations

import socket
from http.server import BaseHTTPRequestHandler

import pytest

from loxodon.errors import BadReplyError, UnreachableModelError
from loxodon.models.wire import MOST_BYTES, Answer, post
from tests.models.server import KEY, Stage, answers, silent


def send(server: Stage, path: str = "/v1", timeout: float = 60) -> Answer:
    return post(f"http://127.0.0.1:{server.port}{path}", KEY, {"text": "花生 🥜"}, timeout)


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1/chat/completions", "/v1/chat/completions/"])
def test_the_request(server: Stage, path: str) -> None:
    server.play(answers(200, b"{}"))
    assert send(server, path).body == b"{}"
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {"text": "花生 🥜"}
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"


def test_no_key_no_header(server: Stage) -> None:
    server.play(answers(200))
    post(f"http://127.0.0.1:{server.port}", "", {}, 10)
    assert "Authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry_After": "7"}, 7.0),
        ({"Retry_After": "soon"}, None),
        ({"Retry_After": "9" * 40}, None),
        ({"Retry_After": "-1"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait(server: Stage, headers: dict[str, str], seconds: float | None) -> None:
    server.play(answers(429, b"", **headers))
    assert send(server).retry_after == seconds


def test_how_long_to_wait_by_the_server_s_own_clock(server: Stage) -> None:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response_only(503)
        handler.send_header("Date", "Wed, 04 Feb 2026 10:00:00 GMT")
        handler.send_header("Retry-After", "Wed, 04 Feb 2026 10:00:20 GMT")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    server.play(scene)
    assert send(server).retry_after == 20.0


def test_a_redirect_is_not_followed(server: Stage) -> None:
    server.play(answers(307, Location=f"http://localhost:{server.port}/elsewhere"))
    assert send(server).status == 307
    assert len(server.requests) == 1


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        with pytest.raises(UnreachableModelError, match="cannot reach") as caught:
            post(f"http://127.0.0.1:{port}", KEY, {}, 10)
    assert not caught.value.values["delivered"]


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a..b", "x" * 70])
def test_no_such_host(host: str) -> None:
    with pytest.raises(UnreachableModelError, match="cannot reach"):
        post(f"http://{host}", KEY, {}, 10)


def test_a_server_without_encryption_where_some_is_asked_for(server: Stage) -> None:
    with pytest.raises(UnreachableModelError, match="cannot reach"):
        post(f"https://127.0.0.1:{server.port}", KEY, {}, 10)


def test_silence(server: Stage) -> None:
    server.play(silent(server))
    with pytest.raises(UnreachableModelError, match=r"within 0\.5 seconds") as caught:
        send(server, timeout=0.5)  # time enough to send it
    assert caught.value.values["delivered"]


@pytest.mark.parametrize("where", ["headers", "body", "body of unknown length"])
def test_a_server_that_drips_is_hung_up_on(server: Stage, where: str) -> None:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        if where == "headers":
            handler.wfile.write(b"X-Long: ")
        elif where == "body":
            handler.wfile.write(b"Content-Length: 1000000\r\n\r\n")
        else:
            handler.wfile.write(b"\r\n")
        handler.close_connection = True
        while not server.over.wait(0.02):
            handler.wfile.write(b"x")

    server.play(scene)
    with pytest.raises(UnreachableModelError, match=r"within 0\.3 seconds"):
        send(server, timeout=0.3)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00\xff\xfe garbage\r\n\r\n",
        b"HTTP/1.1 banana\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" * 500,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 500 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}",
    ],
)
def test_what_is_no_http(server: Stage, raw: bytes) -> None:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(raw)
        handler.close_connection = True

    server.play(scene)
    try:
        answer = send(server)
    except UnreachableModelError:
        return
    assert answer.body in (b"{}", b"")  # whoever reads the body finds that it is no answer


def test_an_endless_body(server: Stage) -> None:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.close_connection = True
        while not server.over.is_set():
            handler.wfile.write(b"x" * 100_000)

    server.play(scene)
    with pytest.raises(BadReplyError, match=f"longer than {MOST_BYTES} bytes"):
        send(server)
