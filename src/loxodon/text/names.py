"""The parts of a message that may be a name: what is looked up to know whether they are.

Names are never searched for in a message, because there may be ten thousand of them; the message's
own words are looked up among the names. English names are up to four words, cut at spaces; others
are stretches of up to eight characters, since Chinese has no spaces to cut at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from loxodon.text.wordlists import words_of

LOOKED_AT = 600  # Characters of a message in which names are looked for
_WORDS = 4
_CHARACTERS = 8
_LINKING = words_of("not_in_names")


class NameSpan(NamedTuple):
    """A stretch of a message, folded as names are."""

    start: int
    end: int
    name: str


def parts_of(text: str) -> list[NameSpan]:
    """Every stretch of `text` (folded already) that may be a name, the longest first."""
    found = [NameSpan(start, end, text[start:end]) for start, end in _places(text)]
    return sorted(found, key=lambda part: (part.start - part.end, part.start))


def candidates(text: str) -> set[str]:
    """The same without their places: enough to know whether one is."""
    return {text[start:end] for start, end in _places(text)}


def named(text: str, known: Callable[[Iterable[str]], Iterable[str]]) -> list[NameSpan]:
    """The names in `text` (folded already), in order: of two that overlap, the longer."""
    parts = parts_of(text)
    names = set(known(dict.fromkeys(part.name for part in parts)))
    taken: list[NameSpan] = []
    for part in parts:
        if part.name in names and all(part.end <= t.start or part.start >= t.end for t in taken):
            taken.append(part)
    return sorted(taken)


_NOT_FIRST = frozenset("的了吗呢吧啊着么们")
_NOT_LAST = frozenset("的了吗呢吧啊着么是在我你")
_GAPS = frozenset(("", " ", "-", "_", ". ", "&", " & ", "'", "."))
_WORD = re.compile(r"[^\W_]+")


def _places(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each stretch that may be a name."""
    words: list[tuple[int, int, str]] = []  # start, end, and the word if its script has spaces
    for match in _WORD.finditer(text[:LOOKED_AT]):
        start = match.start()
        for spaced, letters in groupby(match[0], "\u2e80".__gt__):
            word = "".join(letters)
            words.append((start, start + len(word), word if spaced else ""))
            start += len(word)
    for n, (start, end, first_word) in enumerate(words):
        if not first_word:
            for first in range(start, end):
                if text[first] not in _NOT_FIRST:
                    for last in range(first + 1, min(first + _CHARACTERS, end) + 1):
                        if text[last - 1] not in _NOT_LAST:
                            yield first, last
        elif first_word not in _LINKING:
            before = start
            for first, last, word in words[n : n + _WORDS]:
                if first > start and text[before:first] not in _GAPS:
                    break
                if not word:  # OKR系统
                    for more in range(first + 1, min(first + _CHARACTERS, last) + 1):
                        yield start, more
                    break
                before = last
                if word not in _LINKING:
                    yield start, last
