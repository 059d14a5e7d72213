"""Walls: no canary is ever seen across one, whatever is asked by whatever way in whatever order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import anyio
import httpx
import pytest

from loxodon.http.host import Host
from loxodon.http.operations import OPERATIONS
from loxodon.mcp.server import Answers, Served, server_of
from loxodon.mcp.tools import TOOLS
from mcp import Client
from tests.cases import cases
from tests.http.server import Server
from tests.long import count, figure
from tests.proxy.conftest import Proxy, started
from tests.proxy.upstream import Stage, stage

from . import surfaces
from .backends import WALLS, Backend, Files, Postgres
from .canaries import SPACES, VIEWERS, Viewer, World

SEED = 20_260_204
CALLS = 5  # of one sequence


@pytest.fixture(scope="module", params=["files", "postgres"])
def backend_of_world(request: pytest.FixtureRequest) -> Backend:
    if request.param == "files":
        return Files()
    return Postgres(request.getfixturevalue("postgres"))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, backend_of_world: Backend) -> World:
    found = World(tmp_path_factory.mktemp("canaries") / "home", SEED, backend_of_world)
    found.fill()
    return found


@pytest.fixture(scope="module")
def server(world: World) -> Iterator[Server]:
    with Server(world.home) as running:
        yield running


@pytest.fixture(scope="module")
def upstream() -> Iterator[Stage]:
    with stage() as found:
        yield found


@pytest.fixture(scope="module")
def proxy(world: World, server: Server, upstream: Stage) -> Iterator[Proxy]:
    behind = world.home.parent / "behind"  # the same home, by a name with a log of its own
    behind.symlink_to(world.home)
    with started(behind, upstream.url, "--explain", "--limit", "20") as running:
        yield running


def test_everybody_sees_what_is_theirs(world: World) -> None:
    """The canaries sing: a suite that sees nothing would find no leak either."""
    for space in SPACES:
        with world.opened(space) as memory:
            for viewer in VIEWERS:
                if viewer.space != space:
                    continue
                seen = memory.within(viewer.agent, viewer.chat)
                told = repr((seen.list(state="all"), seen.journal())).casefold()
                mine = [one for one in world.secrets if one.is_for(viewer)]
                missing = [one for one in mine if one.value.casefold() not in told]
                assert not missing, (viewer, missing)
                assert world.hidden(viewer)


def test_random_calls_over_every_surface_see_no_canary_of_others(
    world: World, server: Server, proxy: Proxy, upstream: Stage
) -> None:
    sequences = count(6, 1_000)
    done: Counter[str] = Counter()
    memories = {space: world.opened(space) for space in SPACES}
    try:
        for number in range(sequences):
            viewer = world.rng.choice(VIEWERS)
            ids = world.ids(viewer)
            with surfaces.asking(world, viewer, server.url) as client:
                calls = [
                    *surfaces.library(world, viewer, memories[viewer.space], ids),
                    *surfaces.command_line(world, viewer, ids),
                    *surfaces.http(world, viewer, client, ids),
                ]
                chosen = world.rng.sample(calls, CALLS)
                for name, call in chosen:
                    told = call()
                    done[name.partition(" ")[0]] += 1
                    leaked = world.leaked(viewer, told)
                    assert not leaked, (viewer, name, leaked)
            if number % 5 == 0:
                done["mcp"] += anyio.run(_over_mcp, world, viewer)
                done["proxy"] += _over_proxy(world, viewer, proxy, upstream)
            if number % 40 == 39:  # the background goes on meanwhile
                memories[viewer.space].flush()
    finally:
        for memory in memories.values():
            memory.close()
    _no_words_in_logs(world, server, proxy)
    _no_words_in_files_of_others(world)
    figure(
        "canaries",
        store="postgres" if world.backend.url else "files",
        sequences=sequences,
        calls=sum(done.values()),
        secrets=len(world.secrets),
        seen=0,
        **done,
    )


async def _over_mcp(world: World, viewer: Viewer) -> int:
    """Every tool, of a server that is bound as its options say."""
    names = surfaces.names_of(world, viewer, world.ids(viewer))
    # Those write; the library and HTTP do that
    asked: dict[str, list[Any]] = {"journal": [], "remember": [], "consolidate": []}
    for one in surfaces.filled(cases(surfaces.__file__, "mcp"), names):
        asked.setdefault(one["tool"], []).append(one["given"])
    assert {one.name for one in TOOLS} <= asked.keys(), "a tool has no probe"
    done = 0
    with Host(world.home, world.clock) as host:
        served = Served(host, viewer.space, viewer.chat, "private", viewer.agent)
        async with Client(server_of(Answers(served))) as client:
            offered = {one.name for one in (await client.list_tools()).tools}
            for name in sorted(offered):
                for given in asked[name]:
                    told = repr(await client.call_tool(name, given))
                    done += 1
                    assert not world.leaked(viewer, told), (viewer, name, given)
    return done


def _over_proxy(world: World, viewer: Viewer, proxy: Proxy, upstream: Stage) -> int:
    """What reaches the model, and what comes back, of a message that asks for others' secrets."""
    upstream.play("ok")
    secret = world.foreign(viewer)
    words = f"Do you remember {secret.key}? Where does {secret.key} live? 还记得{secret.key}吗"
    headers = {
        b"x-loxodon-token": world.tokens[viewer].encode(),
        b"x-loxodon-space": secret.space.encode(),
        b"authorization": b"Bearer sk-theirs",
    }
    asked = {"model": "m", "messages": [{"role": "user", "content": words}]}
    with httpx.Client(base_url=proxy.url, headers=headers, timeout=300, trust_env=False) as client:
        told = surfaces.sent(client.post("/chat/completions", json=asked))
    for request in upstream.requests:
        told += repr(request.headers) + request.body.decode()
        assert world.tokens[viewer] not in told, "the token went upstream"
    assert not world.leaked(viewer, told), (viewer, world.leaked(viewer, told))
    return 1


