"""What the memory has on a question: a thin call of `loxodon recall`.

    python3 recall_memory.py --query "QUESTION" [--top N] [--budget TOKENS] [--chat direct|group]

In a chat that others hear (`--chat group`, or LOXODON_CHAT as OpenClaw's plugin sets it) nothing
private comes back.
"""

import argparse
import json
import os
import subprocess
import sys


def main() -> int:
    parser = argparse.ArgumentParser(description="What the memory has on a question.")
    parser.add_argument("--query", required=True)
    parser.add_argument("--top", type=int, default=5)
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--chat", choices=("direct", "group", "room"))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    set_by_plugin = os.environ.get("LOXODON_CHAT", "direct")
    chat = set_by_plugin if set_by_plugin != "direct" else args.chat or "direct"
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "command.json"), encoding="utf-8") as file:
        command = json.load(file)["command"]
    options = ["--top", str(args.top), "--budget", str(args.budget), "--chat", chat]
    shown = ["--json"] if args.json else []
    words = ["recall", *options, *shown, "--", args.query]
    return subprocess.run([*command, *words]).returncode  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())
