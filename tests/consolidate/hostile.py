"""Messages that nobody writes and anybody can send, each of any length."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

_LINES = Path(__file__).with_suffix(".jsonl").read_text("utf-8").strip().split("\n")
UNITS = {row["name"]: row["unit"] for row in map(json.loads, _LINES)}
"""What a message may be made of, over and over."""

SHAPES: dict[str, Callable[[int], str]] = {
    "nested brackets": lambda n: "(" * (n // 2) + ")" * (n // 2),
    "nested list": lambda n: "".join("  " * i + "- a\n" for i in range(n // 9))[:n],
    "a gap": lambda n: "I like" + " " * n + "tea",
    "marks on one letter": lambda n: "a" + "\u0301" * n,
    "a title": lambda n: "《" + "1" * n,
    "a long link": lambda n: "http://" + "a/" * (n // 2),
    "a task": lambda n: "translate this: " + "x y " * (n // 4),
}


def messages(n: int) -> dict[str, str]:
    """Each of them with `n` characters or a few more."""
    made = {name: (unit * (n // len(unit) + 1))[:n] for name, unit in UNITS.items()}
    made |= {name: shape(n) for name, shape in SHAPES.items()}
    return {name: f"{text} x" for name, text in made.items()}  # white space alone is no message
