"""How much room a space takes: empty, for every 1,000 turns, and for every 1,000 memories.

python bench/sizes.py [--turns 10000]

Sizes are of files after closing, so that the log of writes is in the database.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable

from loxodon import Memory
from text import Talk


def parts(home: str) -> Counter[str]:
    """Bytes of a home by what they are for."""
    found: Counter[str] = Counter()
    for folder, _, names in os.walk(home):
        inside = os.path.relpath(folder, home).split(os.sep)
        for name in names:
            kind = next((one for one in ("audit", "workspace") if one in inside), "")
            kind = kind or ("database" if name.startswith("loxodon.db") else "other")
            found[kind] += os.path.getsize(os.path.join(folder, name))
    return found


def grown(home: str, work: Callable[[Memory], object]) -> Counter[str]:
    """What some work adds to a home."""
    before = parts(home)
    with Memory.open(home) as memory:
        work(memory)
    after = parts(home)
    after.subtract(before)
    return after


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    turns: int = parser.parse_args().turns
    talk = Talk()
    said = [
        {"role": "user", "content": talk.turn(), "session": f"s{n // 50}"} for n in range(turns)
    ]
    size = sum(len(one["content"].encode()) for one in said)
    with tempfile.TemporaryDirectory() as home:
        empty = grown(home, lambda memory: None)
        with Memory.open(home) as memory:
            ((pages, each),) = memory.workspace.store._db.all(
                "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size"
            )
        print(f"empty: {sum(empty.values()):,} bytes, {pages} pages of {each}")
        journal = grown(home, lambda memory: memory.add(said))
        show(f"1,000 turns of {size // turns} bytes", journal, turns)
        known = grown(home, lambda memory: [memory.capture(talk.turn(60)) for _ in range(1_000)])
        show("1,000 memories of 60 bytes, captured one by one", known, 1_000)
    return 0


def show(what: str, grown: Counter[str], count: int) -> None:
    each = {kind: round(size * 1_000 / count / 1_000) for kind, size in grown.items() if size}
    print(f"{what}: " + ", ".join(f"{kind} {size:,} KB" for kind, size in sorted(each.items())))


if __name__ == "__main__":
    sys.exit(main())
