"""A real watcher in a process of its own, beside a person and other programs."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from tests.agents.agent_files import ClaudeCode, Codex
from tests.waiting import PATIENCE, until

LOXODON = os.path.join(os.path.dirname(sys.executable), "loxodon")


class Watcher:
    """A running `loxodon watch --json`."""

    def __init__(self, home: Path, *more: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [LOXODON, "--home", str(home), "watch", "--json", *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"} | environment,
        )
        self.rounds: queue.Queue[dict[str, Any]] = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.errors = b""
        self.next()  # it watches now

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.rounds.put(json.loads(line))

    def next(self) -> dict[str, Any]:
        return self.rounds.get(timeout=PATIENCE)

    def told(self, what: str) -> list[Any]:
        """The next of `problems`, `conflicts`, … that it tells."""
        while not (found := self.next()["synced"][what]):
            pass
        return list(found)

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        assert self.process.stdout
        assert self.process.stderr
        self.process.stdout.close()
        with self.process.stderr as errors:
            self.errors = errors.read()
        return code


class Desk:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.memory = Memory.open(home, config={"timezone": "Asia/Shanghai"})
        self.tea = self.memory.capture("The user drinks tea").id
        self.home_is = self.memory.capture("用户住在杭州").id
        self.memory.workspace.export()
        self.root = Path(self.memory.workspace.path) / "memory"
        self.insights = self.root / "insights.md"

    def says(self, word: str) -> bool:
        return word in self.content(self.tea)

    def content(self, id: str) -> str:
        return self.memory.get(id).content

    def change(self, old: str, new: str, path: Path | None = None) -> None:
        """As most editors do: a new file in the place of the old."""
        path = path or self.insights
        draft = path.with_name(f".{path.name}.swp")
        draft.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
        draft.replace(path)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    found = Desk(tmp_path / "home")
    yield found
    found.memory.close()


@pytest.fixture
def watcher(desk: Desk) -> Iterator[Watcher]:
    found = Watcher(desk.home)
    yield found
    assert found.end() == 0
    assert found.errors == b""


def test_edits_are_taken_in_and_its_own_writing_is_not(desk: Desk, watcher: Watcher) -> None:
    for word in ("espresso", "cocoa"):
        desk.change("drinks ", f"drinks {word} and ")
        until(partial(desk.says, word))
        assert watcher.next()["synced"]["edited"] == [desk.tea]
    text = desk.insights.read_text("utf-8")
    assert "`v3`" in text
    desk.insights.write_text(text.replace("用户住在杭州", "用户住在成都"), "utf-8")  # in place
    # Had it taken its own writing for somebody's, a round about that would come first.
    assert watcher.next()["synced"]["edited"] == [desk.home_is]
    assert desk.memory.get(desk.tea).version == 3
    assert desk.memory.recall("espresso").items[0].id == desk.tea


def test_a_file_that_is_half_written_waits_for_the_rest(desk: Desk, watcher: Watcher) -> None:
    text = desk.insights.read_text("utf-8").replace("drinks tea", "drinks espresso")
    with desk.insights.open("w", encoding="utf-8") as file:
        file.write(text[:150])
        file.flush()
        until(lambda: watcher.told("conflicts"))
        file.write(text[150:])
    until(lambda: desk.says("espresso"))
    assert all(desk.memory.get(id).state == "active" for id in (desk.tea, desk.home_is))


def test_what_cannot_be_read_is_told_once(desk: Desk, watcher: Watcher) -> None:
    desk.insights.write_bytes(b"\xff\xfe" + desk.insights.read_bytes())
    assert [one["file"] for one in watcher.told("problems")] == ["insights.md"]
    (desk.root.parent / "MEMORY.md").write_text("- The spare key hangs in the shed\n", "utf-8")
    found = watcher.next()["synced"]
    assert (found["indexed"]["read"], found["problems"]) == (1, [])
    assert not watcher.process.poll()


def test_a_file_in_the_way_is_told_once(desk: Desk, watcher: Watcher) -> None:
    (desk.root / "tags.json").write_text("mine", "utf-8")
    for word in ("espresso", "cocoa"):
        desk.change("drinks ", f"drinks {word} and ")
        found = watcher.next()["synced"]
        assert found["edited"] == [desk.tea]
        assert [one["file"] for one in found["notes"]] == ["tags.json"][: word == "espresso"]
    assert (desk.root / "tags.json").read_text("utf-8") == "mine"


def test_a_folder_that_vanishes_may_come_back(desk: Desk, watcher: Watcher) -> None:
    away, copy = desk.root.with_name("away"), desk.root.with_name("copy")
    for before, after in (("tea", "espresso"), ("espresso", "cocoa")):
        shutil.copytree(desk.root, copy)
        desk.change(before, after, copy / "insights.md")
        desk.root.rename(away)
        shutil.rmtree(away)
        copy.rename(desk.root)
        assert watcher.told("edited") == [desk.tea]  # all views are written when it tells
        assert desk.says(after)
    assert desk.memory.get(desk.tea).state == "active"


def test_notes_are_read_as_they_change(desk: Desk, watcher: Watcher) -> None:
    top = desk.root.parent
    (top / "MEMORY.md").write_text("- The spare key hangs in the shed\n", "utf-8")
    until(lambda: any("shed" in one.content for one in desk.memory.recall("spare key").items))
    (desk.root / "2026-02-04.md").write_text("# 今天\n\n下午去看牙医\n", "utf-8")
    until(lambda: any("牙医" in one.content for one in desk.memory.recall("牙医").items))


def test_sessions_are_followed_as_they_grow(desk: Desk, tmp_path: Path) -> None:
    sessions = tmp_path / "openclaw" / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    watcher = Watcher(desk.home, "--state", str(tmp_path / "openclaw"))
    with (sessions / "one.jsonl").open("w", encoding="utf-8") as file:
        for n, words in enumerate(("", "I keep bees", "我在学大提琴")):
            at = f"2026-02-04T10:0{n}:00.000Z"
            entry: dict[str, object] = {"type": "session", "version": 3, "id": "one"}
            if words:
                message = {"role": "user", "content": words}
                parent = f"0000000{n - 1}" if n > 1 else None
                entry = {"type": "message", "id": f"0000000{n}", "parentId": parent}
                entry["message"] = message
            file.write(json.dumps({**entry, "timestamp": at}) + "\n")
            file.flush()
            if words:
                until(partial(desk.memory.journal, words))
    assert watcher.end() == 0


def test_agents_are_followed_as_they_speak(desk: Desk, tmp_path: Path) -> None:
    claude, codex = ClaudeCode(tmp_path / "claude"), Codex(tmp_path / "codex")
    folders = {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "CODEX_HOME": str(tmp_path / "codex")}
    watcher = Watcher(desk.home, "--follow", **folders)
    claude.user("I keep bees")
    until(lambda: desk.memory.journal("bees"))
    codex.user("我在学大提琴")
    until(lambda: desk.memory.journal("大提琴"))
    assert watcher.end() == 0
    assert watcher.errors == b""


def test_a_second_watcher_is_refused(desk: Desk, watcher: Watcher) -> None:
    done = subprocess.run(
        [LOXODON, "--home", str(desk.home), "watch"], capture_output=True, timeout=PATIENCE
    )
    assert done.returncode == 7
    assert b"loxodon watch" in done.stderr
    assert watcher.process.poll() is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_when_told(desk: Desk, number: int) -> None:
    for _ in range(2):
        watcher = Watcher(desk.home)
        assert watcher.end(number) == 0
        assert watcher.errors == b""
