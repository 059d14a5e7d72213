"""Things that change: `changed_cases.jsonl`, told among other talk, and how a recall is judged.

A case tells one thing two or three times, weeks apart and each time in other words, among the talk
of `changed_others.json`; then it is asked. Right is an answer in which the newest comes before what
it took the place of, and nothing of that is shown as if it still held. `held` cases were written
with the others and are not looked at while recall is worked on.

python -m tests.recall.changed      how many are right, by language and half
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from loxodon import Memory
from loxodon.types import Item, Recall

FOLDER = Path(__file__).parent
FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)
APART = timedelta(days=4)
TOLD_AT = (2, 10, 18)
"""Before which of the other messages each telling stands."""


class Case(NamedTuple):
    """One thing that changed."""

    id: str
    half: str
    told: tuple[str, ...]
    ask: str
    was: tuple[str, ...]
    """What is in the earlier tellings alone."""
    now: str
    """What is in the last telling."""

    @property
    def lang(self) -> str:
        return self.id[:2]


def read() -> Iterator[Case]:
    with open(FOLDER / "changed_cases.jsonl", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield Case(**row | {"told": tuple(row["told"]), "was": tuple(row["was"])})


def judged(case: Case, home: str, known: bool) -> tuple[str, Recall]:
    """What is wrong with the recall of a case, nothing where it is right; where `known` is set,
    with what consolidation makes of the talk, else with the turns alone."""
    with open(FOLDER / "changed_others.json", encoding="utf-8") as file:
        others = json.load(file)[case.lang]
    now = [FIRST]
    with Memory.open(home, config={"workspace.views": "off"}, clock=lambda: now[0]) as memory:
        for n, other in enumerate(others):
            now[0] = FIRST + n * APART
            said = [other]
            if n in TOLD_AT[: len(case.told)]:
                said.insert(0, case.told[TOLD_AT.index(n)])
            turns = [
                {"role": "user", "content": text, "id": f"{n}-{m}"} for m, text in enumerate(said)
            ]
            memory.add(turns, session=f"day {n}")
            if known and (n in TOLD_AT or other == others[-1]):
                memory.consolidate(force=True)
        now[0] += APART
        found = memory.recall(case.ask)
    return fault(case, found), found


def fault(case: Case, found: Recall) -> str:
    about = [item for item in found.items if _is_old(case, item) or case.now in item.content]
    if not about or not any(case.now in item.content for item in about):
        return "the newest is not there"
    if _is_old(case, about[0]):
        return "what was comes first"
    unmarked = [item for item in about if _is_old(case, item) and not _is_marked(item)]
    return f"as if it still held: {unmarked[0].content}" if unmarked else ""


def _is_old(case: Case, item: Item) -> bool:
    return case.now not in item.content and any(word in item.content for word in case.was)


def _is_marked(item: Item) -> bool:
    return bool(item.valid_until or item.why.get("again")) or item.state == "archived"


def main() -> None:
    from collections import Counter
    from tempfile import TemporaryDirectory

    right: Counter[tuple[str, str, str]] = Counter()
    every: Counter[tuple[str, str, str]] = Counter()
    for case in read():
        for known in (False, True):
            group = case.lang, case.half, "with memories" if known else "turns alone"
            with TemporaryDirectory() as home:
                wrong, _ = judged(case, home, known)
            every[group] += 1
            right[group] += not wrong
            if wrong and case.half == "seen":
                print(case.id, group[2], wrong)
    for group, number in sorted(every.items()):
        print(*group, f"{right[group]} of {number}")


if __name__ == "__main__":
    main()
