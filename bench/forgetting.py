"""How long forgetting takes: `python bench/forgetting.py [--rows 20000] [--json]`.

From a store as it is after living with it (`lived.py`), with its text views on disk, a memory is
forgotten by its id, then someone by name, then a session. Beside it, in the same run and on the
same file: what any of them must do at least, which is to merge the full-text indexes and to write
the file anew.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lived import Lived
from loxodon import Memory
from loxodon.layout import DATABASE
from text import Talk

NOW = datetime(2026, 2, 4, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000, help="turns")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    place = tempfile.mkdtemp(prefix="loxodon-bench-")
    try:
        found = measured(os.path.join(place, "home"), args.rows)
    finally:
        shutil.rmtree(place)
    print(json.dumps(found, indent=2)) if args.json else show(found)


def measured(home: str, rows: int) -> dict[str, Any]:
    with Memory.open(home, config={"timezone": "UTC"}, clock=lambda: NOW) as memory:
        lived = Lived(memory, Talk(), rows, NOW, 10)
        memory.workspace.export()
        least = timed(lambda: scrubbed(memory))
        one = next(r for r in memory.list(limit=10) if r.kind == "fact")
        seconds = {
            "memory": timed(lambda: memory.forget(one.id)),
            "preview": timed(lambda: memory.forget(entity=lived.names[5], dry_run=True)),
            "entity": timed(lambda: memory.forget(entity=lived.names[5])),
            "session": timed(lambda: memory.forget(session="s7")),
        }
        size = os.path.getsize(os.path.join(memory.workspace.folder, DATABASE))
    return {
        "turns": rows,
        "mb": round(size / 1e6, 1),
        "merge_and_vacuum_s": round(least, 2),
        "seconds": {name: round(took, 2) for name, took in seconds.items()},
        "ratio": {name: round(took / least, 2) for name, took in seconds.items()},
    }


def scrubbed(memory: Memory) -> None:
    erasure = memory.workspace.store.erasure
    erasure.scrub()


def timed(run: Callable[[], object]) -> float:
    started = perf_counter()
    run()
    return perf_counter() - started


def show(found: dict[str, Any]) -> None:
    print(
        f"{found['turns']} turns, {found['mb']} MB; merging the indexes and writing the file "
        f"anew takes {found['merge_and_vacuum_s']} s"
    )
    for name, seconds in found["seconds"].items():
        print(f"  {name:8} {seconds:6.2f} s, {found['ratio'][name]:5.2f} times that")


if __name__ == "__main__":
    main()
