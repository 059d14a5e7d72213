"""What was recalled is counted, for its own day."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from loxodon import Memory
from loxodon.store import MemoryUse
from tests.clock import NOW, Clock


def test_uses_are_counted_when_the_memory_is_closed(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, clock=clock) as memory:
        memory.capture("The user likes green tea", audience="all")
    for day, agent in ((0, ""), (3, ""), (3, "helper")):
        clock.now = NOW + timedelta(days=day)
        with Memory.open(tmp_path, clock=clock, agent=agent) as memory:
            assert memory.recall("tea").items
    with Memory.open(tmp_path, clock=clock) as memory:
        (one,) = memory.workspace.store.query_as(MemoryUse, "used")
        assert (one.days, one.times, one.last_at) == (2, 3, memory.now())
        assert [entry.op for entry in memory.audit.entries()] == ["capture", *["recall"] * 3]
