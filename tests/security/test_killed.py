"""Encrypting, re-keying, backing up and restoring, killed half-way: nothing is lost, ever."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.long import LONG, count, figure

WORKS = (
    "encrypt",
    "decrypt",
    "rekey",
    "backup",
    "backup-encrypted",
    "restore",
    "restore-encrypted",
)
# How far apart the points are; in the long form every one is taken
SHORT = {"encrypt": 80, "decrypt": 15, "rekey": 15, "backup": 10, "restore-encrypted": 10}


def killed(folder: Path, *works: str) -> list[dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.killing", str(folder), *works],
        text=True,
        capture_output=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("works", [(one,) for one in WORKS] if LONG else [tuple(SHORT)])
def test_a_kill_at_any_call_that_changes_files(tmp_path: Path, works: tuple[str, ...]) -> None:
    found = killed(tmp_path, *(f"{one}:{count(SHORT.get(one, 1), 1)}" for one in works))
    assert [one for one in found if one["problem"]] == []
    kills = sum(bool(one["killed"]) for one in found)
    assert kills >= len(works)
    figure(f"killed_at_calls_{works[0]}", runs=len(found), killed=kills, violations=0)
