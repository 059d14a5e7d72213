"""Beside a live agent: `python bench/live.py [--only PART,…] [--rows N] [--seconds S] [--json]`.

The parts:

    http      recalls and adds a second through `loxodon serve`, beside those of the library in the
              same process, in turn; and recalls with several clients at once
    proxy     what `loxodon proxy` adds to a streamed reply (`live_proxy.py`)
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from threading import Thread
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lived import Lived
from loxodon import Memory
from loxodon.filelock import FileLock
from loxodon.layout import SCHEDULE_LOCK
from loxodon.text.words import query_words
from text import Talk

NOW = datetime(2026, 2, 4, tzinfo=UTC)
PARTS = ("http", "proxy")
_QUESTIONS = 300


@contextmanager
def lived_home(rows: int) -> Iterator[tuple[str, list[str]]]:
    """A home with so many memories and turns, and questions to ask it."""
    home = tempfile.mkdtemp(prefix="loxodon-bench-")
    try:
        talk = Talk()
        with Memory.open(home, clock=lambda: NOW) as memory:
            lived = Lived(memory, talk, rows, NOW, _QUESTIONS)
        asked = [talk.question(text, (1, 3, 6)[n % 3]) for n, text in enumerate(lived.asked)]
        yield home, [question for question in asked if query_words(question)]
    finally:
        shutil.rmtree(home)


@contextmanager
def served(home: str, *command: str) -> Iterator[tuple[str, int]]:
    """A server of Loxodon on this home: its address, and its process."""
    program = os.path.join(os.path.dirname(sys.executable), "loxodon")
    schedule = FileLock(os.path.join(home, SCHEDULE_LOCK))
    schedule.acquire(0)  # what was made up here is not to be consolidated while it is measured
    with open(os.devnull, "wb") as nowhere:
        server = subprocess.Popen(
            [program, "--home", home, "--now", NOW.isoformat(), "--json", *command],
            stdout=subprocess.PIPE,
            stderr=nowhere,
        )
        try:
            assert server.stdout
            yield json.loads(server.stdout.readline())["url"], server.pid
        finally:
            server.terminate()
            server.wait()
            schedule.close()


class Asker:
    """One connection to a server, which asks one question after the other."""

    def __init__(self, url: str) -> None:
        self._wire = http.client.HTTPConnection(url.removeprefix("http://"))

    def recall(self, question: str) -> bytes:
        return self._asked("recall", {"query": question})

    def add(self, turns: Sequence[Mapping[str, str]], session: str) -> bytes:
        return self._asked("turns", {"turns": turns, "session": session})

    def _asked(self, what: str, given: Mapping[str, object]) -> bytes:
        self._wire.request(
            "POST",
            f"/v1/spaces/main/{what}",
            json.dumps(given).encode(),
            {"content-type": "application/json"},
        )
        answer = self._wire.getresponse()
        found = answer.read()
        assert answer.status == 200, found
        return found


def bench_http(rows: int, seconds: float) -> dict[str, Any]:
    with lived_home(rows) as (home, questions), served(home, "serve", "--port", "0") as (url, pid):
        with Memory.open(home, clock=lambda: NOW) as memory:
            asker = Asker(url)
            for question in questions[:50]:  # warm both
                memory.recall(question)
                asker.recall(question)
            ours, theirs = _in_turn(memory, asker, questions, seconds)
            library_cpu = _cpu_of(memory, questions)
            added, sent = _adds_in_turn(memory, asker, questions)
        server_cpu = _cpu_of_server(pid, asker, questions)
        before = resident(pid)
        rates = {n: _rate(url, questions, n, seconds / 2) for n in (1, 4, 16)}
        after = resident(pid)
    in_process = 1 / statistics.mean(ours)
    return {
        "memories": rows,
        "library": {"recalls_per_s": round(in_process, 1), **_shown(ours)},
        "http": {"recalls_per_s": round(1 / statistics.mean(theirs), 1), **_shown(theirs)},
        "added_ms_p50": round((at(theirs, 0.5) - at(ours, 0.5)) * 1e3, 2),
        "share_of_library": round(statistics.mean(ours) / statistics.mean(theirs), 3),
        "adds": {
            "library": _shown(added),
            "http": _shown(sent),
            "share_of_library": round(statistics.median(added) / statistics.median(sent), 3),
        },
        "cpu_ms_a_recall": {
            "library": round(library_cpu * 1e3, 2),
            "server": round(server_cpu * 1e3, 2),
        },
        "recalls_per_s_by_clients": {n: round(rate, 1) for n, rate in rates.items()},
        "server_mb": {"before": round(before / 1e3, 1), "after": round(after / 1e3, 1)},
    }


def _in_turn(
    memory: Memory, asker: Asker, questions: Sequence[str], seconds: float
) -> tuple[list[float], list[float]]:
    """Seconds of each recall by the library and through HTTP, the same questions in turn, so that a
    busy moment hits both."""
    ours: list[float] = []
    theirs: list[float] = []
    ends = perf_counter() + seconds
    while perf_counter() < ends:
        for n, question in enumerate(questions):
            mine, yours = _both(
                n, partial(memory.recall, question), partial(asker.recall, question)
            )
            ours.append(mine)
            theirs.append(yours)
    return ours, theirs


def _adds_in_turn(
    memory: Memory, asker: Asker, texts: Sequence[str]
) -> tuple[list[float], list[float]]:
    """Seconds of each turn that is added by itself, by the library and through HTTP."""
    ours: list[float] = []
    theirs: list[float] = []
    for n, text in enumerate(texts):
        turn = [{"role": "user", "content": text, "id": str(n)}]
        mine, yours = _both(
            n, partial(memory.add, turn, session="here"), partial(asker.add, turn, session="there")
        )
        ours.append(mine)
        theirs.append(yours)
    return ours, theirs


def _both(n: int, mine: Callable[[], object], yours: Callable[[], object]) -> tuple[float, float]:
    """Seconds that each takes. Now one comes first and now the other: on a busy machine whoever has
    just computed waits longer for the processor."""
    took = [0.0, 0.0]
    for which in (n % 2, 1 - n % 2):
        started = perf_counter()
        (mine, yours)[which]()
        took[which] = perf_counter() - started
    return took[0], took[1]


def _cpu_of(memory: Memory, questions: Sequence[str]) -> float:
    """Seconds of processor that a recall of the library takes, however busy the machine is."""
    started = process_time()
    for question in questions:
        memory.recall(question)
    return (process_time() - started) / len(questions)


def _cpu_of_server(pid: int, asker: Asker, questions: Sequence[str]) -> float:
    """The same for a recall through the server, of the server's own time."""
    started = cpu_of(pid)
    for question in questions:
        asker.recall(question)
    return (cpu_of(pid) - started) / len(questions)


