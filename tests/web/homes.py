"""Homes to look at: a few days of talk with everything that can wait, and hostile words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from loxodon import Memory
from tests.cases import cases
from tests.clock import Clock

SCRIPT = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
MARKDOWN = "[click](javascript:window.hacked=1) **bold** `code` ![x](http://x.invalid/a.png)"
TURNED = "Pay \u202eevil\u202c to \u2067שלום עולם\u2069 \u200fand مرحبا بالعالم"
LONG = "x" * 100_000
HOSTILE = {"script": SCRIPT, "markdown": MARKDOWN, "turned": TURNED, "long": LONG}


@contextmanager
def opened(home: Path, clock: Clock) -> Iterator[Memory]:
    config = {"timezone": "Asia/Shanghai"}
    with Memory.open(home, config=config, clock=clock) as memory:
        yield memory


def lived(home: Path) -> None:
    """A memory of six weeks, up to now, in which every sort of thing waits."""
    now = datetime.now(UTC)
    clock = Clock(now)
    for talk in cases(__file__, "talk"):
        clock.now = now - timedelta(days=talk["ago"])
        with opened(home, clock) as memory:
            memory.add(
                [
                    {
                        "role": role,
                        "content": words,
                        "at": (clock.now + timedelta(minutes=n)).isoformat(),
                    }
                    for n, (role, words) in enumerate(talk["said"])
                ],
                session=f"talk {talk['ago']} days ago",
            )
            clock.now += timedelta(hours=1)
            memory.consolidate()
    clock.now = now - timedelta(hours=2)
    with opened(home, clock) as memory:
        memory.capture("The user may like sailing", kind="belief", confidence=0.6, tags=["leisure"])
        plan = memory.capture("The user wants to book a dentist", category="plan")
        memory.edit(plan.id, due_at=clock.now - timedelta(hours=1))
        fact = memory.capture("The user has a blue bicycle", tags=["bicycle"])
        memory.edit(fact.id, content="The user has a red bicycle")
        memory.add(
            [{"role": "user", "content": "I am learning Spanish.", "at": clock.now.isoformat()}],
            session="today",
        )


def hostile(home: Path) -> dict[str, str]:
    """A memory with words that try to be more than words; the ids."""
    with opened(home, Clock(datetime.now(UTC))) as memory:
        memory.add(
            [{"role": "user", "content": words, "id": name} for name, words in HOSTILE.items()],
            session=f"{SCRIPT} {TURNED}",
        )
        return {
            name: memory.capture(words[:10_000], tags=[words[:60]], entities=[words[:60]]).id
            for name, words in HOSTILE.items()
        }
