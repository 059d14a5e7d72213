"""The engine switched off: plain files stand in, and it catches up when it is on again."""

from __future__ import annotations

import hashlib
import os
from datetime import timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import ConfigError
from tests.clock import NOW, Clock

OFF: dict[str, object] = {"enabled": False, "timezone": "Asia/Shanghai"}
ON: dict[str, object] = {"timezone": "Asia/Shanghai"}


def workspace(home: Path) -> Path:
    folder = home / "spaces" / "main" / "workspace"
    (folder / "memory").mkdir(parents=True, exist_ok=True)
    return folder


def turn(text: str, **more: str) -> dict[str, str]:
    return {"role": "user", "content": text, "at": NOW.isoformat(), **more}


def contents(memory: Memory) -> list[str]:
    return [one.content for one in memory.journal()]


def test_recall_hands_over_the_plain_files(tmp_path: Path, clock: Clock) -> None:
    folder = workspace(tmp_path)
    (folder / "MEMORY.md").write_text("# Ada\n\n- likes green tea\n- lives in Leeds\n")
    (folder / "memory" / "2026-02-04.md").write_text("# 2026-02-04\n\nmet Tom at noon\n")
    (folder / "memory" / "2026-02-03.md").write_text("bought a bicycle\n")
    (folder / "memory" / "2026-02-01.md").write_text("long ago\n")
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
        found = memory.recall("anything")
        for text in ("green tea", "Leeds", "met Tom", "bicycle"):
            assert text in found.context
        assert "long ago" not in found.context
        assert {item.kind for item in found.items} == {"note"}
        assert memory.recall("anything", chat="group").context == ""
        assert "green tea" in memory.snapshot()
        assert memory.gate("do you remember what I drink?").recall
        frame = memory.assemble("hello, who am I?")
        assert frame.text.count("green tea") == 1
        assert frame.text.count("met Tom") == 1
        assert "green tea" not in memory.assemble("hello, who am I?", chat="group").text


def test_as_many_days_are_loaded_as_are_set(tmp_path: Path, clock: Clock) -> None:
    folder = workspace(tmp_path)
    for day in ("04", "03", "02"):
        (folder / "memory" / f"2026-02-{day}.md").write_text(f"day {day}\n")
    for days, told in ((1, ["04"]), (3, ["04", "03", "02"])):
        config = {**OFF, "workspace": {"days": days}}
        with Memory.open(tmp_path, config=config, clock=clock) as memory:
            found = memory.recall("anything").context
            assert [day for day in ("04", "03", "02") if f"day {day}" in found] == told


def test_a_long_memory_leaves_room_for_today(tmp_path: Path, clock: Clock) -> None:
    folder = workspace(tmp_path)
    (folder / "MEMORY.md").write_text("\n".join(f"- fact number {n} of many" for n in range(999)))
    (folder / "memory" / "2026-02-04.md").write_text("met Tom at noon\n")
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
        found = memory.recall("anything", budget=300)
        assert "met Tom" in found.context
        assert "fact number 0" in found.context
        assert found.tokens <= 300
        assert found.left_out[0].number > 900


def test_the_database_is_not_touched(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, config=ON, clock=clock) as memory:
        memory.add([turn("I live in Leeds")])
    database = tmp_path / "spaces" / "main" / "loxodon.db"
    before = hashlib.sha256(database.read_bytes()).digest()
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
        memory.add([turn("I like tea")])
        memory.capture("The user has a cat")
        memory.recall("tea")
        assert not memory.consolidate().ran
        assert not memory.flush().ran
        assert (memory.flush_due(), memory.consolidation_due()) == ("", "")
    assert hashlib.sha256(database.read_bytes()).digest() == before


def test_it_works_where_the_database_is_broken(tmp_path: Path, clock: Clock) -> None:
    workspace(tmp_path)
    (tmp_path / "spaces" / "main" / "loxodon.db").write_bytes(b"nothing of ours")
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
        assert memory.add([turn("I like tea")]).added == 1
        assert "I like tea" in memory.recall("tea").context


