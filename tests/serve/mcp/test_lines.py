"""Lines over pipes: the splitting, and the program itself, spoken to by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from loxodon import Memory
from loxodon.serve.mcp.lines import MOST_BYTES, Splitter
from tests.serve.mcp.desk import ALONE

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    },
}


@given(some.lists(some.binary(max_size=20)), some.integers(1, 7))
def test_lines_are_the_same_however_they_come_in(lines: list[bytes], size: int) -> None:
    data = b"\n".join(lines) + b"\n"
    splitter = Splitter()
    found = [
        line
        for start in range(0, len(data), size)
        for line in splitter.feed(data[start : start + size])
    ]
    assert found == [line for line in data.split(b"\n") if line.strip()]


def test_a_line_that_is_too_long_takes_no_room_and_spoils_no_other() -> None:
    splitter = Splitter(100)
    for _ in range(50):
        assert splitter.feed(b"{" * 40) == []
    first, second = splitter.feed(b'}\n{"a": 1}\n')
    assert len(first) == 16
    assert second == b'{"a": 1}'


def test_what_is_no_message_is_refused_and_the_rest_answered(tmp_path: Path) -> None:
    lines = [
        json.dumps(HELLO).encode(),
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b"no message",
        b"",
        b"[]",
        _call(2, "remember", content="x" * MOST_BYTES),
        _call(3, "remember", content="用户对花生过敏"),
        _call(4, "memory_search", query="花生").replace("花".encode(), b"\xff"),
        b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": 7}}',
        b'{"jsonrpc": "2.0", "id": 6, "method": "no/such"}',
        _call(7, "remember", content="\ud800").replace(b"?", b"\\ud800"),
    ]
    done = _run(tmp_path, b"\n".join(lines))  # the last line has no end, either
    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]  # and nothing else is there
    answers = {one["id"]: one for one in said if one["id"] is not None}
    refused = [one["error"]["code"] for one in said if one["id"] is None]
    assert refused.count(-32700) == 4
    assert sorted(answers) == [1, 3, 4, 5, 6]
    assert answers[3]["result"]["structuredContent"]["content"] == "用户对花生过敏"
    assert answers[4]["result"]["isError"] is False
    assert [answers[n]["error"]["code"] for n in (5, 6)] == [-32602, -32601]
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert "mcp.remember" in {one["event"] for one in told}
    assert "过敏" not in done.stderr.decode()


def test_what_was_acknowledged_is_kept_when_it_is_killed(tmp_path: Path) -> None:
    server = _start(tmp_path)
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps(HELLO).encode() + b"\n")
    server.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    server.stdin.write(_call(2, "remember", content="The user lives in Leeds") + b"\n")
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["id"] == 1
    kept = json.loads(server.stdout.readline())["result"]["structuredContent"]
    server.kill()
    server.communicate()
    with Memory.open(tmp_path / "home") as memory:
        assert memory.get(kept["id"]).content == "The user lives in Leeds"
        assert memory.validate() == []


def test_a_log_that_nobody_reads_keeps_no_answer_waiting(tmp_path: Path) -> None:
    server = _start(tmp_path)
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps(HELLO).encode() + b"\n")
    server.stdin.flush()
    server.stdout.readline()
    for n in range(2, 1_000):  # a pipe has room for some four hundred lines
        server.stdin.write(_call(n, "remember") + b"\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == n
    _, logged = server.communicate(timeout=60)
    assert server.returncode == 0
    assert 100 < logged.count(b"mcp.remember") < 900


def test_it_ends_when_nobody_listens(tmp_path: Path) -> None:
    server = _start(tmp_path)
    assert server.stdin
    assert server.stdout
    server.stdout.close()
    server.stdin.write(json.dumps(HELLO).encode() + b"\n")
    server.stdin.flush()
    assert server.wait(60) == 0
    server.stdin.close()
    assert server.stderr
    server.stderr.close()


def test_a_home_that_cannot_be_opened_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    done = _run(tmp_path, b"")
    assert done.returncode == 7
    assert done.stdout == b""
    assert b"hint: " in done.stderr


def _call(id: int, tool: str, **given: Any) -> bytes:
    message = {
        "jsonrpc": "2.0",
        "id": id,
        "method": "tools/call",
        "params": {"name": tool, "arguments": given},
    }
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


def _start(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "loxodon", "--home", str(folder / "home"), "mcp", ALONE]
    env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=folder)


def _run(folder: Path, data: bytes) -> subprocess.CompletedProcess[bytes]:
    server = _start(folder)
    out, err = server.communicate(data, 60)
    return subprocess.CompletedProcess(server.args, server.returncode, out, err)
