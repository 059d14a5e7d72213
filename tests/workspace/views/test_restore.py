from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.config import from_mapping
from loxodon.errors import BusyStoreError, InputError, LoxodonError, NotFoundError
from loxodon.filelock import FileLock
from loxodon.types import Restored
from loxodon.workspace.views.restore import restore
from tests.clock import Clock
from tests.workspace.views.test_no_loss import same, share_key

CONFIG = {"timezone": "Asia/Shanghai"}
FACTS = "layer2/active/facts.jsonl"
ARCHIVED = "layer2/archive/facts.jsonl"
DAY = "daily/2026-02-04.md"


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

    def restore(self, replace: bool = False) -> Restored:
        return restore(
            str(self.top / "out"),
            str(self.other),
            config=from_mapping(CONFIG),
            clock=self.clock,
            replace=replace,
        )

    def refused(self) -> str:
        """What is said of views that cannot be restored; nothing may be left of the attempt."""
        with pytest.raises(LoxodonError) as caught:
            self.restore()
        left = (
            [one for one in self.other.rglob("*") if one.is_file()] if self.other.exists() else []
        )
        assert left == []
        return str(caught.value)

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
    found = place.restore()
    assert (found.turns, found.memories, found.edited, found.before) == (5, 6, (), "")
    with place.open("one") as one, place.open("other") as other:
        same(one, other)


def test_a_folder_that_was_copied_is_as_good(place: Place) -> None:
    shutil.copytree(place.views, place.top / "copy", copy_function=shutil.copyfile)
    shutil.rmtree(place.views)
    (place.top / "copy").rename(place.views)
    assert place.restore().edited == ()


def test_the_next_export_of_a_restored_memory_touches_nothing(place: Place) -> None:
    place.restore()
    with place.open("other") as other:
        done = other.workspace.export(place.top / "out")
    # The keywords of what was captured last are known already.
    assert done.written <= 1
    assert done.removed == 0


def test_a_space_that_has_something_is_not_touched(place: Place) -> None:
    place.restore()
    before = (place.other / "spaces/main/loxodon.db").read_bytes()
    with pytest.raises(InputError, match="is not empty") as caught:
        place.restore()
    assert "--replace" in caught.value.hint
    assert (place.other / "spaces/main/loxodon.db").read_bytes() == before


def test_with_replace_the_old_database_is_kept(place: Place) -> None:
    share_key(place.top / "one", place.other)
    with place.open("other") as other:
        other.capture("something else")
    done = [place.restore(replace=True).before for _ in range(2)]
    folder = place.other / "spaces" / "main"
    assert done == [str(folder / f"loxodon.db.before-restore-{n}") for n in (1, 2)]
    assert {one.name for one in folder.iterdir()} == {
        "loxodon.db",
        "loxodon.lock",
        "key.mark",
        *(Path(one).name for one in done),
    }
    with place.open("one") as one, place.open("other") as other:
        same(one, other)
    os.replace(done[0], folder / "loxodon.db")
    with place.open("other") as other:
        assert [one.content for one in other.list()] == ["something else"]


def test_an_empty_memory_is_filled(place: Place) -> None:
    place.open("other").close()
    assert place.restore().before == ""


def test_a_damaged_database_is_replaced_and_kept(place: Place) -> None:
    place.restore()
    path = place.other / "spaces/main/loxodon.db"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(InputError, match="is not empty"):
        place.restore()
    before = place.restore(replace=True).before
    assert Path(before).read_bytes() == b"no database" * 1000
    with place.open("other") as other:
        assert other.validate() == []


def test_a_database_that_is_in_use_is_not_replaced(place: Place) -> None:
    place.restore()
    with place.open("other") as other:
        other.capture("meanwhile")
        with pytest.raises(BusyStoreError):
            place.restore(replace=True)
        assert other.recall("meanwhile").items
    assert not list(place.other.rglob("restoring-*"))


