"""How unseen conversations fare: `python -m tests.unseen [SET …] [--author a…n] [--details]`."""

from __future__ import annotations

import argparse
import collections
from pathlib import Path

from tests.unseen.judge import AUTHORS, CASES, JUDGES, cases


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.unseen", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(JUDGES)}; all")
    parser.add_argument("--author", choices=AUTHORS, default="f", help="whose cases; f")
    parser.add_argument("--from", dest="folder", type=Path, help="a folder with cases of your own")
    parser.add_argument("--details", action="store_true", help="each case that failed, and how")
    parser.add_argument("--only", default="", help="ids of cases, with commas")
    args = parser.parse_args()
    for name in args.sets or JUDGES:
        right, total = collections.Counter[str](), collections.Counter[str]()
        for case in cases(name, args.folder or CASES / args.author):
            if args.only and case["id"] not in args.only.split(","):
                continue
            wrong = JUDGES[name](case)
            for key in (case["kind"], f"{case['kind']} {case['lang']}"):
                total[key] += 1
                right[key] += not wrong
            if wrong and args.details:
                print(f"{case['id']} {case['kind']} {case['lang']}")
                for turn in case["turns"]:
                    print(f"    {turn.get('speaker') or turn['role']}: {turn['content']!r}")
                print(*(f"    ✗ {one}" for one in wrong), sep="\n")
        for key in sorted(total):
            print(f"{name:16}{key:20}{right[key]:4} of {total[key]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
