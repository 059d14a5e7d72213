"""A home with two spaces, worked on by commands as its owner types them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from loxodon import Memory
from loxodon.working import Session
from tests.cli.shell import typed
from tests.clock import NOW

WORD = "xylophone"  # stands in everything that is kept, and must stand nowhere once it is encrypted
SPACES = ("main", "张三")


def clock() -> datetime:
    return NOW


class Home:
    """A home, the key beside it, a backup and a copy of its views."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder, "home")
        self.key = os.path.join(folder, "keys", "key")
        self.file = os.path.join(folder, "copies", "one.loxodon")
        self.copy = os.path.join(folder, "copy")

    def loxodon(self, *words: str, code: int = 0, **environ: Any) -> CompletedProcess[str]:
        """What a command says, once it has ended with this code."""
        env = {**os.environ, "LC_ALL": "C.UTF-8", "LOXODON_NOW": NOW.isoformat(), **environ}
        done = typed("--home", self.path, *words, env=env)
        said = CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())
        assert said.returncode == code, (words, said.stdout, said.stderr)
        return said

    def json(self, *words: str, **environ: Any) -> Any:
        return json.loads(self.loxodon(*words, "--json", **environ).stdout)

    def open(self, space: str = "main", **config: Any) -> Memory:
        return Memory.open(self.path, space, config or None, clock)

    def make(self) -> None:
        self.loxodon("config", "audit.enabled", "false")
        for space in SPACES:
            with self.open(space) as memory:
                said = [
                    {"role": "user", "content": f"The {WORD} number {n} is mine", "id": str(n)}
                    for n in range(40)
                ]
                memory.add(said, session=f"{WORD} talk")
                memory.capture(f"I play the {WORD} in {space}")
                session = Session.open(memory, "talk")
                session.prepare(f"about my {WORD}")
                session.finish("a fine one", None)
                memory.workspace.export()

    def content(self, space: str = "main") -> dict[str, list[tuple[Any, ...]]]:
        """All that was said, all that is known, and a live conversation."""
        with self.open(space) as memory:
            records = memory.list(state="all")
            return {
                "turns": [
                    (one.ref, one.session, one.id, one.role, one.content, one.at, one.origin)
                    for one in memory.journal()
                ],
                "memories": [
                    (one.id, one.content, one.version, one.state, one.sources) for one in records
                ],
                "history": [
                    (step.change, step.at, step.record.content)
                    for one in records
                    for step in memory.history(one.id)
                ],
                "talk": [(repr(one.message),) for one in Session.open(memory, "talk").shown],
            }

    def contents(self) -> dict[str, Any]:
        return {space: self.content(space) for space in SPACES}

    @property
    def databases(self) -> list[Path]:
        return sorted(Path(self.path).glob("spaces/*/loxodon.db"))

    @property
    def is_encrypted(self) -> bool:
        return "encryption" in Path(self.path, "config.toml").read_text("utf-8")

    # The work

    def encrypt(self) -> None:
        made = () if os.path.exists(self.key) else ("--make-key",)
        self.loxodon("encrypt", "--key-file", self.key, *made)

    def decrypt(self) -> None:
        self.loxodon("decrypt")

    def rekey(self) -> None:
        self.loxodon("rekey")

    def backup(self) -> None:
        with self.open() as memory:
            memory.backup(self.file, overwrite=True)

    def restore(self) -> None:
        self.loxodon("restore", self.file, "--replace")


def is_plain(database: Path) -> bool:
    return database.read_bytes().startswith(b"SQLite format 3\0")


def in_plain(folder: str) -> Iterator[str]:
    """Files that have the word in them."""
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                if WORD.encode() in file.read():
                    yield os.path.join(place, name)
