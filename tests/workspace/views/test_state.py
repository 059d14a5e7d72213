from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.errors import InputError
from loxodon.store import Work
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.workspace.views import entities, head, indexes, records, state
from tests.clock import NOW, Clock
from tests.each import each


def made(memory: Memory, *modules: Any) -> dict[str, Any]:
    """The views of modules; JSON as what it says."""
    store = memory.workspace.store
    with store.reading():
        planned = [
            one
            for module in modules
            for one in module.views(store, NOW.tzinfo, store.primary.bases())
        ]
        texts = {one.name: one.make().text for one in planned}
    return {name: json.loads(t) if name.endswith(".json") else t for name, t in texts.items()}


def lived(memory: Memory, clock: Clock) -> str:
    memory.add([{"role": "user", "content": "My sister Mei lives in Leeds."}], session="monday")
    memory.consolidate(force=True)
    old = memory.capture("Old news", entities=["Mei", "loxodon"])
    memory.archive(old.id)
    clock.pass_days(1)
    memory.touch([old.id])
    return old.id


def test_the_state_has_the_fields_of_the_design(memory: Memory, clock: Clock) -> None:
    old = lived(memory, clock)
    found = made(memory, state)
    work = found[state.CONSOLIDATION]
    assert list(work) == [
        "loxodon",
        "last_run",
        "last_success",
        "current_phase",
        "phase_data",
        "retry_count",
    ]
    assert (work["last_run"], work["current_phase"]) == ("2026-02-04T10:00:00Z", None)
    assert found[state.PENDING]["items"] == [
        {"type": "fact", "id": old, "triggered_at": "2026-02-05T10:00:00Z"}
    ]
    ranks = found[state.RANKINGS]["rankings"]
    assert ranks[0]["rank"] == 1
    assert {one["id"] for one in ranks} <= {one.id for one in memory.list()}


def test_where_the_work_stands_is_exact(memory: Memory) -> None:
    store = memory.workspace.store
    assert state.parse_work(json.dumps(made(memory, state)[state.CONSOLIDATION])) == []
    work = Work(3, 9, 4, 2, NOW, None, 'it "broke"\n', "2026-02-03", NOW)
    with store.writing():
        store.worklog.set_work(work)
    (row,) = state.parse_work(json.dumps(made(memory, state)[state.CONSOLIDATION]))
    assert row in list(store.primary.dump("meta"))
    assert set(Work._fields) == set(state._WORK_READ)


@each("name", state.FILES)
def test_every_table_has_all_its_columns(name: str) -> None:
    table, columns = state.FILES[name]
    assert columns.keys() <= set(PRIMARY_TABLES[table].columns)


def test_every_table_is_in_some_view() -> None:
    elsewhere = {
        "turns",
        "memories",
        "memory_sources",
        "memory_changes",
        "segments",
        "entities",
        "counters",
        "meta",
        # What was said there is in the journal, and a restore keeps the sessions that there are.
        "working_sessions",
        "transcript_lines",
    }
    assert {table for table, _ in state.FILES.values()} == PRIMARY_TABLES.keys() - elsewhere


def test_bad_lines_are_named_and_good_ones_kept() -> None:
    name = "state/fragments.jsonl"
    good = {
        "turn": "t_3",
        "n": 0,
        "text": "x",
        "type": "statement",
        "stage": "cut",
        "keep": None,
        "about": "fact",
        "bonus": 0.5,
        "reason": "",
    }
    bad = [{**good, "turn": 3}, {**good, "keep": "no"}, {"turn": "t_1"}, {**good, "bonus": "x"}]
    rows = [{"loxodon": head(name, "main")}, good, *bad]
    parsed = state.parse(name, "\n".join(map(json.dumps, rows)) + "\n")
    assert parsed.rows == ((2, (3, 0, "x", "statement", "cut", None, "fact", 0.5, "")),)
    assert [line for line, _ in parsed.troubles] == [3, 4, 5, 6]


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"phase_data": []},
        {"phase_data": {"done_to": "x"}},
        {"phase_data": {"odd": 1}, "retry_count": 0, "last_run": None, "last_success": None},
    ],
)
def test_nonsense_about_the_work_is_refused(found: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"consolidation\.json"):
        state.parse_work(json.dumps({"loxodon": head(state.CONSOLIDATION, "main"), **found}))


@given(st.text(max_size=200))
def test_any_text_is_read_without_a_crash(text: str) -> None:
    for name in state.FILES:
        state.parse(name, json.dumps({"loxodon": head(name, "main")}) + "\n" + text)
    for name, parse in (
        (state.NUMBERS, state.parse_numbers),
        (state.CONSOLIDATION, state.parse_work),
    ):
        with pytest.raises(InputError, match=name):
            parse(text)


# Entities and indexes


def test_entities_are_shown_and_read_back(memory: Memory, clock: Clock) -> None:
    lived(memory, clock)
    found = made(memory, entities)
    rows = entities.parse(json.dumps(found[entities.INDEX]))
    assert rows == list(memory.workspace.store.primary.dump("entities"))
    mei = next(one for name, one in found.items() if one.get("name") == "Mei")
    card = memory.entity("Mei")
    assert {name: one["value"] for name, one in mei["attributes"].items()} == {
        name: one.value for name, one in card.attributes.items()
    }
    assert mei["related_facts"] == list(card.facts)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ({}, "entities is missing"),
        ({"entities": [1]}, "entity 1: it is not a JSON object"),
        ({"entities": [{"aliases": ["a", 1]}]}, "entity 1: aliases: it is not text"),
        ({"entities": [{"aliases": [], "id": "e_x"}]}, "entity 1: id: it is not an id such as"),
    ],
)
def test_a_bad_entity_is_named(found: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        entities.parse(json.dumps({"loxodon": head(entities.INDEX, "main"), **found}))


def test_indexes_lead_to_active_memories(memory: Memory, clock: Clock) -> None:
    old = lived(memory, clock)
    memory.unarchive(old)
    found = made(memory, indexes)
    active = {one.id for one in memory.list()}
    assert old in found[indexes.RELATIONS]["Mei"]["facts"]
    assert found[indexes.RELATIONS]["Loxodon"]["facts"] == [old]  # beside the mark of the file
    assert {id for ids in list(found[indexes.TIMELINE].values())[1:] for id in ids} == active
    assert found[indexes.KEYWORDS]["mei"]
    memory.archive(old)
    assert old not in json.dumps(made(memory, indexes)[indexes.RELATIONS])


def test_the_files_of_memories_and_state_are_apart() -> None:
    assert not records.FILES.keys() & state.FILES.keys()
