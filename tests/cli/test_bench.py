"""`loxodon bench`, as a user would type it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.labelled import cook, mover
from tests.cli.shell import Shell
from tests.cli.talks import garden, harbour, question, written
from tests.each import each

EN: Any = {}
ZH: Any = {"LANG": "zh_CN.UTF-8"}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


def test_retrieval_as_json(shell: Shell, tmp_path: Path) -> None:
    path = written(tmp_path, garden(), harbour())
    found = shell.json("bench", "retrieval", path, "--set", "recall.top=7")
    (file,) = found["files"]
    assert file["file"] == path
    wanted = {"n", "r@5", "r@10", "r@20", "r@1k", "ndcg@10", "mrr"}
    assert wanted <= file["overall"].keys()
    assert all(wanted <= one.keys() for one in file["categories"].values())
    assert file["latency_ms"].keys() == {"p50", "p99"}
    assert found["settings"] == {"recall.top": 7, "embedder.kind": "none"}


def test_tables_for_people(shell: Shell, tmp_path: Path) -> None:
    talk = garden()
    talk["questions"].append(question("q3", "wheelbarrow", ["gone"]))
    path = written(tmp_path, talk, harbour())
    for language, heading in ((EN, "overall"), (ZH, "总计")):
        done = shell("bench", "retrieval", path, "--crossed", "--leave-out", "place", **language)
        for text in (heading, "ndcg@10", "talks.jsonl"):
            assert text in done.stdout.decode()
    path = written(tmp_path, cook())
    for language, texts in (
        (EN, ("additions", "ADD", "denoising", "failed")),
        (ZH, ("additions",)),
    ):
        said = shell.text("bench", "writing", path, "--failures", **language)
        assert [one for one in texts if one not in said] == []
    assert not shell.home.exists()


def test_writing_as_json(shell: Shell, tmp_path: Path) -> None:
    path = written(tmp_path, mover(), cook())
    (file,) = shell.json("bench", "writing", path, "--failures")["files"]
    assert file["file"] == path
    assert file["additions"] == {"n": 3, "right": 2, "share": 66.67}
    assert file["operations"].keys() == {"overall", "ADD", "UPDATE", "DELETE", "NOOP"}
    assert [one["case"] for one in file["failures"]] == ["mover", "cook"]
    given = json.dumps(mover()).encode()
    assert shell.json("bench", "writing", "-", given=given)["files"][0]["cases"] == 1


@each(
    ("words", "code"),
    [("retrieval --set recall.nothing=1", 6), ("retrieval --limit -1", 2), ("writing --model", 2)],
)
def test_invalid_options_are_refused(shell: Shell, tmp_path: Path, words: str, code: int) -> None:
    what, *options = words.split()
    path = written(tmp_path, garden() if what == "retrieval" else mover())
    assert b"hint:" in shell("bench", what, path, *options, code=code).stderr


def test_bad_lines_are_named(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    for what, line, missing in (
        ("retrieval", '{"id": "c"}', "sessions"),
        ("writing", '{"id": "c", "checks": []}', "turns"),
    ):
        path.write_text(f"{line}\n{{\n")
        said = shell("bench", what, str(path), code=4).stderr.decode()
        assert f"line 1: {missing} is missing" in said
        assert "line 2: the line is not JSON" in said
