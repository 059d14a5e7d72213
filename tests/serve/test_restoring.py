"""`loxodon restore`, as a user would type it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.serve.shell import Shell


@pytest.fixture
def lost(tmp_path: Path) -> Shell:
    """A home whose database is gone, and views beside it."""
    shell = Shell(tmp_path / "home")
    shell("capture", "I am allergic to peanuts")
    shell("export", str(tmp_path / "out"))
    (tmp_path / "home/spaces/main/loxodon.db").unlink()
    return shell


def test_a_lost_memory_comes_back(lost: Shell, tmp_path: Path) -> None:
    assert "missing" in lost("recall", "peanuts", code=7).stderr.decode()
    assert lost.text("restore", str(tmp_path / "out")) == "restored 1 turn and 1 memory\n"
    assert "peanuts" in lost.text("recall", "peanuts")
    assert lost.json("validate") == {"ok": True, "problems": [], "turns_ahead": 0}


def test_it_says_what_it_did_as_json(lost: Shell, tmp_path: Path) -> None:
    out = str(tmp_path / "out" / "memory")
    done = lost.json("restore", out)
    assert done == {
        "turns": 1,
        "memories": 1,
        "added": [],
        "edited": [],
        "before": "",
        "settings": {},
        "offered": {},
    }
    assert lost.json("restore", out, code=4)["error"]["code"] == "bad_input"
    again = lost.json("restore", out, "--replace")
    assert os.path.basename(again["before"]) == "loxodon.db.before-restore-1"


def test_it_speaks_chinese(lost: Shell, tmp_path: Path) -> None:
    facts = tmp_path / "out/memory/layer2/active/facts.jsonl"
    text = facts.read_text("utf-8")
    facts.write_text(text + "{", "utf-8")
    done = lost("restore", str(tmp_path / "out"), code=4, LANG="zh_CN.UTF-8")
    assert "layer2/active/facts.jsonl 第 3 行：这一行不完整" in done.stderr.decode()
    facts.write_text(text.replace("peanuts", "walnuts"), "utf-8")
    done = lost("restore", str(tmp_path / "out"), LANG="zh_CN.UTF-8")
    assert done.stdout.decode() == "已恢复 1 条消息、1 条记忆\n"
    assert "写出后被改过" in done.stderr.decode()
    assert "walnuts" in lost.text("recall", "walnuts")


def test_a_source_that_is_not_there_makes_nothing(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    done = shell("restore", str(tmp_path / "nowhere"), code=3)
    assert "no text views found in" in done.stderr.decode()
    assert not shell.home.exists()
