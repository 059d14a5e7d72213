"""Notes of files at the command line: read, recalled, looked up."""

from __future__ import annotations

import json
import os
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.serve.shell import typed


@pytest.fixture
def home(tmp_path: Path) -> Path:
    workspace = tmp_path / "ws"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text("# 饮食\n- 喜欢乌龙茶\n# Car\n- Drives a Volvo\n", "utf-8")
    (workspace / "memory" / "2026-02-03.md").write_text("Lunch with Priya in Leeds.\n", "utf-8")
    home = tmp_path / "home"
    run(home, "init")
    run(home, "config", "workspace.path", str(workspace))
    run(home, "sources")
    return home


def run(home: Path, *args: str, language: str = "en_GB.UTF-8") -> CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": language,
        "PYTHONIOENCODING": "utf-8",
        "LOXODON_HOME": str(home),
    }
    done = typed(*args, env=environment)
    return CompletedProcess(args, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_a_note_is_recalled_with_its_file_and_line_and_looked_up(home: Path) -> None:
    done = run(home, "recall", "what car do I drive, a Volvo?")
    assert "Car: Drives a Volvo" in done.stdout
    assert "MEMORY.md:4" in done.stdout
    (item,) = json.loads(run(home, "recall", "Volvo", "--kind", "note", "--json").stdout)["items"]
    assert item["sources"] == [{"file": "MEMORY.md", "line": 4}]
    shown = run(home, "get", item["id"])
    assert "Drives a Volvo" in shown.stdout
    assert os.path.join("ws", "MEMORY.md") in shown.stdout
    found = json.loads(run(home, "get", item["id"], "--json").stdout)
    assert (found["file"]["path"], found["chunk"]["first_line"]) == ("MEMORY.md", 4)


def test_in_chinese(home: Path) -> None:
    done = run(home, "recall", "我喜欢喝什么茶", "--explain", language="zh_CN.UTF-8")
    assert "饮食: 喜欢乌龙茶" in done.stdout
    assert "文件笔记" in done.stdout
    gone = run(home, "get", "n_99", language="zh_CN.UTF-8")
    assert (gone.returncode, "没有笔记" in gone.stderr) == (3, True)


def test_a_group_sees_none(home: Path) -> None:
    found = json.loads(run(home, "recall", "Volvo Priya", "--chat", "group", "--json").stdout)
    assert (found["items"], found["left_out"]) == ([], [])


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("list", "--kind", "note"), 2, "notes are not memories"),
        (("edit", "n_1", "--content", "x"), 3, "is a note in a file"),
        (("archive", "n_1"), 3, "is a note in a file"),
        (("get", "n_"), 3, "no note with the id"),
    ],
)
def test_a_note_is_no_memory(home: Path, args: tuple[str, ...], code: int, said: str) -> None:
    done = run(home, *args)
    assert (done.returncode, said in done.stderr) == (code, True)
