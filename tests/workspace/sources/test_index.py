"""The workspace_data follows the files: what changed is read, what is gone is dropped."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.store import Chunk
from loxodon.types import Indexed
from loxodon.workspace.sources import index as module
from loxodon.workspace.sources.chunk import RULES
from tests.clock import Clock

LONG_AGO = 1_700_000_000_000_000_000


def write(path: Path, text: str | bytes, mtime: int = LONG_AGO) -> None:
    """A file that was written a while ago, so that its time tells whether it changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, ns=(mtime, mtime))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "ws"
    write(found / "MEMORY.md", "# Memory\n- 喜欢乌龙茶\n- Drives a Volvo\n")
    write(found / "memory" / "2026-02-04.md", "## 10:30 dentist\nThe tooth is fine.\n")
    return found


@pytest.fixture
def memory(tmp_path: Path, folder: Path, clock: Clock) -> Iterator[Memory]:
    config = {"workspace.path": str(folder), "workspace.folders": str(tmp_path / "notes")}
    (tmp_path / "notes").mkdir()
    with Memory.open(tmp_path / "home", config=config, clock=clock) as opened:
        yield opened


def index(memory: Memory) -> Indexed:
    return memory.workspace.index()


def chunks(memory: Memory) -> dict[str, int]:
    return {os.path.basename(one.file): one.chunks for one in memory.workspace.sources()}


def test_notes_are_read_once_and_recalled_with_file_and_line(memory: Memory, folder: Path) -> None:
    assert index(memory) == Indexed(read=2, chunks=3)
    assert index(memory) == Indexed(unchanged=2)
    assert chunks(memory) == {"MEMORY.md": 2, "2026-02-04.md": 1}
    (item,) = memory.recall("乌龙茶").items
    assert item.kind == "note"
    assert (os.path.basename(item.sources[0].file or ""), item.sources[0].line) == ("MEMORY.md", 2)
    assert not memory.recall("乌龙茶", chat="group").items


def test_what_changed_is_read_and_what_is_gone_dropped(memory: Memory, folder: Path) -> None:
    index(memory)
    write(folder / "MEMORY.md", "- Drives a Saab\n", LONG_AGO + 1)
    os.remove(folder / "memory" / "2026-02-04.md")
    assert index(memory) == Indexed(read=1, removed=1, chunks=1)
    assert not memory.recall("乌龙茶").items
    assert not memory.recall("tooth").items
    assert memory.recall("Saab").items


def test_a_file_that_was_only_touched_is_the_same(memory: Memory, folder: Path) -> None:
    index(memory)
    os.utime(folder / "MEMORY.md", ns=(LONG_AGO + 5, LONG_AGO + 5))
    assert index(memory) == Indexed(unchanged=2)


def test_a_change_in_the_same_moment_is_seen(memory: Memory, folder: Path) -> None:
    path = folder / "MEMORY.md"
    path.write_text("- Drives a Saab\n")
    index(memory)
    before = path.stat()
    path.write_text("- Drives a Fiat\n")
    os.utime(path, ns=(before.st_mtime_ns, before.st_mtime_ns))
    index(memory)
    assert memory.recall("Fiat").items