@pytest.mark.parametrize(
    "name",
    [
        FACTS,
        ARCHIVED,
        DAY,
        "state/numbers.json",
        "state/sessions.jsonl",
        "layer2/entities/_index.json",
        "segments/2026-02-04-001.md",
    ],
)
def test_a_missing_file_is_named(place: Place, name: str) -> None:
    (place.views / name).unlink()
    assert place.refused() == f"{name}: it is missing"


@pytest.mark.parametrize("name", ["insights.md", "tags.json", "layer2/index/keywords.json"])
def test_what_is_derived_may_be_missing(place: Place, name: str) -> None:
    (place.views / name).unlink()
    assert place.restore().memories == 6


def test_a_line_that_is_cut_is_named(place: Place) -> None:
    place.change(FACTS, lambda text: text[:-40])
    lines = (place.views / FACTS).read_text("utf-8").count("\n") + 1
    assert place.refused() == f"{FACTS}, line {lines}: the line is incomplete"


@pytest.mark.parametrize(
    ("name", "nonsense", "says"),
    [
        (FACTS, "[1, 2]", "it is not a JSON object"),
        (FACTS, "{nonsense}", "it is not JSON"),
        (FACTS, "[" * 100_000, "it is not JSON"),
        (FACTS, '{"content": "x", "importance": NaN}', "it is not JSON"),
        (FACTS, '{"content": "x", "importance": "banana"}', "importance: it is not a number from"),
        (FACTS, '{"content": "x", "colour": "red"}', "unknown field 'colour'"),
        (FACTS, '{"id": "b_20260204_001"}', "b_20260204_001 is not the id of a fact"),
        (FACTS, '{"id": "f_20260204_777", "content": "x"}', "created is missing"),
        (FACTS, '{"content": "\\ud800"}', "content: it is not text"),
        ("state/sessions.jsonl", '{"no": 9}', "id is missing"),
        ("state/uses.jsonl", '{"memory": "f", "day": "x", "times": true}', "times: it is not"),
    ],
)
def test_nonsense_is_named_with_its_line(place: Place, name: str, nonsense: str, says: str) -> None:
    place.change(name, lambda text: text + nonsense + "\n")
    lines = (place.views / name).read_text("utf-8").count("\n")
    assert place.refused().startswith(f"{name}, line {lines}: {says}")


def test_all_bad_lines_are_told(place: Place) -> None:
    place.change(FACTS, lambda text: text + "{1\n{2\n")
    with pytest.raises(InputError) as caught:
        place.restore()
    assert len(caught.value.problems) == 2


def test_what_a_killed_run_left_is_taken_away(place: Place) -> None:
    folder = place.other / "spaces" / "main"
    for name in ("restoring-dead", "restoring-alive"):
        (folder / name).mkdir(parents=True)
        (folder / name / "restore.lock").touch()
    lock = FileLock(str(folder / "restoring-alive" / "restore.lock"))
    assert lock.acquire(0)
    place.restore()
    lock.close()
    assert [one.name for one in folder.glob("restoring-*")] == ["restoring-alive"]


def test_two_memories_with_one_id_are_refused(place: Place) -> None:
    place.change(FACTS, lambda text: text + text.splitlines()[-1] + "\n")
    assert "has the same id or number" in place.refused()


def test_a_memory_in_two_files_is_refused(place: Place) -> None:
    line = (place.views / FACTS).read_text("utf-8").splitlines()[-1]
    place.change(ARCHIVED, lambda text: text + line + "\n")
    said = place.refused()
    assert said.startswith(ARCHIVED)
    assert FACTS in said


@pytest.mark.parametrize("name", [FACTS, "state/numbers.json", "state/views.json"])
def test_a_newer_version_is_refused(place: Place, name: str) -> None:
    place.change(name, lambda text: text.replace('"version": 1', '"version": 2', 1))
    assert place.refused() == f"{name}: it was written by a newer version of Loxodon"


def test_a_newer_day_is_refused(place: Place) -> None:
    place.change(DAY, lambda text: text.replace("version: 1", "version: 2", 1))
    assert place.refused() == f"{DAY}: it was written by a newer version of Loxodon"


