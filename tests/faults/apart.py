"""Running a suite in a process of its own, which may fork, be killed and replace the disk."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def reported(module: str, *words: object) -> Any:
    """What `python -m module words…` prints, which is JSON."""
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return json.loads(done.stdout)
