"""The phrases of wallets: twelve to twenty-four words of a list (BIP 39)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from itertools import dropwhile, groupby

from loxodon.text.patterns import lazy

SIZES = (12, 15, 18, 21, 24)
"""How many words a phrase has."""
_GAP = r"[\s,，、;]{1,3}(?:[0-9]{1,2}[.):、]?\s{0,2})?"
RUN = (
    rf"[A-Za-z]{{3,8}}(?:{_GAP}[A-Za-z]{{3,8}}){{11,}}"
    rf"|\p{{Han}}(?:[ ,，、\n]{{1,2}}\p{{Han}}){{11,}}"
)
"""RE2: words one after the other, as many as a phrase has or more."""
_NAMES = frozenset(("seed", "phrase", "word", "wallet"))
"""What a phrase is called, in words that phrases have too."""
_WORD = lazy(r"[A-Za-z]+|[\u3400-\u9fff]")


def phrases(run: str) -> Iterator[tuple[int, int]]:
    """Where phrases stand in words that stand one after the other; each word is looked up once.

    Of single Chinese characters, which are all in the list, only those that check are a phrase.
    """
    is_zh = not run[0].isascii()
    numbers = _numbers("zh" if is_zh else "en")
    found = [(one.start(), one.end(), numbers.get(one[0].lower())) for one in _WORD.finditer(run)]
    for is_known, group in groupby(found, lambda one: one[2] is not None):
        words = list(dropwhile(lambda one: run[one[0] : one[1]].lower() in _NAMES, group))
        if not is_known or len(words) not in SIZES:
            continue
        # Chance repeats few of 2,048 words.
        is_varied = len({number for _, _, number in words}) >= len(words) * 3 // 4
        if is_varied and (not is_zh or _checks([number or 0 for _, _, number in words])):
            yield words[0][0], words[-1][1]


def _checks(numbers: list[int]) -> bool:
    """BIP 39: the last bits are the first of the SHA-256 of the others."""
    from hashlib import sha256

    bits = "".join(f"{n:011b}" for n in numbers)
    size = len(bits) * 32 // 33
    digest = sha256(int(bits[:size], 2).to_bytes(size // 8, "big")).digest()
    return f"{digest[0]:08b}"[: len(bits) - size] == bits[size:]


@cache
def _numbers(name: str) -> dict[str, int]:
    """The words of a list, each with its number."""
    path = os.path.join(os.path.dirname(__file__), f"bip39_{name}.txt")
    with open(path, encoding="utf-8") as file:
        return {word: n for n, word in enumerate(file.read().split())}
