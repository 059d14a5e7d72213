"""One of many processes that write to the same memory at once: `python -m tests.faults.writer`.

It waits for a line on its standard input, so that all begin together, and prints what it did as
JSON: how long each write took, in seconds, and what was acknowledged to it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from random import Random
from time import perf_counter
from typing import Any

from loxodon import Memory
from loxodon.errors import StaleEditError


class Writer:
    """Writes by turns to the journal, to memories of its own and to one that all share."""

    def __init__(self, memory: Memory, number: int) -> None:
        self._memory, self._number, self._rng = memory, number, Random(number)
        self._shared = memory.list(tag="shared")[0].id
        self._own: list[str] = []
        self.took: list[float] = []  # seconds of each call, those that were refused among them
        self.turns: list[str] = []
        self.tokens: list[tuple[str, str]] = []
        self.bumps = self.stale = 0

    def write(self, n: int) -> None:
        memory, number = self._memory, self._number
        kind = n % 4
        if kind == 0:
            said = f"writer {number} says {n}"
            turn = {"role": "user", "content": said, "id": f"w{number}-{n}"}
            self._timed(lambda: memory.add([turn], "talk"))
            self.turns.append(said)
        elif kind == 1:
            token = f"{number}/{n}" if self._rng.random() < 0.5 else f"all/{n}"
            record = self._timed(lambda: memory.capture(f"thing {token}", token=token))
            self.tokens.append((token, record.id))
            if token.startswith(f"{number}/"):
                self._own.append(record.id)
        elif kind == 2 and self._own:
            self._timed(lambda: memory.edit(self._own[-1], content=f"edited by {number} at {n}"))
        else:
            self._bump()
            self.bumps += 1

    def _bump(self) -> None:
        """Add one to a number, as one does who reads before he writes, until nobody was faster."""
        while True:
            seen = self._memory.get(self._shared)
            count = int(seen.content.rpartition(" ")[2])
            said = f"the number is {count + 1}"
            try:
                edit = partial(self._memory.edit, self._shared, content=said, version=seen.version)
                self._timed(edit)
                return
            except StaleEditError:
                self.stale += 1

    def _timed(self, call: Callable[[], Any]) -> Any:
        started = perf_counter()
        try:
            return call()
        finally:
            self.took.append(perf_counter() - started)


if __name__ == "__main__":
    with Memory.open(sys.argv[1]) as memory:
        writer = Writer(memory, int(sys.argv[2]))
        sys.stdin.readline()
        for n in range(int(sys.argv[3])):
            writer.write(n)
    names = ("took", "turns", "tokens", "bumps", "stale")
    print(json.dumps({name: getattr(writer, name) for name in names}))
