"""Made-up talk for measuring speed: words as rare and as common as in real text, in two languages.

Word frequencies follow Zipf's law, so that queries meet common words as often as real ones do. It
is the same talk every time: the generator is seeded.
"""

from __future__ import annotations

import random
from bisect import bisect
from itertools import accumulate

_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwz", "aeiou"


class Talk:
    """An endless conversation: two thirds English, one third Chinese."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._latin = self._vocabulary(40_000, self._latin_word)
        self._han = self._vocabulary(20_000, self._han_word)

    def _vocabulary(self, size: int, make: object) -> tuple[list[str], list[float]]:
        words: dict[str, None] = {}
        while len(words) < size:
            words[make()] = None  # type: ignore[operator]
        # The flattened head of Zipf-Mandelbrot: stop words are not in the index anyway.
        return list(words), list(accumulate(1 / (rank + 12) for rank in range(size)))

    def _latin_word(self) -> str:
        pick = self._random.choice
        return "".join(pick(_CONSONANTS) + pick(_VOWELS) for _ in range(self._random.randint(2, 4)))

    def _han_word(self) -> str:
        code = self._random.randrange
        return "".join(
            chr(0x4E00 + int(code(2_000) ** 1.0)) for _ in range(self._random.randint(1, 2))
        )

    def _words(self, vocabulary: tuple[list[str], list[float]], count: int) -> list[str]:
        words, weights = vocabulary
        draw = self._random.random
        return [words[bisect(weights, draw() * weights[-1])] for _ in range(count)]

    def turn(self, size: int = 140) -> str:
        """About `size` bytes of talk."""
        if self._random.random() < 0.34:
            return "，".join("".join(self._words(self._han, 6)) for _ in range(max(1, size // 33)))
        return " ".join(self._words(self._latin, max(2, size // 7)))

    def question(self, text: str, terms: int) -> str:
        """A query of `terms` words that stand in `text`."""
        if " " in text:
            words = text.split()
            return " ".join(self._random.sample(words, min(terms, len(words))))
        start = self._random.randrange(max(1, len(text) - terms))
        return text[start : start + terms + 1]

    def name(self) -> str:
        """Someone's name."""
        return self._latin_word().title() + " " + self._latin_word().title()

    def half(self, text: str) -> str:
        """Half of what `text` says, as a memory drawn from it would have it."""
        if " " in text:
            words = text.split()
            return " ".join(words[: max(1, len(words) // 2)])
        return text[: max(1, len(text) // 2)]
