"""Transcripts of Claude Code, in the shape in which it writes them."""

from __future__ import annotations

import json
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from tests.imports.conftest import Take
from tests.imports.exports import EXAMPLES

TALK = tuple(
    json.loads(line) for line in (EXAMPLES / "claude_code.jsonl").read_text("utf-8").splitlines()
)
FIRST = TALK[2]  # the user's


def said(id: str, content: Any) -> dict[str, Any]:
    """Another message of the user."""
    return {**FIRST, "uuid": id, "message": {"role": "user", "content": content}}


def put(path: Path, *entries: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in entries), "utf-8")
    return path


def test_what_was_typed_and_written_is_taken(memory: Memory, take: Take, tmp_path: Path) -> None:
    found = take(put(tmp_path / "2ff46cd5.jsonl", *TALK))
    assert (found.format, found.turns, found.problems) == ("claude-code", 3, ())
    turns = memory.journal()
    assert [(turn.role, turn.content) for turn in turns] == [
        ("user", "I prefer tabs over spaces"),
        ("assistant", "Tabs it is."),
        ("user", "Thanks!"),
    ]
    assert {turn.session for turn in turns} == {"2ff46cd5"}
    assert turns[0].id == "u1"
    assert turns[0].at.astimezone(UTC).isoformat() == "2026-02-01T22:38:02.557000+00:00"


def test_a_folder_of_projects_once(memory: Memory, take: Take, tmp_path: Path) -> None:
    put(tmp_path / "projects/-home-kim-shop/one.jsonl", *TALK)
    put(tmp_path / "projects/-home-kim-blog/two.jsonl", said("b1", "我喜欢喝茶"))
    assert (take(tmp_path / "projects").turns, take(tmp_path / "projects").known) == (4, 4)


def test_what_was_followed_is_not_imported_again(
    memory: Memory, take: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    path = put(tmp_path / "claude/projects/-home-kim-shop/2ff46cd5.jsonl", *TALK)
    memory.workspace.follow_agent("claude-code")
    said = memory.journal()
    assert (len(said), take(path).turns, take(path).known) == (3, 0, 3)
    assert memory.journal() == said


def test_a_bad_line_is_told_of(memory: Memory, take: Take, tmp_path: Path) -> None:
    path = put(tmp_path / "one.jsonl", *TALK)
    with path.open("a") as file:  # the last line of a finished file need not end
        file.write(
            '[1]\n{"type": "user", "sessionId": "x", "message"\n' + json.dumps(said("z", "bye"))
        )
    found = take(path)
    assert (found.turns, memory.journal()[-1].content) == (4, "bye")
    assert [one.line for one in found.problems] == [len(TALK) + 1, len(TALK) + 2]
