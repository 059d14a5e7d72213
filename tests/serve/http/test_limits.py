"""Who is let in as whom, how often, and with how much patience."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from loxodon import client
from loxodon.errors import ForbiddenError
from loxodon.serve.http.guard import RefusedError
from loxodon.serve.http.patience import protocol
from loxodon.serve.http.rates import Rates
from loxodon.trust.access import tokens as access
from loxodon.trust.access.tokens import Grant
from tests.clock import NOW

from .server import Server


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("granted") / "home"
    found.mkdir(mode=0o700)
    return found


@pytest.fixture(scope="module")
def tokens(home: Path) -> dict[str, str]:
    grants = (
        Grant("owner"),
        Grant("reader", rights="read"),
        Grant("ada", ("ada",), rights="write"),
        Grant("coder", ("ada",), "coder", rights="owner"),
        Grant("group", ("ada",), chat="group", rights="write"),
    )
    return {one.name: access.add(str(home), one, NOW)[1] for one in grants}


@pytest.fixture(scope="module")
def server(home: Path, tokens: dict[str, str]) -> Iterator[Server]:
    with Server(home, "--host", "127.0.0.1") as running:
        yield running


def asked(server: Server, token: str, **headers: str) -> httpx.Client:
    return server.client(headers={"authorization": f"Bearer {token}", **headers})


def test_with_tokens_nobody_gets_in_without(server: Server, tokens: dict[str, str]) -> None:
    with server.client() as http:
        assert http.get("/v1/spaces").status_code == 401
        assert http.get("/health").json() == {"status": "ok"}
    with asked(server, tokens["owner"]) as http:
        assert http.get("/v1/spaces").status_code == 200


def test_rights_and_spaces(server: Server, tokens: dict[str, str]) -> None:
    said = {"turns": [{"role": "user", "content": "hello", "id": "1"}]}
    with asked(server, tokens["ada"]) as http:
        assert http.post("/v1/spaces/ada/turns", json=said).status_code == 200
        assert http.post("/v1/spaces/bob/turns", json=said).status_code == 404
        assert http.get("/v1/spaces").json() == {"spaces": ["ada"]}
        assert http.post("/v1/spaces/ada/consolidate", json={}).status_code == 403
        assert http.put("/v1/spaces/new").status_code == 403
        assert http.get("/metrics").status_code == 403
    with asked(server, tokens["reader"]) as http:
        assert http.delete("/v1/spaces/ada").status_code == 403
        assert http.get("/v1/spaces/ada/turns").status_code == 200
        assert http.post("/v1/spaces/ada/turns", json=said).status_code == 403
        assert http.post("/v1/spaces/ada/recall", json={"query": "hello"}).status_code == 200
        assert http.get("/v1/spaces/ada/memories?reveal=true").status_code == 403
    with asked(server, tokens["coder"], **{"x-loxodon-agent": "writer"}) as http:
        assert http.get("/v1/spaces/ada/turns").status_code == 403
    with asked(server, tokens["coder"]) as http:  # an agent is never the owner of a space
        assert http.post("/v1/spaces/ada/validate", json={}).status_code == 403


def test_agents_and_groups_by_header_and_by_token(server: Server, tokens: dict[str, str]) -> None:
    with (
        client.Client(server.url, tokens["coder"], "ada") as coder,
        client.Client(server.url, tokens["owner"], "ada", agent="小秘") as other,
        client.Client(server.url, tokens["group"], "ada") as group,
        client.Client(server.url, tokens["owner"], "ada") as owner,
    ):
        coder.capture("the coder's")
        other.capture("the other's")
        group.capture("the group's", audience="group")
        assert {one.content for one in coder.list()} == {"the coder's", "the group's"}
        assert {one.content for one in other.list()} == {"the other's", "the group's"}
        assert {one.content for one in group.list()} == {"the group's"}
        assert len(owner.list()) == 3
        with pytest.raises(ForbiddenError):
            coder.consolidate()


def test_a_token_that_is_revoked_is_refused_at_once(
    server: Server, home: Path, tokens: dict[str, str]
) -> None:
    _, token = access.add(str(home), Grant("brief"), NOW)
    with asked(server, token) as http:
        assert http.get("/v1/spaces").status_code == 200
        access.revoke(str(home), "brief")
        assert http.get("/v1/spaces").status_code == 401


def test_who_tries_tokens_has_to_wait(server: Server, tokens: dict[str, str]) -> None:
    with asked(server, "lox_wrong") as http:
        told = [http.get("/v1/spaces") for _ in range(60)]
    assert {one.status_code for one in told} == {401, 429}
    assert int(next(one for one in told if one.status_code == 429).headers["retry-after"]) >= 1
    with asked(server, tokens["owner"]) as http:  # others need not
        assert http.get("/v1/spaces").status_code == 200


def test_pages_of_elsewhere_are_refused(server: Server, tokens: dict[str, str]) -> None:
    with asked(server, tokens["owner"], origin="http://evil.example") as http:
        told = http.get("/v1/spaces")
    assert told.status_code == 403
    assert "access-control-allow-origin" not in told.headers


def test_heads_that_are_too_large(server: Server, tokens: dict[str, str]) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 60) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000)
        assert b" 400 " in raw.recv(1_000)[:20] or not raw.recv(1_000)


# Pure


def test_a_bucket_fills_with_time() -> None:
    now = [0.0]
    rates = Rates(10, lambda: now[0])
    for _ in range(20):
        rates.take("a")
    with pytest.raises(RefusedError) as refused:
        rates.take("a")
    assert (refused.value.status, refused.value.headers) == (429, {"retry-after": "1"})
    rates.take("b")
    now[0] += 0.1
    rates.take("a")
    with pytest.raises(RefusedError):
        rates.take("a")
    Rates(0).take("any number")


def test_who_sends_no_head_is_hung_up_on() -> None:
    import asyncio

    import uvicorn

    async def app(scope: object, receive: object, send: object) -> None:
        raise AssertionError

    async def run() -> list[bytes]:
        config = uvicorn.Config(app, log_config=None, lifespan="off", ws="none")
        config.load()
        loop, state = asyncio.get_running_loop(), uvicorn.server.ServerState()
        kind = protocol(1, 0.05)
        server = await loop.create_server(lambda: kind(config, state, {}), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        ends = []
        for first in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(first)
            try:
                ends.append(await asyncio.wait_for(reader.read(), 60))
            except ConnectionResetError:
                ends.append(b"")
            writer.close()
        server.close()
        return ends

    assert asyncio.run(run()) == [b"", b""]
