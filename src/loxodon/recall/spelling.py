"""Near spellings: a name that is one edit away, where nothing has the word as it was typed.

Only names: a word that the memory lacks is most often just that, and its neighbours in spelling
mean other things.
"""

from __future__ import annotations

from collections.abc import Iterator

from loxodon.recall.understand import Question
from loxodon.store import Having, Store
from loxodon.text.patterns import lazy
from loxodon.text.words import fold, query_words, stem_of

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_WORD = lazy(r"[a-z]{4,20}")
_MOST = 2
_LETTERS = 4
"""A shorter name is one edit away from too many others."""


def near_names(store: Store, question: Question, having: Having) -> list[tuple[str, float]]:
    """The words of names that differ by one edit from words of the question that nothing has."""
    unknown = [
        word
        for word in dict.fromkeys(_WORD.findall(fold(question.focus)))
        if (stem := stem_of(word)) and having.counts.get(stem) == 0
    ]
    if not unknown:
        return []
    variants = {other for word in unknown[:_MOST] for other in _edits(word)}
    found = store.entities_named(variants)
    words = dict.fromkeys(word for name in found for word in query_words(name))
    return [(word, 1.0) for word in words]


def _edits(word: str) -> Iterator[str]:
    """What is one letter more, less or other, or two letters exchanged."""
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        if tail and len(word) > _LETTERS:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in _ALPHABET:
            yield head + letter + tail
            if tail:
                yield head + letter + tail[1:]
