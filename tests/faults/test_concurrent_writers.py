"""Sixteen processes write to one memory at once: nothing is lost, nothing is done twice.

One of the failure modes of a memory is the lost update. Three things stand against it, and each is
tried here: the version that an edit names, the merge of what is said twice, the token of a call.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import apsw

from loxodon import Memory
from tests.long import LONG, count, figure

PROCESSES = count(3, 16)
WRITES = count(8, 500)
AT_ONCE = count(2, 8)
MOST_P99 = 1.0


def together(kind: str, place: Path, processes: int, writes: int) -> list[dict[str, Any]]:
    """What these processes did, all of which began at the same moment."""
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.writer", kind, str(place), str(n), str(writes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(processes)
    ]
    for one in started:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    found = [one.communicate()[0] for one in started]
    assert [one.returncode for one in started] == [0] * processes
    return [json.loads(text) for text in found]


def quantiles(done: list[dict[str, Any]]) -> tuple[float, float, float]:
    took = sorted(one for each in done for one in each["took"])
    return took[len(took) // 2], took[int(len(took) * 0.99)], took[-1]


def test_no_update_is_lost(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        shared = memory.capture("the number is 0", tags=["shared"])
    done = together("memory", home, PROCESSES, WRITES)
    with Memory.open(home) as memory:
        assert memory.validate() == []
        said = Counter(turn.content for turn in memory.journal(session="talk"))
        assert said == Counter(
            text for one in done for text in one["turns"]
        )  # none lost or doubled
        # Every edit that was acknowledged is in the number, and in the history without a gap.
        bumps = sum(one["bumps"] for one in done)
        assert memory.get(shared.id).content == f"the number is {bumps}"
        assert [one.version for one in memory.history(shared.id)] == list(range(1, bumps + 2))
        check_tokens(memory, done)
        for record in memory.list():
            history = memory.history(record.id)
            assert [one.version for one in history] == list(range(1, record.version + 1))
    report(done, tmp_path)


def check_tokens(memory: Memory, done: list[dict[str, Any]]) -> None:
    """A call with a token was done once, and all who made it got the same memory."""
    given: dict[str, set[str]] = {}
    for one in done:
        for token, id in one["tokens"]:
            given.setdefault(token, set()).add(id)
    assert all(len(ids) == 1 for ids in given.values())
    captured = memory.journal(session="capture")
    assert len(captured) == len(given) + 1  # and the one that all share
    assert len({id for ids in given.values() for id in ids}) == len(given)


def report(done: list[dict[str, Any]], folder: Path) -> None:
    p50, p99, most = quantiles(done)
    path = folder / "bare.db"
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE said (text)").fetchall()
    connection.close()
    bare = quantiles(together("bare", path, PROCESSES, WRITES)) if LONG else (p50, p99, most)
    figure(
        "concurrent_writers",
        processes=PROCESSES,
        writes=PROCESSES * WRITES,
        p50_ms=round(p50 * 1e3, 1),
        p99_ms=round(p99 * 1e3, 1),
        max_ms=round(most * 1e3, 1),
        stale_retried=sum(one["stale"] for one in done),
        p99_of_bare_sqlite=round(p99 / bare[1], 2),
        max_of_bare_sqlite=round(most / bare[2], 2),
    )
    assert p99 < MOST_P99 or not LONG  # of few writes on a busy machine it says little


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
    started = [
        subprocess.Popen([sys.executable, "-c", MERGER, str(home), f"s{n}"], stdin=subprocess.PIPE)
        for n in range(AT_ONCE)
    ]
    for one in started:
        one.communicate(b"go\n")
    assert [one.returncode for one in started] == [0] * AT_ONCE
    with Memory.open(home) as memory:
        memory.consolidate(force=True)
        found = [one for one in memory.list(kind="fact") if "Leeds" in one.content]
        assert len(found) == 1
        assert len(found[0].sources) == AT_ONCE
        assert memory.validate() == []
