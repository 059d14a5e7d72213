"""How fast consolidation is: `python bench/consolidation_speed.py [--only day,read] [--json]`.

    day      a day of 500 turns of talk in both languages (from the labelled cases, never those held
             back): the whole run and each phase, beside journalling the same turns; in a process
             that has just started, and in one that has consolidated before
    read     only what is said in the same turns, by the rules: nothing cut, compared or stored
    change   a run that changes 10 memories, on 1,000 and on 100,000 active ones: how many times
             as long the larger takes

A day of the cases says far more that is worth keeping than a day of ordinary talk. Processor time
stands beside a piece of fixed work that was done at the same moment (`yardstick`): on a shared
machine their ratio is what carries over.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from time import perf_counter, process_time
from typing import Any

from loxodon import Memory
from loxodon.consolidate.pipeline import Consolidated
from loxodon.consolidate.read import fragments_of, read
from loxodon.language.statements import CONTEXT, PriorTurn, TurnInContext
from loxodon.types import Record

CASES = os.path.join(os.path.dirname(__file__), "..", "tests", "consolidation", "cases")
NOW = datetime(2026, 2, 5, 3, 0, tzinfo=UTC)
CONFIG = {"timezone": "UTC", "workspace.views": "off"}  # what they take is in bench/views.py
DAY = 500
PARTS = ("day", "read", "change")
Turns = list[dict[str, Any]]


@contextmanager
def folder() -> Iterator[str]:
    path = tempfile.mkdtemp(prefix="loxodon-bench-")
    try:
        yield path
    finally:
        shutil.rmtree(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(PARTS), help="which parts")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sizes", default="1000,100000", help="active memories, for `change`")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--one-day", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one_day:  # the process that has just started
        with folder() as home:
            print(json.dumps(consolidated_day(home, 0)))
        return
    found: dict[str, Any] = {}
    if "day" in args.only:
        found["day"] = day(args.repeats)
    if "read" in args.only:
        found["read"] = reading(args.repeats)
    if "change" in args.only:
        found["change"] = change([int(n) for n in args.sizes.split(",")], args.repeats)
    if args.json:
        print(json.dumps(found, indent=2))
    else:
        show(found)


# A day of talk


def talk(language: str) -> Turns:
    """The turns of the cases of a language, each case a conversation."""
    with open(os.path.join(CASES, f"{language}_dev.jsonl"), encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    return [
        {
            "role": turn["role"],
            "content": turn["content"],
            "session": f"{case['id']}-{turn['session']}",
        }
        for case in cases
        for turn in case["turns"]
    ]


def turns_of_day(number: int) -> Turns:
    """Half the day in each language, from seven in the morning on, a minute and a half apart."""
    half = DAY // 2
    said = [turn for language in ("en", "zh") for turn in talk(language)[number * half :][:half]]
    start = NOW + timedelta(days=number - 1, hours=4)
    return [
        {**turn, "at": (start + n * timedelta(seconds=90)).isoformat(), "id": f"{number}-{n}"}
        for n, turn in enumerate(said)
    ]


def consolidated_day(home: str, number: int) -> dict[str, Any]:
    """What journalling and consolidating a day took."""
    turns = turns_of_day(number)
    clock = NOW + timedelta(days=number)
    with Memory.open(home, config=CONFIG, clock=lambda: clock) as memory:
        yard = yardstick()
        journal, _ = timed(lambda: memory.add(turns))
        cpu = process_time()
        seconds, outcome = timed(memory.consolidate)
        return {
            "turns": outcome.turns,
            "journal_s": journal,
            "consolidate_s": seconds,
            "cpu_s": process_time() - cpu,
            "yardstick_s": yard,
            "learned": outcome.counts.get("added", 0),
            "phases_s": {str(phase): s for phase, s in outcome.seconds.items()},
        }


def day(repeats: int) -> dict[str, Any]:
    script = [sys.executable, os.path.abspath(__file__), "--one-day"]
    cold = [json.loads(subprocess.check_output(script)) for _ in range(min(repeats, 3))]
    with folder() as home:
        consolidated_day(os.path.join(home, "first"), 1)
        warm = [consolidated_day(os.path.join(home, f"n{n}"), 0) for n in range(repeats)]
    return {"cold": middle(cold), "warm": middle(warm)}


def middle(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The run that took neither shortest nor longest, beside its yardstick."""
    return sorted(runs, key=lambda one: float(one["cpu_s"]) / one["yardstick_s"])[len(runs) // 2]


def yardstick() -> float:
    """Processor seconds of some fixed work with words."""
    text = "the quick brown fox jumps over 2024 lazy dogs " * 40
    numbers = re.compile(r"(?:alpha|beta|gamma)\b|\d{4}")
    cpu = process_time()
    for _ in range(600):
        numbers.findall(text)
        sorted(text.split())
    return process_time() - cpu


def reading(repeats: int) -> dict[str, Any]:
    """What the rules take for the turns of a day, the user's read and the others heard."""
    turns = [(n, one, datetime.fromisoformat(one["at"])) for n, one in enumerate(turns_of_day(0))]
    runs = []
    for _ in range(repeats + 1):
        yard = yardstick()
        before: list[PriorTurn] = []
        cpu = process_time()
        for n, turn, at in turns:
            text = turn["content"]
            if turn["role"] == "user":
                read(TurnInContext(text, at, fragments_of(n, text), before[-CONTEXT:], {}))
            before.append(PriorTurn(turn["role"], text, at))
        runs.append({"turns": DAY, "cpu_s": process_time() - cpu, "yardstick_s": yard})
    return middle(runs[1:])  # the first compiles the patterns


# A few changes among many memories


def change(sizes: list[int], repeats: int) -> dict[str, Any]:
    times: dict[int, list[float]] = {}
    phases: dict[int, list[Consolidated]] = {}
    with folder() as place:
        homes = {size: filled(os.path.join(place, str(size)), size) for size in sizes}
        for n in range(repeats):  # in turns, so that a busy moment hits both
            for size, memory in homes.items():
                memory.add(ten_changes(n))
                seconds, outcome = timed(memory.consolidate)
                times.setdefault(size, []).append(seconds)
                phases.setdefault(size, []).append(outcome)
        for memory in homes.values():
            memory.close()
    medians = {size: statistics.median(some) for size, some in times.items()}
    return {
        "median_s": medians,
        "ratio": medians[sizes[-1]] / medians[sizes[0]],
        "phases_s": {
            size: {
                phase: statistics.median(one.seconds[phase] for one in some)
                for phase in some[0].seconds
            }
            for size, some in phases.items()
        },
        "changed": {size: dict(some[-1].counts) for size, some in phases.items()},
    }


def filled(home: str, size: int) -> Memory:
    """A memory with `size` active facts, after a first run that found nothing else to do."""
    memory = Memory.open(home, config=CONFIG, clock=lambda: NOW)
    for start in range(0, size, 5_000):
        with memory._store.writing():
            for n in range(start, min(start + 5_000, size)):
                memory._store.insert(fact(n), "learned")
    memory.consolidate(force=True)
    return memory


def fact(n: int) -> Record:
    """One of very many things known, of some thousand people and of the user."""
    at = NOW - timedelta(hours=n % 2_000)
    who = "user" if n % 10 == 0 else f"person {n % 5_000}"
    things = WORDS[n % len(WORDS)], WORDS[n // 7 % len(WORDS)], WORDS[n // 53 % len(WORDS)]
    return Record(
        id="",
        space="",
        kind="fact",
        created_at=at,
        updated_at=at,
        valid_from=at,
        strength=0.8,
        content=f"{who} keeps {things[0]} and {things[1]} near the {things[2]} {n}",
        subject=who,
        category=("fact", "preference", "status", "health")[n % 4],
        topic=f"topic {n % 40}",
        importance=0.5 + n % 5 / 10,
        confirmed_at=at,
    )


WORDS = (
    "garden",
    "kitchen",
    "bicycle",
    "violin",
    "harbour",
    "lantern",
    "notebook",
    "kettle",
    "compass",
    "orchard",
    "ladder",
    "mirror",
    "blanket",
    "camera",
    "saddle",
    "basket",
    "hammer",
    "piano",
    "telescope",
    "umbrella",
    "window",
    "pillow",
    "candle",
    "anchor",
    "bottle",
    "carpet",
    "drawer",
    "engine",
    "feather",
    "guitar",
    "helmet",
    "island",
    "jacket",
    "needle",
    "oven",
    "pencil",
)


def ten_changes(n: int) -> Turns:
    """Ten things that a user says, five in each language, none said before."""
    words = [WORDS[(n * 10 + i) % len(WORDS)] for i in range(10)]
    said = [f"I'm allergic to {word} dust {n}" for word in words[:5]]
    said += [f"我对{word}过敏{n}" for word in words[5:]]
    return [
        {"role": "user", "content": text, "session": f"n{n}", "id": str(i), "at": NOW.isoformat()}
        for i, text in enumerate(said)
    ]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = perf_counter()
    found = work()
    return perf_counter() - started, found


def per_second(one: dict[str, Any]) -> str:
    cpu = float(one["cpu_s"])
    return f"{one['turns'] / cpu:,.0f} turns a second, {cpu / one['yardstick_s']:.1f} yardsticks"


def show(found: dict[str, Any]) -> None:
    for name, one in found.get("day", {}).items():
        ratio = one["consolidate_s"] / one["journal_s"]
        print(
            f"a day of {one['turns']} turns, {name}: {one['consolidate_s']:.2f} s "
            f"(cpu {one['cpu_s']:.2f}, {per_second(one)}), {ratio:.0f} times journalling "
            f"({one['journal_s'] * 1e3:.0f} ms); {one['learned']} learned"
        )
        print("   " + "  ".join(f"{phase}: {s:.3f}" for phase, s in one["phases_s"].items()))
    if "read" in found:
        print(
            f"reading {DAY} turns: cpu {found['read']['cpu_s']:.3f} s, {per_second(found['read'])}"
        )
    if "change" in found:
        one = found["change"]
        for size, seconds in one["median_s"].items():
            print(f"10 changes among {size:,}: {seconds * 1e3:.0f} ms  {one['changed'][size]}")
            print("   " + "  ".join(f"{p}: {s:.3f}" for p, s in one["phases_s"][size].items()))
        print(f"ratio {one['ratio']:.2f}")


if __name__ == "__main__":
    main()
