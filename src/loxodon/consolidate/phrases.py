"""The words that consolidation looks for, from `phrases.toml`."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def phrases() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "phrases.toml").read_text("utf-8"))


def pattern(name: str, before: str = "") -> re.Pattern[str]:
    """Any of the phrases of a name, in upper or lower case, right behind what fits `before`."""
    return re.compile(f"{before}(?:{'|'.join(phrases()[name])})", re.IGNORECASE)


def any_of(*names: str) -> str:
    """A pattern for one of the phrases listed under these names, the longest first; a Latin word is
    a whole one."""
    listed = {one.strip() for name in names for one in re.split("[,\n]", phrases()[name])} - {""}
    longest = "|".join(map(re.escape, sorted(listed, key=len, reverse=True)))
    return rf"(?>(?:{longest})(?!(?<=[a-z\d])['’]?[a-z\d]))"


def rewritten(name: str, text: str) -> str:
    """A text after the steps of a name, each of which puts other words for what fits."""
    for like, instead in phrases()[name]:
        for found in reversed([*re.finditer(like, text)]):
            words = instead.format(*map(str.lower, found.groups()))
            text = text[: found.start()] + words + text[found.end() :]
    return text
