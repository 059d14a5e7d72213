"""A home with a log of many files, whose like the tampering suite spoils."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from loxodon import Memory
from loxodon.store.sqlite import seals
from loxodon.trust.audit import trail
from loxodon.trust.audit.log import Audit
from loxodon.trust.audit.verifying import Verified
from tests.long import count

SIZE = count(1_000, 3_000)
"""Bytes of a file of the log here, so that there are many."""


def opened(home: Path, space: str = "main", **config: object) -> Memory:
    memory = Memory.open(home, space, config or None)
    audit = audit_of(memory)
    audit.settings = audit.settings._replace(size=SIZE)
    return memory


def audit_of(memory: Memory) -> Audit:
    audit = memory._store.audit
    assert audit is not None
    return audit


def live(memory: Memory, rng: random.Random, steps: int) -> None:
    """Do this and that, as an agent would."""
    for step in range(steps):
        known = memory.list(limit=20)
        match rng.randrange(8):
            case 0:
                memory.add([{"role": "user", "content": f"day {step} {rng.random()}"}], "talk")
            case 1:
                memory.capture(f"phone number {step}: 138{rng.randrange(10**8):08d}")
            case 2:
                memory.capture(f"likes {rng.choice(('tea', 'coffee', 'rice', '面条'))} {step}")
            case 3 if known:
                number = f"139{rng.randrange(10**8):08d}"
                memory.edit(rng.choice(known).id, content=f"new number {step}: {number}")
            case 4 if known:
                memory.archive(rng.choice(known).id)
            case 5 if known:
                memory.get(rng.choice(known).id)
            case 6:
                memory.journal(limit=5)
            case _:
                memory.recall(rng.choice(("tea", "number", "面条", "day")))


def verified(home: Path, space: str = "main") -> Verified:
    with opened(home, space) as memory:
        return memory.audit.verify()


class Spoilt(NamedTuple):
    """What a tampering has at hand: a home to spoil, and how it was before."""

    home: Path
    old: Path
    """The same home, many writes ago."""
    rng: random.Random

    @property
    def space(self) -> Path:
        return self.home / "spaces" / "main"

    @property
    def logs(self) -> list[Path]:
        return sorted((self.space / "audit").glob("*.log"))

    @property
    def head(self) -> Path:
        return self.home / "audit" / "main.head"

    def some_log(self) -> Path:
        return self.rng.choice(self.logs)

    def sql(self, *statements: tuple[str, tuple[Any, ...]]) -> int:
        """Change the database behind our back, as someone who has our code can; rows changed."""
        connection = apsw.Connection(str(self.space / "loxodon.db"))
        seals.register(connection)
        connection.execute("PRAGMA foreign_keys=ON")
        for statement, values in statements:
            connection.execute(statement, values)
        changed = connection.total_changes()
        connection.close()
        return changed

    def sensitive(self) -> list[int]:
        with sqlite3.connect(self.space / "loxodon.db") as db:
            rows = db.execute("SELECT row FROM memories WHERE sensitivity <> 'low' ORDER BY row")
            return [row for (row,) in rows]


Tampering = Callable[[Spoilt], None]


def built(root: Path, rng: random.Random) -> tuple[Path, Path]:
    """A home with two spaces, and a copy of it from when it had half of what it has."""
    home, old = root / "home", root / "old"
    with opened(home, "other") as memory:
        live(memory, rng, count(12, 40))
    with opened(home) as memory:
        memory.capture("my number is 13800138000")
        live(memory, rng, count(25, 60))
    shutil.copytree(home, old)
    with opened(home) as memory:
        memory.capture("my other number is 13900139000")
        live(memory, rng, count(25, 60))
        memory.archive(memory.list(limit=1)[0].id)
    return home, old


def lines_of(log: Path) -> list[bytes]:
    return log.read_bytes().splitlines(keepends=True)


def anchored(line: bytes) -> bool:
    found = trail.parsed(line.rstrip(b"\n"))
    return found is not None and "prev" in found.entry
