from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.errors import InputError
from loxodon.store.primary import Row
from loxodon.types import Source
from loxodon.workspace.views import View, head
from loxodon.workspace.views.records import FILES, Rendered, line_of, parse, rows_of, views

FACTS = "layer2/active/facts.jsonl"
BELIEFS = "layer2/active/beliefs.jsonl"


def made(memory: Memory) -> dict[str, View]:
    store = memory.workspace.store
    with store.reading():
        planned = list(views(store, None, store.primary.bases(), Rendered()))
        return {one.name: one.make() for one in planned}


def objects(view: View) -> list[dict[str, Any]]:
    return [json.loads(line) for line in view.text.splitlines()[1:]]


def lines(name: str, *found: object) -> str:
    rows = [{"loxodon": head(name, "main")}, *found]
    return "\n".join(json.dumps(row) if isinstance(row, dict) else str(row) for row in rows) + "\n"


def test_a_line_begins_as_in_the_design(memory: Memory) -> None:
    fact = memory.capture("用户对花生过敏", importance=1.0, entities=["用户"])
    memory.capture("maybe in tech", "belief", confidence=0.6)
    memory.archive(memory.capture("both", "summary").id)
    found = made(memory)
    (shown,) = objects(found[FACTS])
    assert list(shown)[:7] == [
        "id",
        "content",
        "importance",
        "score",
        "entities",
        "created",
        "source",
    ]
    assert shown["created"] == "2026-02-04T10:00:00Z"
    assert shown["source"] == "capture:#1"
    assert shown["history"] == [{"version": 1, "at": "2026-02-04T10:00:00Z", "change": "captured"}]
    assert found[FACTS].ids == {fact.id: 1}
    (belief,) = objects(found[BELIEFS])
    assert {"confidence", "basis"} < belief.keys()
    (summary,) = objects(found["layer2/archive/summaries.jsonl"])
    assert summary["source_facts"] == []
    assert "state" not in summary


def test_a_day_that_passes_changes_nothing(memory: Memory, clock: Any) -> None:
    memory.capture("tea")
    before = made(memory)
    clock.pass_days(30)
    assert made(memory) == before


def test_a_line_is_read_back_whole(memory: Memory) -> None:
    fact = memory.capture("tea\n\u2028and `cake`", tags=["x"])
    memory.edit(fact.id, importance=0.9, done=True)
    store = memory.workspace.store
    view = made(memory)[FACTS]
    parsed = parse(FACTS, view.text)
    assert parsed.troubles == ()
    (entry,) = parsed.entries
    record = memory.get(fact.id)
    names = ("content", "importance", "tags", "done", "created_at", "updated_at")
    assert {name: entry.fields[name] for name in names} == {
        name: getattr(record, name) for name in names
    }
    assert (entry.id, entry.version, entry.line) == (fact.id, 2, 2)
    assert entry.sources == ((Source("capture", "#1"), 1),)
    row, sources, changes = rows_of(entry)
    assert [row] == list(store.primary.dump("memories"))
    assert sources == list(store.primary.dump("memory_sources"))
    assert changes == list(store.primary.dump("memory_changes"))


def test_only_what_changed_is_made_anew(memory: Memory) -> None:
    ids = [memory.capture(content).id for content in ("tea", "rum", "茶")]
    store, rendered = memory.workspace.store, Rendered()

    def lines() -> dict[str, str]:
        return {id: line for line, id in rendered.in_file(store, FACTS).items()}

    before = lines()
    memory.edit(ids[0], content="gin")
    memory.archive(ids[1])
    after = lines()
    assert sorted(after) == [ids[0], ids[2]]
    assert json.loads(after[ids[0]])["content"] == "gin"
    assert after[ids[2]] is before[ids[2]]


def test_good_lines_are_kept_and_bad_ones_named() -> None:
    parsed = parse(
        FACTS,
        lines(
            FACTS,
            {"content": "new"},
            "{bad",
            "",
            {"id": "f_20260204_001", "content": "x"},
            {"id": "f_20260204_001", "content": "y"},
            {"content": " "},
            {"id": "../../x", "content": "x"},
            {"content": "x", "valid_from": "soon"},
            {"content": "x", "tags": "a"},
            {"content": "x", "sources": [{"path": "/etc"}]},
            {"content": "x", "history": [{"version": 1}]},
        )
        + '{"content": "cu',
    )
    assert [entry.line for entry in parsed.entries] == [2, 5, 6]
    assert [(line, str(error)) for line, error in parsed.troubles] == [
        (3, "it is not JSON"),
        (7, "content: it is empty"),
        (8, "id: it is not an id such as f_20260204_001"),
        (9, "valid_from: it is not a time such as 2026-02-04T10:30:00Z"),
        (10, "tags: it is not a list"),
        (11, "sources: it is not a list of sources"),
        (12, "history: change is missing"),
        (13, "the line is incomplete"),
    ]


def test_a_file_without_its_mark_is_refused() -> None:
    with pytest.raises(InputError, match="is not marked"):
        parse(FACTS, '{"id": "f_20260204_001"}\n')


def test_an_added_line_is_not_a_whole_memory() -> None:
    (entry,) = parse(FACTS, lines(FACTS, {"content": "new"})).entries
    assert (entry.id, entry.n, entry.version) == ("", 0, 0)
    with pytest.raises(InputError, match="missing"):
        rows_of(entry)


def test_a_history_leads_to_the_version(memory: Memory) -> None:
    memory.capture("tea")
    (shown,) = objects(made(memory)[FACTS])
    (entry,) = parse(FACTS, lines(FACTS, {**shown, "version": 3})).entries
    with pytest.raises(InputError, match="version 3"):
        rows_of(entry)


@given(st.text(max_size=300))
def test_any_text_is_read_without_a_crash(text: str) -> None:
    for name in FILES:
        parse(name, lines(name, text))


@given(st.text(min_size=1).filter(str.strip), st.lists(st.text(max_size=9)), st.floats(0, 1))
def test_any_memory_is_exact(content: str, tags: list[str], number: float) -> None:
    if "\0" in content + "".join(tags):
        return
    row = a_row(content=content, tags=json.dumps(tags, ensure_ascii=False), importance=number)
    changes: list[Row] = [(7, 1, 0, "captured", None)]
    text = lines(FACTS, line_of(row, [], changes))
    (entry,) = parse(FACTS, text).entries
    assert rows_of(entry) == (row, [], changes)


def a_row(**values: Any) -> Row:
    from loxodon.store.rows import COLUMNS, stored
    from loxodon.types import Record

    given = {
        "id": "f_20260204_001",
        "kind": "fact",
        "strength": 0.5,
        "strength_at": 5,
        "created_at": 1,
        "updated_at": -86_400_000,
    }
    usual = {name: stored(name, value) for name, value in Record._field_defaults.items()}
    return (7, *({**usual, **given, **values}[name] for name in COLUMNS))
