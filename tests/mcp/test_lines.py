"""The program spoken to by hand, a line at a time."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import IO, Any

from loxodon import Memory

from .desk import ALONE, command

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
READY = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'


class Program:
    """`loxodon mcp`, with its pipes."""

    def __init__(self, folder: Path) -> None:
        words, pipe = command(folder / "home", "mcp", ALONE), subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder)
        assert self.process.stdin
        assert self.process.stdout
        self.stdin: IO[bytes] = self.process.stdin
        self.stdout: IO[bytes] = self.process.stdout

    def send(self, *data: bytes) -> None:
        for one in data:
            self.stdin.write(one)
        self.stdin.flush()

    def answer(self) -> Any:
        return json.loads(self.stdout.readline())


def call(id: int, tool: str, **given: Any) -> bytes:
    params = {"name": tool, "arguments": given}
    message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


def test_invalid_lines_are_skipped_and_the_rest_answered(tmp_path: Path) -> None:
    lines = [
        json.dumps(HELLO).encode(),
        READY,
        b"no message",
        b"",
        b"[]",
        call(3, "remember", content="用户对花生过敏"),
        call(4, "memory_search", query="花生").replace("花".encode(), b"\xff"),
        b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": 7}}',
        b'{"jsonrpc": "2.0", "id": 6, "method": "no/such"}',
        call(7, "remember", content="\ud800").replace(b"?", b"\\ud800"),
    ]
    program = Program(tmp_path)
    program.send(*(line + b"\n" for line in lines))
    said = [program.answer() for _ in range(5)]
    out, err = program.process.communicate(timeout=300)
    assert program.process.returncode == 0, err
    said += [json.loads(line) for line in out.splitlines()]  # and nothing else is there
    answers = {one["id"]: one for one in said}
    assert sorted(answers) == [1, 3, 4, 5, 6]
    assert answers[3]["result"]["structuredContent"]["content"] == "用户对花生过敏"
    assert answers[4]["result"]["isError"] is False
    assert [answers[n]["error"]["code"] for n in (5, 6)] == [-32602, -32601]
    assert "过敏" not in err.decode()


def test_acknowledged_memory_survives_a_kill(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.send(json.dumps(HELLO).encode(), b"\n", READY, b"\n")
    program.send(call(2, "remember", content="The user lives in Leeds"), b"\n")
    assert program.answer()["id"] == 1
    kept = program.answer()["result"]["structuredContent"]
    program.process.kill()
    program.process.communicate()
    with Memory.open(tmp_path / "home") as memory:
        assert memory.get(kept["id"]).content == "The user lives in Leeds"
        assert memory.validate() == []


def test_program_ends_when_nobody_listens(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.stdout.close()
    program.send(json.dumps(HELLO).encode(), b"\n")
    program.stdin.close()
    assert program.process.wait(300) == 0
    assert program.process.stderr
    program.process.stderr.close()


def test_home_that_cannot_be_opened_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    program = Program(tmp_path)
    out, err = program.process.communicate(b"", 60)
    assert (program.process.returncode, out) == (7, b"")
    assert b"hint: " in err
