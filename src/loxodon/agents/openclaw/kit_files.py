"""What OpenClaw is given, made from `kit/` for one memory.

Files of our own, and a block in files of others, between two marks.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence

from loxodon.journal.markdown import OUR_BEGIN, OUR_END

_KIT = os.path.join(os.path.dirname(__file__), "kit")
JOB = "loxodon:consolidation"
SKILL = ("skills", "loxodon")
PLUGIN = ("extensions", "loxodon")
_SCRIPTS = ("memory.py", "recall_memory.py")
_BLOCK = re.compile(rf"{OUR_BEGIN}.*?{OUR_END}(?:\r?\n)?", re.DOTALL)
_PLUGIN_FILES = ("index.js", "openclaw.plugin.json", "package.json")


def text_of(*names: str) -> str:
    with open(os.path.join(_KIT, *names), encoding="utf-8") as file:
        return file.read()


def skill(language: str, command: Sequence[str]) -> dict[str, str]:
    """The skill: what is in its folder, by path."""
    scripts = {f"scripts/{name}": text_of("skill", "scripts", name) for name in _SCRIPTS}
    return {
        "SKILL.md": text_of("skill", f"SKILL.{language}.md"),
        **scripts,
        "scripts/command.json": _document({"command": list(command)}),
    }


def plugin(command: Sequence[str], state: str, daily: str) -> dict[str, str]:
    """The plugin for the memory slot: what is in its folder; `daily` empty for no nightly run."""
    files = {name: text_of("plugin", name) for name in _PLUGIN_FILES}
    job = nightly(command, daily) if daily else None
    run = {"command": list(command), "state": state, "job": job}
    return files | {"command.json": _document(run)}


def nightly(command: Sequence[str], daily: str) -> dict[str, object]:
    """The nightly consolidation as OpenClaw's automations have it; `daily` as cron has it."""
    return {
        "declarationKey": JOB,
        "name": "Loxodon consolidation",
        "description": f"Makes knowledge of what was said. [{JOB}]",
        "enabled": True,
        "schedule": {"kind": "cron", "expr": daily},
        "sessionTarget": "isolated",
        "wakeMode": "now",
        "payload": {"kind": "command", "argv": [*command, "consolidate"]},
        "delivery": {"mode": "none"},
    }


def _document(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def with_block(text: str, body: str) -> tuple[str, str]:
    """`text` with a block at its end, and what was put there as one piece."""
    eol = "\r\n" if "\r\n" in text else "\n"
    lead = "" if not text else eol if text.endswith(eol) else eol + eol
    piece = lead + eol.join([OUR_BEGIN, *body.strip("\n").split("\n"), OUR_END, ""])
    return text + piece, piece


def without_block(text: str, piece: str = "") -> str:
    """`text` without its block: exactly as before where `piece` still stands, else by its marks."""
    if piece and text.count(piece) == 1:
        return text.replace(piece, "")
    return _BLOCK.sub("", text)
