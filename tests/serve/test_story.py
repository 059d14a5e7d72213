"""A day of a memory over HTTP: the same on files and on PostgreSQL, where two servers share it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.client import Client
from loxodon.errors import ForbiddenError, NotFoundError, PausedError, UsageError
from tests.clock import NOW, Clock
from tests.serve.http.server import Server
from tests.serve.shell import Shell
from tests.waiting import until

NEVER = "".join(f'{job} = ""\n' for job in ("daily", "weekly", "profile", "heartbeat"))
QUIET = f"[buffer]\nquiet = 3600\n[schedule]\n{NEVER}"
SAID = [
    {"role": "user", "content": "My sister Ada lives in Leeds.", "id": "1", "at": NOW.isoformat()},
    {"role": "user", "content": "我对花生过敏", "id": "2", "at": NOW.isoformat()},
]


@pytest.fixture(params=["files", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    """The store of the servers; empty for files."""
    return "" if request.param == "files" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def serve(url: str, tmp_path: Path) -> Iterator[Callable[[], Server]]:
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


def test_day_of_a_memory(serve: Callable[[], Server], url: str) -> None:
    first, second = serve(), serve()
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
        assert one.paused is None

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


def test_token_is_for_every_server(serve: Callable[[], Server], url: str) -> None:
    first, second = serve(), serve()
    made = Shell(first.home).json("token", "add", "phone", "--rights", "read", LOXODON_STORE=url)
    token = made["token"]
    for server in (first, second):
        with Client(server.url) as stranger, Client(server.url, token=token) as phone:
            until(lambda: _is_refused(stranger))
            assert phone.list() == []
            with pytest.raises(ForbiddenError):
                phone.capture("is not for it")


def test_space_is_deleted_through_either_server(serve: Callable[[], Server], url: str) -> None:
    first, second = serve(), serve() if url else None
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
    config = {"store.url": postgres_url, "buffer.quiet": 0}
    config |= {f"schedule.{job}": "" for job in ("daily", "weekly", "profile", "heartbeat")}

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
