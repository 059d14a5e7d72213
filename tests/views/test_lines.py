"""Whatever happens to the lines of a page, no entry that was not touched is changed."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.types import Record
from loxodon.views.sync import Synced
from tests.clock import Clock
from tests.long import count

ENTRY = re.compile(r"^- \[(f_\d+_\d+)\]")


def made(home: Path) -> None:
    with Memory.open(home, config={"language": "en"}, clock=Clock()) as memory:
        for n in range(5):
            content = f"Thing {n} is blue" + ("\nand heavy\n\nas lead" if n % 2 else "")
            memory.capture(content, tags=[f"tag{n}"], importance=n / 10, project=f"p{n % 3}")
        memory.capture("paint it", category="plan", project="p1")
        for n in range(3):
            memory.archive(memory.capture(f"Old {n}\nand long", tags=["old"]).id)
        memory.workspace.export()


def blocks(lines: list[str]) -> dict[str, list[str]]:
    """The lines of each entry, from its bullet to its last line; not of one that is there twice."""
    found: dict[str, list[str]] = {}
    for start, line in enumerate(lines):
        if entry := ENTRY.match(line):
            stop = next((n for n in range(start, len(lines)) if "`v" in lines[n]), start)
            id = entry[1]
            found[id] = [] if id in found else lines[start : stop + 1]
    return found


def shuffled(lines: list[str], chance: random.Random) -> list[str]:
    """The lines after a few of them were deleted, moved, duplicated or swapped."""
    lines = lines.copy()
    for _ in range(chance.randint(1, 3)):
        first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
        what = chance.choice(["delete", "move", "copy", "swap"])
        if what == "delete":
            del lines[first]
        elif what == "move":
            lines.insert(second, lines.pop(first))
        elif what == "copy":
            lines.insert(second, lines[first])
        else:
            lines[first], lines[second] = lines[second], lines[first]
    return lines


def said(record: Record) -> tuple[object, ...]:
    return record.content, record.tags, record.importance, record.project, record.done


def test_entries_that_were_not_touched_stay(tmp_path: Path) -> None:
    made(tmp_path / "made")
    for seed in range(count(15, 600)):
        chance = random.Random(seed)
        home = tmp_path / str(seed)
        shutil.copytree(tmp_path / "made", home)
        with Memory.open(home, config={"language": "en"}, clock=Clock()) as memory:
            path = Path(memory.workspace.path) / "memory" / "insights.md"
            before = path.read_text("utf-8").split("\n")
            after = shuffled(before, chance)
            path.write_text("\n".join(after), "utf-8")
            was = {one.id: one for one in memory.list(state="all")}
            synced = memory.workspace.sync()
            now = {one.id: one for one in memory.list(state="all")}
            whole, left = blocks(before), blocks(after)
            changed = [id for id in was if said(was[id]) != said(now[id])]
            assert not [id for id in changed if whole.get(id) == left.get(id)], seed
            moved = [id for id in was if was[id].state != now[id].state]
            assert not [id for id in moved if whole.get(id) == left.get(id)], seed
            # A changed page is never taken without a word, and what is new has words of its own.
            assert all(now[id].content.strip() for id in synced.added), seed
            assert memory.validate() == []
        shutil.rmtree(home)


@pytest.fixture
def desk(tmp_path: Path) -> tuple[Memory, Path]:
    made(tmp_path)
    memory = Memory.open(tmp_path, config={"language": "en"}, clock=Clock())
    return memory, Path(memory.workspace.path) / "memory" / "insights.md"


def nothing(synced: Synced) -> bool:
    return not (synced.added or synced.edited or synced.archived)


def test_line_that_lost_its_entry_is_named_and_nothing_changes(desk: tuple[Memory, Path]) -> None:
    memory, path = desk
    lines = path.read_text("utf-8").replace("Thing 4 is blue", "Thing 4 is red").split("\n")
    gone = next(n for n, line in enumerate(lines) if "Thing 2" in line)
    assert lines[gone + 1].startswith("  `tags: [tag2]`")
    del lines[gone]
    path.write_text("\n".join(lines), "utf-8")
    synced = memory.workspace.sync()
    assert nothing(synced)
    assert [(one.file, one.line) for one in synced.problems] == [("insights.md", gone + 1)]
    assert path.read_text("utf-8") == "\n".join(lines)
    del lines[gone]  # the rest of it
    path.write_text("\n".join(lines), "utf-8")
    synced = memory.workspace.sync()
    assert (len(synced.edited), len(synced.archived), synced.problems) == (1, 1, ())
    memory.close()


@pytest.mark.parametrize("heading", ["## Active facts", "## Archived facts"])
def test_heading_that_is_gone_or_moved_changes_nothing(
    desk: tuple[Memory, Path], heading: str
) -> None:
    memory, path = desk
    whole = path.read_text("utf-8")
    without = whole.replace(f"{heading}\n", "")
    third = without.index("Thing 2")
    at = without.rindex("\n", 0, third) + 1
    for text in (without, whole + f"{heading}\n", without[:at] + f"{heading}\n\n" + without[at:]):
        path.write_text(text, "utf-8")
        synced = memory.workspace.sync()
        assert (nothing(synced), synced.problems) == (True, ())
    memory.close()


def test_what_is_new_is_active_wherever_it_is_written(desk: tuple[Memory, Path]) -> None:
    memory, path = desk
    path.write_text(path.read_text("utf-8") + "\n- The user has a canoe\n", "utf-8")
    synced = memory.workspace.sync()
    (id,) = synced.added
    assert memory.get(id).state == "active"
    assert [one.file for one in synced.notes] == ["insights.md"]
    text = path.read_text("utf-8")
    assert text.index(id) < text.index("## Archived facts")
    memory.close()
