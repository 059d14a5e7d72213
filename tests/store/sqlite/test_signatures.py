"""Sensitive memories are signed: each version, through all that may happen to them."""

from __future__ import annotations

from pathlib import Path

import apsw

from loxodon import Memory

PHONE = "my number is 13800138000"


def signed(memory: Memory) -> int:
    found = memory.audit.verify()
    assert found.sound, found
    return found.signed


def kinds(home: Path, statement: str) -> set[str]:
    """What the audit finds after a change behind its back."""
    connection = apsw.Connection(str(home / "spaces/main/loxodon.db"))
    connection.execute(statement)
    connection.close()
    with Memory.open(home) as memory:
        return {one.kind for one in memory.audit.verify().findings}


def test_each_version_of_a_sensitive_memory_is_signed(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        tea = memory.capture("likes tea")
        assert signed(memory) == 0
        phone = memory.capture(PHONE)
        assert phone.sensitivity != "low"
        memory.edit(phone.id, importance=0.9)
        memory.archive(phone.id)
        assert signed(memory) == 3
        memory.edit(tea.id, sensitivity="high")
        memory.edit(tea.id, sensitivity="low")  # once more when it ends
        memory.edit(tea.id, content="likes coffee")
        assert signed(memory) == 5
        memory.forget(phone.id)
        assert signed(memory) == 2
        memory.forget(tea.id)
        assert signed(memory) == 0
    with Memory.open(tmp_path, config={"audit.enabled": False}) as memory:
        memory.capture(PHONE)
    with Memory.open(tmp_path) as memory:
        assert signed(memory) == 1


def test_removed_signatures_show_even_after_more_was_written(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture(PHONE)
    assert kinds(tmp_path, "DELETE FROM signatures") == {"signature"}
    with Memory.open(tmp_path) as memory:
        memory.capture("my other number is 13900139000")
        assert {one.kind for one in memory.audit.verify().findings} == {"signature"}
        memory.audit.accept()
        assert signed(memory) == 2