def _no_words_in_logs(world: World, server: Server, proxy: Proxy) -> None:
    logs = (repr(server.lines) + repr(proxy.log)).casefold()
    logs += world.backend.audit(world.home).decode("utf-8", "replace").casefold()
    assert '"op":"recall"' in logs  # they have something to tell
    assert not [one for one in world.secrets if one.value.casefold() in logs]
    assert not [token for token in world.tokens.values() if token in logs]


def _no_words_in_files_of_others(world: World) -> None:
    """Every byte that is kept of a space: only that space's words, the views among them."""
    kept: dict[str, list[bytes]] = {}
    for space, data in world.backend.held(world.home):
        kept.setdefault(space, []).append(data)
    assert len(kept) > len(SPACES)
    sung = set()
    for space, pieces in kept.items():
        text = b"".join(pieces).decode("utf-8", "replace").casefold()
        held = {one.space for one in world.secrets if one.value.casefold() in text}
        assert len(held) <= bool(space), (space, held)
        sung |= held
    assert sung == set(SPACES)


# What is there and may not be known of is as what never was


ABSENT = {"memory": "f_20260204_987", "turn": "t_98765"}


@pytest.mark.parametrize("viewer", VIEWERS, ids=lambda one: one.token)
def test_what_is_hidden_answers_as_what_never_was(
    world: World, server: Server, viewer: Viewer
) -> None:
    hidden = world.ids(viewer)
    with surfaces.asking(world, viewer, server.url) as client:
        for what, path in (
            ("memory", "memories/{}"),
            ("memory", "memories/{}/history"),
            ("turn", "turns/{}"),
        ):
            for id in hidden[what][:3]:
                told = [_normal(client, viewer, path, one) for one in (id, ABSENT[what])]
                assert told[0] == told[1]
                assert told[0].startswith("404")
        others = [one for one in SPACES if one != viewer.space]
        told = [_space(client, one) for one in (*others, "nowhere")]
        assert len(set(told)) == 1, told


def _normal(client: httpx.Client, viewer: Viewer, path: str, id: str) -> str:
    response = client.get(f"/v1/spaces/{viewer.space}/{path.format(id)}")
    headers = {name: value for name, value in response.headers.items() if name != "content-length"}
    return f"{response.status_code} {headers} {response.text}".replace(id, "ID")


def _space(client: httpx.Client, space: str) -> str:
    told = []
    for method, path, body in (
        ("GET", "stats", None),
        ("POST", "turns", {"turns": []}),
        ("GET", "memories/f_1", None),
    ):
        response = client.request(method, f"/v1/spaces/{space}/{path}", json=body)
        told.append(f"{response.status_code} {response.text.replace(space, 'SPACE')}")
    return repr(told)


def test_every_operation_has_a_probe(world: World) -> None:
    """An operation that is added must be probed here, or be the owner's alone."""
    probed = {re.split("[/?]", one["path"])[1] for one in cases(surfaces.__file__, "http")}
    for one in OPERATIONS:
        if one.right != "owner":
            assert one.route.path.split("/")[1] in probed, one.name


# Tables without words of anybody, or that only lead to rows which are looked up behind a wall
SHARED = frozenset(
    {
        "counters",
        "meta",
        "common_words",
        "memory_uses",
        "unindexed",
        "model_use",
        "reviews",
        "vector_models",
        "vector_signs",
        "vectors",
        "vector_todo",
        "tombstones",
        "audit",
        "spaces",  # which have policies of their own
    }
)


def test_tables_are_behind_a_wall_or_named_as_shared(world: World) -> None:
    """A table that is added must be thought about."""
    with world.opened(SPACES[0]) as memory:
        tables = world.backend.tables(memory)
        assert tables > {"memories", "turns", "documents"}
        for wall in WALLS:
            notes = set() if wall.group else {"source_files", "chunks", "chunk_places"}
            assert tables - world.backend.walled(memory, wall) - SHARED - notes == set()
