"""Secrets through every inlet, and then every byte under the home is searched for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.cli import main
from loxodon.working import Session
from tests.attacks.inlets import INLETS as OTHERS
from tests.attacks.inlets import SERVED
from tests.cli.shell import Shell
from tests.clock import Clock
from tests.http.server import Server
from tests.looking import files_with

TOKEN = "ghp_Zq81LmXw92KcVb37RtYu64PoNj05HsGfDa4E"
WORD = "Xylophon77!moor"
SAID = f"the deploy token is {TOKEN} and my password is {WORD}"
ZH = f"我的密码是{WORD}，令牌{TOKEN}"


class Place:
    def __init__(self, top: Path, clock: Clock) -> None:
        self.home = top / "home"
        self.own = top / "own"  # the user's own files, which are not ours to clean
        self.own.mkdir()
        self.config = {"timezone": "Asia/Shanghai", "workspace.path": str(self.own)}
        self.clock = clock

    def open(self, **more: object) -> Memory:
        return Memory.open(self.home, config={**self.config, **more}, clock=self.clock)


@pytest.fixture
def place(tmp_path: Path, clock: Clock) -> Place:
    return Place(tmp_path, clock)


def leaks(folder: Path) -> list[str]:
    """The files and tables that have a secret in them, in whatever form."""
    return sorted({one for names in files_with([TOKEN, WORD], folder).values() for one in names})


def _add(place: Place) -> None:
    with place.open() as memory:
        memory.add(
            [
                {"role": "user", "content": SAID, "id": "m1", "speaker": f"ann {TOKEN}"},
                {"role": "user", "content": ZH},
                {"role": "tool", "content": f"API_KEY={TOKEN}"},
            ],
            session=f"s {TOKEN}",
        )
        memory.consolidate(force=True)


def _capture(place: Place) -> None:
    with place.open() as memory:
        one = memory.capture(
            SAID, tags=[TOKEN], entities=[f"Bob {TOKEN}"], project=f"p {TOKEN}", topic=f"t {TOKEN}"
        )
        memory.edit(one.id, content=ZH, value=f"x {TOKEN}", tags=["a", TOKEN])
        memory.consolidate(force=True)


def _documents(place: Place) -> None:
    with place.open() as memory:
        memory.documents.put(("a", TOKEN), TOKEN, {"password": WORD, "said": [SAID, {TOKEN: 1}]})
        memory.documents.append(("log",), [ZH])


def _session(place: Place) -> None:
    with place.open() as memory, Session.open(memory, f"k {TOKEN}") as session:
        sent = session.prepare(SAID)
        assert TOKEN not in json.dumps(sent), "nor does a model get it"
        session.add({"role": "tool", "content": f"token={TOKEN}", "tool_call_id": "c1"})
        session.note("mine", {"password": WORD})
        session.finish(f"I noted {TOKEN}")
        session.flush()
        session.compact()


def _off(place: Place) -> None:
    with place.open(enabled=False, **{"workspace.path": ""}) as memory:
        memory.add([{"role": "user", "content": SAID}], session="off")
        memory.capture(ZH)
    with place.open(**{"workspace.path": ""}) as memory:
        memory.consolidate(force=True)


def _notes(place: Place) -> None:
    (place.own / "MEMORY.md").write_text(f"# Keys {TOKEN}\n\n- {SAID}\n- {ZH}\n", "utf-8")
    with place.open() as memory:
        memory.workspace.index()
        assert "[secret: " in memory.recall("deploy token").context


def _sync(place: Place) -> None:
    with place.open() as memory:
        memory.capture("Ann likes tea")
        memory.workspace.export()
        view = place.own / "memory" / "insights.md"
        view.write_text(view.read_text("utf-8").replace("Ann likes tea", SAID), "utf-8")
        memory.workspace.sync()
        (record,) = memory.list()
        assert "[secret: " in record.content


def _import(place: Place) -> None:
    path = place.own / "mem0.json"
    path.write_text(json.dumps({"results": [{"id": "1", "memory": SAID}]}), "utf-8")
    with place.open() as memory:
        memory.workspace.take_in(str(path))


def _command(place: Place) -> None:
    file = place.own / "talk.jsonl"
    file.write_text(json.dumps({"role": "user", "content": SAID}) + "\n", "utf-8")
    home = ["--home", str(place.home)]
    assert main([*home, "init"]) == 0
    assert main([*home, "add", str(file)]) == 0
    assert main([*home, "capture", ZH]) == 0
    assert main([*home, "policy", "check", SAID]) == 0


def _http(place: Place) -> None:
    place.home.mkdir()
    with Server(place.home) as server, server.client() as http:
        turns = [{"role": "user", "content": SAID, "id": "1"}]
        assert http.post("/v1/spaces/main/turns", json={"turns": turns}).status_code == 200
        kept = http.post("/v1/spaces/main/memories", json={"content": ZH, "tags": [TOKEN]})
        assert kept.status_code == 201
        http.post("/v1/spaces/main/recall", json={"query": SAID})
        http.get(f"/v1/spaces/main/memories/{TOKEN}")
        http.post("/v1/spaces/main/turns", json={"turns": [{"role": SAID, "content": SAID}]})
        server.stop()
        logged = json.dumps(server.lines, ensure_ascii=False)
    assert TOKEN not in logged
    assert WORD not in logged


def _langgraph(place: Place) -> None:
    pytest.importorskip("langgraph")
    from loxodon.compat.langgraph import LoxodonStore

    with place.open() as memory:
        store = LoxodonStore(memory)
        store.put(("ann", TOKEN), "k", {"text": SAID, "password": WORD})
        store.put(("ann",), TOKEN, {"said": [ZH]})
        store.search(("ann",), query=SAID)


def _agents(place: Place) -> None:
    import asyncio

    from loxodon.compat.agents import LoxodonSession

    with place.open() as memory:
        session = LoxodonSession(f"s {TOKEN}", memory)
        items = [{"role": "user", "content": SAID}, {"role": "assistant", "content": ZH}]
        asyncio.run(session.add_items(items))


INLETS: dict[str, Callable[[Place], None]] = {
    "add": _add,
    "capture": _capture,
    "documents": _documents,
    "session": _session,
    "off": _off,
    "notes": _notes,
    "sync": _sync,
    "import": _import,
    "command": _command,
    "http": _http,
    "langgraph": _langgraph,
    "agents": _agents,
}


@pytest.mark.parametrize("inlet", sorted(INLETS))
def test_no_secret_reaches_the_disk(
    place: Place, inlet: str, capsys: pytest.CaptureFixture[str]
) -> None:
    INLETS[inlet](place)
    assert not leaks(place.home)
    told = capsys.readouterr()
    assert TOKEN not in told.out + told.err
    assert WORD not in told.out + told.err


@pytest.mark.parametrize("inlet", [*OTHERS, *SERVED])
def test_nor_through_the_inlets_of_others(place: Place, inlet: str) -> None:
    """Tools of an agent, other libraries, exports, transcripts that are followed, the proxy."""
    with place.open(**{"workspace.path": str(place.own / "notes")}) as memory:
        {**OTHERS, **SERVED}[inlet](memory, place.own, [SAID, ZH, f"API_KEY={TOKEN}"])
        memory.consolidate(force=True)
        memory.recall("deploy token")
        memory.snapshot()
    assert not leaks(place.home)


def test_the_search_for_leaks_finds_one(place: Place) -> None:
    place.home.mkdir()
    (place.home / "x").write_bytes(b"\0" + WORD.encode("utf-16-le"))
    assert leaks(place.home)


def _kept_before(place: Place) -> None:
    """A home from before there were rules, with a secret everywhere."""
    policy = place.home / "policy.toml"
    place.home.mkdir(parents=True, exist_ok=True)
    found = Shell(place.home).json("policy")["kinds"]
    allowed = "".join(f'"{one["kind"]}" = "allow"\n' for one in found)
    policy.write_text(f"[kinds]\n{allowed}", "utf-8")
    with place.open(**{"workspace.views": "on"}) as memory:
        said = {"role": "user", "content": SAID, "speaker": f"ann {TOKEN}", "channel": f"c {TOKEN}"}
        memory.add([said, {"role": "user", "content": ZH}], session=f"s {TOKEN}")
        one = memory.capture(SAID)
        memory.edit(one.id, content=ZH)
        memory.documents.put(("a",), "k", {"password": WORD, "said": SAID})
        with Session.open(memory, "main") as session:
            session.prepare(SAID)
        memory.consolidate(force=True)
        memory.workspace.export()
    policy.unlink()
    assert leaks(place.home)


def test_what_was_kept_before_reaches_no_embedder(place: Place) -> None:
    class Spy:
        name = "spy"

        def __init__(self) -> None:
            self.texts: list[str] = []

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            self.texts += texts
            return [[1.0, 0.0] for _ in texts]

    _kept_before(place)
    spy = Spy()
    with Memory.open(place.home, config=place.config, clock=place.clock, embedder=spy) as memory:
        memory.embed()
        memory.recall(SAID)
    assert any("[secret: " in text for text in spy.texts)
    assert not any(TOKEN in text or WORD in text for text in spy.texts)
