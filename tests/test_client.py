"""The client says and gets what the library does: one story, told to both."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.client import Client
from loxodon.errors import (
    InputError,
    LoxodonError,
    NotFoundError,
    StaleEditError,
    StoreError,
    TokenReusedError,
    UsageError,
)

from .clock import NOW, Clock
from .http.server import Server, said

Either = Any  # A Memory or a Client: that both take the same is what is tested


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("served") / "home"
    home.mkdir()
    (home / "config.toml").write_text('timezone = "Asia/Shanghai"')
    with Server(home, LOXODON_NOW=NOW.isoformat(), LOXODON_TOKEN="opensesame") as started:
        yield started


@pytest.fixture
def pair(
    server: Server, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[tuple[Memory, Client]]:
    space = request.node.name
    config = {"timezone": "Asia/Shanghai"}
    with (
        Memory.open(tmp_path / "home", space, config, Clock()) as memory,
        Client(server.url, "opensesame", space) as client,
    ):
        yield memory, client


# How long something took, and where it lies
BY_CHANCE = {"elapsed_ms", "trace", "seconds", "home", "bytes", "folder"}


def bare(value: Any, near: bool = False) -> Any:
    """A value without what differs by chance; its scores may be to be met nearly, since another
    process may add up the numbers of a vector in another order."""
    if near and isinstance(value, float):
        return pytest.approx(value, abs=2e-4)
    kind = type(value).__name__
    if names := getattr(value, "_fields", ()):
        left_out = BY_CHANCE | {"Frame": {"state"}, "Status": {"failing"}}.get(kind, set())
        told = {name: getattr(value, name) for name in names if name not in left_out}
        return kind, bare(told, near)
    if isinstance(value, dict):
        return {str(name): bare(one, near) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [bare(one, near) for one in value]
    return value


def pages(ask: Callable[..., Any], **given: Any) -> list[list[Any]]:
    """Every page of a list."""
    found = [ask(**given)]
    while found[-1].next:
        found.append(ask(cursor=found[-1].next, **given))
    return [[*one] for one in found]


def tea(m: Either, state: str = "active") -> str:
    return str(m.list(tag="茶", state=state)[0].id)


TALK = [
    said("我对花生过敏。", "a", at="2026-02-03T10:00:00+08:00"),
    said("好的，记住了。", "b", role="assistant"),
    said("My manager Ada lives in Leeds. Call her tomorrow.", "c", at=datetime(2026, 2, 4, 9, 0)),
]
LABELS: dict[str, Any] = {"importance": 0.8, "tags": ["茶", "饮料"], "entities": ("用户",)}
NARROW: dict[str, Any] = {"kind": "fact", "tag": "茶", "as_of": NOW, "chat": "direct"}
STORY: dict[str, Callable[[Either], Any]] = {
    "add": lambda m: m.add(TALK, session="monday"),
    "again": lambda m: m.add([said("过敏", "a")], "monday"),
    "journal": lambda m: m.journal(),
    "found": lambda m: m.journal("花生", since=datetime(2026, 2, 1), limit=3),
    "turn": lambda m: m.turn("t_1"),
    "due": lambda m: m.consolidation_due(),
    "flush": lambda m: m.flush(),
    "consolidate": lambda m: m.consolidate(force=True),
    "captured": lambda m: m.capture(
        "用户喜欢乌龙茶", project="家", expires_at=NOW.replace(year=2030), **LABELS
    ),
    "belief": lambda m: m.capture("Ada might leave", "belief", origin="tool"),
    "shared": lambda m: m.capture("The office closes at six", audience="all"),
    "list": lambda m: m.list(),
    "some": lambda m: m.list(kind="fact", tag="茶", state=None, limit=5),
    "pages": lambda m: pages(m.list, limit=1, state="all"),
    "pages of talk": lambda m: pages(m.journal, limit=2),
    "pages of versions": lambda m: pages(partial(m.history, tea(m)), limit=1),
    "sessions": lambda m: m.sessions(until=NOW),
    "edit": lambda m: m.edit(
        tea(m), version=1, content="用户喜欢普洱茶", expires_at=None, due_at=NOW
    ),
    "no edit": lambda m: m.edit(tea(m), content="用户喜欢普洱茶"),
    "archive": lambda m: m.archive(tea(m)),
    "unarchive": lambda m: m.unarchive(tea(m, "archived")),
    "history": lambda m: m.history(tea(m)),
    "get": lambda m: m.get(tea(m)),
    "touch": lambda m: m.touch([tea(m), "f_19990101_001"]),
    "recall": lambda m: m.recall("花生"),
    "narrow": lambda m: m.recall(
        "茶", 3, 300, in_view=["我对花生过敏。"], profile="phase1", **NARROW
    ),
    "group": lambda m: m.recall("花生", chat="group"),
    "frame": lambda m: m.assemble(
        "我能吃花生酱吗？", soul="You are kind.", budget=2000, history=["早", said("晚")]
    ),
    "topic": lambda m: m.assemble("花生呢？", state=m.assemble("我能吃花生酱吗？").state),
    "gate": lambda m: m.gate("我能吃花生酱吗？"),
    "no recall": lambda m: m.gate("ok", chat="group", state=m.assemble("花生呢？").state),
    "snapshot": lambda m: m.snapshot("zh"),
    "profile": lambda m: m.profile("en", refresh=True),
    "profile again": lambda m: m.profile("zh"),
    "entities": lambda m: m.entities(),
    "entity": lambda m: m.entity("Ada"),
    "segments": lambda m: m.segments(),
    "events": lambda m: m.events(since=NOW.replace(day=1)),
    "reviews": lambda m: m.reviews(),
    "reminders": lambda m: m.due_reminders(),
    "jobs": lambda m: m.schedule.jobs(),
    "heartbeat": lambda m: m.schedule.run("heartbeat"),
    "status": lambda m: m.status(),
    "stats": lambda m: m.stats(),
    "embed": lambda m: m.embed(),
    "validate": lambda m: m.validate(),
    "rebuild": lambda m: m.rebuild_index(),
    "index": lambda m: m.workspace.index(),
    "sources": lambda m: m.workspace.sources(),
    "export": lambda m: m.workspace.export(),
    "sync": lambda m: m.workspace.sync(dry_run=True),
}


def test_one_story_told_to_both(pair: tuple[Memory, Client]) -> None:
    memory, client = pair
    for name, tell in STORY.items():
        ours, theirs = tell(memory), tell(client)
        assert bare(theirs) == bare(ours, near=True), name
        assert type(theirs) is type(ours), name
    explained = client.recall("Ada", explain=True).trace
    traced = memory.recall("Ada").trace
    assert explained is not None
    assert traced is not None
    assert (explained.question, explained.routes) == (traced.question, traced.routes)
    assert [one.id for one in explained.considered] == [one.id for one in traced.considered]
    assert client.recall("Ada").trace is None


ERRORS: list[tuple[type[LoxodonError], Callable[[Either], Any]]] = [
    (NotFoundError, lambda m: m.get("f_19990101_001")),
    (NotFoundError, lambda m: m.get("t_1")),
    (NotFoundError, lambda m: m.turn("nowhere:7")),
    (NotFoundError, lambda m: m.entity("nobody/at all")),
    (InputError, lambda m: m.add([said("x", role="king"), {"role": "user"}])),
    (InputError, lambda m: m.capture("")),
    (InputError, lambda m: m.capture("x", importance=7.5)),
    (InputError, lambda m: m.recall("x", since=NOW, until=NOW)),
    (InputError, lambda m: m.list(cursor="nonsense")),
    (InputError, lambda m: m.journal("x", cursor="nonsense")),
    (StaleEditError, lambda m: m.edit(m.capture("x").id, version=9, content="y")),
    (UsageError, lambda m: m.consolidate(phase=9)),
    (UsageError, lambda m: m.schedule.run("nap")),
]


def test_same_errors_are_raised(pair: tuple[Memory, Client], server: Server) -> None:
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
    for url in ("http://127.0.0.1:9", "http://127.0.0.1:x"):
        with Client(url) as nowhere:
            for ask in (nowhere.status, nowhere.validate):
                with pytest.raises(StoreError, match="cannot reach"):
                    ask()
    with Client(server.url, "wrong") as stranger, pytest.raises(UsageError, match="token"):
        stranger.status()
    with Client(f"{server.url}/elsewhere") as lost, pytest.raises(LoxodonError):
        lost.status()


def test_more_than_a_page_is_fetched_in_order(pair: tuple[Memory, Client]) -> None:
    _, client = pair
    many = [f"n{n}" for n in range(1_203)]  # a page has a thousand
    client.add([said(text, text) for text in many])
    assert [one.content for one in client.journal()] == many
    assert [one.content for one in client.journal(limit=1_200)] == many[3:]
    rest = client.journal(cursor=client.journal(limit=1_200).next or "")
    assert [one.content for one in rest] == many[:3]


def test_import_through_the_server(pair: tuple[Memory, Client], server: Server) -> None:
    _, client = pair
    path = server.home / "spaces" / client.space / "files" / "mem0.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([{"memory": "用户喜欢乌龙茶"}]), "utf-8")
    found = client.workspace.take_in("mem0.json", "mem0", dry_run=False)
    assert found.memories == 1
    assert client.list()[0].content == "用户喜欢乌龙茶"


def test_call_with_a_token_is_done_once(pair: tuple[Memory, Client], server: Server) -> None:
    _, client = pair
    first = client.capture("likes tea", token="t-1")
    assert client.capture("likes tea", token="t-1") == first
    edited = client.edit(first.id, content="likes coffee", version=1, token="e-1")
    assert client.edit(first.id, content="likes coffee", version=1, token="e-1") == edited
    with pytest.raises(TokenReusedError):
        client.capture("likes milk", token="t-1")
    address = f"/v1/spaces/{client.space}/memories"
    headers = {"authorization": "Bearer opensesame", "idempotency-key": "h-1"}
    with server.client(headers=headers) as http:
        answers = [http.post(address, json={"content": "x"}) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [201] * 3
        assert len({answer.json()["id"] for answer in answers}) == 1
        other = http.post(address, json={"content": "y"})
        assert (other.status_code, other.json()["error"]["code"]) == (409, "token_reused")
    assert len(client.list()) == 2
