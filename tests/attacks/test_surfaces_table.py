"""Walls as a table: every operation and tool × everybody who may ask, with what each may do.

The rows name the right that is needed, apart from the tables of the surfaces: an operation without
a row fails, and so does one that asks for less than its row says.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx
import pytest

from loxodon import Memory, files
from loxodon import config as settings
from loxodon.cli import main
from loxodon.cli.commands import MODULES
from loxodon.http.guard import Caller
from loxodon.http.host import Host
from loxodon.http.operations import IN_QUERY, OPERATIONS
from loxodon.mcp.server import Answers, Served, asked_by, server_of
from loxodon.mcp.tools import TOOLS
from loxodon.opening import root_of
from loxodon.security import tokens as access
from loxodon.security.tokens import Grant
from loxodon.spaces import has_space
from mcp import Client
from tests.cases import cases
from tests.clock import NOW, Clock
from tests.http.server import Server

# What is private to the owner, to each of two agents, told in a group, and in another space
SECRETS = {
    "owner": "Zorvantik",
    "alpha": "Quibbleton",
    "beta": "Wexfordian",
    "group": "Plumgarten",
    "other": "Drellmarsh",
}


class Asker(NamedTuple):
    """Who asks, and whose secrets they may see."""

    grant: Grant
    sees: frozenset[str]

    @property
    def walled(self) -> bool:
        return bool(self.grant.agent) or self.grant.chat != "direct"

    @property
    def right(self) -> str:
        """The most that they may: an agent or a group is never the owner."""
        return "write" if self.walled and self.grant.rights == "owner" else self.grant.rights


# By operation, the right that it needs and what is asked; `ID` and `TURN` are the owner's own
HTTP = {row["name"]: (row["right"], row["given"]) for row in cases(__file__, "http")}
# By tool, the right that it needs, whether a group has it, and what is asked
MCP = {
    row["name"]: (row["right"], row["in_groups"], row["given"]) for row in cases(__file__, "mcp")
}
# By command, what an agent may and what it types; no right for what goes on until stopped
CLI = {row["name"]: (row["right"], row["words"]) for row in cases(__file__, "cli")}
MAIN = ("main",)
ALL = frozenset(SECRETS) - {"other"}
ASKERS = {
    "owner": Asker(Grant("owner", MAIN), ALL),
    "writer": Asker(Grant("writer", MAIN, rights="write"), ALL),
    "reader": Asker(Grant("reader", MAIN, rights="read"), ALL),
    "alpha": Asker(Grant("alpha", MAIN, "alpha"), frozenset({"owner", "alpha", "group"})),
    "beta": Asker(
        Grant("beta", MAIN, "beta", rights="write"), frozenset({"owner", "beta", "group"})
    ),
    "group": Asker(Grant("group", MAIN, chat="group"), frozenset({"group"})),
    "other": Asker(Grant("other", ("other",)), frozenset({"other"})),
}
RIGHTS = ("read", "write", "owner")


# What an agent or a group does not do to what is the owner's
CHANGES = frozenset({"edit", "archive", "unarchive", "confirm", "reject"})
# What the owner is not let do here: it would change what the others are asked about
OWN_ONLY = {"forget", "pause", "resume", "refresh_profile", "import", "consolidate"}


class Scene(NamedTuple):
    home: Path
    tokens: dict[str, str]
    # `ID`, `TURN` and `BELIEF`, one of agent `beta` (`BETA`), and a path with nothing there
    names: dict[str, str]

    @property
    def root(self) -> str:
        """Where the spaces and tokens are."""
        return root_of(str(self.home), settings.load(str(self.home)))

    def filled(self, given: Any) -> Any:
        if isinstance(given, dict):
            return {name: self.filled(value) for name, value in given.items()}
        if isinstance(given, list):
            return [self.filled(one) for one in given]
        return self.names.get(given, given) if isinstance(given, str) else given


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, store_url: str) -> Scene:
    home = tmp_path_factory.mktemp("table") / "home"
    home.mkdir(mode=0o700)
    settings.write(str(home), "store.url", store_url)
    settings.write(str(home), "mcp.tools", " ".join(settings.EXTRA_TOOLS))
    clock = Clock(NOW)
    with Memory.open(home, "other", clock=clock) as memory:
        memory.capture(f"The secret is {SECRETS['other']}.")
    with Memory.open(home, clock=clock) as memory:
        own = memory.capture(f"The secret of Tom is {SECRETS['owner']}.", entities=["Tom"])
        held = memory.capture("Tom may live in Leeds.", "belief", audience="all")
        beta = [
            memory.within(agent).capture(f"The secret is {SECRETS[agent]}.").id
            for agent in ("alpha", "beta")
        ][1]
        memory.capture(f"The secret of the group is {SECRETS['group']}.", audience="group")
        turn = memory.journal(limit=1)[0].ref
    names = {
        "ID": own.id,
        "TURN": turn,
        "BELIEF": held.id,
        "BETA": beta,
        "NOWHERE": str(home.parent / "nowhere"),
    }
    found = Scene(home, {}, names)
    for name, one in ASKERS.items():
        found.tokens[name] = access.add(found.root, one.grant, NOW)[1]
    return found


@pytest.fixture(scope="module")
def server(scene: Scene) -> Iterator[Server]:
    with Server(scene.home) as running:
        yield running


def leaked(asker: Asker, told: str) -> list[str]:
    return [name for name, word in SECRETS.items() if name not in asker.sees and word in told]


def test_every_operation_and_tool_has_a_row() -> None:
    assert HTTP.keys() == {one.name for one in OPERATIONS}
    assert MCP.keys() == {one.name for one in TOOLS}
    assert CLI.keys() == MODULES.keys()


def asked(client: httpx.Client, scene: Scene, name: str, space: str = "main") -> httpx.Response:
    """What an operation of the table answers."""
    operation = next(one for one in OPERATIONS if one.name == name)
    given, path = scene.filled(HTTP[name][1]), operation.route.path
    for field in [field for field in given if f"{{{field}}}" in path]:
        path = path.replace(f"{{{field}}}", given.pop(field))
    address = f"/v1/spaces/{space}{path}"
    if operation.route.method in IN_QUERY:
        return client.request(operation.route.method, address, params=given)
    return client.request(operation.route.method, address, json=given)


@pytest.mark.parametrize("who", ["other", "group", "reader", "beta", "alpha", "writer", "owner"])
def test_http(scene: Scene, server: Server, who: str) -> None:
    asker = ASKERS[who]
    with server.client(headers={"authorization": f"Bearer {scene.tokens[who]}"}) as client:
        for name, (right, _) in HTTP.items():
            if who == "owner" and name in OWN_ONLY:
                continue
            response = asked(client, scene, name)
            told = f"{response.headers} {response.text}"
            assert not leaked(asker, told), (who, name, told)
            if "main" not in asker.grant.spaces:  # as if it were not there
                nowhere = asked(client, scene, name, "nowhere")
                assert response.status_code == nowhere.status_code == 404, (who, name, told)
                assert response.text == nowhere.text.replace("nowhere", "main"), name
            elif RIGHTS.index(right) > RIGHTS.index(asker.right):
                assert response.status_code == 403, (who, name, told)
            elif name in CHANGES and asker.walled:
                assert response.status_code in (403, 404), (who, name, told)
            else:
                assert response.status_code not in (401, 403, 500), (who, name, told)
        for path in ("/metrics", "/v1/spaces"):
            response = client.get(path)
            assert not leaked(asker, response.text)
        assert client.get("/metrics").status_code == 403, "about all spaces, which nobody here has"
        assert client.put("/v1/spaces/new").status_code == 403
        assert client.delete("/v1/spaces/main").status_code == 403
        assert response.json() == {"spaces": list(asker.grant.spaces)}


@pytest.mark.parametrize("who", [name for name in ASKERS if name != "other"])
def test_mcp(scene: Scene, who: str) -> None:
    asker = ASKERS[who]
    may = {
        name
        for name, (right, in_groups, _) in MCP.items()
        if RIGHTS.index(right) <= RIGHTS.index(asker.right)
        and (in_groups or asker.grant.chat == "direct")
    }

    async def ask() -> None:
        caller = Caller(asker.grant, asker.grant.agent, asker.grant.chat)
        with Host(scene.home, Clock(NOW)) as host, asked_by(caller):
            answers = Answers(Served(host, "main"), over_http=True)
            async with Client(server_of(answers)) as client:
                assert {one.name for one in (await client.list_tools()).tools} == may
                for name, (_, _, given) in MCP.items():
                    if who == "owner" and name in OWN_ONLY:
                        continue
                    try:
                        told = repr(await client.call_tool(name, scene.filled(given)))
                    except Exception as error:  # whatever it says is looked at
                        told = repr(error)
                    assert not leaked(asker, told), (who, name, told)
                    assert ("Unknown tool" in told) is (name not in may), (who, name, told)

    anyio.run(ask)


def test_the_command_line_as_an_agent(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    asker = ASKERS["alpha"]
    for name, (right, words) in CLI.items():
        if right is None:
            continue
        code = main(
            ["--home", str(scene.home), "--agent", "alpha", "--json", name, *scene.filled(words)]
        )
        told = "".join(capsys.readouterr())
        assert not leaked(asker, told), (name, told)
        refused = '"code": "forbidden"' in told
        assert refused is (right == "owner"), (name, told)
        assert (code != 0) is (refused or "BETA" in words or "NOWHERE" in words), (name, told)
    assert not (scene.home.parent / "nowhere").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["token", "add", "evil", "--rights", "owner"],
        ["--space", "new", "init"],
        ["backup", "--all", "NOWHERE"],
        ["schedule", "--run", "profile"],
        ["quarantine", "release", "q_1"],
    ],
)
def test_a_command_for_the_owner_alone(
    scene: Scene, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    tokens = os.path.join(scene.root, access.FILE)
    before = files.read(tokens)
    scene.names["TOKENS"] = str(scene.home / "tokens.toml")
    line = ["--home", str(scene.home), "--agent", "alpha", "--json", *scene.filled(words)]
    assert main(line) != 0
    assert '"code": "forbidden"' in "".join(capsys.readouterr())
    assert files.read(tokens) == before
    assert not has_space(scene.root, "new")


def test_beyond_this_machine_no_files_of_it_are_named(scene: Scene, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Server(home, "--host", "0.0.0.0", LOXODON_TOKEN="t") as server:
        base = f"http://127.0.0.1:{server.port}/v1/spaces/main"
        headers = {"authorization": "Bearer t"}
        for path, given in (
            ("import", {"path": str(tmp_path)}),
            ("export", {"folder": str(tmp_path / "out")}),
        ):
            found = httpx.post(f"{base}/workspace/{path}", headers=headers, json=given, timeout=300)
            assert found.status_code == 403, found.text
    assert not (tmp_path / "out").exists()


def test_nothing_was_lost_to_those_who_asked_for_it_to_be(scene: Scene) -> None:
    """All of them asked to forget everything, by every way that there is."""
    with Memory.open(scene.home, clock=Clock(NOW)) as memory:
        told = repr(memory.list(state="all"))
        assert not memory.receipts()
        assert memory.paused is None
    assert all(word in told for name, word in SECRETS.items() if name != "other")
