"""Servers that share a home or a database: what they know, and which of them does what is due."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.client import Client
from loxodon.errors import ForbiddenError, NotFoundError, PausedError, UsageError
from tests.cli.shell import Shell
from tests.clock import NOW, Clock
from tests.http.server import Server, said
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
            if int(stat[1]) == parent and stat[0] != "Z" and "loxodon.jobs" in command:
                found.append(int(name))
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("[schedule]\nquiet = 0\n")
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
    with server.client() as http:
        jobs = http.get("/v1/spaces/main/schedule").json()
        assert any(job["counts"].get("added") for job in jobs)
        # A space that its worker has open is deleted.
        assert http.delete("/v1/spaces/main").json()["erased"]["memories"] == 1
    assert not (home / "spaces" / "main").exists()
    (worker,) = workers_of(server.process.pid)
    assert server.stop() == 0
    assert not os.path.exists(f"/proc/{worker}")


def test_worker_is_replaced_and_another_server_takes_over(
    home: Path, serve: Callable[[], Server]
) -> None:
    settings = (home / "config.toml").rename(home / "later.toml")
    say(home, "I live in Leeds")  # a conversation that ended before: nobody waits for quiet
    first = serve()
    until(lambda: known(home) == ["The user lives in Leeds"])
    settings.rename(home / "config.toml")
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


QUIET = '[schedule]\nquiet = 3600\ndaily = ""\n'
SAID = [
    {"role": "user", "content": "My sister Ada lives in Leeds.", "id": "1", "at": NOW.isoformat()},
    {"role": "user", "content": "我对花生过敏", "id": "2", "at": NOW.isoformat()},
]


@pytest.fixture(params=["files", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    """The store of the servers; empty for files."""
    return "" if request.param == "files" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def serving(url: str, tmp_path: Path) -> Iterator[Callable[[], Server]]:
    """Starts a server: with files one more on the same home, else on a machine of its own."""
    with ExitStack() as held:
        names = iter("abc")

        def make() -> Server:
            home = tmp_path / (next(names) if url else "a")
            home.mkdir(exist_ok=True)
            (home / "config.toml").write_text(QUIET)
            server = Server(home, LOXODON_STORE=url) if url else Server(home)
            return held.enter_context(server)

        yield make


def test_day_of_a_memory(serving: Callable[[], Server], url: str) -> None:
    first, second = serving(), serving()
    with Client(first.url) as one, Client(second.url) as other:
        one.add(SAID, session="monday")
        assert "Ada" in other.recall("Where does my sister live?").context
        one.consolidate()
        known = {record.content: record for record in other.list()}
        fact = known["The user's sister Ada lives in Leeds"]
        changed = other.edit(fact.id, content="Ada lives in York")
        assert [version.record.content for version in one.history(fact.id)][-1] == changed.content
        kept = other.capture("likes tea", token="once")
        assert one.capture("likes tea", token="once").id == kept.id

        one.pause()
        with pytest.raises(PausedError):
            other.capture("is not kept")
        other.resume()
        assert one.status().paused is None

        assert one.forget(entity="Ada").erased["memories"] == 2
        assert "Ada" not in other.recall("Where does my sister live?").context
        with pytest.raises(NotFoundError):
            other.get(fact.id)
        other.add(SAID, session="monday")  # the same once more, as from a transcript
        assert "Ada" not in other.recall("Where does my sister live?").context

        status = other.status()
        assert status.store == (url and one.status().store)
        found = other.audit.verify()
        assert found.sound
        assert {entry.op for entry in one.audit.entries(limit=0)} >= {"add", "recall", "forget"}
        assert one.validate() == []


def _is_refused(stranger: Client) -> bool:
    try:
        stranger.list()
    except UsageError as error:
        return "token" in str(error)
    return False


def test_token_is_for_every_server(serving: Callable[[], Server], url: str) -> None:
    first, second = serving(), serving()
    made = Shell(first.home).json("token", "add", "phone", "--rights", "read", LOXODON_STORE=url)
    token = made["token"]
    for server in (first, second):
        with Client(server.url) as stranger, Client(server.url, token=token) as phone:
            until(lambda: _is_refused(stranger))
            assert phone.list() == []
            with pytest.raises(ForbiddenError):
                phone.capture("is not for it")


def test_space_is_deleted_through_either_server(serving: Callable[[], Server], url: str) -> None:
    first, second = serving(), serving() if url else None
    with Client(first.url, space="ada") as one:
        one.capture("likes tea")
    with (second or first).client() as other:
        if url:
            assert len(other.get("/v1/spaces/ada/memories").json()["items"]) == 1
        with first.client() as client:
            assert client.delete("/v1/spaces/ada").json()["erased"]["memories"] == 1
        for _ in range(2):  # also where it was open
            assert other.get("/v1/spaces/ada/memories").status_code == 404
        assert "ada" not in other.get("/v1/spaces").json()["spaces"]


def test_job_is_done_once_by_whoever_comes_first(
    postgres_url: str, tmp_path: Path, clock: Clock
) -> None:
    """Two machines with one store: the second does what the first did not."""
    config = {"store.url": postgres_url, "schedule.quiet": 0}
    config |= {"schedule.daily": ""}

    def on(machine: str, space: str) -> Memory:
        return Memory.open(tmp_path / machine, space, config, clock)

    with on("a", "main") as one, on("b", "张三") as other:
        one.add(SAID[:1])
        other.add(SAID[1:])
        for space in ("main", "张三"):
            with on("a", space) as first, on("b", space) as second:
                done = [ran.job for ran in (*first.schedule.run_due(), *second.schedule.run_due())]
                assert done == ["flush"]
                jobs = {job.name: job for job in second.schedule.jobs()}
                assert jobs["flush"].runs == 1
