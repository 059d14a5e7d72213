"""`loxodon export` and what it says, as a user would type it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.serve.test_knowledge import TALK, ZH, Run, run, talk

__all__ = ["run"]


def test_export_says_where_and_how_much(run: Run, tmp_path: Path) -> None:
    run("add", talk(tmp_path, TALK["en"]))
    run("consolidate")
    root = tmp_path / "home" / "spaces" / "main" / "workspace" / "memory"
    assert (root / "insights.md").exists()
    run("capture", "the boiler is serviced in May", "--tags", "house")
    said = run("export")
    assert said.startswith(f"{root}\nfiles written: ")
    assert "files written: 0," in run("export")
    assert run("export", lang=ZH["LANG"]).endswith("删除：0\n")


def test_export_as_json_and_into_a_folder(run: Run, tmp_path: Path) -> None:
    run("add", talk(tmp_path, TALK["zh"]))
    found = json.loads(run("export", str(tmp_path / "out"), "--json"))
    assert list(found) == ["folder", "written", "unchanged", "removed", "kept", "masked"]
    assert found["folder"] == str(tmp_path / "out" / "memory")
    assert (tmp_path / "out" / "memory" / "daily" / "2026-02-04.md").exists()


def test_masked_copies_need_a_folder(run: Run, tmp_path: Path) -> None:
    run("capture", "mail ada@example.org about it")
    assert "--masked" in run("export", "--masked", code=2)
    run("export", str(tmp_path / "copy"), "--masked")
    text = (tmp_path / "copy" / "memory" / "insights.md").read_text("utf-8")
    assert "mail [mail a••@example.org] about it" in text


def test_what_stands_in_the_way_is_told(run: Run, tmp_path: Path) -> None:
    run("capture", "x")
    out = tmp_path / "out"
    (out / "memory").mkdir(parents=True)
    (out / "memory" / "projects.md").write_text("# mine\n")
    found = json.loads(run("export", str(out), "--json"))
    assert [one["file"] for one in found["kept"]] == ["projects.md"]
    (tmp_path / "file").write_text("")
    assert "file" in run("export", str(tmp_path / "file"), code=7)


def test_status_tells_of_views_that_could_not_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run("config", "workspace.path", str(tmp_path / "file" / "agent"))
    run("add", talk(tmp_path, TALK["en"]))
    assert "the text views could not be written" in run("consolidate")
    assert "not written: " in run("status")
    assert "文本视图" in run("status", lang=ZH["LANG"])
