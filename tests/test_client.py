"""The client says and gets what the library does: one story, told to both."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.client import Client, ClientAudit, ClientSchedule, ClientWorkspace
from loxodon.clock import fixed_clock
from loxodon.errors import (
    CursorError,
    InputError,
    LoxodonError,
    NotFoundError,
    StaleEditError,
    StoreError,
    TokenReusedError,
    UsageError,
)
from loxodon.live.schedule import Schedule
from loxodon.serve.http.operations import names_in
from loxodon.trust.audit.auditing import AuditLog
from loxodon.verbs.paging import Page
from loxodon.verbs.table import BY_NAME, VERBS
from loxodon.workspace.workspace import Workspace

from .conftest import NOW
from .serve.http.server import Server

Either = Any
"""A Memory or a Client: that both take the same is what is tested."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("served") / "home"
    home.mkdir()
    (home / "config.toml").write_text('timezone = "Asia/Shanghai"')
    with Server(home, now=NOW.isoformat(), LOXODON_TOKEN="opensesame") as started:
        yield started


@pytest.fixture
def pair(
    server: Server, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[tuple[Memory, Client]]:
    space = request.node.name
    config = {"timezone": "Asia/Shanghai"}
    with (
        Memory.open(tmp_path / "home", space, config, fixed_clock(NOW)) as memory,
        Client(server.url, "opensesame", space) as client,
    ):
        yield memory, client


def bare(value: Any) -> Any:
    """A value without what differs by chance: how long it took, and where it lies."""
    if hasattr(value, "_asdict"):
        found = {
            name: bare(one)
            for name, one in value._asdict().items()
            if name
            not in (
                "elapsed_ms",
                "trace",
                "seconds",
                "home",
                "bytes",
                "folder",
                "state" if type(value).__name__ == "Frame" else "",
            )
        }
        return type(value).__name__, found
    if isinstance(value, dict):
        return {str(name): bare(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [bare(one) for one in value]
    return value


def pages(ask: Callable[..., Page[Any]], **given: Any) -> list[list[Any]]:
    """Every page of a list."""
    found = [ask(**given)]
    while found[-1].next:
        found.append(ask(cursor=found[-1].next, **given))
    return [[*one] for one in found]


STORY: list[tuple[str, Callable[[Either], Any]]] = [
    (
        "add",
        lambda m: m.add(
            [
                {
                    "role": "user",
                    "content": "我对花生过敏。",
                    "id": "a",
                    "at": "2026-02-03T10:00:00+08:00",
                },
                {"role": "assistant", "content": "好的，记住了。", "id": "b"},
                {
                    "role": "user",
                    "content": "My manager Ada lives in Leeds. Call her tomorrow.",
                    "id": "c",
                    "at": datetime(2026, 2, 4, 9, 0),
                },
            ],
            session="monday",
        ),
    ),
    ("again", lambda m: m.add([{"role": "user", "content": "过敏", "id": "a"}], "monday")),
    ("journal", lambda m: m.journal()),
    ("said", lambda m: m.journal("花生", since=datetime(2026, 2, 1), limit=3)),
    ("turn", lambda m: m.turn("t_1")),
    ("due", lambda m: (m.flush_due(), m.consolidation_due())),
    ("flush", lambda m: m.flush()),
    ("consolidate", lambda m: m.consolidate(force=True)),
    (
        "captured",
        lambda m: m.capture(
            "用户喜欢乌龙茶",
            importance=0.8,
            tags=["茶", "饮料"],
            entities=("用户",),
            project="家",
            expires_at=NOW.replace(year=2030),
        ),
    ),
    ("belief", lambda m: m.capture("Ada might leave", "belief", origin="tool")),
    ("shared", lambda m: m.capture("The office closes at six", audience="all")),
    ("list", lambda m: m.list()),
    ("some", lambda m: m.list(kind="fact", tag="茶", state=None, limit=5)),
    ("pages", lambda m: pages(m.list, limit=1, state="all")),
    ("pages of talk", lambda m: pages(m.journal, limit=2)),
    ("pages of versions", lambda m: pages(partial(m.history, m.list(tag="茶")[0].id), limit=1)),
    ("sessions", lambda m: m.sessions(until=NOW)),
    (
        "edit",
        lambda m: m.edit(
            m.list(tag="茶")[0].id, version=1, content="用户喜欢普洱茶", expires_at=None, due_at=NOW
        ),
    ),
    ("no edit", lambda m: m.edit(m.list(tag="茶")[0].id, content="用户喜欢普洱茶")),
    ("archive", lambda m: m.archive(m.list(tag="茶")[0].id)),
    ("unarchive", lambda m: m.unarchive(m.list(tag="茶", state="archived")[0].id)),
    ("history", lambda m: m.history(m.list(tag="茶")[0].id)),
    ("get", lambda m: m.get(m.list(tag="茶")[0].id)),
    ("touch", lambda m: m.touch([m.list(tag="茶")[0].id, "f_19990101_001"])),
    ("recall", lambda m: m.recall("花生")),
    (
        "narrow",
        lambda m: m.recall(
            "茶",
            3,
            300,
            kind="fact",
            tag="茶",
            as_of=NOW,
            chat="direct",
            in_view=["我对花生过敏。"],
            profile="phase1",
        ),
    ),
    ("group", lambda m: m.recall("花生", chat="group")),
    (
        "frame",
        lambda m: m.assemble(
            "我能吃花生酱吗？",
            soul="You are kind.",
            budget=2000,
            history=["早", {"role": "user", "content": "晚"}],
        ),
    ),
    ("topic", lambda m: m.assemble("花生呢？", state=m.assemble("我能吃花生酱吗？").state)),
    ("gate", lambda m: m.gate("我能吃花生酱吗？")),
    ("no recall", lambda m: m.gate("ok", chat="group", state=m.assemble("花生呢？").state)),
    ("snapshot", lambda m: m.snapshot("zh")),
    ("profile", lambda m: m.profile("en", refresh=True)),
    ("profile again", lambda m: m.profile("zh")),
    ("entities", lambda m: m.entities()),
    ("entity", lambda m: m.entity("Ada")),
    ("segments", lambda m: m.segments()),
    ("events", lambda m: m.events(since=NOW.replace(day=1))),
    ("reviews", lambda m: m.reviews()),
    ("reminders", lambda m: m.due_reminders()),
    ("jobs", lambda m: m.schedule.jobs()),
    ("heartbeat", lambda m: m.schedule.run("heartbeat")),
    ("status", lambda m: m.status()._replace(failing=())),
    ("stats", lambda m: m.stats()),
    ("embed", lambda m: m.embed()),
    ("validate", lambda m: m.validate()),
    ("rebuild", lambda m: m.rebuild_index()),
    ("index", lambda m: m.workspace.index()),
    ("sources", lambda m: m.workspace.sources()),
    ("export", lambda m: m.workspace.export()),
    ("sync", lambda m: m.workspace.sync(dry_run=True)),
]


def test_one_story_told_to_both(pair: tuple[Memory, Client]) -> None:
    memory, client = pair
    for name, tell in STORY:
        ours, theirs = tell(memory), tell(client)
        assert bare(theirs) == bare(ours), name
        assert type(theirs) is type(ours), name


def test_a_trace_comes_where_it_is_asked_for(pair: tuple[Memory, Client]) -> None:
    memory, client = pair
    for one in (memory, client):
        one.capture("Ada lives in Leeds", entities=["Ada"])
    ours = memory.recall("Where does Ada live?").trace
    theirs = client.recall("Where does Ada live?", explain=True).trace
    assert ours is not None
    assert theirs is not None
    assert theirs.question == ours.question
    assert theirs.routes == ours.routes
    assert [one.id for one in theirs.considered] == [one.id for one in ours.considered]
    assert client.recall("Ada").trace is None


ERRORS: list[tuple[type[LoxodonError], Callable[[Either], Any]]] = [
    (NotFoundError, lambda m: m.get("f_19990101_001")),
    (NotFoundError, lambda m: m.get("t_1")),
    (NotFoundError, lambda m: m.turn("nowhere:7")),
    (NotFoundError, lambda m: m.entity("nobody/at all")),
    (InputError, lambda m: m.add([{"role": "king", "content": "x"}, {"role": "user"}])),
    (InputError, lambda m: m.capture("")),
    (InputError, lambda m: m.capture("x", importance=7)),
    (InputError, lambda m: m.recall("x", since=NOW, until=NOW)),
    (CursorError, lambda m: m.list(cursor="nonsense")),
    (InputError, lambda m: m.journal("x", cursor="nonsense")),
    (StaleEditError, lambda m: m.edit(m.capture("x").id, version=9, content="y")),
    (UsageError, lambda m: m.consolidate(phase=9)),
    (UsageError, lambda m: m.schedule.run("nap")),
]


def test_the_same_errors_are_raised(pair: tuple[Memory, Client]) -> None:
    memory, client = pair
    for one in (memory, client):
        one.capture("something")
    for kind, provoke in ERRORS:
        with pytest.raises(kind) as ours:
            provoke(memory)
        with pytest.raises(kind) as theirs:
            provoke(client)
        assert str(theirs.value) == str(ours.value)
        assert theirs.value.hint == ours.value.hint
        problems = [(n, str(e)) for n, e in getattr(ours.value, "problems", ())]
        assert [(n, str(e)) for n, e in getattr(theirs.value, "problems", ())] == problems


def test_progress_is_told(pair: tuple[Memory, Client]) -> None:
    _, client = pair
    client.add([{"role": "user", "content": "Ada lives in Leeds", "id": "1"}])
    phases: list[tuple[int, int, int]] = []
    client.consolidate(force=True, progress=lambda *step: phases.append(step))
    assert {phase for phase, _, _ in phases} >= {1, 7}
    steps: list[tuple[int, int]] = []
    client.rebuild_index(lambda *step: steps.append(step))
    assert steps
    assert steps[-1][0] == steps[-1][1]


def test_more_than_a_page_is_fetched_in_order(
    pair: tuple[Memory, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, client = pair
    said = [{"role": "user", "content": f"n{n}", "id": str(n)} for n in range(7)]
    client.add(said)
    monkeypatch.setattr("loxodon.client.MOST", 3)
    assert [one.content for one in client.journal()] == [f"n{n}" for n in range(7)]
    assert [one.content for one in client.journal(limit=5)] == [f"n{n}" for n in range(2, 7)]
    rest = client.journal(cursor=client.journal(limit=5).next or "")
    assert [one.content for one in rest] == ["n0", "n1"]


def test_what_is_elsewhere_is_taken_in(pair: tuple[Memory, Client], tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps([{"memory": "用户喜欢乌龙茶"}]), "utf-8")
    memory, client = pair
    ours = memory.workspace.take_in(str(path), dry_run=True)
    assert client.workspace.take_in(str(path), "list", dry_run=False) == ours
    assert client.list()[0].content == "用户喜欢乌龙茶"


def test_a_server_that_is_not_there_or_not_ours(server: Server, tmp_path: Path) -> None:
    with Client("http://127.0.0.1:9") as client, pytest.raises(StoreError, match="cannot reach"):
        client.status()
    with Client("http://127.0.0.1:9") as client, pytest.raises(StoreError, match="cannot reach"):
        client.validate()
    with Client(server.url, "wrong") as client, pytest.raises(UsageError, match="token"):
        client.status()
    with Client(f"{server.url}/elsewhere") as client, pytest.raises(LoxodonError):
        client.status()


def test_a_call_with_a_token_is_done_once(pair: tuple[Memory, Client], server: Server) -> None:
    _, client = pair
    first = client.capture("likes tea", token="t-1")
    assert client.capture("likes tea", token="t-1") == first
    edited = client.edit(first.id, content="likes coffee", version=1, token="e-1")
    assert client.edit(first.id, content="likes coffee", version=1, token="e-1") == edited
    with pytest.raises(TokenReusedError):
        client.capture("likes milk", token="t-1")
    address = f"/v1/spaces/{client.space}/memories"
    with server.client() as http:
        headers = {"authorization": "Bearer opensesame", "idempotency-key": "h-1"}
        said = [http.post(address, json={"content": "x"}, headers=headers) for _ in range(3)]
        assert [answer.status_code for answer in said] == [201] * 3
        assert len({answer.json()["id"] for answer in said}) == 1
        other = http.post(address, json={"content": "y"}, headers=headers)
        assert (other.status_code, other.json()["error"]["code"]) == (409, "token_reused")
    assert len(client.list()) == 2


def _methods(kind: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(value)
        for name, value in inspect.getmembers_static(kind, inspect.isfunction)
        if not name.startswith("_") and name not in ("do", "close")
    }


@pytest.mark.parametrize(
    ("ours", "theirs", "of"),
    [
        (Memory, Client, ""),
        (Workspace, ClientWorkspace, "workspace."),
        (Schedule, ClientSchedule, "schedule."),
        (AuditLog, ClientAudit, "audit."),
    ],
)
def test_the_client_takes_what_the_memory_and_the_route_take(
    ours: type, theirs: type, of: str
) -> None:
    own, methods = _methods(ours), _methods(theirs)
    routed = {one.name.removeprefix(of) for one in VERBS if one.routes and one.name.startswith(of)}
    assert {name for name in routed if "." not in name} - {"consolidation_due"} <= methods.keys()
    for name, found in methods.items():
        verb = BY_NAME[of + name]
        sent = {one.name for one in verb.takes} if verb.routes else set()
        taken = dict(list(found.parameters.items())[1:])
        for extra in {"reveal", "explain"} & sent - own[name].parameters.keys():
            assert taken.pop(extra).default is False, name
        assert taken.keys() <= own[name].parameters.keys(), name
        for one in taken.values():
            assert one.kind is own[name].parameters[one.name].kind, (name, one.name)
        named = names_in(verb.routes[0].path) if verb.routes else []
        fixed = {given for route in verb.routes for given in route.given}
        others = {"progress", "changes"} | fixed
        assert len(set(list(taken)[len(named) :]) - sent - others) == 0, name
