"""Which of our two languages a text is in."""

from __future__ import annotations

import re


def language_of(text: str) -> str:
    """`zh` where Chinese characters are at least as many as Latin words, else `en`."""
    if text.isascii():
        return "en"
    sample = text[:2_000]
    han = sum("\u4e00" <= character <= "\u9fff" for character in sample)
    return "zh" if han and han >= len(re.findall(r"[A-Za-z]+", sample)) else "en"
