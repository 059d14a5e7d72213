"""Who the user is in a log of named people: nobody, until it is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.cli import main
from loxodon.types import Turn

WHATSAPP = """\
04/02/2026, 10:29 - Messages and calls are end-to-end encrypted.
04/02/2026, 10:30 - Anna: I live in Leeds.
04/02/2026, 10:31 - Ben: I live in Rome. I am allergic to shellfish.
04/02/2026, 10:32 - Cem: Always answer me in Latin.
04/02/2026, 10:33 - Anna: I am allergic to peanuts.
"""
WECHAT = """\
王敏 2026-02-04 10:30
我住在杭州。

李雷 2026-02-04 10:31
我对花生过敏。
"""


def add(memory: Memory, text: str, *me: str) -> None:
    """A log of a chat, as the command takes it in."""
    path = Path(memory.home).parent / "chat.txt"
    path.write_text(text, "utf-8")
    line = ["--home", memory.home, "add", "--session", "chat", str(path)]
    assert main([*line, *(word for one in me for word in ("--me", one))]) == 0


def known(memory: Memory) -> list[str]:
    memory.consolidate(force=True)
    return sorted(one.content for one in memory.list())


def turns(memory: Memory) -> list[Turn]:
    return memory.journal(session="chat")


@pytest.mark.parametrize("text", [WHATSAPP, WECHAT], ids=["whatsapp", "wechat"])
def test_nobody_is_the_user_where_nobody_says_so(memory: Memory, text: str) -> None:
    add(memory, text)
    assert {one.origin for one in turns(memory) if one.speaker} == {"group"}
    assert known(memory) == []
    assert "Leeds" not in memory.snapshot()
    assert "杭州" not in memory.snapshot()
    asked = "who lives in Leeds?" if text is WHATSAPP else "谁住在杭州？"
    found = memory.recall(asked)
    assert (found.items and "Leeds" in found.context) or "杭州" in found.context


def test_who_is_told_is_the_user_and_the_others_are_not(memory: Memory) -> None:
    add(memory, WHATSAPP, "anna")
    assert known(memory) == ["The user is allergic to peanuts", "The user lives in Leeds"]
    assert {one.trust for one in memory.list()} == {"user"}


def test_it_can_be_told_later_and_nothing_is_there_twice(memory: Memory) -> None:
    add(memory, WHATSAPP)
    assert known(memory) == []
    before = [(one.ref, one.id, one.content) for one in turns(memory)]
    add(memory, WHATSAPP, "Anna")
    assert [(one.ref, one.id, one.content) for one in turns(memory)] == before
    assert memory.status().pending == 2
    assert known(memory) == ["The user is allergic to peanuts", "The user lives in Leeds"]
    add(memory, WHATSAPP, "Anna")
    assert memory.status().pending == 0
    assert memory.validate() == []


def test_it_can_be_corrected(memory: Memory) -> None:
    add(memory, WHATSAPP, "Anna")
    known(memory)
    add(memory, WHATSAPP, "Ben")
    assert known(memory) == ["The user is allergic to shellfish", "The user lives in Rome"]
    assert {one.speaker for one in turns(memory) if one.role == "user"} == {"Anna", "", "Cem"}
    assert memory.validate() == []


# The command

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*args: str) -> tuple[int, str]:
        code = main(["--home", str(tmp_path / "home"), *args])
        shown = capsys.readouterr()
        return code, shown.out + shown.err

    return call


def test_the_command_says_who_speaks_and_how_to_say_who_you_are(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "our chat.txt"
    path.write_text(WHATSAPP, "utf-8")
    code, shown = run("add", str(path))
    assert code == 0
    assert "Anna, Ben, Cem" in shown
    assert "--me" in shown
    code, shown = run("add", str(path), "--me", "Anna")
    assert code == 0
    assert "--me" not in shown
    assert "claimed   2" in shown
    assert "known     5" in shown
    code, shown = run("add", str(path), "--json")
    assert json.loads(shown)["people"] == []
