"""How well conversations become knowledge: the labelled cases of tests/consolidation, counted.

python bench/consolidation.py                    every set, without a model
python bench/consolidation.py zh_dev --failures  one set, and what went wrong
python bench/consolidation.py en_dev --read      only phases 1 to 3: what is read from each turn
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from loxodon import Memory
from loxodon.language.statements import CONTEXT, Line, Said
from loxodon.write.extract import fragments_of, read

CASES = Path(__file__).parent.parent / "tests" / "consolidation" / "cases"
SETS = ("zh_dev", "zh_held", "zh_fresh", "en_dev", "en_held", "en_fresh")
CHANGES = ("update", "supersede", "retract", "belief", "repeat")
CONFIG = {"workspace.views": "off"}  # nobody reads them


class Kept(NamedTuple):
    kind: str
    content: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--failures", action="store_true", help="show each check that failed")
    parser.add_argument("--read", action="store_true", help="phases 1 to 3 only, nothing stored")
    parser.add_argument("--only", default="", help="cases whose id contains this")
    parser.add_argument("--show", action="store_true", help="show every memory of every case")
    args = parser.parse_args()
    for name in args.sets:
        score(name, args)


def score(name: str, args: argparse.Namespace) -> None:
    passed: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    memories = 0
    path = Path(name) if name.endswith(".jsonl") else CASES / f"{name}.jsonl"
    for line in path.read_text("utf-8").splitlines():
        case = json.loads(line)
        if args.only not in case["id"]:
            continue
        kept = read_only(case) if args.read else consolidated(case)
        memories += len(kept)
        failed = []
        for check in case["checks"]:
            asked[check["type"]] += 1
            if holds(check, kept):
                passed[check["type"]] += 1
            else:
                failed.append(check)
        if args.show or (args.failures and failed):
            show(case, kept, failed)
    groups = {"add": ("add",), "change": ("update", "supersede", "retract"), "never": ("never",)}
    figures = [
        f"{label} {share(sum(passed[k] for k in kinds), sum(asked[k] for k in kinds))}"
        for label, kinds in groups.items()
    ]
    each = "  ".join(f"{kind} {passed[kind]}/{asked[kind]}" for kind in asked)
    print(f"{name}: {'  '.join(figures)}  memories {memories}\n   {each}")


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}% ({part}/{whole})" if whole else "-"


def sessions_of(case: dict[str, Any]) -> list[list[dict[str, Any]]]:
    return [list(turns) for _, turns in groupby(case["turns"], key=lambda turn: turn["session"])]


def consolidated(case: dict[str, Any]) -> list[Kept]:
    """What the memory holds after each session was added and consolidated."""
    now = [datetime.fromisoformat(case["turns"][0]["at"])]
    with (
        tempfile.TemporaryDirectory() as home,
        Memory.open(home, config=CONFIG, clock=lambda: now[0]) as memory,
    ):
        for turns in sessions_of(case):
            now[0] = datetime.fromisoformat(turns[-1]["at"])
            memory.add(turns)
            memory.consolidate(force=True)
        return [Kept(one.kind, one.content) for one in memory.list()]


def read_only(case: dict[str, Any]) -> list[Kept]:
    """What the rules read from each turn, nothing compared with anything."""
    kept = []
    known: dict[str, str] = {}
    for turns in sessions_of(case):
        before: list[Line] = []
        for n, turn in enumerate(turns):
            at, text = datetime.fromisoformat(turn["at"]), turn["content"]
            if turn["role"] == "user":
                said = Said(text, at, fragments_of(n, text), before[-CONTEXT:], known)
                for one in read(said).candidates:
                    kind = "fact" if one.statement.confidence == 1 else "belief"
                    kept.append(Kept(kind, one.statement.content))
                    for mention in one.statement.mentions:
                        known |= dict.fromkeys(mention.aliases, mention.name)
            before.append(Line(turn["role"], text, at))
    return kept


def holds(check: dict[str, Any], kept: list[Kept]) -> bool:
    def having(groups: list[list[str]]) -> list[Kept]:
        return [
            one
            for one in kept
            if all(any(s.lower() in one.content.lower() for s in group) for group in groups)
        ]

    if "once" in check:
        return len([one for one in having(check["once"]) if one.kind != "summary"]) == 1
    present = list(having(check["present"])) if "present" in check else []
    if check["type"] == "belief":
        present = [one for one in present if one.kind == "belief"]
    return ("present" not in check or bool(present)) and not (
        "absent" in check and having(check["absent"])
    )


def show(case: dict[str, Any], kept: list[Kept], failed: list[dict[str, Any]]) -> None:
    print(f"--- {case['id']} {case['about']}")
    for turn in case["turns"]:
        print(f"  {turn['session']} {turn['at'][:10]} {turn['role'][0]}: {turn['content']}")
    for one in kept:
        print(f"    [{one.kind}] {one.content}")
    for check in failed:
        shown = {key: value for key, value in check.items() if key != "type"}
        print(f"    FAILED {check['type']}: {json.dumps(shown, ensure_ascii=False)[:300]}")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    main()
