"""`loxodon sources`, as it is typed."""

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
    (workspace / "MEMORY.md").write_text("- 喜欢乌龙茶\n- Drives a Volvo\n", "utf-8")
    (workspace / "memory" / "bad.md").write_bytes(b"fine\n\xff\nfine\n")
    home = tmp_path / "home"
    run(home, "init")
    run(home, "config", "workspace.path", str(workspace))
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


def test_notes_are_read_and_listed(home: Path) -> None:
    done = run(home, "sources")
    assert done.returncode == 0
    assert "2 files read, 0 unchanged, 0 removed" in done.stdout
    assert "MEMORY.md" in done.stdout
    assert "bad.md:2: " in done.stderr
    again = run(home, "sources", language="zh_CN.UTF-8")
    assert "读取 0 个文件，2 个没有变化" in again.stdout
    assert "每日笔记" not in again.stdout
    assert "bad.md" in again.stderr


def test_as_json(home: Path) -> None:
    assert json.loads(run(home, "sources", "--no-read", "--json").stdout)["files"] == []
    found = json.loads(run(home, "sources", "--json").stdout)
    assert found["indexed"]["read"] == 2
    assert {(os.path.basename(one["file"]), one["chunks"]) for one in found["files"]} == {
        ("MEMORY.md", 2),
        ("bad.md", 1),
    }
    (problem,) = found["problems"]
    assert (os.path.basename(problem["file"]), problem["line"]) == ("bad.md", 2)


def test_a_home_without_notes(tmp_path: Path) -> None:
    run(tmp_path, "init")
    done = run(tmp_path, "sources")
    assert done.returncode == 0
    assert "workspace.folders" in done.stdout
