"""`loxodon openclaw follow`, and `loxodon add` on OpenClaw's database."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.serve.shell import Shell
from tests.workspace.openclaw.made import OpenClaw, talk


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture
def claw(tmp_path: Path) -> OpenClaw:
    claw = OpenClaw(tmp_path / ".openclaw")
    claw.file("old", talk("我姐姐住在大阪", "记住了"))
    claw.database("work").session("new", talk("the demo is on Friday"))
    return claw


def test_follow_finds_the_openclaw_of_the_user(shell: Shell, claw: OpenClaw) -> None:
    assert shell.text("openclaw", "follow") == (
        "turns added: 3, already known: 0\ntranscripts read: 2, unchanged: 0, without a person: 0\n"
    )
    assert "未变：2" in shell.text("openclaw", "follow", LANG="zh_CN.UTF-8")
    assert "大阪" in shell.text("recall", "姐姐")


def test_follow_one_agent_elsewhere(shell: Shell, claw: OpenClaw, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    claw.root.rename(moved)
    found = shell.json("openclaw", "follow", "--agent", "work", OPENCLAW_STATE_DIR=str(moved))
    assert found == {
        "added": 1,
        "known": 0,
        "changed": 0,
        "sessions": ["new"],
        "read": 1,
        "unchanged": 0,
        "skipped": 0,
        "problems": [],
    }
    assert shell.json("openclaw", "follow", "--state", str(moved))["added"] == 2


def test_problems_are_told_beside_what_was_taken(shell: Shell, claw: OpenClaw) -> None:
    path = claw.file("bad", talk("a"))
    path.write_text(path.read_text("utf-8") + "\x1b[31m{\n", "utf-8")
    (path.parent / "x\x1b[31m.jsonl").symlink_to(Path("/dev/null").parent / "fd")
    done = shell("openclaw", "follow")
    assert b"bad.jsonl line 3" in done.stderr
    assert b"\x1b" not in done.stderr
    assert b"turns added: 4" in done.stdout


def test_where_there_is_no_openclaw_no_memory_is_made(shell: Shell) -> None:
    done = shell("openclaw", "follow", code=3)
    assert b"--state" in done.stderr
    assert not shell.home.exists()
    shell("openclaw", "follow", "--state", "", "--agent", "x", code=3)
    shell("openclaw", code=2)
    shell("openclaw", "dance", code=2)


def test_an_agent_that_is_not_there(shell: Shell, claw: OpenClaw) -> None:
    done = shell("openclaw", "follow", "--agent", "nobody", code=3)
    assert b"main, work" in done.stderr


def test_add_takes_the_database_too(shell: Shell, claw: OpenClaw) -> None:
    database = str(claw.root / "agents" / "work" / "agent" / "openclaw-agent.sqlite")
    assert shell.json("add", database)["sessions"] == ["new"]
    assert shell.json("add", database, "--format", "openclaw")["known"] == 1
    assert shell.json("openclaw", "follow", "--agent", "work")["known"] == 1


def test_add_refuses_other_databases(shell: Shell, tmp_path: Path) -> None:
    shell("init")
    own = shell.home / "spaces" / "main" / "loxodon.db"
    assert b"inside the Loxodon home" in shell("add", str(own), code=2).stderr
    other = tmp_path / "other.sqlite"
    shutil.copy(own, other)
    assert b"no OpenClaw sessions" in shell("add", str(other), code=4).stderr
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert b"error" in shell("add", str(broken), code=4).stderr
