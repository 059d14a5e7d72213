"""Files that are written whole, and for their owner only."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from loxodon import files


def test_a_file_is_replaced_in_one_step_and_private(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    files.replace(str(path), b"first")
    files.replace(str(path), "第二".encode())
    assert path.read_text("utf-8") == "第二"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["kept"]


def test_a_file_of_others_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "shared"
    files.replace(str(path), b"x", 0o644)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_what_cannot_be_put_in_place_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "in the way"
    (folder / "full").mkdir(parents=True)
    with pytest.raises(OSError):
        files.replace(str(folder), b"x")
    assert os.listdir(tmp_path) == ["in the way"]
