"""`loxodon bench`, as a user would type it."""

from __future__ import annotations

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


def test_tables_for_people(shell: Shell, tmp_path: Path) -> None:
    talk = garden()
    talk["questions"].append(question("q3", "wheelbarrow", ["gone"]))
    path = written(tmp_path, talk, harbour())
    for language, heading in ((EN, "overall"), (ZH, "总计")):
        said = shell.text("bench", "retrieval", path, "--crossed", "--leave-out=place", **language)
        assert [one for one in (heading, "ndcg@10", "talks.jsonl") if one not in said] == []
    path = written(tmp_path, cook())
    for language, failed in ((EN, "failed"), (ZH, "失败")):
        said = shell.text("bench", "writing", path, "--failures", **language)
        assert [one for one in ("additions", "denoising", failed) if one not in said] == []
    assert not shell.home.exists()


@each(
    ("words", "code"),
    [("retrieval --set recall.nothing=1", 6), ("retrieval --limit -1", 2), ("writing --model", 2)],
)
def test_invalid_options_are_refused(shell: Shell, tmp_path: Path, words: str, code: int) -> None:
    what, *options = words.split()
    path = written(tmp_path, garden() if what == "retrieval" else mover())
    assert b"hint:" in shell("bench", what, path, *options, code=code).stderr
