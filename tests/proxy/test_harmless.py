"""Whatever happens at the upstream, at the client or in the memory: nobody else is harmed."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from loxodon import Memory
from tests.cli.shell import typed
from tests.each import each
from tests.long import count
from tests.proxy.conftest import Proxy, started
from tests.proxy.upstream import (
    Handler,
    Scene,
    Stage,
    answers,
    delta,
    document,
    failure,
    says,
    stage,
    streams,
    waits,
    zipped,
)
from tests.waiting import PATIENCE, until

QUESTION = "What is my dog called?"
MEGABYTES = count(20, 100)
"""Of a request: more than any place on the way has room for."""


def body(text: str = QUESTION, **more: Any) -> dict[str, Any]:
    return {"model": "test", "messages": [{"role": "user", "content": text}], **more}


def posted(proxy: Proxy, sent: Any = None, **headers: str) -> httpx.Response:
    url = f"{proxy.url}/chat/completions"
    return httpx.post(url, json=sent or body(), headers=headers, timeout=300)


def contents(proxy: Proxy, space: str, turns: int) -> list[str]:
    return [turn.content for turn in proxy.journal(space, turns)]


# --- The upstream ---------------------------------------------------------------------------------


@each("status", [400, 401, 403, 404, 409, 413, 422, 429, 500, 503, 529])
def test_upstream_error_is_handed_on(
    client: httpx.Client, upstream: Stage, dog: str, status: int
) -> None:
    upstream.play(failure(status, "no", Retry_After="7", X_Request_Id="r1"))
    answer = client.post("/chat/completions", json=body())
    assert (answer.status_code, answer.json()["error"]["message"]) == (status, "no")
    assert (answer.headers["retry-after"], answer.headers["x-request-id"]) == ("7", "r1")
    if status in (400, 413, 422):  # it may be about what was added: the client's own is asked last
        assert upstream.requests[-1].json == body()
    else:
        assert len(upstream.requests) == 1


def test_refused_request_is_not_journalled(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    upstream.play(failure(401, "no"), "ok")
    client.post("/chat/completions", json=body("with a bad key"))
    client.post("/chat/completions", json=body("with a good key"))
    assert contents(proxy, space, 2) == ["with a good key", "ok"]


def _strict(handler: Handler) -> None:
    """As some templates are: a system message may only be the first."""
    roles = [one["role"] for one in handler.server.requests[-1].json["messages"]]
    if "system" in roles[1:]:
        failure(400, "System message must be at the beginning.")(handler)
    else:
        says("ok")(handler)


def _without(handler: Handler) -> None:
    """As others are: there is no system message."""
    if "system" in [one["role"] for one in handler.server.requests[-1].json["messages"]]:
        failure(500, "Jinja Exception: System role not supported")(handler)
    else:
        says("ok")(handler)


@pytest.mark.parametrize(("scene", "tries"), [(_strict, [2, 1]), (_without, [3, 1])])
def test_model_that_refuses_memories_as_they_are_gets_them_otherwise(
    client: httpx.Client, upstream: Stage, dog: str, scene: Scene, tries: list[int]
) -> None:
    for n, expected in enumerate(tries):
        upstream.play(scene)
        sent = body(f"{QUESTION} {n}", model=scene.__name__)
        if scene is _strict:
            sent["messages"].insert(0, {"role": "system", "content": "Be kind."})
        answer = client.post("/chat/completions", json=sent)
        assert answer.status_code == 200
        assert len(upstream.requests) == expected
        assert ("Biscuit" in upstream.requests[-1].body.decode()) == (scene is _strict)


def test_request_too_long_with_memories_is_sent_without(
    client: httpx.Client, upstream: Stage, dog: str
) -> None:
    upstream.play(failure(400, "maximum context length is 4096 tokens"), "ok")
    assert client.post("/chat/completions", json=body()).status_code == 200
    assert upstream.requests[1].json == body()
    client.post("/chat/completions", json=body("How old is my dog?"))
    assert "Biscuit" in upstream.requests[2].body.decode()  # that was this once


OK = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok"
CHUNKED = b"HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
HALF = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"


def _raw(data: bytes) -> Scene:
    """Answer with these bytes and hang up, which they should say: the connection is pooled."""

    def scene(handler: Handler) -> None:
        handler.wfile.write(data)
        handler.close_connection = True

    return scene


@each(
    ("answer", "status", "whole"),
    [
        (OK, 200, b"ok"),
        (b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + OK, 200, b"ok"),
        (CHUNKED + b"1\r\no\r\n1\r\nk\r\n0\r\n\r\n", 200, b"ok"),
        (b"HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, b"until the end"),
        (b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n", 204, b""),
        (b"", 502, None),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", 502, None),
        (b"HTTP/1.1 200 OK\r\nx: " + b"x" * 200_000, 502, None),
        (HALF, 200, None),
        (CHUNKED + b"4\r\nhalf\r\n", 200, None),
    ],
)
def test_answers_in_every_form(
    client: httpx.Client, upstream: Stage, answer: bytes, status: int, whole: bytes | None
) -> None:
    upstream.play(_raw(answer))
    try:
        got = client.get("/models")
    except httpx.RemoteProtocolError:  # it breaks off as the upstream's did
        assert (status, whole) == (200, None)
        return
    assert got.status_code == status
    if whole is None:
        assert got.json()["error"]["type"] == "loxodon_proxy"
    else:
        assert got.content == whole


def test_packed_reply_is_handed_on_packed(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    error = gzip.compress(b'{"error": "no"}')
    refusal = answers(400, error, Content_Encoding="gzip", Content_Type="application/json")
    upstream.play(zipped("packed"), refusal)
    answer = client.post("/chat/completions", json=body())
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.json()["choices"][0]["message"]["content"] == "packed"
    assert contents(proxy, space, 2)[1] == "packed"
    refused = client.post("/chat/completions", json=body())
    assert (refused.status_code, refused.json()) == (400, {"error": "no"})


def test_client_that_vanishes_ends_the_work_of_the_upstream(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    def endless(handler: Handler) -> None:
        while not handler.server.go.is_set():
            handler.chunk(delta({"content": "on and "}))

    upstream.play(streams([delta({"content": "so far "}), endless]))
    with client.stream("POST", "/chat/completions", json=body(stream=True)) as answer:
        assert b"so far" in next(answer.iter_raw())
    assert upstream.dropped.wait(PATIENCE)
    assert contents(proxy, space, 2)[1].startswith("so far on and")

    def hangs(handler: Handler) -> None:
        reached.set()
        while handler.connection.recv(1):  # until someone hangs up
            pass
        raise OSError

    reached = Event()
    upstream.play(hangs)
    with _line(proxy) as one:
        one.sendall(_request("chat/completions", body()))
        assert reached.wait(PATIENCE)
    assert upstream.dropped.wait(PATIENCE)


def _line(proxy: Proxy) -> socket.socket:
    """A connection without a client that knows what belongs on it."""
    at = urlsplit(proxy.url)
    return socket.create_connection((at.hostname or "", at.port or 0), 60)


def _request(path: str, sent: object) -> bytes:
    given = json.dumps(sent).encode()
    head = f"POST /v1/{path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    return head.encode() + b"content-length: %d\r\n\r\n%b" % (len(given), given)


def test_silent_upstream_is_given_up(tmp_path: Path, upstream: Stage) -> None:
    upstream.play(waits)
    with started(tmp_path / "home", upstream.url, "--timeout", "0.2") as proxy:
        answer = posted(proxy)
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "upstream_timeout")


@contextmanager
def killable(port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """An upstream that is a program of its own, and its address."""
    command = [sys.executable, "-m", "tests.proxy.upstream", str(port)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def test_kept_connection_that_the_upstream_closed_is_replaced(
    client: httpx.Client, upstream: Stage
) -> None:
    def hangs_up(handler: Handler) -> None:
        handler.close_connection = True

    body = {"model": "m", "messages": [{"role": "user", "content": "I keep bees in Leeds."}]}
    upstream.play("ok", hangs_up, "again")
    assert client.post("/chat/completions", json=body).status_code == 200
    assert "again" in client.post("/chat/completions", json=body).text
    assert len(upstream.requests) == 3
    upstream.play(hangs_up)  # a new one that is closed too is told, after one more try at most
    assert client.post("/chat/completions", json=body).status_code == 502
    assert len(upstream.requests) <= 2


def test_upstream_that_is_killed_and_comes_back(tmp_path: Path) -> None:
    with killable() as (first, url), started(tmp_path / "home", url) as proxy:
        assert posted(proxy).status_code == 200
        first.kill()
        first.wait()
        lost = posted(proxy)
        assert (lost.status_code, lost.json()["error"]["type"]) == (502, "loxodon_proxy")
        theirs = {"anthropic-version": "2023-06-01"}
        for_them = httpx.post(f"{proxy.url}/messages", json=body(), headers=theirs, timeout=300)
        assert (for_them.status_code, for_them.json()["type"]) == (502, "error")
        assert for_them.json()["error"]["code"] == "upstream_unreachable"
        with killable(int(url.rsplit(":", 1)[1].removesuffix("/v1"))):
            assert posted(proxy).status_code == 200


def _certificate(folder: Path) -> Path:
    """A certificate for api.example with its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now, day = datetime.now(UTC), timedelta(days=1)
    names = x509.SubjectAlternativeName([x509.DNSName("api.example")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    path = folder / "server.pem"
    path.write_bytes(secret + made.public_bytes(pem))
    return path


def test_upstream_is_reached_through_the_proxy_of_the_system(tmp_path: Path) -> None:
    """In a tunnel where it is behind TLS; with its name, where not."""
    path = _certificate(tmp_path)
    serves = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serves.load_cert_chain(path)
    heads: list[bytes] = []

    def tunnel(listening: socket.socket, port: int) -> None:
        with listening.accept()[0] as near, near.makefile("rb") as lines:
            heads.append(b"".join(iter(lines.readline, b"\r\n")))
            with socket.create_connection(("127.0.0.1", port)) as far:
                near.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
                back = Thread(target=_carried, args=(far, near))
                back.start()
                _carried(near, far)
                back.join()

    with stage() as upstream, stage() as plain, socket.create_server(("127.0.0.1", 0)) as company:
        upstream.socket = serves.wrap_socket(upstream.socket, server_side=True)
        port = company.getsockname()[1]
        tunnelling = Thread(target=tunnel, args=(company, upstream.server_address[1]), daemon=True)
        tunnelling.start()
        way = f"http://me:pass@127.0.0.1:{port}"
        outside: Any = {"https_proxy": way, "SSL_CERT_FILE": str(path), "no_proxy": ""}
        with started(tmp_path / "home", "https://api.example/v1", **outside) as proxy:
            assert posted(proxy).status_code == 200
        company.close()
        tunnelling.join(PATIENCE)
        assert heads[0].startswith(b"CONNECT api.example:443 HTTP/1.1\r\n")
        assert b"proxy-authorization: basic bwu6cgfzcw==" in heads[0].lower()
        way = f"http://me:pass@127.0.0.1:{plain.server_address[1]}"
        with started(tmp_path / "home", "http://api.example", http_proxy=way, no_proxy="") as proxy:
            assert posted(proxy).status_code == 200
        (request,) = plain.requests
        assert request.path == "http://api.example/v1/chat/completions"
        assert request.headers["proxy-authorization"] == "Basic bWU6cGFzcw=="


def _carried(here: socket.socket, there: socket.socket) -> None:
    try:
        while data := here.recv(1 << 16):
            there.sendall(data)
        there.shutdown(socket.SHUT_WR)
    except OSError:  # one of them has hung up
        pass


# --- The client -----------------------------------------------------------------------------------


@each(
    "sent",
    [
        b"",
        b"{",
        b"\xff\xfe{}",
        b"[]",
        b'{"messages": 5}',
        b'{"messages": [[]]}',
        b'{"messages": [}',
        b'{"messages": [{"role": "user", "content": "x"}]} x',
        b'{"messages": [{"role": "user", "content": {"deep": ' + b"[" * 50_000 + b"]}]}",
        b'{"messages": [{"role": "user", "content": "\\u0000"}]}',
        b'{"messages": [], "n": ' + b"9" * 5_000 + b"}",
    ],
)
def test_malformed_request_is_the_upstreams_to_refuse(
    client: httpx.Client, upstream: Stage, dog: str, sent: bytes
) -> None:
    for path in ("/chat/completions", "/messages", "/responses"):
        upstream.play(failure(400, "malformed"))
        answer = client.post(path, content=sent)
        assert (answer.status_code, answer.json()["error"]["message"]) == (400, "malformed")
        assert upstream.requests[-1].body == sent


@pytest.mark.parametrize("path", ["/files", "/chat/completions"])
def test_many_megabytes_pass_as_they_come(client: httpx.Client, upstream: Stage, path: str) -> None:
    def counts(handler: Handler) -> None:
        document({"bytes": len(handler.server.requests[-1].body)})(handler)

    upstream.play(counts)
    million = b"x" * 1_000_000
    answer = client.post(path, content=(million for _ in range(MEGABYTES)), timeout=300)
    assert answer.json() == {"bytes": MEGABYTES * 1_000_000}
    upstream.requests.clear()


def test_paths_and_pages_of_elsewhere_are_refused(
    client: httpx.Client, proxy: Proxy, upstream: Stage
) -> None:
    for path in ("v1/../admin", "v1/%2e%2e/admin", "v1/x%2F..%2Fy", "v1/..%5Cx"):
        with _line(proxy) as one:
            head = f"GET /{path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"
            one.sendall(head.encode())
            assert b" 400 " in one.makefile("rb").readline()
    for headers in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
        answer = client.post("/chat/completions", json=body(), headers=headers)
        assert answer.status_code == 403
    assert upstream.requests == []
    page = {"origin": "http://localhost:3000"}
    assert client.post("/chat/completions", json=body(), headers=page).status_code == 200


def test_token_and_key_of_the_proxy(tmp_path: Path, upstream: Stage) -> None:
    key, ours = {"authorization": "Bearer sk-theirs"}, {"authorization": "Bearer t0"}
    with started(tmp_path / "home", upstream.url, "--token", "t0") as proxy:
        assert posted(proxy, **key).status_code == 401
        at = proxy.url.removesuffix("/v1")
        assert httpx.get(f"{at}/health", timeout=300).status_code == 200
        assert httpx.get(f"{at}/metrics", headers=key, timeout=300).status_code == 401
        assert httpx.get(f"{at}/metrics", headers=ours, timeout=300).status_code == 200
        assert posted(proxy, **key, **{"x-loxodon-token": "t0"}).status_code == 200
        assert upstream.requests[-1].headers["authorization"] == "Bearer sk-theirs"
    options = ("--key-env", "MODEL_KEY", "--token", "t0")
    with started(tmp_path / "home", upstream.url, *options, MODEL_KEY="sk-ours") as proxy:
        assert posted(proxy).status_code == 401
        assert posted(proxy, **ours).status_code == 200
        assert upstream.requests[-1].headers["authorization"] == "Bearer sk-ours"


@each(
    "options",
    [
        ("--upstream", "nowhere"),
        ("--upstream", "ftp://a/b"),
        ("--upstream", "http://"),
        ("--upstream", "http://a:x/"),
        ("--upstream", "http://a/v1?x=1"),
        ("--upstream", "http://[/"),
        ("--upstream", "http://a", "--host", "0.0.0.0"),
        ("--upstream", "http://a", "--key-env", "NO_SUCH_KEY"),
        ("--upstream", "http://a", "--limit", "0"),
        (),
    ],
)
def test_invalid_options_are_refused_at_once(tmp_path: Path, options: tuple[str, ...]) -> None:
    words = ("--home", str(tmp_path), "proxy", "--json", *options)
    done = typed(*words, env={"HOME": str(tmp_path)})
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "usage"


# --- The memory -----------------------------------------------------------------------------------


def test_memory_that_cannot_be_read_is_left_out(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    folder = proxy.home / "spaces" / space
    folder.mkdir(parents=True)
    (folder / "loxodon.db").write_bytes(b"this is no database" * 1_000)
    for _ in range(5):
        answer = client.post("/chat/completions", json=body())
        assert answer.json()["choices"][0]["message"]["content"] == "ok"
        assert upstream.requests[-1].json == body()

    def lost() -> Any:
        return [one for one in proxy.log if one["event"] == "proxy.lost" and one["space"] == space]

    assert until(lost)[0]["turns"] == 1


# --- What a client has seen is on disk ------------------------------------------------------------


def _killed_after(
    home: Path, upstream: Stage, path: str, sent: dict[str, Any], enough: Callable[[bytes], bool]
) -> list[str]:
    """Ask a proxy, and kill it as soon as what came back is enough; what was journalled."""
    with started(home, upstream.url) as proxy, _line(proxy) as line:
        line.sendall(_request(path, sent))
        came = b""
        while not enough(came):
            more = line.recv(1)
            assert more, came
            came += more
        proxy.process.kill()
        proxy.process.wait()
    with Memory.open(home) as memory:
        return [turn.content for turn in memory.journal()]


def test_message_is_on_disk_with_the_first_byte_of_the_reply(
    tmp_path: Path, upstream: Stage
) -> None:
    upstream.play(streams([delta({"content": "late"}), waits, delta({"content": "r"})]))
    sent = body(stream=True)
    assert _killed_after(tmp_path / "home", upstream, "chat/completions", sent, bool) == [QUESTION]


def test_message_is_on_disk_while_the_upstream_works(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    client.post("/chat/completions", json=body())

    def asks(handler: Handler) -> None:
        assert contents(proxy, space, 3) == [QUESTION, "ok", "And she is two"]
        says("ok, noted")(handler)

    upstream.play(asks)
    sent = body()
    sent["messages"] += [
        {"role": "assistant", "content": "ok"},
        *body("And she is two")["messages"],
    ]
    assert client.post("/chat/completions", json=sent).status_code == 200


@pytest.mark.parametrize(
    ("path", "sent", "last"),
    [
        ("chat/completions", body(stream=True), b"data: [DONE]"),
        ("chat/completions", body(), b'"finish_reason": "stop"}]}'),
        ("responses", {"input": QUESTION, "stream": True}, b'"response.completed"'),
        ("messages", body(stream=True, max_tokens=99), b"event: message_stop"),
        ("messages", body(max_tokens=99), b'"output_tokens": 3}}'),
    ],
)
def test_reply_is_on_disk_with_its_last_byte(
    tmp_path: Path, upstream: Stage, path: str, sent: dict[str, Any], last: bytes
) -> None:
    upstream.play(says("She |has told me."))
    found = _killed_after(tmp_path / "home", upstream, path, sent, lambda came: last in came)
    said = "She has told me." if sent.get("stream") and path[0] == "c" else "She |has told me."
    assert found == [QUESTION, said]
