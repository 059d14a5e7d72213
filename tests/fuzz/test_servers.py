"""Anything at all, sent to a real HTTP server, a real MCP server and through a real proxy.

Every request gets an answer that makes sense, none of them is a defect of ours, and the server goes
on.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from itertools import islice
from pathlib import Path
from random import Random
from threading import Thread
from typing import IO, Any, NamedTuple
from urllib.parse import quote, urlencode

import pytest

from loxodon import Memory
from tests.fuzz.made import HERE, cases, mutated, talked, text, value
from tests.http.server import Server
from tests.long import count, figure
from tests.mcp.desk import ALONE
from tests.mcp.test_lines import HELLO
from tests.proxy.conftest import started
from tests.proxy.upstream import Handler, deltas, message_events, response_events, stage, streams
from tests.waiting import PATIENCE

# Work that takes its time: asked for as well, but seldom
SLOW = {"consolidate", "flush", "embed", "index", "rebuild-index", "backup", "export", "sync"}
PLACES = {"folder", "path"}  # fields that name a place on disk
USUAL = {"space": "main", "id": "f_20260204_001", "ref": "t_1", "session": "monday", "name": "Mia"}
HEADERS: tuple[str, ...] = (
    "Accept-Language",
    "Content-Type",
    "Accept",
    "Idempotency-Key",
    "Authorization",
)
HEADERS += ("Origin", "If-Match", "Content-Encoding", "X-Request-Id", "Range")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = talked(tmp_path_factory.mktemp("fuzzed") / "home")
    (path / "config.toml").write_text("[serve]\nrate = 0\n", "utf-8")
    return path


# HTTP


class Request(NamedTuple):
    method: str
    path: str
    body: bytes
    headers: dict[str, str]


class Operation(NamedTuple):
    """Something that the server says it can do."""

    method: str
    path: str
    takes: list[str]


def operations(connection: HTTPConnection) -> list[Operation]:
    """What the server's own description has of a space."""
    connection.request("GET", "/openapi.json")
    description = json.loads(connection.getresponse().read())
    found = []
    for path, methods in description["paths"].items():
        if not path.startswith("/v1/spaces/{space}/"):
            continue
        for method, about in methods.items():
            takes = [one["name"] for one in about.get("parameters", ()) if one.get("in") == "query"]
            body = about.get("requestBody", {}).get("content", {}).get("application/json", {})
            schema = body.get("schema", {})
            if "$ref" in schema:
                schema = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            found.append(Operation(method.upper(), path, [*takes, *schema.get("properties", {})]))
    assert len(found) > 50
    return found


