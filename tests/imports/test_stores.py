"""mem0, a layer of a three-layer memory and the four-tier database."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import InputError
from tests.imports.conftest import Take
from tests.imports.exports import EXAMPLES, put_database, put_json, put_zip

# mem0


def remembered(id: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "memory": text,
        "hash": "0a",
        "user_id": "dev",
        "metadata": None,
        "created_at": "2025-05-01T10:00:00-07:00",
        "updated_at": None,
        **more,
    }


def test_a_memory_of_mem0_with_all_that_it_has(memory: Memory, take: Take, tmp_path: Path) -> None:
    one = remembered(
        "m1",
        "Is allergic to shellfish",
        categories=["health", "food"],
        agent_id="cook",
        metadata={"importance": 9, "project": "kitchen", "mood": "good"},
        updated_at="2025-06-01T00:00:00Z",
        expiration_date="2030-01-01",
    )
    page = {"count": 1, "next": None, "previous": None, "results": [one]}
    found = take(put_json(tmp_path / "page.json", page))
    assert (found.format, found.skipped) == ("mem0", {})
    (record,) = memory.list()
    assert (record.category, record.importance, record.project) == ("health", 0.9, "kitchen")
    assert (record.tags, record.agent) == (("health", "food"), "cook")
    assert record.valid_from == datetime(2025, 5, 1, 17, tzinfo=UTC)
    assert record.confirmed_at == datetime(2025, 6, 1, tzinfo=UTC)
    assert record.expires_at == datetime(2030, 1, 2, tzinfo=UTC)


def test_every_shape_of_mem0_is_read(take: Take, tmp_path: Path) -> None:
    old = put_json(tmp_path / "v1.json", [remembered("a", "Likes tea")])
    assert take(old).memories == 1
    page = {"results": [remembered("b", "Likes jazz")], "relations": []}
    assert take(put_json(tmp_path / "v1.1.json", page)).memories == 1
    openmemory = (EXAMPLES / "openmemory.json").read_text("utf-8")
    found = take(put_zip(tmp_path / "openmemory.zip", {"memories.json": openmemory}))
    assert (found.format, found.memories) == ("mem0", 1)


def test_people_are_kept_apart(memory: Memory, take: Take, tmp_path: Path) -> None:
    both = [remembered("a", "Likes tea"), remembered("b", "Likes jazz", user_id="ann")]
    path = put_json(tmp_path / "m.json", both)
    with pytest.raises(InputError, match="2 people: dev, ann"):
        take(path)
    with pytest.raises(InputError, match="2 people: dev, ann"):
        take(path, user="bob")
    found = take(path, user="ann")
    assert found.memories == 1
    assert [one.content for one in memory.list()] == ["Likes jazz"]


def test_what_was_changed_there_is_left(memory: Memory, take: Take, tmp_path: Path) -> None:
    take(put_json(tmp_path / "a.json", [remembered("a", "Likes tea")]))
    found = take(put_json(tmp_path / "b.json", [remembered("a", "Likes green tea")]))
    assert (found.memories, found.known) == (0, 1)
    assert [one.content for one in memory.list()] == ["Likes tea"]


# A layer of three


def test_a_file_of_a_three_layer_memory(memory: Memory, take: Take) -> None:
    found = take(EXAMPLES / "facts.jsonl")
    assert (found.format, found.memories) == ("memory", 3)
    assert [one.line for one in found.problems] == [4]
    kinds = {one.content: (one.kind, one.importance) for one in memory.list()}
    assert kinds["用户对花生过敏"] == ("fact", 1.0)
    assert kinds["用户可能在银行工作"][0] == "belief"


# Four tiers


def test_the_tables_of_a_four_tier_memory(memory: Memory, take: Take, tmp_path: Path) -> None:
    path = put_database(tmp_path / "memory.db")
    before = path.read_bytes()
    found = take(path)
    assert (found.format, found.turns, found.memories) == ("tiered", 4, 2)
    assert path.read_bytes() == before
    core, docker = sorted(memory.list(state="all"), key=lambda one: one.importance, reverse=True)
    assert (core.category, core.importance, core.project) == ("identity", 1.0, "_global")
    assert core.valid_from == datetime(2026, 1, 1, 8, tzinfo=UTC)
    assert core.confirmed_at == datetime(2026, 1, 10, 8, tzinfo=UTC)
    assert (docker.state, docker.project, docker.topic) == ("archived", "myclaw", "deployment")
    assert docker.access_count == 4
    sessions = {turn.session for turn in memory.journal()}
    assert sessions == {"tiered-2026-01-02", "tiered-2026-01-03", "tiered-telegram-2026-01-04"}
    memory.consolidate()
    known = "".join(one.content for one in memory.list())
    assert "花生" in known
    assert "猫" not in known  # it had been made knowledge there already


def test_some_of_the_tables_and_columns_are_enough(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    script = """CREATE TABLE memories (tier INTEGER, content);
                INSERT INTO memories VALUES (1, 'User likes tea'), (2, ''), (2, NULL), (2, 5);"""
    found = take(put_database(tmp_path / "memory.db", script))
    assert found.memories == 1
    assert [one.category for one in memory.list()] == ["identity"]


def test_databases_that_are_something_else(take: Take, tmp_path: Path) -> None:
    other = put_database(tmp_path / "other.db", "CREATE TABLE things (x);")
    with pytest.raises(InputError, match="not a four-tier memory"):
        take(other)
    Memory.open(tmp_path / "another").close()
    ours = tmp_path / "another" / "spaces" / "main" / "loxodon.db"
    with pytest.raises(InputError, match="a Loxodon memory"):
        take(ours)
