"""`make demo` shows what it says it shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_demo_runs_and_finds_what_it_should(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "demo/demo.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "LANG": "C.UTF-8",
            "LOXODON_DEMO": str(tmp_path / "demo"),
        },
    )
    assert done.returncode == 0, done.stderr
    assert "turns added: 12" in done.stdout
    assert "turns added: 0, already known: 12" in done.stdout
    shown = done.stdout.split("# ")
    chinese = next(part for part in shown if part.startswith("Ask in Chinese"))
    assert "花生" in chinese.split("1. ")[1].split("\n")[0]
    english = next(part for part in shown if part.startswith("Ask in English"))
    assert "Priya moved to Berlin" in english.split("1. ")[1].split("\n")[0]
