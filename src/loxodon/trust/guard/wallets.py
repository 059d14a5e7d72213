"""The words that the phrases of wallets are made of (BIP 39)."""

from __future__ import annotations

import os
import re
from functools import cache

SIZES = (12, 15, 18, 21, 24)
"""How many words a phrase has."""


def words_of(it: str) -> list[str]:
    """The words of a list, without their numbers and what stands between them."""
    pattern = r"[a-z]+" if it.isascii() else r"[a-z]+|[\u4e00-\u9fff]"
    return re.findall(pattern, it.lower())


@cache
def _texts() -> tuple[str, ...]:
    """The lists, English and Chinese, as they are written: a line for each word."""
    found = []
    for name in ("en", "zh"):
        path = os.path.join(os.path.dirname(__file__), f"bip39_{name}.txt")
        with open(path, encoding="utf-8") as file:
            found.append(f"\n{file.read().strip()}\n")
    return tuple(found)


@cache
def lists() -> tuple[dict[str, int], ...]:
    """The words, English and Chinese, each with the numbers of its words."""
    return tuple({word: n for n, word in enumerate(text.split())} for text in _texts())


def is_word(word: str) -> bool:
    """Whether a phrase may have this word. Looked for in the text: of a few words a cold command
    asks, a dictionary would take longer to make."""
    return bool(word) and any(f"\n{word}\n" in text for text in _texts())
