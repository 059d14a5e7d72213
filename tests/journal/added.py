"""`loxodon add` on a file: what is in the journal then, and the lines that could not be read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from loxodon import Memory
from loxodon.types import Turn
from tests.cli.shell import typed
from tests.clock import NOW


class Added(NamedTuple):
    turns: list[Turn]
    problems: list[tuple[int, str]]
    hints: list[str]

    @property
    def texts(self) -> list[str]:
        return [turn.content for turn in self.turns]

    @property
    def lines(self) -> list[int]:
        return [line for line, _ in self.problems]


def add(*files: str | bytes, name: str = "talk.txt", format: str = "", me: str = "") -> Added:
    """Add each of `files` in turn, all under one name, to a memory of its own."""
    with TemporaryDirectory() as top:
        home, path = os.path.join(top, "home"), Path(top, "files", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        environment = {
            "HOME": top,
            "LOXODON_HOME": home,
            "LOXODON_NOW": NOW.isoformat(),
            "LANG": "C.UTF-8",
            "TZ": "Asia/Shanghai",
        }
        given = {"--format": format, "--me": me}
        options = [word for one in given.items() if one[1] for word in one]
        problems: list[dict[str, object]] = []
        for data in files:
            path.write_bytes(data.encode() if isinstance(data, str) else data)
            words = ("add", str(path), "--skip-bad", "--json", *options)
            done = typed(*words, env=environment)
            assert done.returncode in (0, 4), done.stderr
            told = json.loads(done.stdout)
            problems = told["skipped"] if "skipped" in told else told["error"]["problems"]
        turns: list[Turn] = []
        if os.path.exists(home):
            with Memory.open(home) as memory:
                turns = sorted(memory.journal(), key=lambda one: int(one.ref.removeprefix("t_")))
    said = [(int(str(one["line"])), str(one.get("what", one.get("message")))) for one in problems]
    return Added(turns, said, [str(one.get("hint", "")) for one in problems])
