"""Which files are notes, and how the memory follows them: read, changed, gone, unreadable."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.notes.index import Indexed
from tests.notes.noted import open_with

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
def memory(tmp_path: Path, folder: Path) -> Iterator[Memory]:
    (tmp_path / "notes").mkdir()
    with open_with(tmp_path / "home", folder, [tmp_path / "notes"]) as opened:
        yield opened


def index(memory: Memory) -> Indexed:
    return memory.workspace.index()


def chunks(memory: Memory) -> dict[str, int]:
    return {os.path.basename(one.file): one.chunks for one in memory.workspace.sources()}


# -- which files ---------------------------------------------------------------------------------


def put(folder: Path, *names: str) -> None:
    for name in names:
        write(folder / name, f"what {name} says\n")


def found(home: Path, workspace: Path, *folders: Path) -> tuple[dict[str, str], list[str]]:
    """The notes that are read, by name, with their roles; and those that are told of."""
    with open_with(home, workspace, folders) as memory:
        problems = memory.workspace.index().problems
        files = memory.workspace.sources()
    roots = (workspace, *folders)
    names = {}
    for one in files:
        root = next(root for root in roots if Path(one.file).is_relative_to(root))
        names[os.path.relpath(one.file, root)] = one.role
    return names, sorted(os.path.basename(one.file) for one in problems)


def test_files_of_the_agent_are_notes(tmp_path: Path) -> None:
    own = "MEMORY.md USER.md memory/2026-02-04.md memory/2026-02-04-talk.md memory/people/anna.md"
    others = "SOUL.md IDENTITY.md AGENTS.md TOOLS.md HEARTBEAT.md DREAMS.md README.md "
    others += "skills/x/SKILL.md memory/tags.json memory/dreaming/light/2026-02-04.md "
    others += "memory/.hidden/a.md memory/.a.md"
    put(tmp_path / "ws", *own.split(), *others.split())
    os.mkfifo(tmp_path / "ws" / "memory" / "pipe.md")
    (tmp_path / "ws" / "memory" / "folder.md").mkdir()
    roles = ["memory", "user", "daily", "daily", "note"]
    expected = dict(zip(own.split(), roles, strict=True))
    assert found(tmp_path / "home", tmp_path / "ws") == (expected, [])
    (tmp_path / "link").symlink_to(tmp_path / "ws")  # a workspace may itself be a link
    assert found(tmp_path / "home", tmp_path / "link") == (expected, [])


def test_markdown_in_folders_of_the_user_is_notes(tmp_path: Path) -> None:
    own = ["2026-02-04.md", "TOOLS.md", "a.md", "b/c.MARKDOWN", "笔记/茶.md"]
    put(tmp_path / "notes", *own, "b/d.txt", "node_modules/e.md", ".git/f.md")
    put(tmp_path / "deep", "b.md")
    names, problems = found(
        tmp_path / "home", tmp_path / "ws", tmp_path / "notes", tmp_path / "deep", tmp_path / "none"
    )
    assert names == dict.fromkeys([*own, "b.md"], "note")
    assert problems == ["none"]


def test_file_is_found_once_however_it_is_reached(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    put(workspace, "TOOLS.md", "memory/long-term.md", "other/b.md")
    (workspace / "MEMORY.md").symlink_to(workspace / "memory" / "long-term.md")
    (workspace / "memory" / "again.md").symlink_to(workspace / "memory" / "long-term.md")
    (workspace / "other" / "round").symlink_to(workspace)
    names, _ = found(tmp_path / "home", workspace, workspace, tmp_path, workspace)
    assert names == {"MEMORY.md": "memory", "other/b.md": "note"}


def test_links_that_lead_out_are_not_followed(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "ws", tmp_path / "outside"
    put(workspace, "memory/a.md")
    put(outside, "secret.md")
    put(tmp_path / "ws-beside", "secret.md")
    (workspace / "memory" / "file.md").symlink_to(outside / "secret.md")
    (workspace / "memory" / "folder").symlink_to(outside)
    (workspace / "memory" / "beside").symlink_to(tmp_path / "ws-beside")
    (workspace / "memory" / "nowhere.md").symlink_to(tmp_path / "nowhere")
    (workspace / "USER.md").symlink_to(outside / "secret.md")
    told = ["USER.md", "beside", "file.md", "folder"]
    assert found(tmp_path / "home", workspace) == ({"memory/a.md": "note"}, told)
    put(tmp_path / "other", "MEMORY.md")
    (tmp_path / "other" / "memory").symlink_to(outside)
    expected = ({"MEMORY.md": "memory"}, ["memory"])
    assert found(tmp_path / "home2", tmp_path / "other") == expected


# -- how they are followed -----------------------------------------------------------------------


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


def test_files_are_never_written_to_and_may_be_renamed(memory: Memory, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*.md")}
    for path in before:
        path.chmod(0o400)
    index(memory)
    os.utime(folder / "MEMORY.md", ns=(LONG_AGO + 5, LONG_AGO + 5))  # only touched
    assert index(memory) == Indexed(unchanged=2)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    os.rename(folder / "memory" / "2026-02-04.md", folder / "memory" / "tooth.md")
    assert index(memory) == Indexed(read=1, unchanged=1, removed=1, chunks=1)
    assert memory.recall("tooth").items


def test_our_views_are_no_notes(memory: Memory, folder: Path) -> None:
    memory.capture("The zebra lives in Osaka")
    memory.workspace.export()
    view = folder / "memory" / "insights.md"
    write(view, view.read_text("utf-8").split("\n", 1)[1])  # not even without its mark
    write(folder / "memory" / "projects" / "insights.md", "My own zebra\n")
    assert index(memory).read == 3
    (note,) = (one for one in memory.recall("zebra").items if one.kind == "note")
    assert note.content == "My own zebra"
    view_now = "---\nloxodon: segment\n---\nx\n"
    write(folder / "memory" / "2026-02-04.md", view_now, LONG_AGO + 1)
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


def test_of_a_huge_file_the_beginning_is_read(memory: Memory, folder: Path) -> None:
    path = folder / "memory" / "huge.md"
    with open(path, "wb") as file:
        file.write(b"zebra\n")
        file.truncate(300 << 20)
    assert index(memory).problems
    assert index(memory).read == 0


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
    for n in range(20):
        write(folder / "memory" / f"{n:02d}.md", f"note number {n}\n" * 50)
    found: list[tuple[int, int]] = []

    def every_tenth(done: int, total: int) -> None:
        if done % 10 == 0:
            with Memory.open(tmp_path / "home", config=memory.config) as other:
                found.append((done, len(other.recall("乌龙茶").items)))
                other.capture(f"said while it reads, {done}")

    memory.workspace.index(every_tenth)
    assert found == [(10, 1), (20, 1)]
