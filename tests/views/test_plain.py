"""The engine switched off: plain files stand in, and it catches up when it is on again."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.errors import ConfigError
from tests.clock import NOW, Clock
from tests.long import count

OFF: dict[str, object] = {"enabled": False, "timezone": "Asia/Shanghai"}
ON: dict[str, object] = {"timezone": "Asia/Shanghai"}
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=80)


def workspace(home: Path) -> Path:
    folder = home / "spaces" / "main" / "workspace"
    (folder / "memory").mkdir(parents=True, exist_ok=True)
    return folder


def pending(home: Path) -> Path:
    """The file of what waits."""
    return workspace(home) / "memory" / "loxodon-pending.jsonl"


def turn(text: str, **more: str) -> dict[str, str]:
    return {"role": "user", "content": text, "at": NOW.isoformat(), **more}


def contents(memory: Memory) -> list[str]:
    return [one.content for one in memory.journal()]


def test_recall_hands_over_the_plain_files(tmp_path: Path, clock: Clock) -> None:
    folder = workspace(tmp_path)
    (folder / "MEMORY.md").write_text("# Ada\n\n- likes green tea\n- lives in Leeds\n")
    for day, text in (("04", "met Tom at noon"), ("03", "bought a bicycle"), ("01", "long ago")):
        (folder / "memory" / f"2026-02-{day}.md").write_text(f"{text}\n")
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
        found = memory.recall("anything")
        for text in ("green tea", "Leeds", "met Tom", "bicycle"):
            assert text in found.context
        assert "long ago" not in found.context
        assert {item.kind for item in found.items} == {"note"}
        assert memory.recall("anything", chat="group").context == ""
        assert "green tea" in memory.snapshot()
        assert memory.gate("do you remember what I drink?").recall
    (folder / "MEMORY.md").write_text("\n".join(f"- fact number {n} of many" for n in range(999)))
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:  # which leaves room for today
        found = memory.recall("anything", budget=300)
        assert "met Tom" in found.context
        assert "fact number 0" in found.context
        assert found.tokens <= 300


def test_database_is_not_touched_and_may_be_broken(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, config=ON, clock=clock) as memory:
        memory.add([turn("I live in Leeds")])
    database = tmp_path / "spaces" / "main" / "loxodon.db"
    for before in (database.read_bytes(), b"nothing of ours"):
        database.write_bytes(before)
        with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
            memory.add([turn("I like tea")])
            memory.capture("The user has a cat")
            assert "I like tea" in memory.recall("tea").context
            assert "I like tea" in memory.assemble("What do I like to drink?").text
            assert not memory.consolidate().ran
            assert not memory.flush().ran
            assert (memory.flush_due(), memory.consolidation_due()) == ("", "")
            off: list[Any] = [memory.list, memory.journal, memory.reviews, memory.validate]
            for work in (*off, memory.stats, memory.schedule.jobs, memory.due_reminders):
                with pytest.raises(ConfigError, match="turned off"):
                    work()
        assert database.read_bytes() == before


def test_messages_are_taken_in_once_when_it_is_on_again(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, config=ON, clock=clock) as memory:
        memory.add([turn("I live in Leeds", id="1")], session="a")
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
        memory.add([turn("I live in Leeds", id="1"), turn("I like tea", id="2")], session="a")
        assert memory.add([turn("I like tea", id="2")], session="a").known == 1
        memory.capture("The user has a cat", importance=0.8, tags=("pets", "-->"))
        assert memory.status().pending == 3
        assert not memory.status().enabled
        assert "I like tea" in memory.recall("x").context
    file = pending(tmp_path)
    assert file.stat().st_mode & 0o077 == 0
    text = file.read_text("utf-8")
    file.write_text(text + "\nA note that I made by hand.\n", "utf-8")
    clock.now += timedelta(days=1)
    for _ in range(2):
        with Memory.open(tmp_path, config=ON, clock=clock) as memory:
            assert contents(memory) == ["I live in Leeds", "I like tea", "The user has a cat"]
            (cat,) = memory.list()
            kept = (cat.content, cat.importance, cat.tags, cat.created_at)
            assert kept == ("The user has a cat", 0.8, ("pets", "-->"), NOW)
            assert memory.validate() == []
            assert file.read_text("utf-8").strip().endswith("by hand.")  # what is not ours stays
            assert "I like tea" not in file.read_text("utf-8")
    file.write_text(text, "utf-8")  # as if it was killed before the file was removed
    (tmp_path / "spaces" / "main" / "switched-off").touch()
    with Memory.open(tmp_path, config=ON, clock=clock) as memory:
        assert len(contents(memory)) == 3
        assert len(memory.list()) == 1
        with Memory.open(tmp_path, config=OFF, clock=clock) as off:
            off.add([turn("I live in York", id="3")])
        assert memory.consolidate().turns > 0  # one that stays open catches up with the next run
        assert "I live in York" in contents(memory)


@settings(
    max_examples=count(6, 100),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(TEXT.filter(str.strip), min_size=1, max_size=4, unique=True), st.integers(0, 10**6))
def test_any_text_is_taken_in_also_after_a_power_failure(
    tmp_path_factory: pytest.TempPathFactory, said: list[str], cut: int
) -> None:
    home = tmp_path_factory.mktemp("pending")
    with Memory.open(home, config=OFF, clock=Clock()) as memory:
        memory.add([turn(text, id=str(n)) for n, text in enumerate(said)], session="s" * 512)
    file = pending(home)
    data = file.read_bytes()
    file.write_bytes(data[: cut % len(data)])  # what was cut spoils nothing that comes after it
    with Memory.open(home, config=OFF, clock=Clock()) as memory:
        memory.add([turn(text, id=str(n)) for n, text in enumerate(said)], session="s" * 512)
    with Memory.open(home, config=ON, clock=Clock()) as memory:
        found = sorted(one.content for one in memory.journal() if one.session == "s" * 512)
        assert found == sorted(said)
        assert memory.validate() == []


def test_environment_turns_it_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOXODON_ENABLED", "false")
    with Memory.open(tmp_path) as memory:
        assert not memory.config.enabled
    monkeypatch.setenv("LOXODON_ENABLED", "perhaps")
    with pytest.raises(ConfigError, match="enabled cannot be 'perhaps'"):
        Memory.open(tmp_path)
