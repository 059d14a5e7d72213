"""How fast notes are read: `python bench/sources.py [--files 1000] [--bytes 5000] [--json]`.

    first      all notes are new
    unchanged  none has changed since
    one        one has changed since
    recall     a recall from another process, over and over: before, while all notes are read, and
               after; the median and the slowest
    capture    the same for remembering something, which has to wait for its turn to write

Times stand beside reading and hashing the same files in one process, which is what no way of seeing
changes by content can do without; so they say the same on any machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from time import perf_counter, process_time

from loxodon import Memory
from text import Talk

LONG_AGO = 1_700_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--bytes", type=int, default=5_000, help="of each")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--beside", metavar="HOME", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.beside:
        beside(args.beside)
        return
    folder = tempfile.mkdtemp(prefix="loxodon-bench-")
    try:
        found = measure(folder, args.files, args.bytes)
    finally:
        shutil.rmtree(folder)
    print(json.dumps(found, indent=2) if args.json else shown(found))


def write_notes(folder: str, files: int, size: int) -> list[str]:
    """Notes in both languages, with headings, bullets and paragraphs, written long ago."""
    talk = Talk(3)
    paths = []
    os.makedirs(folder)
    for n in range(files):
        parts = [f"# Note {n}"]
        while sum(len(part.encode()) + 2 for part in parts) < size:
            parts.append(f"## {talk.turn(30)}" if len(parts) % 6 == 1 else talk.turn(400) + ".")
            parts.append("\n".join(f"- {talk.turn(60)}" for _ in range(3)))
        paths.append(os.path.join(folder, f"{n:05d}.md"))
        put(paths[-1], "\n\n".join(parts) + "\n", LONG_AGO)
    return paths


def put(path: str, text: str, at: int) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.utime(path, (at, at))


def read_and_hash(paths: list[str]) -> None:
    for path in paths:
        with open(path, "rb") as file:
            sha256(file.read()).digest()


def timed(act: Callable[[], object]) -> float:
    began = perf_counter()
    act()
    return perf_counter() - began


def measure(folder: str, files: int, size: int) -> dict[str, object]:
    home, notes = os.path.join(folder, "home"), os.path.join(folder, "notes")
    paths = write_notes(notes, files, size)
    base = statistics.median(timed(lambda: read_and_hash(paths)) for _ in range(5))
    seconds, cpu = {}, {}
    with Memory.open(home, config={"workspace.folders": notes}) as memory:
        index = memory.workspace.index
        began = process_time()
        seconds["first"] = timed(index)
        cpu["first"] = process_time() - began
        chunks = sum(one.chunks for one in memory.workspace.sources())
        seconds["unchanged"] = statistics.median(timed(index) for _ in range(5))
        ones = []
        for n in range(5):
            put(paths[n], f"# changed\n\nnumber {n}\n", LONG_AGO + 1)
            ones.append(timed(index))
        seconds["one"] = statistics.median(ones)
    return {
        "files": files,
        "chunks": chunks,
        "read and hash, s": round(base, 4),
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        "seconds of CPU": {name: round(value, 3) for name, value in cpu.items()},
        "times read and hash": {name: round(value / base, 2) for name, value in seconds.items()},
        "beside, ms": others(os.path.join(folder, "other"), notes),
    }


# What others notice


def others(home: str, notes: str) -> dict[str, dict[str, list[float]]]:
    """What another process notices of all notes being read, beside nothing going on."""
    talk = Talk(5)
    with Memory.open(home, config={"workspace.folders": notes}) as memory:
        memory.add([{"role": "user", "content": talk.turn()} for _ in range(1_000)])
        quiet = waits(home, lambda: None)
        busy = waits(home, memory.workspace.index)
        return {"before": quiet, "while reading": busy, "after": waits(home, lambda: None)}


def waits(home: str, act: Callable[[], object]) -> dict[str, list[float]]:
    """What recalls and captures of another process take while `act` runs: median and slowest."""
    command = [sys.executable, os.path.abspath(__file__), "--beside", home]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        if other.stdin is None or other.stdout is None:
            raise RuntimeError("no pipes")
        other.stdout.readline()  # it is ready
        act()
        told, _ = other.communicate(b"\n")
    found: dict[str, list[float]] = json.loads(told)
    return {
        name: [round(statistics.median(times) * 1e3, 1), round(max(times) * 1e3, 1)]
        for name, times in found.items()
    }


def beside(home: str) -> None:
    """Recall and capture until a line comes, at least thirty times each."""
    import select

    talk = Talk(9)
    found: dict[str, list[float]] = {"recall": [], "capture": []}
    with Memory.open(home, config={}) as memory:
        memory.recall("warm up")
        print("ready", flush=True)
        while len(found["recall"]) < 30 or not select.select([sys.stdin], [], [], 0)[0]:
            question, said = talk.turn(40), talk.turn()
            found["recall"].append(timed(partial(memory.recall, question)))
            found["capture"].append(timed(partial(memory.capture, said)))
    print(json.dumps(found), flush=True)


def shown(found: dict[str, object]) -> str:
    return "\n".join(f"{name:22}{value}" for name, value in found.items())


if __name__ == "__main__":
    main()
