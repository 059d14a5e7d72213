"""The main job, as a user would type it: journal a conversation, let it be learned from, ask.

`make demo` runs it in a folder of its own (.demo), with the clock set to the day of the talk.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.environ.get("LOXODON_DEMO") or os.path.join(os.path.dirname(HERE), ".demo")
LOXODON = os.path.join(os.path.dirname(sys.executable), "loxodon")

TALK = os.path.join("demo", "conversation.jsonl")

STEPS: tuple[tuple[str, list[str]], ...] = (
    ("Journal a conversation in two languages", ["add", TALK]),
    ("The same file again adds nothing", ["add", TALK]),
    ("Make knowledge of it, without any model", ["consolidate"]),
    ("What it learned", ["list"]),
    ("Whom it knows", ["entities", "小美"]),
    (
        "Keep something as you say it",
        [
            "capture",
            "用户对花生过敏，出门要带药",
            "--importance",
            "1.0",
            "--category",
            "health",
            "--entities",
            "用户",
            "--tags",
            "过敏,饮食",
        ],
    ),
    (
        "…and a guess",
        [
            "capture",
            "The user may work at a software company",
            "--type",
            "belief",
            "--confidence",
            "0.6",
            "--tags",
            "work",
        ],
    ),
    ("Ask in Chinese", ["recall", "推荐餐厅要注意什么？花生可以吗", "--top", "3", "--explain"]),
    ("Ask in English", ["recall", "Where did my manager move?", "--top", "2", "--explain"]),
    ("Mixed text is found by either part", ["recall", "Kuzu 图记忆", "--top", "2"]),
    ("What was said last Tuesday?", ["journal", "--on", "last Tuesday"]),
    ("What a new conversation starts with", ["snapshot"]),
    ("What there is", ["stats"]),
)


def main() -> int:
    shutil.rmtree(HOME, ignore_errors=True)
    environment = os.environ | {
        "LOXODON_HOME": HOME,
        "LOXODON_NOW": "2026-02-04T18:00:00+08:00",
        "TZ": "Asia/Shanghai",  # where the talk took place: its times read as they were said
    }
    for title, command in STEPS:
        typed = " ".join(
            f"'{word}'" if " " in word or not word.isascii() else word for word in command
        )
        print(f"\n# {title}\n$ loxodon {typed}", flush=True)
        code = subprocess.run(
            [LOXODON, *command], env=environment, cwd=os.path.dirname(HERE)
        ).returncode
        if code:
            return code
    program, home = os.path.relpath(LOXODON), os.path.relpath(HOME)
    print(f"\nThe memory is in {home}; try: {program} --home {home} recall '妹妹'")
    return 0


if __name__ == "__main__":
    sys.exit(main())
