"""`loxodon move`: exact, resumable, verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import Memory
from tests.clock import NOW, Clock
from tests.serve.http.server import unscheduled
from tests.serve.shell import Shell

TAR = "likes the smell of tar"
SPACES = ("main", "张三")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A home with two spaces, and everything in them that is moved."""
    shell = Shell(tmp_path / "old")
    shell("config", "workspace.views", "off")
    shell("add", "-", given="Me: 我对花生过敏\nMe: My PIN is a secret of mine\n".encode())
    shell("consolidate")
    gone = shell.json("capture", TAR)["id"]
    shell("edit", shell.json("capture", "lives in Leeds")["id"], "--content", "lives in York")
    shell("forget", gone, "--yes")
    shell("recall", "peanuts")
    shell("--space", "张三", "add", "-", given=b"Me: I moved to Osaka\n")
    shell("--space", "张三", "pause")
    return shell


def everything(home: Path, space: str) -> dict[str, object]:
    """What is told of a space."""
    with Memory.open(home, space, clock=Clock(NOW)) as memory:
        assert memory.audit.verify().sound
        assert memory.validate() == []
        return {
            "turns": [*memory.journal()],
            "memories": [*memory.list(state="all")],
            "versions": [[*memory.history(one.id)] for one in memory.list(state="all")],
            "receipts": [*memory.receipts()],
            "context": memory.recall("花生 Leeds").context,
            "paused": memory.paused,
            "audited": [(one.op, one.ids) for one in memory.audit.entries(limit=3)][:1],
        }


def test_home_is_the_same_in_postgresql_and_back(
    shell: Shell, tmp_path: Path, postgres_url: str
) -> None:
    back = tmp_path / "back"
    before = {space: everything(shell.home, space) for space in SPACES}
    found = shell.json("move", "--to", postgres_url)
    assert (sorted(found["spaces"]), found["known"]) == (sorted(SPACES), [])
    assert shell.json("config", "store.url")["store.url"]
    for space in SPACES:
        there = everything(shell.home, space)
        for name in ("turns", "memories", "versions", "receipts", "context", "paused"):
            assert there[name] == before[space][name], name
    assert shell.json("move", "--to", str(back))["to"] == str(back)
    for space in SPACES:
        assert everything(back, space)["memories"] == before[space]["memories"]
    with Memory.open(back, clock=Clock(NOW)) as memory:  # what was forgotten stays so
        memory.add([{"role": "user", "content": TAR, "at": NOW.isoformat()}])
        assert "tar" not in memory.recall(TAR).context
        memory.capture("has gone its own way since")
    assert b"other data" in shell("move", "--to", str(back), code=4).stderr


def test_home_of_somebody_else_and_one_in_use_are_refused(shell: Shell, tmp_path: Path) -> None:
    new = tmp_path / "new"
    with unscheduled(shell.home):  # as if a server ran on it
        assert b"server" in shell("move", "--to", str(new), code=7).stderr
    with Memory.open(new, "张三", config={"audit.enabled": False}) as memory:
        memory.capture("is somebody else's")
    assert shell.environment
    assert b"error" in shell("move", "--to", str(new), code=4).stderr
    with Memory.open(new, "张三", config={"audit.enabled": False}) as memory:
        assert [one.content for one in memory.list()] == ["is somebody else's"]
    other = tmp_path / "other"
    assert sorted(shell.json("move", "--to", str(other))["spaces"]) == sorted(SPACES)
    assert sorted(shell.json("move", "--to", str(other))["known"]) == sorted(SPACES)
