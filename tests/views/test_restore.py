from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from tests.cases import cases
from tests.clock import Clock
from tests.views.restoring import CONFIG, restore, same, share_key

FACTS = "layer2/active/facts.jsonl"
ARCHIVED = "layer2/archive/facts.jsonl"
DAY = "daily/2026-02-04.md"
PRIMARY = [one["name"] for one in cases(__file__, "primary")]


def lived(top: Path) -> str:
    """A memory at `one` and its views at `out`; the id of a memory that was edited and used."""
    with Memory.open(top / "one", config=CONFIG, clock=Clock()) as memory:
        said = (("user", "I live in Leeds.\nMy sister Mei is a nurse."), ("assistant", "Noted."))
        memory.add([{"role": role, "content": text} for role, text in said], session="monday")
        memory.capture("我对花生过敏", tags=["健康"])
        memory.consolidate(force=True)
        tea = memory.capture("Tea is better than coffee").id
        memory.edit(tea, importance=0.9)
        memory.archive(memory.capture("Old news").id)
        memory.touch([tea])
        memory.workspace.export(top / "out")
        return tea


class Place:
    """A memory, its views, and another home to restore them into."""

    def __init__(self, top: Path, tea: str) -> None:
        self.top = top
        self.clock = Clock()
        self.views = top / "out" / "memory"
        self.other = top / "other"
        self.tea = tea

    def open(self, name: str) -> Memory:
        return Memory.open(self.top / name, config=CONFIG, clock=self.clock)

    def restore(self, *more: str, code: int = 0) -> Any:
        return restore(self.top / "out", self.other, *more, clock=self.clock, code=code)

    def refused(self, *more: str, code: int = 4) -> str:
        """What is said of views that cannot be restored; nothing may be left of the attempt."""
        error = self.restore(*more, code=code)["error"]
        assert [one for one in self.other.rglob("*") if one.is_file()] == []
        return str(error["message"])

    def change(self, name: str, change: Callable[[str], str]) -> None:
        path = self.views / name
        before = path.read_bytes().decode()
        after = change(before)
        assert after != before
        path.write_bytes(after.encode("utf-8", "surrogatepass"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    top = tmp_path_factory.mktemp("made")
    return top, lived(top)


@pytest.fixture
def place(tmp_path: Path, made: tuple[Path, str]) -> Place:
    for name in ("one", "out"):
        shutil.copytree(made[0] / name, tmp_path / name)
    return Place(tmp_path, made[1])


def test_views_make_an_equal_memory(place: Place) -> None:
    share_key(place.top / "one", place.other)
    # A folder that was copied is as good.
    shutil.copytree(place.views, place.top / "copy", copy_function=shutil.copyfile)
    shutil.rmtree(place.views)
    (place.top / "copy").rename(place.views)
    found = place.restore()
    assert (found["turns"], found["memories"]) == (5, 6)
    assert (found["edited"], found["before"]) == ([], "")
    with place.open("one") as one, place.open("other") as other:
        same(one, other)
        done = other.workspace.export(place.top / "out")
        # The keywords of what was captured last are known already.
        assert (done.written <= 1, done.removed) == (True, 0)


def test_space_that_has_something_is_not_touched(place: Place) -> None:
    place.open("other").close()
    assert place.restore()["before"] == ""  # an empty one is filled
    database = place.other / "spaces/main/loxodon.db"
    before = database.read_bytes()
    error = place.restore(code=4)["error"]
    assert "is not empty" in error["message"]
    assert "--replace" in error["hint"]
    assert database.read_bytes() == before


def test_with_replace_the_old_database_is_kept(place: Place) -> None:
    share_key(place.top / "one", place.other)
    with place.open("other") as other:
        other.capture("something else")
    done = [place.restore("--replace")["before"] for _ in range(2)]
    folder = place.other / "spaces" / "main"
    assert done == [str(folder / f"loxodon.db.before-restore-{n}") for n in (1, 2)]
    with place.open("one") as one, place.open("other") as other:
        same(one, other)
    os.replace(done[0], folder / "loxodon.db")
    with place.open("other") as other:
        assert [one.content for one in other.list()] == ["something else"]


def test_damaged_database_is_replaced_and_kept(place: Place) -> None:
    place.restore()
    path = place.other / "spaces/main/loxodon.db"
    path.write_bytes(b"no database" * 1000)
    assert "is not empty" in place.restore(code=4)["error"]["message"]
    before = place.restore("--replace")["before"]
    assert Path(before).read_bytes() == b"no database" * 1000
    with place.open("other") as other:
        assert other.validate() == []


def test_database_that_is_in_use_is_not_replaced(place: Place) -> None:
    place.restore()
    with place.open("other") as other:
        other.capture("meanwhile")
        assert place.restore("--replace", code=7)["error"]["code"] == "busy_store"
        assert other.recall("meanwhile").items
    assert not list(place.other.rglob("restoring-*"))


# What cannot be read


@pytest.mark.parametrize("name", PRIMARY)
def test_missing_file_is_named(place: Place, name: str) -> None:
    (place.views / name).unlink()
    assert place.refused() == f"{name}: it is missing"


def test_what_is_derived_may_be_missing(place: Place) -> None:
    for name in ("insights.md", "tags.json", "layer2/index/keywords.json"):
        (place.views / name).unlink()
    assert place.restore()["memories"] == 6


@pytest.mark.parametrize(
    ("name", "nonsense", "says"),
    [(one["name"], one["nonsense"], one["says"]) for one in cases(__file__, "nonsense")],
)
def test_nonsense_is_named_with_its_line(place: Place, name: str, nonsense: str, says: str) -> None:
    place.change(name, lambda text: text + nonsense + "\n")
    lines = (place.views / name).read_text("utf-8").count("\n")
    assert place.refused().startswith(f"{name}, line {lines}: {says}")


def test_damaged_days_segments_and_states_are_named(place: Place) -> None:
    for one in cases(__file__, "damage"):
        path = place.views / one["name"]
        kept = path.read_text("utf-8")
        assert one["old"] in kept, one
        path.write_text(kept.replace(one["old"], one["new"], 1), "utf-8")
        said = place.refused()
        assert one["name"] in said, one
        assert one["says"] in said, (one, said)
        path.write_text(kept, "utf-8")


def test_line_that_is_cut_and_all_bad_lines_are_told(place: Place) -> None:
    place.change(FACTS, lambda text: text[:-40])
    lines = (place.views / FACTS).read_text("utf-8").count("\n") + 1
    assert place.refused() == f"{FACTS}, line {lines}: the line is incomplete"
    place.change(FACTS, lambda text: text + "\n{1\n{2\n")
    assert len(place.restore(code=4)["error"]["problems"]) == 3


def test_memories_that_are_there_twice_are_refused(place: Place) -> None:
    line = (place.views / FACTS).read_text("utf-8").splitlines()[-1]
    kept = (place.views / ARCHIVED).read_bytes()
    place.change(ARCHIVED, lambda text: text + line + "\n")
    said = place.refused()
    assert said.startswith(ARCHIVED)
    assert FACTS in said
    (place.views / ARCHIVED).write_bytes(kept)
    place.change(FACTS, lambda text: text + line + "\n")
    assert "has the same id or number" in place.refused()


@pytest.mark.parametrize("name", [FACTS, DAY, "state/numbers.json", "state/views.json"])
def test_what_is_newer_not_ours_or_not_utf8_is_refused(place: Place, name: str) -> None:
    mark = "version: 1" if name == DAY else '"version": 1'
    place.change(name, lambda text: text.replace(mark, mark.replace("1", "2"), 1))
    assert place.refused() == f"{name}: it was written by a newer version of Loxodon"
    (place.views / name).write_bytes(b"\xff\xfe\x00")
    assert name in place.refused()
    (place.views / name).write_text("hello", "utf-8")
    assert name in place.refused()


def test_link_out_of_the_folder_is_not_followed(place: Place) -> None:
    (place.top / "elsewhere.jsonl").write_bytes((place.views / FACTS).read_bytes())
    (place.views / FACTS).unlink()
    (place.views / FACTS).symlink_to(place.top / "elsewhere.jsonl")
    assert place.refused() == f"{FACTS}: it is not a file in this folder"


def test_folders_that_cannot_be_restored_are_refused(place: Place) -> None:
    with place.open("one") as memory:
        memory.workspace.export(place.top / "masked", masked=True)
    for folder, more, code, says in (
        ("nowhere", (), 3, "no text views"),
        ("masked", (), 4, "masked"),
        ("out", ("--space", "ada"), 4, "'main'"),
    ):
        error = restore(place.top / folder, place.other, *more, clock=place.clock, code=code)
        assert says in error["error"]["message"]
        assert not place.other.exists()


# Edits


def test_edited_line_is_taken_as_it_stands(place: Place) -> None:
    place.change(FACTS, lambda text: text.replace("Tea is better", "Cocoa is better", 1))
    place.change("insights.md", lambda text: text + "\n- something new\n")
    edited = {one["file"]: one["hint"] for one in place.restore()["edited"]}
    assert edited.keys() == {FACTS, "insights.md"}
    assert "sync" in edited["insights.md"]  # it is not read, and told of
    with place.open("other") as other:
        assert other.get(place.tea).content == "Cocoa is better than coffee"
        assert [one.record.content[:3] for one in other.history(place.tea)] == ["Tea", "Coc"]
        assert other.recall("cocoa").items[0].id == place.tea
        assert other.validate() == []


def test_line_that_was_added_becomes_a_memory(place: Place) -> None:
    new = {"content": "The cat is called Moritz", "tags": ["cat"], "importance": 0.8}
    place.change(FACTS, lambda text: text + json.dumps(new) + "\n")
    (added,) = place.restore()["added"]
    with place.open("other") as other:
        record = other.get(added)
        assert {"content": record.content, "tags": [*record.tags]} | {"importance": 0.8} == new
        assert other.validate() == []


def test_lines_that_were_taken_out_are_gone_with_what_hung_on_them(place: Place) -> None:
    def without_a_turn(text: str) -> str:
        start, end = text.index("## "), text.index("## ", text.index("## ") + 3)
        return text[:start] + text[end:].replace("Noted.", "Noted!")

    place.change(
        FACTS,
        lambda text: "".join(one for one in text.splitlines(keepends=True) if place.tea not in one),
    )
    place.change(DAY, without_a_turn)
    found = place.restore()
    assert (found["memories"], found["turns"]) == (5, 4)
    with place.open("other") as other:
        assert other.validate() == []
        assert place.tea not in [one.id for one in other.list(state="all")]
        assert [one.content for one in other.journal(session="monday")] == ["Noted!"]
        assert other.capture("next").id > place.tea  # an id is never given out twice
    place.change("state/uses.jsonl", lambda text: text.replace(place.tea, "f_19990101_001"))
    shutil.rmtree(place.other)
    place.restore()  # where memories were taken out, others may refer to nothing


def test_numbers_that_do_not_fit_are_named(place: Place) -> None:
    place.change("state/uses.jsonl", lambda text: text.replace(place.tea, "f_19990101_001"))
    assert place.refused().startswith("state/uses.jsonl: it does not match the rest")
