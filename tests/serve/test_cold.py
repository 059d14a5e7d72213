"""A recall from the shell loads nothing heavy that it does not use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from loxodon import Memory

HEAVY = ("asyncio", "httpx", "numpy", "psycopg", "rich", "rjieba", "ssl", "starlette", "tomlkit")
LOADED = """
import sys
from loxodon.serve.cli import main
code = main(sys.argv[1:])
print(*sys.modules, sep="\\n", file=sys.stderr)
sys.exit(code)
"""


def test_cold_recall_loads_nothing_heavy(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        memory.capture("Mei, the user's sister, lives near the sea", entities=["Mei"])
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "--home", str(home), "recall", "Where does Mei live?"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert "near the sea" in done.stdout
    assert set(done.stderr.split()) & set(HEAVY) == set()
