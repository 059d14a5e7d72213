"""Other people's words through every door by which a message of the user comes in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.cli import main
from loxodon.client import Client
from loxodon.mcp.tools import TOOLS
from loxodon.types import Record
from tests.attacks.typed import rows
from tests.http.server import Server

Said = Mapping[str, str]
THEIRS = [row["text"] for row in rows("one_door") if row["of"] == "theirs"]
OWN = [(row["text"], row["word"]) for row in rows("one_door") if row["of"] == "own"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("door") / "home") as running:
        yield running


def by_library(home: Path, space: str, session: str, said: Said) -> None:
    with Memory.open(home, space) as memory:
        memory.add([said], session)


def by_command(home: Path, space: str, session: str, said: Said) -> None:
    path = home.parent / "talk.jsonl"
    path.write_text(json.dumps(said), "utf-8")
    line = ["--home", str(home), "--space", space, "add", "--session", session, str(path)]
    assert main(line) == 0


def by_program(home: Path, space: str, session: str, said: Said) -> None:
    """As the proxy, a hook and the drop-in replacements journal it."""
    by_library(home, space, session, {**said, "origin": "relayed"})


def by_agent(home: Path, space: str, session: str, said: Said) -> None:
    (tool,) = [one for one in TOOLS if one.name == "journal"]
    with Memory.open(home, space) as memory:
        tool.run(memory, "direct", {"user": said["content"], "session": session})


DOORS: dict[str, Callable[[Path, str, str, Said], None]] = {
    "library": by_library,
    "command": by_command,
    "program": by_program,
    "agent": by_agent,
}
ALL = [*DOORS, "http"]


def learned(server: Server, door: str, space: str, *said: Said) -> list[Record]:
    """What is known after each of these was said in a conversation of its own."""
    for n, one in enumerate(said):
        if door == "http":
            with Client(server.url, space=space) as client:
                client.add([one], f"talk {n}")
        else:
            DOORS[door](server.home, space, f"talk {n}", one)
    with Memory.open(server.home, space) as memory:
        memory.consolidate(force=True)
        return [one for one in memory.list(limit=1_000) if one.kind != "summary"]


@pytest.mark.parametrize("door", ALL)
def test_words_of_others_become_nothing_of_the_users(server: Server, door: str) -> None:
    said = [{"role": "user", "content": text} for text in THEIRS]
    known = learned(server, door, f"theirs-{door}", *said)
    assert [one.content for one in known if "Zorvex" in one.content] == []
    with Memory.open(server.home, f"theirs-{door}") as memory:  # the journal has what was said
        assert [one.content for one in memory.journal() if one.role == "user"] == THEIRS


@pytest.mark.parametrize("door", ALL)
def test_what_the_user_says_is_learned(server: Server, door: str) -> None:
    for n, (text, word) in enumerate(OWN):
        known = learned(server, door, f"own-{door}-{n}", {"role": "user", "content": text})
        contents = "\n".join(one.content for one in known)
        assert word in contents
        assert "Zorvex" not in contents


@pytest.mark.parametrize("door", ["library", "command", "http", "program"])
@pytest.mark.parametrize("field", ["speaker", "name"])
def test_speaker_who_is_not_the_owner_is_named(server: Server, door: str, field: str) -> None:
    if (door, field) == ("http", "name"):
        pytest.skip("turns over HTTP have no such field")
    said = {"role": "user", field: "bob", "content": "I moved to Ghent. I'm allergic to nuts."}
    known = learned(server, door, f"bob-{door}-{field}", said)
    contents = "\n".join(one.content for one in known)
    assert "bob" in contents
    assert "user" not in contents.lower()
    assert {one.subject for one in known} <= {"bob", ""}


def test_words_of_an_agent_are_not_recalled_as_the_users(memory: Memory) -> None:
    memory.within("coder").add([{"role": "user", "content": "The boiler is from Zorvex."}], "talk")
    asked = "where is the boiler from?"
    (item,) = memory.recall(asked).items
    assert item.why["speaker"] == "assistant"
    assert "user:" not in memory.recall(asked).context
    assert "assistant: The boiler" in memory.recall(asked).context
    assert "user: The boiler" not in memory.assemble(asked).text
