"""The prompt of the chat: one file for each language, its variables named in the first line."""

from __future__ import annotations

import os
from functools import cache


@cache
def _file(language: str) -> str:
    path = os.path.join(os.path.dirname(__file__), f"system.{language}.md")
    with open(path, encoding="utf-8") as file:
        return file.read().partition("\n")[2].strip()


def system(language: str, soul: str, day: str) -> str:
    """What a model is told before a conversation: who it is, of when, and what its memory is."""
    return _file(language).replace("{day}", day).replace("{soul}", soul).strip()
