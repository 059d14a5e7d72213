"""What was told a day apart and learned each time, for the tests of what is kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from loxodon import Memory
from loxodon.store.store import Store
from loxodon.types import Record
from tests.clock import Clock


def store_of(memory: Memory) -> Store:
    return memory._store


def learn(memory: Memory, content: str, **fields: Any) -> Record:
    """A memory in the topic `diet` that nobody wrote by hand."""
    store, at = store_of(memory), memory.now()
    given = {"topic": "diet", **fields}
    with store.writing():
        return store.insert(Record("", "", "fact", content, at, at, 0.5, **given), "learned")


def tell(memory: Memory, clock: Clock, *texts: str, days: float = 1, **turn: Any) -> None:
    """Say one thing after another in conversations of their own, and learn from each."""
    for text in texts:
        clock.now += timedelta(days=days)
        at = clock.now.isoformat()
        session = turn.get("session") or f"talk {at}"
        memory.add([{"role": "user", "content": text, "at": at, **turn}], session=session)
        memory.consolidate(force=True)


def contents(memory: Memory, **where: Any) -> list[str]:
    """What is known but for summaries, oldest first."""
    return [one.content for one in reversed(memory.list(**where)) if one.kind != "summary"]


def one_about(memory: Memory, word: str, **where: Any) -> Record:
    """The only memory but for summaries that has a word."""
    found = [one for one in memory.list(**where) if word in one.content and one.kind != "summary"]
    (one,) = found
    return one
