"""No message stops consolidation: not by its length, not by what it is made of."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from time import process_time

from loxodon import Memory
from tests.clock import Clock
from tests.consolidate.hostile import messages
from tests.consolidate.talks import CONFIG, known, said
from tests.long import LONG, some

FACTS = ("My cat is called Miso.", "I am allergic to peanuts.")


def facts_of(memory: Memory) -> bool:
    contents = known(memory)
    return any("Miso" in one for one in contents) and any("peanuts" in one for one in contents)


def test_what_is_said_around_hostile_messages_is_learned_in_time_that_grows_with_them(
    tmp_path: Path,
) -> None:
    least = 8_000 if LONG else 400
    took = []
    for n in (least, 2 * least):
        with Memory.open(tmp_path / str(n), config=CONFIG, clock=Clock()) as memory:
            kinds = some(list(messages(n).items()), 7)
            hostile = [said(text, session=name or "x") for name, text in kinds]
            turns = [said(FACTS[0], session="before"), *hostile, said(FACTS[1], session="after")]
            memory.add([one for each in turns for one in each])
            started = process_time()
            memory.consolidate()
            took.append(process_time() - started)
            assert facts_of(memory)
            assert not memory.status().pending
            assert not memory.status().failed
    assert took[1] <= 6 * took[0]


KILLER = """
    import os, signal, sys
    from pathlib import Path
    from loxodon import Memory
    from loxodon.consolidate import pipeline
    from tests.clock import Clock
    from tests.consolidate.talks import CONFIG

    inner = getattr(pipeline, sys.argv[2])

    def deadly(*given):
        if "walrus" in str(given):
            os.kill(os.getpid(), signal.SIGKILL)
        return inner(*given)

    setattr(pipeline, sys.argv[2], deadly)
    with Memory.open(Path(sys.argv[1]), config=CONFIG, clock=Clock()) as memory:
        memory.consolidate()
"""


def test_one_kill_puts_nothing_aside(tmp_path: Path) -> None:
    with Memory.open(tmp_path, config=CONFIG, clock=Clock()) as memory:
        memory.add(said(FACTS[0], "I saw a walrus.", FACTS[1]))
    command = [sys.executable, "-c", textwrap.dedent(KILLER), str(tmp_path), "read"]
    assert subprocess.run(command, cwd=Path(__file__).parents[2]).returncode == -signal.SIGKILL
    with Memory.open(tmp_path, config=CONFIG, clock=Clock()) as memory:
        memory.consolidate()
        assert facts_of(memory)
        assert not memory.status().failed
