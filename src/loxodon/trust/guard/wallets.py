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
    return tuple({word: n for n, word in enumerate(_written(name))} for name in ("en", "zh"))


def is_word(word: str) -> bool:
    """Whether a phrase may have this word."""
    return word in _known("en" if word.isascii() else "zh")


@cache  # each by itself: of a cold command's texts most are in one language
def _known(name: str) -> frozenset[str]:
    return frozenset(_written(name))


def _written(name: str) -> list[str]:
    path = os.path.join(os.path.dirname(__file__), f"bip39_{name}.txt")
    with open(path, encoding="utf-8") as file:
        return file.read().split()