def test_what_needs_the_engine_says_that_it_is_off(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
        for work in (
            memory.list,
            memory.journal,
            memory.reviews,
            memory.validate,
            memory.stats,
            memory.schedule.jobs,
            memory.due_reminders,
        ):
            with pytest.raises(ConfigError, match="turned off"):
                work()


def test_what_was_said_meanwhile_is_taken_in_once(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, config=ON, clock=clock) as memory:
        memory.add([turn("I live in Leeds", id="1")], session="a")
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
        memory.add([turn("I live in Leeds", id="1"), turn("I like tea", id="2")], session="a")
        assert memory.add([turn("I like tea", id="2")], session="a").known == 1
        clock.now += timedelta(days=1)
        memory.capture("The user has a cat", importance=0.8, tags=("pets",))
        assert memory.status().pending == 3
        assert not memory.status().enabled
        assert "I like tea" in memory.recall("x").context
    for _ in range(2):
        with Memory.open(tmp_path, config=ON, clock=clock) as memory:
            assert contents(memory) == ["I live in Leeds", "I like tea", "The user has a cat"]
            (cat,) = memory.list()
            assert (cat.content, cat.importance, cat.tags) == ("The user has a cat", 0.8, ("pets",))
            assert cat.created_at == clock.now
            assert memory.validate() == []
    assert not (workspace(tmp_path) / "memory" / "loxodon-pending").exists()


def test_a_memory_that_stays_open_catches_up_with_the_next_run(
    tmp_path: Path, clock: Clock
) -> None:
    with Memory.open(tmp_path, config=ON, clock=clock) as memory:
        with Memory.open(tmp_path, config=OFF, clock=clock) as off:
            off.add([turn("I live in Leeds")])
        assert memory.consolidate().turns == 1
        assert [one.content for one in memory.list()] == ["The user lives in Leeds"]


def test_what_is_not_ours_stays_in_the_file(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
        memory.add([turn("I like tea")])
    (file,) = (workspace(tmp_path) / "memory" / "loxodon-pending").iterdir()
    with file.open("a", encoding="utf-8") as more:
        more.write("\nA note that I made by hand.\n")
    with Memory.open(tmp_path, config=ON, clock=clock) as memory:
        assert contents(memory) == ["I like tea"]
        assert file.read_text("utf-8").strip().endswith("A note that I made by hand.")
        assert "I like tea" not in file.read_text("utf-8")
        assert "by hand" in memory.recall("note made by hand").context


def test_a_kill_between_taking_in_and_removing_the_file(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
        memory.add([turn("I like tea")])
        memory.capture("The user has a cat")
    (file,) = (workspace(tmp_path) / "memory" / "loxodon-pending").iterdir()
    text = file.read_text("utf-8")
    Memory.open(tmp_path, config=ON, clock=clock).close()
    file.parent.mkdir()
    file.write_text(text, "utf-8")
    (tmp_path / "spaces" / "main" / "switched-off").touch()
    with Memory.open(tmp_path, config=ON, clock=clock) as memory:
        assert contents(memory) == ["I like tea", "The user has a cat"]
        assert len(memory.list()) == 1


def test_the_environment_turns_it_off(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOXODON_ENABLED", "false")
    with Memory.open(tmp_path, clock=clock) as memory:
        assert not memory.config.enabled
    monkeypatch.setenv("LOXODON_ENABLED", "perhaps")
    with pytest.raises(ConfigError, match="enabled cannot be 'perhaps'"):
        Memory.open(tmp_path, clock=clock)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_home_that_cannot_be_written_can_be_read(tmp_path: Path, clock: Clock) -> None:
    folder = workspace(tmp_path)
    (folder / "MEMORY.md").write_text("- likes green tea\n")
    (tmp_path / "spaces" / "main").chmod(0o500)
    with Memory.open(tmp_path, config=OFF, clock=clock) as memory:
        assert "green tea" in memory.recall("tea").context
