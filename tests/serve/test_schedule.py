"""The schedule of a home: one server has a worker that does what is due, in all spaces."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from loxodon import Memory
from tests.serve.http.server import Server, said
from tests.waiting import until


def known(home: Path, space: str = "main") -> list[str]:
    with Memory.open(home, space) as memory:
        return [one.content for one in memory.list(kind="fact")]


def say(home: Path, text: str, space: str = "main") -> None:
    with Memory.open(home, space) as memory:
        memory.add([said(text, at=memory.now().isoformat())])


def workers_of(parent: int) -> list[int]:
    """The processes that a process started and that still run."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                stat = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                command = Path(f"/proc/{name}/cmdline").read_text()
            except OSError:
                continue
            if int(stat[1]) == parent and stat[0] != "Z" and "schedule" in command:
                found.append(int(name))
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("[buffer]\nquiet = 0\n")
    return tmp_path / "home"


@pytest.fixture
def serve(home: Path) -> Iterator[Callable[[], Server]]:
    """Starts servers that see to the schedule, and ends them."""
    with ExitStack() as held:
        yield lambda: held.enter_context(Server(home, scheduled=True))


def test_messages_of_every_space_become_known(home: Path, serve: Callable[[], Server]) -> None:
    say(home, "I live in Leeds")
    (home / "spaces" / "broken").mkdir(parents=True)
    (home / "spaces" / "broken" / "loxodon.db").write_bytes(b"spoilt" * 1000)
    server = serve()
    until(lambda: known(home) == ["The user lives in Leeds"])
    say(home, "我对花生过敏", "张三")  # a space that was not there when it began
    until(lambda: known(home, "张三") == ["用户对花生过敏"])
    until(lambda: "heartbeat" in json.dumps(server.lines))
    ran = {line.get("job") for line in server.lines if line["event"] == "schedule.ran"}
    assert {"daily", "heartbeat"} <= ran
    assert "Leeds" not in json.dumps(server.lines)
    with server.client() as http:  # a space that its worker has open is deleted
        assert http.delete("/v1/spaces/main").json()["erased"]["memories"] == 1
    assert not (home / "spaces" / "main").exists()
    (worker,) = workers_of(server.process.pid)
    assert server.stop() == 0
    assert not os.path.exists(f"/proc/{worker}")


def test_conversation_that_ended_before_is_taken_up_at_once(
    home: Path, serve: Callable[[], Server]
) -> None:
    (home / "config.toml").unlink()  # three minutes of quiet
    say(home, "I live in Leeds")
    serve()
    until(lambda: known(home) == ["The user lives in Leeds"])


def test_worker_is_replaced_and_another_server_takes_over(
    home: Path, serve: Callable[[], Server]
) -> None:
    say(home, "I live in Leeds")
    first = serve()
    until(lambda: known(home))
    second = serve()
    assert workers_of(second.process.pid) == []
    killed = workers_of(first.process.pid)
    os.kill(killed[0], signal.SIGKILL)
    until(lambda: workers_of(first.process.pid) not in ([], killed))
    say(home, "I am allergic to peanuts")
    until(lambda: len(known(home)) == 2)
    (worker,) = workers_of(first.process.pid)
    first.kill()  # with which its worker ends
    until(lambda: not os.path.exists(f"/proc/{worker}"))
    until(lambda: workers_of(second.process.pid))
    say(home, "My dog is called Rex")
    until(lambda: len(known(home)) == 3)


def test_engine_that_is_off_has_no_schedule(home: Path, serve: Callable[[], Server]) -> None:
    say(home, "I live in Leeds")
    (home / "config.toml").write_text("enabled = false\n")
    server = serve()
    with server.client() as http:
        assert http.get("/health").status_code == 200
    assert server.stop() == 0
    assert not [line for line in server.lines if line["event"] == "schedule.ran"]
