"""How fast: `make bench`, or `python bench/speed.py [--rows N,…] [--only PART,…] [--json]`.

Every time is also given as a ratio to something plain in the same run, because machines differ and
are busy: a bare SQLite insert, a bare FTS5 query, a bare `python -c pass`. The parts:

    journal   turns a second, in bulk and one at a time
    writers   sixteen processes that write at once, beside SQLite's own way of waiting
    recall    p50 and p99 of a recall, for queries of 1, 3 and 6 terms, in a store as it is after
              living with it (`lived.py`), beside a bare FTS5 query for the best 100 of the turns
              and of the memories
    open      opening a home
    cold      `loxodon recall` from the shell
    single    only by `--only single --rows N`: N turns one at a time and nothing else, for valgrind
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import Any

import apsw

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lived import Lived
from loxodon import Memory
from loxodon.guard.guard import Guard, Said
from loxodon.guard.policy import Policy
from loxodon.store.sqlite.fulltext import any_of
from loxodon.text.words import query_words
from loxodon.types import Draft
from text import Talk

NOW = datetime(2026, 2, 4, tzinfo=UTC)
PARTS = ("journal", "writers", "recall", "open", "cold")
QUERIES = 300


@contextmanager
def folder() -> Iterator[str]:
    path = tempfile.mkdtemp(prefix="loxodon-bench-")
    try:
        yield path
    finally:
        shutil.rmtree(path)


def times(count: int, run: Callable[[int], object]) -> list[float]:
    """Milliseconds of each of `count` runs, sorted."""
    found = []
    for n in range(count):
        started = perf_counter()
        run(n)
        found.append((perf_counter() - started) * 1e3)
    return sorted(found)


def at(sorted_times: Sequence[float], share: float) -> float:
    return sorted_times[min(len(sorted_times) - 1, int(len(sorted_times) * share))]


def turns(talk: Talk, count: int, size: int) -> list[dict[str, object]]:
    return [
        {
            "role": "user" if n % 2 == 0 else "assistant",
            "content": talk.turn(size),
            "at": (NOW + timedelta(seconds=n)).isoformat(),
        }
        for n in range(count)
    ]


def bench_journal(rows: Sequence[int]) -> dict[str, Any]:
    talk = Talk()
    result: dict[str, Any] = {}
    for name, count, size in (("short", 100_000, 140), ("long", 4_000, 4_000)):
        said = turns(talk, count, size)
        size_mb = sum(len(str(turn["content"]).encode()) for turn in said) / 1e6
        with folder() as home, Memory.open(home) as memory:
            started = perf_counter()
            memory.add(said, session="bulk")
            seconds = perf_counter() - started
        result[f"bulk_{name}"] = {
            "turns": count,
            "bytes_a_turn": round(size_mb * 1e6 / count),
            "turns_per_s": round(count / seconds),
            "mb_per_s": round(size_mb / seconds, 2),
        }
    result["guard"] = _guard_share(talk)
    ours, bare = _one_at_a_time(turns(talk, 2_000, 140))
    result["one_at_a_time"] = {
        "p50_ms": round(at(ours, 0.5), 3),
        "p99_ms": round(at(ours, 0.99), 3),
        "bare_sqlite_p50_ms": round(at(bare, 0.5), 3),
        "ratio_to_bare_sqlite": round(at(ours, 0.5) / at(bare, 0.5), 2),
    }
    return result


class _Unguarded(Guard):
    """Looks at nothing, so that the time of one that looks is all the guard's."""

    def drafts(self, drafts: Iterable[Draft], before: object) -> list[Draft]:
        return list(drafts)

    def turn(self, said: Said) -> Said:
        return said


def _guard_share(talk: Talk) -> dict[str, Any]:
    """What of the bulk journal rate the guard takes, each way in turn in the same run."""
    said = turns(talk, 20_000, 140)
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for guarded in (True, False) * 3:
        with folder() as home, Memory.open(home) as memory:
            if not guarded:
                memory.guard = vars(memory._store)["_guard"] = _Unguarded(lambda: Policy((), {}))
            memory.add(said[:100], session="warm")
            started = perf_counter()
            memory.add(said, session="bulk")
            seconds[guarded].append(perf_counter() - started)
    with_guard, without = min(seconds[True]), min(seconds[False])
    return {
        "turns_per_s": round(len(said) / with_guard),
        "without_guard_turns_per_s": round(len(said) / without),
        "share_of_rate_taken": round(1 - without / with_guard, 3),
    }


