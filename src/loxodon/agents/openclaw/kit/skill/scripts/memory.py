"""The memory's upkeep, by the words that a skill knows: a thin call of the `loxodon` program.

python3 memory.py init | consolidate [--force | --phase N] | status | stats
python3 memory.py capture "TEXT" [--type fact|belief] [--importance 0..1] [--confidence 0..1]
                                 [--entities "A,B"]
python3 memory.py rebuild-index | validate | archive ID
"""

import json
import os
import subprocess
import sys

COMMANDS = (
    "init",
    "consolidate",
    "capture",
    "status",
    "stats",
    "rebuild-index",
    "validate",
    "archive",
)


def main() -> int:
    words = sys.argv[1:]
    if not words or words[0] not in COMMANDS:
        print(__doc__)
        return 0 if words[:1] in ([], ["-h"], ["--help"]) else 2
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "command.json"), encoding="utf-8") as file:
        command = json.load(file)["command"]
    return subprocess.run([*command, *words]).returncode  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())