def test_files_are_never_written_to(memory: Memory, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*.md")}
    for path in before:
        path.chmod(0o400)
    index(memory)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_file_renamed_keeps_its_text(memory: Memory, folder: Path) -> None:
    index(memory)
    os.rename(folder / "memory" / "2026-02-04.md", folder / "memory" / "tooth.md")
    assert index(memory) == Indexed(read=1, unchanged=1, removed=1, chunks=1)
    assert memory.recall("tooth").items


def test_our_views_are_no_sources(memory: Memory, folder: Path) -> None:
    memory.capture("The zebra lives in Osaka")
    memory.workspace.export()
    views = [path for path in (folder / "memory").rglob("*") if path.suffix == ".md"]
    assert len(views) > 2
    assert index(memory).read == 2
    assert "note" not in {one.kind for one in memory.recall("zebra").items}


def test_a_view_that_lost_its_mark_is_no_source(memory: Memory, folder: Path) -> None:
    memory.capture("The zebra lives in Osaka")
    memory.workspace.export()
    view = folder / "memory" / "insights.md"
    write(view, view.read_text("utf-8").split("\n", 1)[1])
    write(folder / "memory" / "projects" / "insights.md", "My own zebra\n")
    assert index(memory).read == 3
    (note,) = (one for one in memory.recall("zebra").items if one.kind == "note")
    assert note.content == "My own zebra"


def test_a_file_that_becomes_a_view_is_dropped(memory: Memory, folder: Path) -> None:
    index(memory)
    write(folder / "memory" / "2026-02-04.md", "---\nloxodon: segment\n---\nx\n", LONG_AGO + 1)
    assert index(memory).removed == 1


def test_bad_lines_are_reported_and_the_good_ones_kept(memory: Memory, folder: Path) -> None:
    write(folder / "memory" / "bad.md", b"the first is fine\n\xff\xfe\nand so is the third\n")
    write(folder / "memory" / "worse.md", "茶".encode("gbk") * 9 + b"\n" + b"\xff\n" * 50)
    found = index(memory)
    assert [(os.path.basename(one.file), one.line) for one in found.problems] == [
        ("bad.md", 2),
        ("worse.md", 1),
    ]
    assert memory.recall("third").items
    assert chunks(memory)["worse.md"] == 0
    assert index(memory) == Indexed(unchanged=4)
    assert [bool(one.problem) for one in memory.workspace.sources()].count(True) == 2


def test_of_a_large_file_the_beginning_is_read(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 10_000)
    write(folder / "memory" / "large.md", "early zebra\n" + "filler words\n" * 2_000 + "late yak\n")
    found = index(memory)
    assert len(found.problems) == 1
    assert memory.recall("zebra").items
    assert not memory.recall("yak").items
    assert index(memory) == Indexed(unchanged=3)


def test_a_huge_sparse_file_takes_no_memory(memory: Memory, folder: Path) -> None:
    path = folder / "memory" / "huge.md"
    with open(path, "wb") as file:
        file.write(b"zebra\n")
        file.truncate(300 << 20)
    found = index(memory)
    assert found.problems
    assert index(memory).read == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_tried_again(memory: Memory, folder: Path) -> None:
    (folder / "MEMORY.md").chmod(0)
    assert len(index(memory).problems) == 1
    (folder / "MEMORY.md").chmod(0o600)
    assert index(memory).read == 1


def test_a_file_that_is_being_written_is_left_for_the_next_time(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(memory)
    path = folder / "MEMORY.md"
    path.write_text("- half\n" * 20)
    real, stop = os.fstat, threading.Event()

    def grow(descriptor: int) -> os.stat_result:
        found = real(descriptor)
        if not stop.is_set():
            with open(path, "a") as file:
                file.write("- more\n")
        return found

    monkeypatch.setattr(os, "fstat", grow)
    assert index(memory) == Indexed(unchanged=1)
    assert memory.recall("乌龙茶").items  # what was known holds until then
    stop.set()
    assert index(memory).read == 1


def test_other_spaces_do_not_see_the_folders_of_main(memory: Memory, tmp_path: Path) -> None:
    write(tmp_path / "notes" / "a.md", "a private zebra\n")
    assert index(memory).read == 3
    with Memory.open(tmp_path / "home", space="work", config=memory.config) as other:
        assert other.workspace.index() == Indexed()


def test_new_rules_read_everything_anew(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    index(memory)
    monkeypatch.setattr(module, "RULES", RULES + 1)
    assert index(memory).read == 2
    assert index(memory) == Indexed(unchanged=2)


def test_progress_is_told(memory: Memory) -> None:
    told: list[tuple[int, int]] = []
    memory.workspace.index(lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_a_run_that_is_killed_goes_on_where_it_was(
    memory: Memory, folder: Path, tmp_path: Path
) -> None:
    for n in range(30):
        write(folder / "memory" / f"{n:02d}.md", f"note number {n}\n")
    script = (
        "import os, sys\nfrom loxodon import Memory\n"
        "memory = Memory.open(sys.argv[1], config={'workspace.path': sys.argv[2]})\n"
        "memory.workspace.index(lambda done, total: done == 10 and os._exit(9))\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path / "home"), str(folder)])
    assert killed.returncode == 9
    assert len(memory.workspace.sources()) == 10
    assert index(memory).read == 22


def test_recall_goes_on_meanwhile(memory: Memory, folder: Path, tmp_path: Path) -> None:
    index(memory)
    for n in range(40):
        write(folder / "memory" / f"{n:02d}.md", f"note number {n}\n" * 50)
    found: list[int] = []

    def recall(done: int, total: int) -> None:
        with Memory.open(tmp_path / "home", config=memory.config) as other:
            found.append(len(other.recall("乌龙茶").items))
            other.capture(f"said while it reads, {done}")

    def every_tenth(done: int, total: int) -> None:
        if done % 10 == 0:
            recall(done, total)

    memory.workspace.index(every_tenth)
    assert found
    assert all(found)


def test_a_large_file_is_kept_in_steps(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STEP", 10)
    text = "".join(f"- item {n} is a thing\n" for n in range(55))
    write(folder / "MEMORY.md", text)
    assert index(memory).read == 2
    assert chunks(memory)["MEMORY.md"] == 55
    assert index(memory) == Indexed(unchanged=2)


def test_a_large_file_goes_on_where_it_was_cut_short(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STEP", 10)
    write(folder / "MEMORY.md", "".join(f"- item {n} is a thing\n" for n in range(55)))
    index(memory)
    store = memory.workspace.store
    (whole,) = (file for file in store.workspace_data.files() if file.path == "MEMORY.md")
    half = [Chunk(f"item {n} is a thing", n + 1, n + 1) for n in range(25)]
    with store.writing():
        store.workspace_data.put_file(whole._replace(hash=b""), half, memory.now())
    assert index(memory).read == 1
    assert chunks(memory)["MEMORY.md"] == 55
    assert index(memory) == Indexed(unchanged=2)