def cpu_of(pid: int) -> float:
    """Seconds that a process has computed; 0 where the system does not tell."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _rate(url: str, questions: Sequence[str], clients: int, seconds: float) -> float:
    """Recalls a second that so many clients get at once."""
    counts = [0] * clients
    started = perf_counter()

    def ask(number: int) -> None:
        asker = Asker(url)
        while perf_counter() - started < seconds:
            asker.recall(questions[(number * 31 + counts[number]) % len(questions)])
            counts[number] += 1

    threads = [Thread(target=ask, args=(n,)) for n in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (perf_counter() - started)


def resident(pid: int) -> int:
    """Kilobytes that a process holds in memory; 0 where the system does not tell."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
    except (OSError, StopIteration):
        return 0


def at(times: Sequence[float], share: float) -> float:
    """The time that so large a share of these stays below."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def _shown(times: Sequence[float]) -> dict[str, float]:
    return {"p50_ms": round(at(times, 0.5) * 1e3, 2), "p99_ms": round(at(times, 0.99) * 1e3, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    from live_proxy import bench_proxy  # which uses what is above

    run = {"http": bench_http, "proxy": bench_proxy}
    found = {part: run[part](args.rows, args.seconds) for part in args.only.split(",")}
    print(json.dumps(found, indent=None if args.json else 2))


if __name__ == "__main__":
    main()
