"""mem0, plain lists, the four-tier database and settings."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory, config
from loxodon.errors import InputError
from tests.each import each
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
    assert (found.format, found.skipped) == ("mem0", {"metadata": 1})
    (record,) = memory.list()
    assert (record.category, record.importance, record.project) == ("health", 0.9, "kitchen")
    assert (record.tags, record.agent) == (("health", "food"), "cook")
    assert record.valid_from == datetime(2025, 5, 1, 17, tzinfo=UTC)
    assert record.confirmed_at == datetime(2025, 6, 1, tzinfo=UTC)
    assert record.expires_at == datetime(2030, 1, 2, tzinfo=UTC)


def test_every_shape_of_mem0_is_read(take: Take, tmp_path: Path) -> None:
    old = put_json(tmp_path / "v1.json", [remembered("a", "Likes tea")])
    assert take(old).memories == 1
    page = {"results": [remembered("b", "Likes jazz")], "relations": [{"source": "a"}]}
    assert take(put_json(tmp_path / "v1.1.json", page)).memories == 1
    openmemory = (EXAMPLES / "openmemory.json").read_text("utf-8")
    found = take(put_zip(tmp_path / "openmemory.zip", {"memories.json": openmemory}))
    assert (found.format, found.memories, found.skipped) == ("mem0", 1, {"deleted": 1})


def test_a_memory_of_mem0_may_name_who_said_it(memory: Memory, take: Take, tmp_path: Path) -> None:
    one = remembered("a", "Owns a boat", role="user", actor_id="dev", confidence=0.2)
    assert take(put_json(tmp_path / "m.json", [one, {**one, "id": 7}])).known == 1
    assert [(record.content, record.kind) for record in memory.list()] == [("Owns a boat", "fact")]


def test_a_history_leads_to_what_is_known_now(memory: Memory, take: Take) -> None:
    found = take(EXAMPLES / "mem0_history.json")
    assert (found.memories, found.skipped) == (1, {"deleted": 1})
    assert [one.content for one in memory.list()] == ["Lives in Porto"]


def test_people_are_kept_apart(memory: Memory, take: Take, tmp_path: Path) -> None:
    both = [remembered("a", "Likes tea"), remembered("b", "Likes jazz", user_id="ann")]
    path = put_json(tmp_path / "m.json", both)
    with pytest.raises(InputError, match="2 people: dev, ann"):
        take(path)
    with pytest.raises(InputError, match="no memories of 'bob'"):
        take(path, user="bob")
    found = take(path, user="ann")
    assert (found.memories, found.skipped) == (1, {"other user": 1})
    assert [one.content for one in memory.list()] == ["Likes jazz"]


def test_what_was_changed_there_is_told_and_left(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    take(put_json(tmp_path / "a.json", [remembered("a", "Likes tea")]))
    found = take(put_json(tmp_path / "b.json", [remembered("a", "Likes green tea")]))
    assert (found.memories, found.known, found.skipped) == (0, 0, {"changed": 1})
    assert [one.content for one in memory.list()] == ["Likes tea"]


# Lists


def test_lists_under_a_name_and_a_line_each(memory: Memory, take: Take, tmp_path: Path) -> None:
    assert take(put_json(tmp_path / "a.json", {"facts": ["User likes tea", ""]})).memories == 1
    found = take(EXAMPLES / "facts.jsonl")
    assert (found.format, found.memories) == ("list", 3)
    assert [one.line for one in found.problems] == [4]
    kinds = {one.content: (one.kind, one.importance) for one in memory.list()}
    assert kinds["用户对花生过敏"] == ("fact", 1.0)
    assert kinds["用户可能在银行工作"][0] == "belief"
    assert kinds["用户是学生"][0] == "summary"


def test_importance_is_counted_in_many_ways(memory: Memory, take: Take, tmp_path: Path) -> None:
    given = [0.4, 8, "90", 1e9, "much", True]
    path = put_json(
        tmp_path / "a.json",
        [{"text": f"Number {n} is blue", "importance": one} for n, one in enumerate(given)],
    )
    take(path)
    found = {one.content: one.importance for one in memory.list()}
    assert [found[f"Number {n} is blue"] for n in range(6)] == [0.4, 0.8, 0.9, 0.5, 0.5, 0.5]


# Four tiers


def test_the_tables_of_a_four_tier_memory(memory: Memory, take: Take, tmp_path: Path) -> None:
    path = put_database(tmp_path / "memory.db")
    before = path.read_bytes()
    found = take(path)
    assert (found.format, found.turns, found.memories) == ("tiered", 4, 2)
    assert path.read_bytes() == before
    core, docker = sorted(memory.list(state="all"), key=lambda one: one.importance, reverse=True)
    assert (core.category, core.importance, core.project) == ("identity", 0.9, "_global")
    assert core.valid_from == datetime(2026, 1, 1, 8, tzinfo=UTC)
    assert core.confirmed_at == datetime(2026, 1, 10, 8, tzinfo=UTC)
    assert (docker.state, docker.project, docker.topic) == ("archived", "myclaw", "deployment")
    assert (docker.access_count, docker.accessed_at) == (0, None)  # it was used there, not here
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
    assert (found.memories, found.skipped) == (1, {"empty": 3})
    assert [one.category for one in memory.list()] == ["identity"]


def test_databases_that_are_something_else(take: Take, tmp_path: Path) -> None:
    other = put_database(tmp_path / "other.db", "CREATE TABLE things (x);")
    with pytest.raises(InputError, match="not a four-tier memory"):
        take(other)
    Memory.open(tmp_path / "another").close()
    ours = tmp_path / "another" / "spaces" / "main" / "loxodon.db"
    with pytest.raises(InputError, match="a Loxodon memory"):
        take(ours)


# Settings

THREE_LAYERS = EXAMPLES / "three_layers_config.json"
FOUR_TIERS = EXAMPLES / "four_tiers_config.json"


def test_settings_of_three_layers(memory: Memory, take: Take) -> None:
    config.write(memory.home, "decay.belief", "0.06")
    found = take(THREE_LAYERS, settings=True)
    assert found.settings == {
        "decay.fact": 0.01,
        "decay.archive": 0.1,
        "snapshot.budget": 1500,
        "schedule.daily": "30 4 * * *",
    }
    assert [one.what.split()[0] for one in found.problems] == ["odd"]
    set_here = config.load(memory.home)
    assert (set_here.decay.fact, set_here.schedule.daily) == (0.01, "30 4 * * *")
    assert set_here.decay.belief == 0.06  # what is set here stays


def test_numbers_that_are_fixed_here_are_named(take: Take, tmp_path: Path) -> None:
    found = take(EXAMPLES / "all_settings.json", settings=True)
    assert found.settings == {"decay.archive": 0.1}
    assert [(one.what.split()[0], one.hint) for one in found.problems] == [
        ("thresholds.summary_trigger", "here it is fixed at 3"),
        ("token_budget.layer1_top1", "here it is fixed at 0.4"),
        ("token_budget.layer1_top2", "here it is fixed at 0.25"),
        ("token_budget.layer1_top3", "here it is fixed at 0.15"),
        ("consolidation.fallback_hours", "here it is fixed at 48"),
        ("importance_rules.identity_health_safety", "here it is fixed at 1.0"),
        ("importance_rules.preference_relation_status", "here it is fixed at 0.8"),
        ("importance_rules.general_fact", "here it is fixed at 0.5"),
        ("importance_rules.temporary", "here it is fixed at 0.2"),
    ]
    four = {"memory": {"enabled": True, "extraction": {"quietGap": "1m30s", "tokenBudget": 0.6}}}
    found = take(put_json(tmp_path / "four.json", four), settings=True)
    assert (found.settings, found.problems) == ({"buffer.quiet": 90}, ())


@each(
    "value",
    [
        {"memory": {"enabled": True, "extraction": {"quietGap": "soon"}}},
        {"memory": {"enabled": True, "extraction": {"quietGap": ""}}},
        {"memory": {"enabled": True, "extraction": {"tokenBudget": "much"}}},
        {"consolidation": {"schedule": "0 3 * *"}},
        {"consolidation": {"schedule": 3}},
        {"decay_rates": {"fact": 7}},
        {"decay_rates": {"fact": "fast"}},
        {"token_budget": {"layer1_total": 12.5}},
        {"token_budget": {"layer1_total": None}},
    ],
)
def test_a_setting_that_makes_no_sense_is_told(take: Take, tmp_path: Path, value: object) -> None:
    found = take(put_json(tmp_path / "config.json", value), settings=True)
    assert (dict(found.settings), len(found.problems)) == ({}, 1)


def test_settings_of_four_tiers_without_their_keys(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    names = ("model.name", "model.base_url")
    found = take(FOUR_TIERS, settings=True, take=names)
    assert found.settings == {
        "model.name": "small",
        "model.base_url": "https://small.example/v1",
        "schedule.daily": "15 5 * * *",
    }
    assert found.skipped["secret"] == 1
    assert any("model.api_key" in one.hint for one in found.problems)
    assert "sk-" not in str(found)
    assert "sk-" not in (Path(memory.home) / "config.toml").read_text("utf-8")


def test_the_provider_of_the_program_serves_where_the_memory_has_none(
    take: Take, tmp_path: Path
) -> None:
    value = json.loads(FOUR_TIERS.read_text("utf-8")) | {"memory": {"enabled": True, "model": "s"}}
    found = take(put_json(tmp_path / "config.json", value))
    assert found.offered["model.base_url"] == "https://main.example/v1"


def test_a_version_that_is_not_known_is_refused(take: Take, tmp_path: Path) -> None:
    value = {"version": "7.0", "decay_rates": {"fact": 0.01}}
    with pytest.raises(InputError, match=r"7\.0"):
        take(put_json(tmp_path / "config.json", value))
