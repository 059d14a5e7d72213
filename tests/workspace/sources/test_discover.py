"""Which files are sources, and which are passed over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loxodon.workspace.sources import discover as module
from loxodon.workspace.sources.discover import discover


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")


def found(workspace: Path, *folders: Path) -> dict[str, str]:
    files = discover(str(workspace), [str(folder) for folder in folders]).files
    return {file.path: file.role for file in files}


def test_the_agents_own_files(tmp_path: Path) -> None:
    put(
        tmp_path,
        "MEMORY.md",
        "USER.md",
        "SOUL.md",
        "IDENTITY.md",
        "AGENTS.md",
        "TOOLS.md",
        "HEARTBEAT.md",
        "DREAMS.md",
        "README.md",
        "skills/x/SKILL.md",
        "memory/2026-02-04.md",
        "memory/2026-02-04-talk.md",
        "memory/people/anna.md",
        "memory/tags.json",
        "memory/dreaming/light/2026-02-04.md",
        "memory/.hidden/a.md",
        "memory/.a.md",
    )
    assert found(tmp_path) == {
        "MEMORY.md": "memory",
        "USER.md": "user",
        "memory/2026-02-04.md": "daily",
        "memory/2026-02-04-talk.md": "daily",
        "memory/people/anna.md": "note",
    }


def test_markdown_in_folders_of_the_user(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    put(
        notes,
        "a.md",
        "b/c.MARKDOWN",
        "b/d.txt",
        "node_modules/e.md",
        ".git/f.md",
        "TOOLS.md",
        "2026-02-04.md",
        "笔记/茶.md",
    )
    assert found(tmp_path / "ws", notes) == dict.fromkeys(
        ["2026-02-04.md", "TOOLS.md", "a.md", "b/c.MARKDOWN", "笔记/茶.md"], "note"
    )


def test_a_file_is_found_once_however_it_is_reached(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    put(workspace, "MEMORY.md", "TOOLS.md", "memory/a.md", "other/b.md")
    (workspace / "memory" / "again.md").symlink_to(workspace / "memory" / "a.md")
    (workspace / "other" / "round").symlink_to(workspace)
    files = discover(str(workspace), [str(workspace), str(tmp_path), str(workspace)]).files
    assert [(file.path, file.role) for file in files] == [
        ("MEMORY.md", "memory"),
        ("memory/a.md", "note"),
        ("other/b.md", "note"),
    ]


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
    found = discover(str(workspace))
    assert [file.path for file in found.files] == ["memory/a.md"]
    assert {os.path.basename(problem.file) for problem in found.problems} == {
        "file.md",
        "folder",
        "beside",
        "USER.md",
    }


def test_a_link_inside_is_followed_under_its_own_name(tmp_path: Path) -> None:
    put(tmp_path, "memory/long-term.md")
    (tmp_path / "MEMORY.md").symlink_to(tmp_path / "memory" / "long-term.md")
    assert found(tmp_path) == {"MEMORY.md": "memory"}


def test_the_folder_of_notes_may_not_lead_out_either(tmp_path: Path) -> None:
    put(tmp_path / "outside", "secret.md")
    put(tmp_path / "ws", "MEMORY.md")
    (tmp_path / "ws" / "memory").symlink_to(tmp_path / "outside")
    found = discover(str(tmp_path / "ws"))
    assert [file.path for file in found.files] == ["MEMORY.md"]
    assert [problem.file for problem in found.problems] == [str(tmp_path / "ws" / "memory")]


def test_a_workspace_may_itself_be_a_link(tmp_path: Path) -> None:
    put(tmp_path / "real", "MEMORY.md", "memory/a.md")
    (tmp_path / "ws").symlink_to(tmp_path / "real")
    assert found(tmp_path / "ws") == {"MEMORY.md": "memory", "memory/a.md": "note"}


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "memory/a.md")
    os.mkfifo(tmp_path / "memory" / "pipe.md")
    (tmp_path / "memory" / "folder.md").mkdir()
    assert found(tmp_path) == {"memory/a.md": "note"}


def test_a_folder_that_is_not_there_is_a_problem_a_workspace_is_not(tmp_path: Path) -> None:
    assert discover(str(tmp_path / "none")) == ([], [])
    (problem,) = discover(str(tmp_path), [str(tmp_path / "none")]).problems
    assert problem.file == str(tmp_path / "none")


def test_a_name_that_is_not_utf8_is_reported(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    with open(os.fsencode(tmp_path / "memory") + b"/\xff.md", "wb"):
        pass
    put(tmp_path, "memory/tab\there.md")
    found = discover(str(tmp_path))
    assert [file.path for file in found.files] == ["memory/tab\there.md"]
    assert "\\udcff" in found.problems[0].file


def test_there_is_an_end_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 3)
    put(tmp_path, *(f"memory/{n}.md" for n in range(9)))
    found = discover(str(tmp_path))
    assert len(found.files) == 3
    assert len(found.problems) == 1
    deep = tmp_path / "deep"
    put(deep, "/".join("x" * 60) + "/a.md", "b.md")
    assert [file.path for file in discover(str(tmp_path / "none"), [str(deep)]).files] == ["b.md"]
