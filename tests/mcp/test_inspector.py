"""The official inspector's command line against the program itself.

`make test-inspector` installs it and sets LOXODON_INSPECTOR to where it is; without that there is
nothing to test here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .desk import http_server
from .test_tools import NAMES

PACKAGES = Path(os.environ.get("LOXODON_INSPECTOR", ""), "node_modules")

pytestmark = pytest.mark.skipif(
    not os.environ.get("LOXODON_INSPECTOR"),
    reason="there is no inspector here; `make test-inspector` brings one",
)


def _inspect(folder: Path, *words: str) -> Any:
    """What the inspector prints, at home in a folder, where it keeps a storage of its own."""
    found = [path for path in PACKAGES.glob("node-*/bin/node") if os.access(path, os.X_OK)]
    node = str(found[0] if found else shutil.which("node"))
    waits = ("--connect-timeout", "100000")  # a busy machine takes long to start
    path = os.pathsep.join([os.path.dirname(node), os.environ["PATH"]])
    done = subprocess.run(
        [node, str(PACKAGES / ".bin" / "mcp-inspector"), "--cli", *waits, *words],
        env={**os.environ, "PATH": path, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_it_sees_the_tools_and_can_call_them(tmp_path: Path) -> None:
    server = (sys.executable, "-m", "loxodon", "--home", str(tmp_path / "home"), "mcp")
    tools = _inspect(tmp_path, *server, "--method", "tools/list")["tools"]
    assert [one["name"] for one in tools] == NAMES
    call = ("--method", "tools/call", "--tool-name")
    kept = _inspect(tmp_path, *server, *call, "remember", "--tool-arg", "content=用户对花生过敏")
    id = kept["structuredContent"]["id"]
    found = _inspect(tmp_path, *server, *call, "memory_search", "--tool-arg", "query=花生")
    assert [one["id"] for one in found["structuredContent"]["results"]] == [id]


def test_it_sees_the_tools_over_http(tmp_path: Path) -> None:
    with http_server(tmp_path / "home") as url:
        tools = _inspect(tmp_path, url, "--transport", "http", "--method", "tools/list")["tools"]
    assert [one["name"] for one in tools] == NAMES