@pytest.mark.parametrize("name", [FACTS, DAY, "state/numbers.json"])
def test_what_is_not_ours_or_not_utf8_is_refused(place: Place, name: str) -> None:
    (place.views / name).write_bytes(b"\xff\xfe\x00")
    assert place.refused() == f"{name}: it is not UTF-8"
    (place.views / name).write_text("hello", "utf-8")
    assert place.refused().startswith(f"{name}: it ")


def test_a_link_out_of_the_folder_is_not_followed(place: Place) -> None:
    (place.top / "elsewhere.jsonl").write_bytes((place.views / FACTS).read_bytes())
    (place.views / FACTS).unlink()
    (place.views / FACTS).symlink_to(place.top / "elsewhere.jsonl")
    assert place.refused() == f"{FACTS}: it is not a file in this folder"


def test_a_folder_without_views_is_refused(place: Place, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no text views"):
        restore(str(tmp_path / "nowhere"), str(place.other), clock=place.clock)
    assert not place.other.exists()


def test_masked_copies_and_other_spaces_are_refused(place: Place) -> None:
    with place.open("one") as memory:
        memory.workspace.export(place.top / "masked", masked=True)
        with pytest.raises(InputError, match="masked"):
            restore(str(place.top / "masked"), str(place.other), clock=place.clock)
        with pytest.raises(InputError, match="'main'") as caught:
            restore(str(place.top / "out"), str(place.other), "ada", clock=place.clock)
    assert "--space" in caught.value.hint


# Edits


def test_an_edited_line_is_taken_as_it_stands(place: Place) -> None:
    place.change(FACTS, lambda text: text.replace("Tea is better", "Cocoa is better", 1))
    found = place.restore()
    assert [one.file for one in found.edited] == [FACTS]
    with place.open("other") as other:
        assert other.get(place.tea).content == "Cocoa is better than coffee"
        assert [one.record.content[:3] for one in other.history(place.tea)] == ["Tea", "Coc"]
        assert other.recall("cocoa").items[0].id == place.tea
        assert other.validate() == []


def test_a_line_that_was_added_becomes_a_memory(place: Place) -> None:
    new = json.dumps({"content": "The cat is called Moritz", "tags": ["cat"], "importance": 0.8})
    place.change(FACTS, lambda text: text + new + "\n")
    (added,) = place.restore().added
    with place.open("other") as other:
        record = other.get(added)
        assert (record.content, record.tags, record.importance) == (
            "The cat is called Moritz",
            ("cat",),
            0.8,
        )
        assert other.validate() == []


def test_a_line_that_was_taken_out_is_gone_with_what_hung_on_it(place: Place) -> None:
    place.change(
        FACTS,
        lambda text: "".join(
            line for line in text.splitlines(keepends=True) if place.tea not in line
        ),
    )
    assert place.restore().memories == 5
    with place.open("other") as other:
        assert other.validate() == []
        assert place.tea not in [one.id for one in other.list(state="all")]
        assert other.capture("next").id > place.tea  # an id is never given out twice


def test_what_was_said_can_be_edited_and_taken_out(place: Place) -> None:
    def without_a_turn(text: str) -> str:
        start, end = text.index("## "), text.index("## ", text.index("## ") + 3)
        return text[:start] + text[end:].replace("Noted.", "Noted!")

    place.change(DAY, without_a_turn)
    assert place.restore().turns == 4
    with place.open("other") as other:
        assert other.validate() == []
        assert [one.content for one in other.journal(session="monday")] == ["Noted!"]


def test_edits_of_views_that_are_not_read_are_told(place: Place) -> None:
    place.change("insights.md", lambda text: text + "\n- something new\n")
    (told,) = place.restore().edited
    assert told.file == "insights.md"
    assert "sync" in told.hint


def test_numbers_that_do_not_fit_are_named(place: Place) -> None:
    place.change("state/uses.jsonl", lambda text: text.replace(place.tea, "f_19990101_001"))
    # A file that was edited may refer to nothing, but only where memories were taken out.
    assert place.refused().startswith("state/uses.jsonl: it does not match the rest")
