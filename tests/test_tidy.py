"""The check that tests leave nothing behind can fail."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.tidy import differences, no_cache, stamps


def test_what_is_made_changed_or_removed_is_told(tmp_path: Path) -> None:
    for name in ("kept", "changed", "removed"):
        (tmp_path / name).write_text("before")
    before = stamps(tmp_path)
    (tmp_path / "changed").write_text("after!")
    (tmp_path / "removed").unlink()
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "made").touch()
    assert differences(before, stamps(tmp_path)) == [
        "changed: changed",
        "made: deep/er",
        "made: deep/made",
        "removed: removed",
    ]
    assert differences(before, before) == []


@pytest.mark.parametrize("name", [".hypothesis", "__pycache__", "loxodon.egg-info"])
def test_a_cache_in_the_repository_is_nothing_left(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "file").touch()
    assert stamps(tmp_path, no_cache) == {}
    assert stamps(tmp_path).keys() == {f"{name}/file"}


def test_home_and_temporary_files_are_the_runs_own(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    run = tmp_path_factory.getbasetemp()
    assert Path.home().is_relative_to(run)
    assert Path(tempfile.gettempdir()).is_relative_to(run)
