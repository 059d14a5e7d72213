"""A memory in Markdown: MEMORY.md, USER.md, daily notes."""

from __future__ import annotations

import json
import os
import shutil
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from loxodon import Memory
from loxodon.types import Record
from tests.cases import cases
from tests.cli.shell import typed
from tests.clock import NOW
from tests.each import each
from tests.imports.conftest import Take
from tests.imports.exports import EXAMPLES


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / "tree", tmp_path / "workspace"))


def by_words(memory: Memory) -> dict[str, Record]:
    return {one.content: memory.get(one.id) for one in memory.list(state="all")}


def pool(*memories: object) -> str:
    return "".join(json.dumps(one) + "\n" for one in memories)


def put_pools(folder: Path, pools: dict[str, list[dict[str, object]]]) -> None:
    """The files of a three-layer memory."""
    for name, memories in pools.items():
        path = folder / f"memory/layer2/{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pool(*memories), "utf-8")


@pytest.fixture
def layers(tree: Path) -> Path:
    """The same with what a three-layer memory keeps beside it."""
    shutil.copytree(EXAMPLES / "layers", tree, dirs_exist_ok=True)
    return tree


def test_a_three_layer_memory_is_one_import(memory: Memory, take: Take, layers: Path) -> None:
    found = take(layers)
    assert [(one.file, one.line) for one in found.problems] == [
        ("memory/layer2/active/facts.jsonl", 2)
    ]
    kept = by_words(memory)
    assert "Prefers TypeScript over JavaScript" in kept
    assert kept["用户住在北京"].state == "active"
    assert kept["用户曾住在上海"].state == "archived"
    belief = kept["用户可能在科技公司工作"]
    assert (belief.kind, belief.confidence, belief.basis) == ("belief", 0.6, "经常开会")
    assert kept["Hikes"].kind == "belief"
    assert "Ours" not in kept
    again = take(layers)
    assert (again.turns, again.memories) == (0, 0)
    assert take(layers / "memory").memories == 0


