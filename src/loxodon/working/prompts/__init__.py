"""Prompts of working memory: one file each, its variables named in the first line."""

from __future__ import annotations

import os
from functools import cache


@cache
def _file(name: str, language: str) -> str:
    path = os.path.join(os.path.dirname(__file__), f"{name}.{language}.md")
    with open(path, encoding="utf-8") as file:
        return file.read().partition("\n")[2].strip()


def prompt(name: str, language: str, **values: str) -> str:
    """The prompt called `name` in `language`, its variables filled in."""
    text = _file(name, language)
    for variable, value in values.items():
        text = text.replace(f"{{{variable}}}", value)
    return text
