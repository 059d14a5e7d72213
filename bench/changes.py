"""How often a change ends what it changes, and nothing else: the pairs of data/changes.

python bench/changes.py en                 every fourth pair
python bench/changes.py zh --every 1 --show

What is known is told to an empty memory with ten other things that the same author told of other
sides of life; then what was told later. Right is an ending of what it replaces, wrong any other.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from loxodon import Memory

DATA = Path(__file__).parent.parent / "data" / "changes"
CONFIG = {"workspace.views": "off"}
OTHERS = 10
DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Pair(NamedTuple):
    author: str
    side: str
    relation: str
    known: str
    later: str
    same_person: bool


class Ended(NamedTuple):
    known: bool
    others: list[str]
    doubtful: bool
    was_kept: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("language", choices=["en", "zh"])
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--authors", default="abc")
    parser.add_argument("--show", action="store_true", help="show every ending")
    args = parser.parse_args()
    pairs = [one for author in args.authors for one in pairs_of(args.language, author)]
    counts: Counter[tuple[str, str]] = Counter()
    for pair in pairs[:: args.every]:
        found = told(pair, pairs)
        outcome = judged(pair, found)
        counts[pair.side, outcome] += 1
        counts[pair.side, f"of {pair.relation}"] += 1
        if args.show and (found.known or found.others):
            print(f"{outcome}: {pair.known!r} <= {pair.later!r} {found.others or ''}")
    report(counts)


def pairs_of(language: str, author: str) -> list[Pair]:
    lines = (DATA / f"{language}_{author}.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return [Pair(author, a.partition("/")[0], b, c, d, e == "1") for a, b, c, d, e in rows]


def told(pair: Pair, pairs: list[Pair]) -> Ended:
    """What becomes of what was known when the rest is told."""
    chance = random.Random(pair.known)
    others = [one for one in pairs if one.author == pair.author and one.side != pair.side]
    texts = [pair.known, *(one.known for one in chance.sample(others, OTHERS))]
    now = [DAY]
    with (
        tempfile.TemporaryDirectory() as home,
        Memory.open(home, config=CONFIG, clock=lambda: now[0]) as memory,
    ):
        memory.add([turn(text, n, DAY) for n, text in enumerate(texts)])
        memory.consolidate(force=True)
        before = {one.id: one for one in memory.list()}
        of = {source.turn for one in before.values() for source in one.sources}
        now[0] = DAY + timedelta(days=30)
        memory.add([turn(pair.later, len(texts), now[0])])
        memory.consolidate(force=True)
        gone = [
            one for one in memory.list(state="archived") if one.id in before and one.valid_until
        ]
        turns = [source.turn for one in gone for source in one.sources[:1]]
        doubtful = any(one.belief.id in before for one in memory.reviews())
        names = [texts[int(name[1:])] for name in turns if name != "t0"]
        return Ended("t0" in turns, names, doubtful, "t0" in of)


def turn(text: str, n: int, at: datetime) -> dict[str, str]:
    return {
        "role": "user",
        "content": text,
        "id": f"t{n}",
        "session": f"s{n}",
        "at": at.isoformat(),
    }


def judged(pair: Pair, found: Ended) -> str:
    if found.others or (found.known and pair.relation == "both"):
        return "wrong"
    if found.known and pair.relation == "replaces":
        return "right"
    if pair.relation == "replaces":
        return "doubtful" if found.doubtful else "missed" if found.was_kept else "never known"
    return "left"


def report(counts: Counter[tuple[str, str]]) -> None:
    kinds = ("right", "wrong", "doubtful", "missed", "never known")
    print(f"{'side':12}{'replaces':>9}{'both':>6}", *(f"{kind:>12}" for kind in kinds))
    sides = sorted({side for side, _ in counts})
    for side in (*sides, "all"):

        def of(kind: str, side: str = side) -> int:
            return sum(n for (s, k), n in counts.items() if k == kind and side in (s, "all"))

        row = " ".join(f"{of(kind):>12}" for kind in kinds)
        print(f"{side:12}{of('of replaces'):>9}{of('of both'):>6} {row}")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    main()