def test_a_layer_keeps_what_it_says_of_its_memories(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    mine = memory.capture("Taken already")
    day = "2026-02-03T10:30:00Z"
    fact = {"importance": 1.0, "score": 0.95, "entities": ["用户"], "created": day}
    put_pools(
        tmp_path / "theirs",
        {
            "active/facts": [
                {"id": "f_20260203_007", "content": "Owns a loom", "source": "talk:15", **fact},
                {"id": mine.id, "content": "Plays chess", "source": "day.jsonl:3-4", **fact},
                {"id": "f_1", "content": "Rows", **fact},
            ],
            "active/summaries": [
                {"id": "s_20260203_001", "content": "A", "source_facts": ["f_20260203_007"]}
            ],
            "archive/facts": [{"id": "f_20260203_002", "content": "Had a boat", "score": 0.04}],
        },
    )
    assert take(tmp_path / "theirs").problems == ()
    kept = by_words(memory)
    loom = kept["Owns a loom"]
    assert (loom.id, loom.importance, loom.strength) == ("f_20260203_007", 1.0, 0.95)
    assert memory.get(loom.id).sources[1][:2] == ("talk", "15")
    chess = kept["Plays chess"]
    assert chess.id not in (mine.id, "")
    assert memory.get(chess.id).sources[1][2:] == ("day.jsonl", 3)
    assert kept["Rows"].id.startswith("f_2026")
    assert kept["A"].derived_from == ("f_20260203_007",)
    boat = kept["Had a boat"]
    assert (boat.id, boat.state, boat.strength) == ("f_20260203_002", "archived", 0.04)
    # An id that came with an import is given to nobody else.
    assert memory.get(mine.id).content == "Taken already"
    assert memory.validate() == []
    assert take(tmp_path / "theirs").memories == 0


def test_no_memory_is_given_an_imported_id_again(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    today = f"f_{NOW:%Y%m%d}"
    put_pools(
        tmp_path / "theirs", {"active/facts": [{"id": f"{today}_004", "content": "Owns a loom"}]}
    )
    take(tmp_path / "theirs")
    assert [memory.capture(text).id for text in ("a", "b")] == [f"{today}_005", f"{today}_006"]


def test_what_was_forgotten_lends_its_id_to_nothing(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    gone = memory.capture("Owns a loom")
    memory.forget(gone.id)
    put_pools(tmp_path / "theirs", {"active/facts": [{"id": gone.id, "content": "Plays chess"}]})
    take(tmp_path / "theirs")
    assert by_words(memory)["Plays chess"].id != gone.id


def test_each_entry_is_a_memory(memory: Memory, take: Take, tree: Path) -> None:
    found = take(tree)
    assert (found.turns, found.problems) == (2, ())
    records = by_words(memory)
    assert all(one.trust == "file" for one in records.values())

    tea = records["Prefers TypeScript over JavaScript"]
    assert (tea.category, tea.attribute, tea.importance) == ("preference", "prefers", 1.0)
    assert (tea.sources[0].file, tea.sources[0].line) == ("MEMORY.md", 4)

    chose = records["2026-01-15: Chose PostgreSQL for database (ACID compliance)"]
    assert chose.category == "decision"
    assert chose.valid_from == datetime(2026, 1, 15, tzinfo=NOW.tzinfo)

    assert records["Alice (alice@acme.example) - Design lead"].category == "relation"
    nuts = records["用户对花生过敏"]
    assert (nuts.category, nuts.importance, nuts.tags) == ("health", 0.9, ("花生", "坚果"))
    assert (nuts.attribute, nuts.value) == ("allergy", "花生")
    assert records["Deploys on Fridays"].project == "Stellarlink"
    assert (records["Name: Ann Smith"].attribute, records["Name: Ann Smith"].value) == (
        "name",
        "Ann Smith",
    )


def test_boxes_are_plans_and_what_is_superseded_is_left_out(
    memory: Memory, take: Take, tree: Path
) -> None:
    take(tree)
    records = by_words(memory)
    plan, done = records["Write the release notes"], records["Rename the repository"]
    assert (plan.category, plan.done, done.done) == ("plan", False, True)
    assert "Lives in Paris" not in records
    berlin = records["Lives in Berlin"]
    assert (berlin.state, berlin.value) == ("active", "Berlin")
    assert berlin.valid_from == datetime(2026, 1, 20, tzinfo=NOW.tzinfo)


def test_daily_notes_are_learned_from(memory: Memory, take: Take, tree: Path) -> None:
    take(tree)
    turns = memory.journal()
    assert [turn.origin for turn in turns] == ["import", "import"]
    assert turns[0].at.isoformat() == "2026-01-18T10:30:00+08:00"
    memory.consolidate()
    assert any("小美" in one.content for one in memory.list())


def test_a_daily_note_that_was_added_is_known(memory: Memory, take: Take, tree: Path) -> None:
    path = tree / "memory" / "2026-01-18.md"
    done = typed("add", str(path), env={"LOXODON_HOME": memory.home, "TZ": "Asia/Shanghai"})
    assert done.returncode == 0, done.stderr
    assert take(path).known == 2
    assert memory.stats().turns == 2


def test_what_was_said_after_the_file_was_written_takes_its_place(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("- Lives in Berlin\n", "utf-8")
    then = datetime(2025, 1, 1, tzinfo=NOW.tzinfo).timestamp()
    os.utime(path, (then, then))
    take(path)
    memory.add([{"role": "user", "content": "I live in Porto.", "at": "2025-06-01T10:00:00Z"}])
    memory.consolidate()
    assert [one.value for one in memory.list() if one.attribute == "home"] == ["Porto"]


def test_dreams_of_openclaw_are_not_eaten(memory: Memory, take: Take, tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text(
        "- Likes tea\n\n<!-- openclaw:dreaming:light:start -->\n- Dreamt of tea\n"
        "<!-- openclaw:dreaming:light:end -->\n",
        "utf-8",
    )
    assert take(path).memories == 1


def remembered(*lines: str) -> list[tuple[int, str]]:
    """What is remembered of a MEMORY.md, by its lines."""
    with TemporaryDirectory() as top, Memory.open(os.path.join(top, "home")) as memory:
        path = Path(top, "MEMORY.md")
        path.write_text("\n".join(lines), "utf-8")
        memory.workspace.take_in(str(path))
        return sorted((one.sources[0].line or 0, one.content) for one in memory.list(state="all"))


@each(("lines", "found"), cases(__file__, "entries_of_a_page"))
def test_entries_of_a_page(lines: list[str], found: list[list[Any]]) -> None:
    assert [list(one) for one in remembered(*lines)] == found


def test_long_paragraphs_are_cut_at_sentences() -> None:
    long = " ".join(f"Sentence number {n} says something of some length." for n in range(20))
    found = [text for _, text in remembered(long)]
    assert len(found) > 1
    assert sorted(" ".join(found).split()) == sorted(long.split())
