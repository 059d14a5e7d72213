"""No message stops consolidation: not by its length, not by what it is made of."""

from __future__ import annotations

from pathlib import Path
from time import process_time

from loxodon import Memory
from tests.clock import Clock
from tests.consolidate.hostile import messages
from tests.consolidate.talks import CONFIG, known, said
from tests.long import LONG

FACTS = ("My cat is called Miso.", "I am allergic to peanuts.")


def test_what_is_said_around_hostile_messages_is_learned_in_time_that_grows_with_them(
    tmp_path: Path,
) -> None:
    least = 8_000 if LONG else 400
    took = []
    for n in (least, 2 * least):
        with Memory.open(tmp_path / str(n), config=CONFIG, clock=Clock()) as memory:
            hostile = [said(text, session=name or "x") for name, text in messages(n).items()]
            turns = [said(FACTS[0], session="before"), *hostile, said(FACTS[1], session="after")]
            memory.add([one for each in turns for one in each])
            started = process_time()
            memory.consolidate()
            took.append(process_time() - started)
            contents = "\n".join(known(memory))
            assert "Miso" in contents
            assert "peanuts" in contents
            assert not memory.status().pending
            assert not memory.status().failed
    assert took[1] <= 6 * took[0]