def _one_at_a_time(said: list[dict[str, object]]) -> tuple[list[float], list[float]]:
    """Each turn by itself into a memory, and the same into one table and nothing else, which is
    what a durable write costs here; in turn, so that a busy moment hits both."""
    with folder() as home, folder() as other, Memory.open(home) as memory:
        db = apsw.Connection(os.path.join(other, "bare.db"))
        db.execute("PRAGMA journal_mode=WAL").fetchall()
        db.execute("PRAGMA synchronous=FULL; CREATE TABLE t (x)").fetchall()
        ours: list[float] = []
        bare: list[float] = []
        for one in said:
            ours += times(1, lambda _: memory.add([one], session="live"))  # noqa: B023
            values = (one["content"],)
            bare += times(1, lambda _: db.execute("INSERT INTO t VALUES (?)", values).fetchall())  # noqa: B023
        return sorted(ours), sorted(bare)


WRITER = """
import sys, json
from time import perf_counter
from loxodon import Memory
home, who, count, fair = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "fair"
if not fair:
    from loxodon import filelock as lock
    lock.FileLock.acquire = lambda self, seconds: True
    lock.FileLock.release = lambda self: None
waits = []
with Memory.open(home) as memory:
    sys.stdin.readline()
    for n in range(count):
        started = perf_counter()
        said = {"role": "user", "content": f"{who} says something, number {n}", "id": str(n)}
        memory.add([said], session=who)
        waits.append(perf_counter() - started)
print(json.dumps(waits))
"""


