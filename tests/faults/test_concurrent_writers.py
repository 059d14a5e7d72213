"""Processes write to one memory at once, or are killed: nothing is lost, nothing is done twice.

Three things stand against lost updates, and each is tried here: the version that an edit names, the
merge of what is said twice, the token of a call.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from loxodon import Memory
from tests.long import count, figure

PROCESSES = count(3, 16)
WRITES = count(8, 500)
AT_ONCE = count(2, 8)


def together(*commands: list[str]) -> list[str]:
    """What these Python programs print, all of which began at the same moment."""
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen([sys.executable, *one], stdin=pipe, stdout=pipe, text=True)
        for one in commands
    ]
    for one in started:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    found = [one.communicate()[0] for one in started]
    assert [one.returncode for one in started] == [0] * len(started)
    return found


def test_no_update_is_lost(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        shared = memory.capture("the number is 0", tags=["shared"])
    command = ["-m", "tests.faults.writer", str(home)]
    printed = together(*([*command, str(n), str(WRITES)] for n in range(PROCESSES)))
    done: list[dict[str, Any]] = [json.loads(text) for text in printed]
    with Memory.open(home) as memory:
        assert memory.validate() == []
        said = Counter(turn.content for turn in memory.journal(session="talk"))
        assert said == Counter(text for one in done for text in one["turns"])
        # Every edit that was acknowledged is in the number, and in the history without a gap.
        bumps = sum(one["bumps"] for one in done)
        assert memory.get(shared.id).content == f"the number is {bumps}"
        for record in memory.list(limit=0):
            versions = [one.version for one in memory.history(record.id)]
            assert versions == list(range(1, record.version + 1))
        # A call with a token was done once, and all who made it got the same memory.
        given: dict[str, set[str]] = {}
        for token, id in (pair for one in done for pair in one["tokens"]):
            given.setdefault(token, set()).add(id)
        assert all(len(ids) == 1 for ids in given.values())
        assert len({id for ids in given.values() for id in ids}) == len(given)
        assert len(memory.journal(session="capture")) == len(given) + 1
    took = sorted(1e3 * one for each in done for one in each["took"])
    figure(
        "concurrent_writers",
        processes=PROCESSES,
        writes=PROCESSES * WRITES,
        p50_ms=round(took[len(took) // 2], 1),
        p99_ms=round(took[int(len(took) * 0.99)], 1),
        max_ms=round(took[-1], 1),
        stale_retried=sum(one["stale"] for one in done),
    )


MERGER = """
import sys
from loxodon import Memory
with Memory.open(sys.argv[1]) as memory:
    sys.stdin.readline()
    memory.add([{"role": "user", "content": "I live in Leeds.", "id": sys.argv[2]}], sys.argv[2])
    memory.flush()
"""


def test_what_is_said_to_many_at_once_becomes_one_memory(tmp_path: Path) -> None:
    """The merge key: the same said in several processes, each of which makes knowledge of it."""
    home = tmp_path / "home"
    Memory.open(home).close()
    together(*(["-c", MERGER, str(home), f"s{n}"] for n in range(AT_ONCE)))
    with Memory.open(home) as memory:
        memory.consolidate(force=True)
        (found,) = [one for one in memory.list(kind="fact") if "Leeds" in one.content]
        assert len(found.sources) == AT_ONCE
        assert memory.validate() == []


KILLED = """
import sys
from loxodon import Memory
with Memory.open(sys.argv[1]) as memory:
    for n in range(100_000):
        memory.add([{"role": "user", "content": f"turn {n}", "id": str(n)}], session="s")
        print(n, flush=True)
"""


def test_killed_process_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        acknowledged = {int(process.stdout.readline()) for _ in range(40)}
        process.kill()
    with Memory.open(tmp_path) as memory:
        kept = {int(one.id) for one in memory.journal()}
        assert acknowledged <= kept
        assert kept == set(range(len(kept)))
        assert memory.validate() == []
