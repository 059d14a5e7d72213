"""Related words: what a question may find though it was said in other words.

The words stand in `related.txt`, in groups: some mean the same (`movie`, `film`, 电影), some name
kinds of a thing (`pet`: `dog`, 狗, `cat`, 猫). `related` answers for one word, `expand` for a
question. Both speak of search words, as `text.words` makes them; a word that the index has in
several pieces comes as these with spaces between (`电饭 饭煲`, `ice cream`), to be looked for in a
row: quoted, FTS5 takes it as a phrase. One Chinese character is a beginning (`狗*`), as in a query.

Chinese words are found in a question by the words of the list itself, the longest first and from
the end, since the head of a Chinese phrase is its end: 我家电视 has 电视, not 家电. Words that only
look as if they had others in them (热狗, 马上) are known too, and stand for nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import chain, groupby, pairwise
from typing import NamedTuple

from loxodon.text.wordlists import CHINESE_PROTECTED, CHINESE_WORDS
from loxodon.text.words import fold, query_words, stem_of

SAME = 1.0  # Weight of a word that means the same
KIND = 0.6  # Weight of a word for a kind of it: a pet may be a dog, and may not
GENERAL = 0.35  # Weight of a word for what it is a kind of
MAX_EXPANSIONS = 24  # More would cost a search more time than they find

_ONE_CHARACTER = 0.6  # What is left of the weight of a single character: it begins many other words
_LOOKED_AT = 2_000  # Characters of a question: what is longer has words enough of its own
_LONGEST_PHRASE = 4
_LONGEST_WORD = 6  # Characters of a Chinese word
_FIRST_HAN = "\u2e80"
_LATIN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_Group = tuple[list[str], list[str]]  # words that mean the same, and the kinds of that


class Expansion(NamedTuple):
    """A word to look for beside those of a question."""

    word: str
    weight: float
    because: str  # The word of the question that it is related to, as it was typed, folded


def related(word: str) -> Sequence[tuple[str, float]]:
    """What else `word` may have been called, as (search word, weight), the closest first."""
    return _related(_key(fold(word).rstrip("*")))


def expand(words: Collection[str], text: str) -> list[Expansion]:
    """What else to look for when `text` is asked, whose `query_words` are `words`."""
    asked = frozenset(words)
    best: dict[str, tuple[float, int, int, str]] = {}
    folded, known = fold(text[:_LOOKED_AT]), dict[str, str]()
    for typed, key in chain(_latin_in(folded), () if folded.isascii() else _han_in(folded)):
        known.setdefault(key, typed)
    for place, (key, typed) in enumerate(known.items()):
        found = _related(key)
        if _is_han(key) and len(key) == 1:
            # The pairs of the question have it only beside its neighbours there: 的猫, 猫叫.
            found = ((_searched(key), SAME * _ONE_CHARACTER), *found)
        for rank, (word, weight) in enumerate(found):
            one = (-weight, rank, place, typed)
            if word not in asked and one < best.get(word, (1.0, 0, 0, "")):
                best[word] = one
    chosen: dict[str, Expansion] = {}
    for word, (less, _, _, because) in sorted(best.items(), key=lambda item: item[1]):
        # What has the phrase 偏头痛 is found by 头痛 already.
        if not any(piece in asked or piece in chosen for piece in word.split()):
            chosen[word] = Expansion(word, -less, because)
        if len(chosen) == MAX_EXPANSIONS:
            break
    return list(chosen.values())


def _latin_in(folded: str) -> Iterator[tuple[str, str]]:
    """(as typed, key) of known English words and phrases, the longest where several begin."""
    tokens = [match.span() for match in _LATIN.finditer(folded)]
    at = 0
    while at < len(tokens):
        for end in range(min(at + _LONGEST_PHRASE, len(tokens)), at, -1):
            run = tokens[at:end]
            if all(folded[a[1] : b[0]] in (" ", "-") for a, b in pairwise(run)):
                key = " ".join(stem_of(folded[a:b]) or folded[a:b] for a, b in run)
                if key in _groups(key[0]):
                    yield folded[run[0][0] : run[-1][1]], key
                    at = end - 1
                    break
        at += 1


def _han_in(folded: str) -> Iterator[tuple[str, str]]:
    """The same for Chinese words, cut from the end of each stretch, the longest first."""
    for is_han, run in groupby(folded, lambda one: "\u4e00" <= one <= "\u9fff"):
        stretch = "".join(run) if is_han else ""  # as a pattern it takes long to compile
        found, end = list[str](), len(stretch)
        while end > 0:
            start = max(0, end - _LONGEST_WORD)
            while (
                (word := stretch[start:end])
                and word not in _groups(word[0])
                and word not in _whole()
            ):
                start += 1
            if word and word in _groups(word[0]):
                found.append(word)
            end = min(start, end - 1)
        yield from ((word, word) for word in reversed(found))


@cache
def _rows() -> list[str]:
    """The rows with the mark that each begins with, and in the order of these."""
    with open(os.path.join(os.path.dirname(__file__), "related.txt"), encoding="utf-8") as file:
        return sorted(file.read().replace("|", " ").splitlines(), key=lambda row: row[:1])


@cache
def _groups(initial: str) -> dict[str, list[_Group]]:
    """The rows of each word that begins so, by its key: a question needs few of the words."""
    found: dict[str, list[_Group]] = {}
    begun = f" {initial}"
    for row in _rows():
        if begun in row and (row[0] in "=>" or (row[0] == "!" and initial.isascii())):
            general, _, kinds = row[1:].partition(":")
            group = general.split(), kinds.split()
            for word in (*group[0], *group[1]):
                if word[0] == initial:
                    found.setdefault(_key(word), []).append(group if row[0] != "!" else ([], []))
    return found


@cache
def _whole() -> frozenset[str]:
    """Chinese words that stand for nothing, not to be cut apart."""
    listed = (row[1:].split() for row in _rows() if row[:1] == "!")
    return CHINESE_WORDS.union(CHINESE_PROTECTED, *listed)


@cache
def _related(key: str) -> Sequence[tuple[str, float]]:
    """The words that stand with those of `key`, and the kinds of what means the same."""
    near: dict[str, float] = {}

    def add(others: Sequence[str], weight: float) -> None:
        for other in others:
            near[other] = max(weight, near.get(other, 0.0))

    for general, kinds in _groups(key[:1]).get(key, ()):
        if key in map(_key, general):
            add(general, SAME)
            add(kinds, KIND)
        else:
            add(general, GENERAL)
    for same in [word for word, weight in near.items() if weight == SAME]:
        for general, kinds in _groups(same[0])[_key(same)]:
            add(kinds if same in general else (), KIND)
    found: dict[str, float] = {}
    for word, weight in near.items():
        searched = _searched(word)
        weight *= _ONE_CHARACTER if searched.endswith("*") else 1
        if searched and _key(word) != key:
            found[searched] = max(weight, found.get(searched, 0.0))
    # Of the same weight, words of the same language first: what was said is mostly in it.
    return sorted(found.items(), key=lambda item: (-item[1], _is_han(item[0]) != _is_han(key)))


def _is_han(word: str) -> bool:
    return word >= _FIRST_HAN


def _key(word: str) -> str:
    """What `word` is known under, folded already: its stems, or itself if it is Chinese."""
    if _is_han(word):
        return word
    # Function words count in a phrase: `break up` is not `break`
    return " ".join(stem_of(piece) or piece for piece in word.replace("_", " ").split())


@cache
def _searched(word: str) -> str:
    """What the index has `word` as; empty for a phrase that loses its first or last word there."""
    pieces = word.split("_")
    if len(pieces) > 1 and not (stem_of(pieces[0]) and stem_of(pieces[-1])):
        return ""
    return " ".join(query_words(word.replace("_", " ")))