def _request(random: Random, known: list[Operation], folder: Path) -> Request:
    """A request to something that there is, with parts that make no sense; or to nothing."""
    operation = random.choice(known)
    if SLOW & {*operation.path.split("/")} and random.random() < 0.98:
        operation = known[0]
    given = {
        name: value(random) if random.random() < 0.6 else text(random, 40)
        for name in operation.takes
        if random.random() < 0.5
    }
    places = PLACES & {*operation.takes}
    for name in places:
        given[name] = _place(random, folder)
    path = operation.path
    for name, one in USUAL.items():
        path = path.replace(f"{{{name}}}", _part(random, one))
    if operation.method in ("GET", "DELETE"):
        path += "?" + urlencode({key: str(one) for key, one in given.items()}, errors="replace")
        body = b""
    else:
        body = json.dumps(given).encode("utf-8", "replace")
        if not places and random.random() < 0.3:  # else a path might lead anywhere
            body = mutated(random, body)
    method = operation.method
    if random.random() < 0.1:
        method = random.choice(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"))
    if random.random() < 0.1:
        path = "/" + quote(text(random, 60), safe="/?&=%.~")
    return Request(method, path, body[:60_000], _headers(random))


def _place(random: Random, folder: Path) -> str:
    """A path that is none, or one of a folder of the test's own."""
    name = text(random, 40)
    if random.random() < 0.3:
        return name.lstrip("/")
    parts = [one for one in name.replace("\0", "").split("/") if one not in ("", ".", "..")]
    return str(folder.joinpath(*parts))


def _part(random: Random, usual: str) -> str:
    return usual if random.random() < 0.8 else quote(text(random, 20), safe="") or "x"


def _headers(random: Random) -> dict[str, str]:
    found = {"Content-Type": "application/json"}
    if random.random() < 0.2:
        name = random.choice(HEADERS)
        noise = random.choice(("", "zh", "*/*", "a" * 5_000, "text/event-stream", text(random, 30)))
        found[name] = "".join(one for one in noise if " " <= one <= "~")
    return found


def test_odd_requests_to_the_server(home: Path) -> None:
    amount = count(40, 11_000)
    wrong = []
    folder = home.parent / "named"
    with Server(home) as server:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        known = operations(connection)
        for one in cases("http", amount, lambda random: _request(random, known, folder)):
            try:
                connection.request(one.method, one.path, one.body or None, one.headers)
                answer = connection.getresponse()
                body = answer.read()
            except (HTTPException, ConnectionError):
                connection.close()  # refused as no HTTP at all; the next is answered
                continue
            if answer.status >= 500:
                wrong.append((answer.status, one, body[:300]))
            # What HTTP has no such method for is refused by its parser, in its own words.
            told = answer.status < 400 or body.startswith(b"{") or one.method in ("HEAD", "BREW")
            if not told and answer.status != 431:
                wrong.append((answer.status, one, body[:300]))
        connection.request("GET", "/v1/spaces/main/status")
        assert connection.getresponse().status == 200
        connection.close()
        assert server.process.poll() is None
        defects = [line for line in server.lines if line["event"] == "defect"]
    figure("fuzz", part="http", cases=amount)
    assert wrong == []
    assert defects == []
    with Memory.open(home) as memory:
        assert memory.validate() == []


# MCP


def _line(random: Random, tools: list[dict[str, Any]]) -> bytes:
    tool = random.choice(tools)
    given = {
        name: value(random) if random.random() < 0.5 else text(random, 40)
        for name in tool["inputSchema"]["properties"]
        if random.random() < 0.6
    }
    method = random.choice(("tools/call", "tools/call", "tools/call", "tools/list", "ping", "x/y"))
    message = {
        "jsonrpc": "2.0",
        "id": random.randint(2, 10**9),
        "method": method,
        "params": {"name": tool["name"], "arguments": given},
    }
    data = json.dumps(message).encode("utf-8", "replace")
    data = mutated(random, data) if random.random() < 0.4 else data
    return data.replace(b"\n", b" ").replace(b"\r", b" ")


PING = b'{"jsonrpc": "2.0", "id": 1000000007, "method": "ping"}'


def _answers(descriptor: int) -> Iterator[bytes]:
    """The lines that come out of a pipe; none for long is a failure."""
    rest = b""
    while True:
        assert select.select([descriptor], [], [], PATIENCE)[0], "no answer"
        *lines, rest = (rest + os.read(descriptor, 1 << 16)).split(b"\n")
        yield from lines


def _write(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(data)
    pipe.flush()


@pytest.fixture
def agent(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "loxodon", "--home", str(home), "mcp", ALONE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "HOME": str(home.parent)},
        cwd=home.parent,
    )
    yield process
    process.kill()
    process.communicate()


def test_odd_lines_to_the_mcp_server(home: Path, agent: subprocess.Popen[bytes]) -> None:
    amount = count(30, 6_000)
    assert agent.stdin
    assert agent.stdout
    ready = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
    agent.stdin.write(json.dumps(HELLO).encode() + b"\n" + ready + b"\n")
    answers = _answers(agent.stdout.fileno())
    _write(agent.stdin, b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n')
    tools = next(one for one in map(json.loads, answers) if "tools" in one.get("result", {}))
    sent = 0
    lines = cases("mcp", amount, lambda random: _line(random, tools["result"]["tools"]))
    while some := list(islice(lines, 20)):
        sent += len(some)
        # Beside the reading: who only writes while the other does the same waits for ever.
        writing = Thread(target=_write, args=(agent.stdin, b"\n".join([*some, PING, b""])))
        writing.start()
        for line in answers:  # until the ping after them is answered
            answer = json.loads(line)
            assert answer["jsonrpc"] == "2.0"
            assert answer.get("error", {}).get("code") != -32603, (answer, some)
            if answer.get("id") == 1000000007:
                break
        writing.join()
    figure("fuzz", part="mcp", cases=sent)
    assert agent.poll() is None
    with Memory.open(home) as memory:
        assert memory.validate() == []


# The proxy

ASKED: dict[str, dict[str, object]] = json.loads((HERE / "requests.json").read_text("utf-8"))
_TEXT = {"type": "text", "text": "我妹妹在哪里工作？"}
_CALL = {"type": "tool_use", "id": "c1", "name": "look", "input": {"where": "Leeds"}}
TOLD = {
    "/v1/chat/completions": b"".join(deltas("She |works |at Northwind")),
    "/v1/responses": b"".join(response_events("At Northwind", "r1")),
    "/v1/messages": b"".join(message_events([_TEXT, _CALL])),
}


class Exchange(NamedTuple):
    path: str
    sent: bytes
    told: bytes


def _exchange(random: Random) -> Exchange:
    path = random.choice(list(ASKED))
    sent, told = json.dumps(ASKED[path], ensure_ascii=False).encode(), TOLD[path]
    for _ in range(random.randint(0, 2)):
        field = random.choice(list(ASKED[path]))
        sent = json.dumps({**ASKED[path], field: value(random)}).encode("utf-8", "replace")
    sent = mutated(random, sent) if random.random() < 0.6 else sent
    told = mutated(random, told) if random.random() < 0.6 else told
    return Exchange(path, sent, told or b"x")


def _is_within(part: bytes, whole: bytes) -> bool:
    """Whether something was only put in between the bytes of `part`."""
    rest = iter(whole)
    return all(byte in rest for byte in part)


def test_odd_exchanges_through_the_proxy(home: Path) -> None:
    amount = count(30, 6_000)
    wrong = []

    def scene(handler: Handler) -> None:
        cut = len(one.told) // 3 or 1
        chunks = [one.told[n : n + cut] for n in range(0, len(one.told), cut)]
        streams(chunks)(handler)

    with stage() as upstream, started(home, upstream.url) as proxy:
        connection = HTTPConnection("127.0.0.1", int(proxy.url.split(":")[2].split("/")[0]))
        connection.timeout = PATIENCE
        for one in cases("proxy", amount, _exchange):
            upstream.play(scene)
            connection.request("POST", one.path, one.sent, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            if (answer.status, answer.read()) != (200, one.told):
                wrong.append(one)
            if not _is_within(one.sent, upstream.requests[-1].body):
                wrong.append(one)
        connection.close()
        assert proxy.process.poll() is None
        defects = [line for line in proxy.log if line["event"] in ("defect", "proxy.lost")]
    figure("fuzz", part="proxy", cases=amount)
    assert wrong == []
    assert defects == []
    with Memory.open(home) as memory:
        assert memory.validate() == []
