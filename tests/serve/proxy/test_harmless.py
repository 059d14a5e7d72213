"""Whatever happens at the upstream, at the client or in the memory: nobody else is harmed."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from loxodon import Memory
from tests.long import count
from tests.serve.proxy.conftest import Proxy, started
from tests.serve.proxy.upstream import (
    Handler,
    Scene,
    Stage,
    answers,
    breaks,
    delta,
    document,
    failure,
    says,
    streams,
    waits,
    zipped,
)
from tests.serve.shell import typed
from tests.waiting import until

QUESTION = "What is my dog called?"
MEGABYTES = count(20, 100)
"""Of a request: more than any place on the way has room for."""


def body(text: str = QUESTION, **more: Any) -> dict[str, Any]:
    return {"model": "test", "messages": [{"role": "user", "content": text}], **more}


@pytest.fixture
def dog(proxy: Proxy, space: str) -> str:
    """A space that has something to recall."""
    with Memory.open(proxy.home, space) as memory:
        memory.capture("The user's dog is called Biscuit")
    return space


# --- The upstream ---------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 429, 500, 503, 529])
def test_an_error_is_handed_on_as_it_is(
    client: httpx.Client, upstream: Stage, dog: str, status: int
) -> None:
    upstream.play(failure(status, "no", Retry_After="7", X_Request_Id="r1"))
    answer = client.post("/chat/completions", json=body())
    assert answer.status_code == status
    assert answer.json()["error"]["message"] == "no"
    assert answer.headers["retry-after"] == "7"
    assert answer.headers["x-request-id"] == "r1"
    if status in (400, 413, 422):  # it may be about what was added: the client's own is asked last
        assert upstream.requests[-1].json == body()
    else:
        assert len(upstream.requests) == 1


def test_what_was_refused_is_not_journalled(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    upstream.play(failure(401, "no"), "ok")
    client.post("/chat/completions", json=body("with a bad key"))
    client.post("/chat/completions", json=body("with a good key"))
    assert [turn.content for turn in proxy.journal(space, 2)] == ["with a good key", "ok"]


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
def test_a_model_that_will_not_have_it_so_gets_it_otherwise(
    client: httpx.Client, upstream: Stage, dog: str, scene: Scene, tries: list[int]
) -> None:
    system = {"role": "system", "content": "Be kind."}
    for n, expected in enumerate(tries):
        upstream.play(scene)
        sent = body(f"{QUESTION} {n}", model=scene.__name__)
        if scene is _strict:
            sent["messages"].insert(0, system)
        answer = client.post("/chat/completions", json=sent)
        assert answer.status_code == 200
        assert len(upstream.requests) == expected
        assert ("Biscuit" in upstream.requests[-1].body.decode()) == (scene is _strict)


def test_what_is_too_long_with_memories_is_sent_without(
    client: httpx.Client, upstream: Stage, dog: str
) -> None:
    upstream.play(failure(400, "maximum context length is 4096 tokens"), "ok")
    answer = client.post("/chat/completions", json=body())
    assert answer.status_code == 200
    assert upstream.requests[1].json == body()
    client.post("/chat/completions", json=body("How old is my dog?"))
    assert "Biscuit" in upstream.requests[2].body.decode()  # that was this once


@pytest.mark.parametrize("said", [b"", b"\x00\xff", b"<html>no</html>", b'{"choices": 5}'])
def test_nonsense_is_handed_on(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str, said: bytes
) -> None:
    upstream.play(answers(200, said, Content_Type="application/json"))
    assert client.post("/chat/completions", json=body()).content == said
    assert [turn.content for turn in proxy.journal(space, 1)] == [QUESTION]


def test_a_packed_reply_is_handed_on_packed(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    upstream.play(zipped("packed"))
    answer = client.post("/chat/completions", json=body())
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.json()["choices"][0]["message"]["content"] == "packed"
    assert proxy.journal(space, 2)[1].content == "packed"


def test_a_packed_error_is_handed_on_packed(
    client: httpx.Client, upstream: Stage, dog: str
) -> None:
    upstream.play(lambda handler: failure_zipped(handler))
    answer = client.post("/chat/completions", json=body())
    assert answer.status_code == 400
    assert answer.json() == {"error": "no"}


def failure_zipped(handler: Handler) -> None:
    import gzip

    packed = gzip.compress(b'{"error": "no"}')
    answers(400, packed, Content_Encoding="gzip", Content_Type="application/json")(handler)


def test_a_stream_that_breaks_off_breaks_off(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    upstream.play(streams([delta({"content": "half of"}), breaks]))
    with (
        pytest.raises(httpx.RemoteProtocolError),
        client.stream("POST", "/chat/completions", json=body(stream=True)) as answer,
    ):
        answer.read()
    assert [turn.content for turn in proxy.journal(space, 2)] == [QUESTION, "half of"]


def test_a_client_that_vanishes_ends_the_upstreams_work(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    def endless(handler: Handler) -> None:
        while not handler.server.go.is_set():
            handler.chunk(delta({"content": "on and "}))

    upstream.play(streams([delta({"content": "so far "}), endless]))
    with client.stream("POST", "/chat/completions", json=body(stream=True)) as answer:
        assert b"so far" in next(answer.iter_raw())
    assert upstream.dropped.wait(60)
    assert proxy.journal(space, 2)[1].content.startswith("so far on and")


def _line(proxy: Proxy) -> socket.socket:
    """A connection without a client that knows what belongs on it."""
    at = urlsplit(proxy.url)
    return socket.create_connection((at.hostname or "", at.port or 0), 60)


def test_an_upstream_that_hangs_is_let_go_with_its_client(upstream: Stage, proxy: Proxy) -> None:
    def hangs(handler: Handler) -> None:
        reached.set()
        while handler.connection.recv(1):  # until someone hangs up
            pass
        raise OSError

    reached = Event()
    upstream.play(hangs)
    given = json.dumps(body()).encode()
    with _line(proxy) as one:
        one.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n")
        one.sendall(b"content-length: %d\r\n\r\n%b" % (len(given), given))
        assert reached.wait(60)
    assert upstream.dropped.wait(60)


def test_silence_has_an_end(tmp_path: Path, upstream: Stage) -> None:
    upstream.play(waits)
    with started(tmp_path / "home", upstream.url, "--timeout", "0.2") as proxy:
        answer = httpx.post(f"{proxy.url}/chat/completions", json=body(), timeout=60)
    assert answer.status_code == 504
    assert answer.json()["error"]["code"] == "upstream_timeout"


@contextmanager
def killable(port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """An upstream that is a program of its own, and its address."""
    command = [sys.executable, "-m", "tests.serve.proxy.upstream", str(port)]
    root = Path(__file__).parents[3]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def test_an_upstream_that_is_killed_and_comes_back(tmp_path: Path) -> None:
    with killable() as (first, url), started(tmp_path / "home", url) as proxy:

        def status() -> int:
            answer = httpx.post(f"{proxy.url}/chat/completions", json=body(), timeout=60)
            if answer.status_code != 200:
                assert answer.json()["error"]["type"] == "loxodon_proxy"
            return answer.status_code

        assert status() == 200
        first.kill()
        first.wait()
        assert status() == 502
        with killable(int(url.rsplit(":", 1)[1].removesuffix("/v1"))):
            assert status() == 200


# --- The client -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/chat/completions", "/messages"])
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b"\xff\xfe{}",
        b"[]",
        b'{"messages": 5}',
        b'{"messages": [[]]}',
        b'{"messages": [{"role": "user", "content": {"deep": ' + b"[" * 50_000 + b"]}]}",
        b'{"messages": [{"role": "user", "content": "\\u0000"}]}',
    ],
)
def test_a_malformed_request_is_the_upstreams_to_refuse(
    client: httpx.Client, upstream: Stage, dog: str, sent: bytes, path: str
) -> None:
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
    answer = client.post(path, content=(million for _ in range(MEGABYTES)), timeout=120)
    assert answer.json() == {"bytes": MEGABYTES * 1_000_000}
    upstream.requests.clear()


def test_everything_else_passes_untouched(client: httpx.Client, upstream: Stage) -> None:
    upstream.play(document({"data": []}))
    assert client.get("/models?limit=2").json() == {"data": []}
    client.post("/embeddings", json={"input": "x"})
    client.request("DELETE", "/responses/r1")
    client.post("/chat/completions", content=b"\x1f\x8b", headers={"content-encoding": "gzip"})
    assert [(one.method, one.path, one.body) for one in upstream.requests] == [
        ("GET", "/v1/models?limit=2", b""),
        ("POST", "/v1/embeddings", b'{"input":"x"}'),
        ("DELETE", "/v1/responses/r1", b""),
        ("POST", "/v1/chat/completions", b"\x1f\x8b"),
    ]
    assert upstream.requests[0].headers["authorization"] == "Bearer sk-theirs"


def test_a_path_may_not_leave_the_upstreams(proxy: Proxy, upstream: Stage) -> None:
    with _line(proxy) as one:
        one.sendall(
            b"GET /v1/%2e%2e/admin HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"
        )
        assert b" 400 " in one.makefile("rb").readline()
    assert upstream.requests == []


def test_a_web_page_of_elsewhere_is_refused(client: httpx.Client, upstream: Stage) -> None:
    for headers in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
        answer = client.post("/chat/completions", json=body(), headers=headers)
        assert answer.status_code == 403
    assert upstream.requests == []
    page = {"origin": "http://localhost:3000"}
    assert client.post("/chat/completions", json=body(), headers=page).status_code == 200


def test_a_token_is_asked_for_where_one_is_set(tmp_path: Path, upstream: Stage) -> None:
    with started(tmp_path / "home", upstream.url, "--token", "t0") as proxy:
        url = f"{proxy.url}/chat/completions"
        key = {"authorization": "Bearer sk-theirs"}
        assert httpx.post(url, json=body(), headers=key, timeout=60).status_code == 401
        assert httpx.get(proxy.url.replace("/v1", "/health"), timeout=60).status_code == 200
        metrics = proxy.url.replace("/v1", "/metrics")
        assert httpx.get(metrics, headers=key, timeout=60).status_code == 401
        ours = {"authorization": "Bearer t0"}
        assert httpx.get(metrics, headers=ours, timeout=60).status_code == 200
        given = {**key, "x-loxodon-token": "t0"}
        assert httpx.post(url, json=body(), headers=given, timeout=60).status_code == 200
    assert upstream.requests[-1].headers["authorization"] == "Bearer sk-theirs"


def test_the_upstreams_key_can_be_the_proxys_own(tmp_path: Path, upstream: Stage) -> None:
    options = ("--key-env", "MODEL_KEY", "--token", "t0")
    with started(tmp_path / "home", upstream.url, *options, MODEL_KEY="sk-ours") as proxy:
        url = f"{proxy.url}/chat/completions"
        assert httpx.post(url, json=body(), timeout=60).status_code == 401
        given = {"authorization": "Bearer t0"}
        assert httpx.post(url, json=body(), headers=given, timeout=60).status_code == 200
    assert upstream.requests[-1].headers["authorization"] == "Bearer sk-ours"


@pytest.mark.parametrize(
    "options",
    [
        ("--upstream", "nowhere"),
        ("--upstream", "http://a", "--host", "0.0.0.0"),
        ("--upstream", "http://a", "--key-env", "NO_SUCH_KEY"),
        ("--upstream", "http://a", "--limit", "0"),
        (),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(tmp_path: Path, options: tuple[str, ...]) -> None:
    words = ("--home", str(tmp_path), "proxy", "--json", *options)
    done = typed(*words, env={"HOME": str(tmp_path)})
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "usage"


# --- The memory -----------------------------------------------------------------------------------


def test_a_memory_that_cannot_be_read_is_left_out(
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


def test_a_memory_that_is_late_is_not_waited_for(tmp_path: Path, upstream: Stage) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        memory.capture("The user's dog is called Biscuit")
    with started(home, upstream.url, "--limit", "0.00001") as proxy:
        answer = httpx.post(f"{proxy.url}/chat/completions", json=body(), timeout=60)
        assert answer.status_code == 200
        assert upstream.requests[-1].json == body()
        assert len(proxy.journal("main", 2)) == 2
        assert until(lambda: [one for one in proxy.log if one.get("recall_error") == "late"])


def test_two_proxies_share_a_home(tmp_path: Path, upstream: Stage) -> None:
    home = tmp_path / "home"
    with started(home, upstream.url) as one, started(home, upstream.url) as two:
        for proxy, text in ((one, "My tea is green"), (two, "My cup is blue")):
            httpx.post(f"{proxy.url}/chat/completions", json=body(text), timeout=60)
        assert len(one.journal("main", 4)) == 4
        port = one.url.rsplit(":", 1)[1].removesuffix("/v1")
        command = [sys.executable, "-m", "loxodon", "proxy", "--home", str(home), "--port", port]
        done = subprocess.run([*command, "--upstream", "http://a"], capture_output=True, timeout=60)
        assert done.returncode == 2
