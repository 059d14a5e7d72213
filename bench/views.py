"""How fast a memory is written as text: `python bench/views.py [--memories 10000] [--json]`.

A memory with a turn for each thing known and segments of eight turns (about what the labelled
conversations come to) is exported into an empty folder; exported again with nothing changed,
which must touch no file; and after one fact was edited. A person then edits a line of the largest
view, and it is taken in (`sync`, which exports too). Beside it, in the same run: reading the
same rows and making JSON of them, and writing as many files of the same sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import Any

from loxodon import Memory
from loxodon.types import Record, Segment, Source
from loxodon.views.export import Exported

NOW = datetime(2026, 2, 5, 3, 0, tzinfo=UTC)
PER_DAY = 100
PER_SEGMENT = 8
WORDS = (
    "花园",
    "厨房",
    "自行车",
    "小提琴",
    "港口",
    "灯笼",
    "笔记本",
    "水壶",
    "指南针",
    "果园",
    "梯子",
    "garden",
    "kitchen",
    "bicycle",
    "violin",
    "harbour",
    "lantern",
    "notebook",
    "kettle",
    "compass",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    place = tempfile.mkdtemp(prefix="loxodon-bench-")
    try:
        with Memory.open(
            os.path.join(place, "home"), config={"timezone": "UTC"}, clock=lambda: NOW
        ) as memory:
            fill(memory, args.memories)
            found = measured(memory, place, args.repeats)
    finally:
        shutil.rmtree(place)
    print(json.dumps(found, indent=2)) if args.json else show(found)


def fill(memory: Memory, number: int) -> None:
    """Turns, eight to a segment, and a memory for each."""
    store = memory._store
    turns = number
    start = NOW - timedelta(days=turns // PER_DAY + 1)
    moments = [start + timedelta(days=n // PER_DAY, minutes=n % PER_DAY) for n in range(turns)]
    memory.add(
        [
            {
                "role": "user" if n % 2 == 0 else "assistant",
                "content": said(n),
                "id": f"m{n}",
                "session": f"day {n // PER_DAY}",
                "at": at.isoformat(),
            }
            for n, at in enumerate(moments)
        ]
    )
    for first in range(0, number, 2_000):
        with store.writing():
            for n in range(first, min(first + 2_000, number)):
                store.insert(known(n, moments[n]), "learned")
    segments = [
        Segment(
            f"day {n // PER_DAY}",
            n + 1,
            n + PER_SEGMENT,
            moments[n],
            moments[n + PER_SEGMENT - 1],
            word(n),
            (word(n), word(n + 7)),
            "\n".join(map(said, range(n, n + PER_SEGMENT))),
        )
        for n in range(0, turns - PER_SEGMENT + 1, PER_SEGMENT)
    ]
    with store.writing():
        store.worklog.put_segments(segments)
    while True:
        with store.writing():
            if not store.worklog.index(2_000):
                return


def word(n: int) -> str:
    return WORDS[n % len(WORDS)]


def said(n: int) -> str:
    return f"I keep the {word(n)} and the {word(n // 7)} near the {word(n // 53)}, {n}。"


def known(n: int, at: datetime) -> Record:
    source = Source(session=f"day {n // PER_DAY}", turn=f"m{n}")
    return Record(
        id="",
        space="",
        kind=("fact", "fact", "fact", "belief", "summary")[n % 5],
        content=f"The user keeps {word(n)} and {word(n // 7)} near {word(n // 53)} {n}",
        created_at=at,
        updated_at=at,
        valid_from=at,
        strength=0.8,
        subject="user",
        category=("fact", "preference", "status", "health")[n % 4],
        topic=f"topic {n % 40}",
        project="_global" if n % 3 else f"project {n % 30}",
        tags=(word(n), word(n // 5)),
        state="active" if n % 4 else "archived",
        importance=0.5 + n % 5 / 10,
        sources=(source,),
        confidence=0.7 if n % 5 == 3 else 1.0,
    )


def measured(memory: Memory, place: str, repeats: int) -> dict[str, Any]:
    times: dict[str, list[float]] = {}
    touched = 0
    for n in range(repeats):
        folder = os.path.join(place, f"views{n}")
        first = timed(times, "first", lambda: memory.workspace.export(folder))  # noqa: B023
        before = _times(folder)
        timed(times, "unchanged", lambda: memory.workspace.export(folder))  # noqa: B023
        touched += _times(folder) != before
        memory.edit(memory.list(kind="fact", limit=1)[0].id, content=f"something else {n}")
        changed = timed(times, "one edited", lambda: memory.workspace.export(folder))  # noqa: B023
        memory.workspace.export()
        edit_a_line(memory, n)
        timed(times, "line taken in", lambda: taken_in(memory))
        timed(times, "json.dumps", lambda: as_json(memory))
        timed(times, "bare files", lambda: copied(folder, os.path.join(place, f"bare{n}")))  # noqa: B023
    medians = {name: statistics.median(some) for name, some in times.items()}
    return {
        "memories": memory.status().active + memory.status().archived,
        "files": first.written,
        "written after one edit": changed.written,
        "runs that touched an unchanged folder": touched,
        "median_s": medians,
        "first / (json.dumps + bare files)": medians["first"]
        / (medians["json.dumps"] + medians["bare files"]),
        "unchanged / first": medians["unchanged"] / medians["first"],
        "line taken in / first": medians["line taken in"] / medians["first"],
    }


def timed(
    times: dict[str, list[float]], name: str, work: Callable[[], Exported | None]
) -> Exported:
    started = perf_counter()
    found = work()
    times.setdefault(name, []).append(perf_counter() - started)
    return found or Exported("", 0, 0, 0, ())


def edit_a_line(memory: Memory, n: int) -> None:
    path = os.path.join(memory.workspace.path, "memory", "insights.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("**: ", f"**: {n} ", 1))


def taken_in(memory: Memory) -> None:
    assert len(memory.workspace.sync().edited) == 1


def as_json(memory: Memory) -> None:
    """Every memory, its history and every turn, read and made JSON of: less an export cannot do."""
    store = memory._store
    for table in ("memories", "memory_sources", "memory_changes", "turns", "segments"):
        for row in store.primary.dump(table):
            json.dumps(row, ensure_ascii=False, default=bytes.hex)


def copied(folder: str, to: str) -> None:
    """As many files of the same sizes, written without any care."""
    for path, _, names in os.walk(folder):
        there = os.path.join(to, os.path.relpath(path, folder))
        os.makedirs(there)
        for name in names:
            data = b"x" * os.path.getsize(os.path.join(path, name))
            with open(os.path.join(there, name), "wb") as file:
                file.write(data)


def _times(folder: str) -> dict[str, int]:
    return {
        os.path.join(path, name): os.stat(os.path.join(path, name)).st_mtime_ns
        for path, _, names in os.walk(folder)
        for name in names
    }


def show(found: dict[str, Any]) -> None:
    print(f"{found['memories']:,} memories in {found['files']:,} files")
    for name, seconds in found["median_s"].items():
        print(f"  {name:13} {seconds:7.3f} s")
    for name in ("first / (json.dumps + bare files)", "unchanged / first", "line taken in / first"):
        print(f"  {name}: {found[name]:.2f}")
    print(f"  files written after one edit: {found['written after one edit']}")
    print(
        f"  unchanged exports that touched a file: {found['runs that touched an unchanged folder']}"
    )


if __name__ == "__main__":
    main()
