"""`loxodon sync` and `loxodon watch` as they are typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.serve.shell import LOXODON, typed

TEA = "f_20260204_001"


class Shell:
    def __init__(self, home: Path, language: str = "C.UTF-8") -> None:
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LOXODON_HOME": str(home / "memory"),
            "LOXODON_NOW": "2026-02-04T18:00:00+08:00",
            "LANG": language,
        }
        self.insights = home / "memory/spaces/main/workspace/memory/insights.md"

    def __call__(self, *words: str, code: int = 0) -> tuple[str, str]:
        done = typed(*words, env=self.environment)
        assert done.returncode == code, (done.stdout.decode(), done.stderr.decode())
        return done.stdout.decode(), done.stderr.decode()

    def change(self, old: str, new: str) -> None:
        text = self.insights.read_text("utf-8")
        assert old in text
        self.insights.write_text(text.replace(old, new), "utf-8")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    found = Shell(tmp_path)
    found("init")
    found("capture", "The user drinks tea")
    found("sync")
    return found


def test_sync_says_what_it_took_in_and_history_shows_it(shell: Shell) -> None:
    shell.change("drinks tea", "drinks espresso")
    assert shell("sync")[0] == f"edited {TEA}: The user drinks espresso\n"
    assert shell("sync")[0] == "nothing was changed\n"
    assert "espresso" in shell("history", TEA)[0]
    assert TEA in shell("recall", "espresso", "--json")[0]


def test_a_dry_run_only_tells(shell: Shell) -> None:
    shell.change("drinks tea", "drinks espresso")
    found = json.loads(shell("sync", "--dry-run", "--json")[0])
    assert found["edited"] == [TEA]
    assert "espresso" not in shell("get", TEA)[0]


def test_a_conflict_has_an_exit_code_and_both_texts(shell: Shell) -> None:
    shell.change("drinks tea", "drinks espresso")
    shell("edit", TEA, "--content", "The user drinks milk")
    said, complained = shell("sync", code=5)
    assert said == "nothing was changed\n"
    assert "conflict: insights.md line " in complained
    assert "espresso" in complained
    assert "milk" in complained
    assert "hint: " in complained


def test_a_problem_has_an_exit_code_and_its_line(shell: Shell) -> None:
    shell.change("importance: 0.5", "importance: banana")
    assert "insights.md line 8: importance" in shell("sync", code=4)[1]


def test_it_speaks_chinese(shell: Shell) -> None:
    shell.environment["LANG"] = "zh_CN.UTF-8"
    shell.change("drinks tea", "喝浓缩咖啡")
    assert shell("sync")[0] == f"修改 {TEA}: The user 喝浓缩咖啡\n"
    shell.change("喝浓缩咖啡", "喝\x1b[31m茶")
    assert "\x1b" not in shell("sync")[0]
    shell.change("importance: 0.5", "importance: 香蕉")
    assert "问题: insights.md 第 8 行" in shell("sync", code=4)[1]


def test_watch_says_what_it_takes_in(shell: Shell) -> None:
    with subprocess.Popen(
        [LOXODON, "watch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environment
    ) as process:
        assert process.stdout
        assert process.stdout.readline().startswith(b"watching ")
        shell.change("drinks tea", "drinks espresso")
        assert process.stdout.readline() == f"edited {TEA}: The user drinks espresso\n".encode()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stderr
        assert process.stderr.read() == b""


def test_a_home_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for command in ("sync", "watch"):
        shell(command, code=3)
    assert not (tmp_path / "memory").exists()
