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

LOOKED_AT = 600  # Characters of a message in which names are looked for
_WORDS = 4
_CHARACTERS = 8
# Words that no name begins or ends with
_LINKING = frozenset(
    """
    a an the this that these those i me you he him she it its we us they them who whom what when
    where why how which is are was were be been am do does did have has had will would can could
    should and or but if so to of in on at by for with from as not no my your his her our their
    about
    """.split()  # noqa: SIM905  a block of words is easier to read and to keep than a list
)


class NameSpan(NamedTuple):
    """A stretch of a message, folded as names are."""

    start: int
    end: int
    name: str


def parts_of(text: str) -> list[NameSpan]:
    """Every stretch of `text` (folded already) that may be a name, the longest first."""
    found: list[NameSpan] = []
    words = list(_words(text[:LOOKED_AT]))
    for first, (start, end, spaced) in enumerate(words):
        if not spaced:
            found += [NameSpan(a, b, text[a:b]) for a, b in _stretches(text, start, end)]
        elif text[start:end] not in _LINKING:
            found += _of_words(text, words[first : first + _WORDS])
    found.sort(key=lambda part: (part.start - part.end, part.start))
    return found


def candidates(text: str) -> set[str]:
    """The same without their places, in a fraction of the time: enough to know whether one is."""
    found: set[str] = set()
    words = list(_words(text[:LOOKED_AT]))
    for first, (start, end, spaced) in enumerate(words):
        if not spaced:
            found.update(text[a:b] for a, b in _stretches(text, start, end))
        elif text[start:end] not in _LINKING:
            found.update(part.name for part in _of_words(text, words[first : first + _WORDS]))
    return found


def named(text: str, known: Callable[[Iterable[str]], Iterable[str]]) -> list[NameSpan]:
    """The names in `text` (folded already), in order: of two that overlap, the longer.

    `known` is asked once, with all that may be a name, and answers with those that are.
    """
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


def _words(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, whether its script has spaces) of each stretch of letters."""
    for match in _WORD.finditer(text):
        start = match.start()
        for spaced, letters in groupby(match[0], "\u2e80".__gt__):
            end = start + len(list(letters))
            yield start, end, spaced
            start = end


def _of_words(text: str, words: list[tuple[int, int, bool]]) -> Iterator[NameSpan]:
    start, last, _ = words[0]
    for first, end, spaced in words:
        gap = text[last:first] if first > last else ""
        if first > start and gap not in _GAPS:
            return
        if not spaced:  # OKR系统
            for more in range(first + 1, min(first + _CHARACTERS, end) + 1):
                yield NameSpan(start, more, text[start:more])
            return
        last = end
        if text[first:end] not in _LINKING:
            yield NameSpan(start, end, text[start:end])


def _stretches(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """(start, end) of each stretch of characters that may be a name."""
    for first in range(start, end):
        if text[first] not in _NOT_FIRST:
            for last in range(first + 1, min(first + _CHARACTERS, end) + 1):
                if text[last - 1] not in _NOT_LAST:
                    yield first, last