def bench_writers(rows: Sequence[int]) -> dict[str, Any]:
    result = {}
    for name in ("fair", "busy_handler"):
        with folder() as home:
            Memory.open(home).close()
            writers = [
                subprocess.Popen(
                    [sys.executable, "-c", WRITER, home, f"w{n}", "100", name],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                for n in range(16)
            ]
            for writer in writers:
                assert writer.stdin
                writer.stdin.write("go\n")
                writer.stdin.flush()
            waits = sorted(wait * 1e3 for w in writers for wait in json.loads(w.communicate()[0]))
        result[name] = {
            "writes": len(waits),
            "p50_ms": round(at(waits, 0.5), 1),
            "p99_ms": round(at(waits, 0.99), 1),
            "worst_ms": round(waits[-1], 1),
        }
    return result


def bench_recall(rows: Sequence[int]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for count in rows:
        talk = Talk()
        with folder() as home, Memory.open(home, clock=lambda: NOW) as memory:
            lived = Lived(memory, talk, count, NOW, QUERIES)
            result[f"{count} memories and as many turns"] = _by_terms(memory, talk, lived)
    return result


def _by_terms(memory: Memory, talk: Talk, lived: Lived) -> dict[str, Any]:
    asked = lived.asked
    found: dict[str, Any] = {
        f"{terms} terms": _recalls(memory, [talk.question(text, terms) for text in asked])
        for terms in (1, 3, 6)
    }
    mixed = [talk.question(text, (1, 3, 6)[n % 3]) for n, text in enumerate(asked)]
    found["mixed"] = _recalls(memory, mixed)
    dated = [
        f"{lived.names[n * 31 % len(lived.names)]} {talk.question(text, 3)} last month"
        for n, text in enumerate(asked)
    ]
    return {**found, "a name, 3 terms and a time": _recalls(memory, dated)}


def _recalls(memory: Memory, questions: list[str]) -> dict[str, float]:
    db = memory._store._db
    questions = [question for question in questions if query_words(question)]

    def bare(n: int, index: str) -> float:
        expression = any_of(query_words(questions[n]))
        return times(
            1,
            lambda _: db.all(
                f"SELECT rowid, bm25({index}) AS s FROM {index} WHERE {index} MATCH ? "
                "ORDER BY s LIMIT 100",
                (expression,),
            ),
        )[0]

    for n in range(min(30, len(questions))):  # warm all
        memory.recall(questions[n])
        bare(n, "memory_index")
        bare(n, "turn_index")
    ours: list[float] = []
    one: list[float] = []
    both: list[float] = []
    for n in range(len(questions)):  # in turn, so that a busy moment hits all
        ours += times(1, lambda _: memory.recall(questions[n]))  # noqa: B023
        one.append(bare(n, "turn_index"))
        both.append(one[-1] + bare(n, "memory_index"))
    for found in (ours, one, both):
        found.sort()
    return {
        "p50_ms": round(at(ours, 0.5), 2),
        "p99_ms": round(at(ours, 0.99), 2),
        "bare_fts5_p50_ms": round(at(both, 0.5), 2),
        "bare_fts5_p99_ms": round(at(both, 0.99), 2),
        "ratio_p50": round(at(ours, 0.5) / at(both, 0.5), 2),
        "ratio_p99": round(at(ours, 0.99) / at(both, 0.99), 2),
        "ratio_of_sums": round(sum(ours) / sum(both), 2),
        "ratio_of_sums_to_one_index": round(sum(ours) / sum(one), 2),
    }


def bench_open(rows: Sequence[int]) -> dict[str, Any]:
    result = {}
    for count in (1_000, max(rows)):
        with folder() as home:
            with Memory.open(home, clock=lambda: NOW) as memory:
                Lived(memory, Talk(), count, NOW, QUERIES)
            opened = times(50, lambda n: Memory.open(home).close())
            result[str(count)] = {"p50_ms": round(at(opened, 0.5), 2)}
    smallest, largest = (result[str(n)]["p50_ms"] for n in (1_000, max(rows)))
    return {**result, "ratio": round(largest / smallest, 2)}


def bench_single(rows: Sequence[int]) -> dict[str, Any]:
    with folder() as home, Memory.open(home) as memory:
        for one in turns(Talk(), rows[0], 140):
            memory.add([one], session="live")
    return {"turns": rows[0]}


def bench_cold(rows: Sequence[int]) -> dict[str, Any]:
    import compileall

    import re2  # type: ignore[import-untyped]

    import loxodon

    # An installed package has its bytecode; a checkout may not, where the environment forbids it.
    for package in (loxodon, re2):
        compileall.compile_dir(package.__path__[0], quiet=2)
    command = os.path.join(os.path.dirname(sys.executable), "loxodon")
    result: dict[str, Any] = {}
    with folder() as home:
        with Memory.open(home, clock=lambda: NOW) as memory:
            asked = Lived(memory, Talk(), 10_000, NOW, QUERIES).asked
        latin = next(text for text in asked if " " in text).split()[3]
        chinese = next(text for text in asked if " " not in text)[3:7]

        def run(*words: str) -> Callable[[int], object]:
            return lambda n: subprocess.run(words, stdout=subprocess.DEVNULL, check=True)

        runs = {
            "python": run(sys.executable, "-c", "pass"),
            "recall_en": run(command, "--home", home, "recall", latin),
            "recall_zh": run(command, "--home", home, "recall", chinese),
            "recall_json": run(command, "--home", home, "--json", "recall", latin),
        }
        measured: dict[str, list[float]] = {name: [] for name in runs}
        computed: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(40):  # in turn, so that a busy moment hits all of them
            for name, one in runs.items():
                before = _cpu_of_children()
                measured[name] += times(1, one)
                computed[name].append(_cpu_of_children() - before)
        plain, plain_cpu = (statistics.median(one["python"]) for one in (measured, computed))
        for name, found in measured.items():
            middle, cpu = statistics.median(found), statistics.median(computed[name])
            result[name] = {
                "p50_ms": round(middle, 1),
                "ratio_to_python": round(middle / plain, 2),
                "cpu_ms": round(cpu, 1),
                "cpu_ratio_to_python": round(cpu / plain_cpu, 2),
            }
    return result


def _cpu_of_children() -> float:
    """Milliseconds that ended children have computed, however busy the machine was."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", default="10000,100000", help="memories in the store, each size")
    parser.add_argument("--only", default=",".join(PARTS), help="parts to run")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = [int(n) for n in args.rows.split(",")]
    result = {}
    for part in args.only.split(","):
        result[part] = globals()[f"bench_{part}"](rows)
        if not args.json:
            print(part)
            for name, values in result[part].items():
                nested = isinstance(values, dict) and any(
                    isinstance(v, dict) for v in values.values()
                )
                for inner, value in values.items() if nested else [("", values)]:
                    label = f"{name}, {inner}" if inner else name
                    print(f"  {label}: {json.dumps(value)}", flush=True)
    if args.json:
        print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
