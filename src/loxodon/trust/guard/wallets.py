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
def lists() -> tuple[dict[str, int], ...]:
    """The words, English and Chinese, each with the numbers of its words."""
    found = []
    for name in ("en", "zh"):
        path = os.path.join(os.path.dirname(__file__), f"bip39_{name}.txt")
        with open(path, encoding="utf-8") as file:
            found.append({word: n for n, word in enumerate(file.read().split())})
    return tuple(found)


def is_word(word: str) -> bool:
    """Whether a phrase may have this word."""
    return any(word in words for words in lists())
