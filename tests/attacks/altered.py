"""How much of a text the guard changes on its way in: `python -m tests.attacks.altered FILE …`

A Markdown file is read by paragraphs, each one turn. A line of a JSONL file is a conversation with
`sessions` of `turns`, or one statement with a `text`. Every change is printed.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path

from tests.guard.text_rules import kept_turns


def sessions(path: Path) -> Iterator[list[str]]:
    """What is said in a file, by sessions."""
    text = path.read_text("utf-8")
    if path.suffix != ".jsonl":
        yield [one for one in re.split(r"\n\s*\n", text) if one.strip()]
        return
    for line in text.splitlines():
        said = json.loads(line)
        if "sessions" not in said:
            yield [said["text"]]
        for session in said.get("sessions", ()):
            yield [turn["text"] for turn in session["turns"]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.altered", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    for path in parser.parse_args().files:
        total = changed = 0
        for said in sessions(path):
            total += len(said)
            for text, kept in zip(said, kept_turns(said), strict=True):
                if kept != text:
                    changed += 1
                    print(f"  - {text!r}\n  + {kept!r}")
        print(f"{path.name}: {changed} of {total} altered")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
