"""The phrases of wallets: twelve to twenty-four words of a list (BIP 39)."""

from __future__ import annotations

import os
import re
from functools import cache
from itertools import dropwhile, groupby

from loxodon.guard.candidates import CHECKS, Candidate, Spans

_SIZES = (12, 15, 18, 21, 24)  # words of a phrase
_NAMES = frozenset(("seed", "phrase", "word", "wallet"))
"""What a phrase is called, in words that phrases have too."""
_WORD = re.compile(r"[A-Za-z]+|[\u3400-\u9fff]")


def seed_phrase(one: Candidate) -> Spans:
    """Where phrases stand in words that stand one after the other; each word is looked up once.

    Of single Chinese characters, which are all in the list, only those that check are a phrase.
    """
    run = one.it
    is_zh = not run[0].isascii()
    numbers = _numbers("zh" if is_zh else "en")
    found = [(word, numbers.get(word[0].lower(), -1)) for word in _WORD.finditer(run)]
    spans = []
    for is_known, group in groupby(found, lambda each: each[1] >= 0):
        known = list(dropwhile(lambda each: each[0][0].lower() in _NAMES, group))
        if not is_known or len(known) not in _SIZES:
            continue
        picked = [number for _, number in known]
        is_varied = len(set(picked)) >= len(picked) * 3 // 4  # chance repeats few of 2,048 words
        if is_varied and (not is_zh or _checks(picked)):
            spans.append((one.start + known[0][0].start(), one.start + known[-1][0].end()))
    return spans


CHECKS[seed_phrase.__name__] = seed_phrase


def _checks(numbers: list[int]) -> bool:
    """BIP 39: the last bits are the first of the SHA-256 of the others."""
    from hashlib import sha256

    bits = "".join(f"{n:011b}" for n in numbers)
    size = len(bits) * 32 // 33
    digest = sha256(int(bits[:size], 2).to_bytes(size // 8, "big")).digest()
    return f"{digest[0]:08b}"[: len(bits) - size] == bits[size:]


@cache
def _numbers(language: str) -> dict[str, int]:
    """The words of a list, each with its number."""
    path = os.path.join(os.path.dirname(__file__), f"bip39_{language}.txt")
    with open(path, encoding="utf-8") as file:
        return {word: n for n, word in enumerate(file.read().split())}
