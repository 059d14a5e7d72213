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

MEMORIES = "dump/memories.jsonl"
TURNS = "dump/turns/2026-02-04.jsonl"


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


def test_whoever_has_the_database_open_sees_the_new_content(place: Place) -> None:
    place.restore()
    with place.open("other") as other:
        other.capture("meanwhile")
        place.restore("--replace")
        assert not other.recall("meanwhile").items
    assert not list(place.other.rglob("restoring-*"))


# What cannot be read


def test_nonsense_is_named_with_its_line(place: Place) -> None:
    name = "dump/sessions.jsonl"
    path = place.views / name
    whole = path.read_text("utf-8")
    where = f"{name}, line {len(whole.splitlines()) + 1}: "
    for case in cases(__file__, "nonsense"):
        path.write_text(f"{whole}{case['nonsense']}\n", "utf-8")
        assert place.refused().startswith(where + case["says"])


def test_line_that_is_cut_is_named(place: Place) -> None:
    place.change(MEMORIES, lambda text: text[:-40])
    lines = (place.views / MEMORIES).read_text("utf-8").count("\n") + 1
    assert place.refused() == f"{MEMORIES}, line {lines}: the line is incomplete"


def test_what_is_newer_older_or_not_ours_is_refused(place: Place) -> None:
    name = "state/views.json"
    whole = (place.views / name).read_text("utf-8")
    place.change(name, lambda text: text.replace('"version": 2', '"version": 3', 1))
    assert place.refused() == f"{name}: it was written by a newer version of Loxodon"
    for data in (b"\xff\xfe\x00", b"hello"):
        (place.views / name).write_bytes(data)
        assert name in place.refused()
    kept = json.loads(whole)
    kept["files"] = {n: row for n, row in kept["files"].items() if not n.startswith("dump/")}
    (place.views / name).write_text(json.dumps(kept), "utf-8")
    assert "earlier version" in place.refused()


def test_link_out_of_the_folder_is_not_followed(place: Place) -> None:
    (place.top / "elsewhere.jsonl").write_bytes((place.views / MEMORIES).read_bytes())
    (place.views / MEMORIES).unlink()
    (place.views / MEMORIES).symlink_to(place.top / "elsewhere.jsonl")
    assert place.refused() == f"{MEMORIES}: it is not a file in this folder"


def test_folders_that_cannot_be_restored_are_refused(place: Place) -> None:
    for folder, more, code, says in (
        ("nowhere", (), 3, "no text views"),
        ("out", ("--space", "ada"), 4, "'main'"),
    ):
        error = restore(place.top / folder, place.other, *more, clock=place.clock, code=code)
        assert says in error["error"]["message"]
        assert not place.other.exists()


def test_edits_of_pages_are_told_and_wait_for_sync(place: Place) -> None:
    place.change("insights.md", lambda text: text.replace("Tea is better", "Cocoa is better", 1))
    place.change(TURNS, lambda text: text.replace("Noted.", "Noted!"))
    edited = {one["file"]: one["hint"] for one in place.restore()["edited"]}
    assert edited.keys() == {TURNS, "insights.md"}
    assert "sync" in edited["insights.md"]
    config = {**CONFIG, "workspace.path": str(place.top / "out")}
    with Memory.open(place.other, config=config, clock=place.clock) as other:
        assert [one.content for one in other.journal(session="monday")][-1] == "Noted!"
        assert other.get(place.tea).content == "Tea is better than coffee"
        assert other.workspace.sync().edited == (place.tea,)
        assert other.get(place.tea).content == "Cocoa is better than coffee"
