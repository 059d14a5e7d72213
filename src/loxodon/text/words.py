"""Words for the index: what a text can be found by, in any script.

Text is folded first (full-width forms, case, accents, traditional characters), then cut:

- Latin words are stemmed, stop words dropped: `running`, `runs` and `ran` meet in `run`.
- Chinese and Japanese, Korean, Thai and other scripts that are not cut by spaces become pairs of
  characters; the last character of a stretch stands alone, so that every character begins some
  word and a single one is found by prefix (`猫*`). Pairs beat dictionary words on every set of
  questions we measured, and there is no dictionary to load.
- An emoji is a word. Everything else is cut at what is not a letter or a digit.

`index_words` keeps repetitions, up to a bound, because ranking counts them. `query_words` has each
word once.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import count, groupby

import Stemmer

from loxodon.text.wordlists import BASES, CHINESE_CHARACTERS, ENGLISH, SPELLINGS, TO_SIMPLIFIED

# Raised when the same text gives other words than before: indexes are then made anew
VERSION = f"3/{Stemmer.version()}"

# More words than this tell nothing more, and cost time: a whole pasted page may be a query
MAX_QUERY_WORDS = 256

# Scripts that are not cut by spaces, as (first, last character, kind); the rest is letters.
_LETTERS, _HAN_KANA, _HANGUL, _UNSPACED, _PICTURE = range(5)
_SCRIPTS = (
    ("\u0e01", "\u0edf", _UNSPACED),  # Thai, Lao
    ("\u0f40", "\u0fbc", _UNSPACED),  # Tibetan
    ("\u1000", "\u109f", _UNSPACED),  # Burmese
    ("\u1780", "\u17dd", _UNSPACED),  # Khmer
    ("\uac00", "\ud7a3", _HANGUL),
    ("\u2e80", "\U0003ffff", _HAN_KANA),
)
# Vowel signs are marks, not letters, but a word without them is another word.
_SIGNS = (
    "\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d\u0b82-\u0bcd"
    "\u0e31-\u0e4e\u0eb1-\u0ecd\u0f71-\u0fbc\u102b-\u103e\u17b6-\u17dd"
)
_LONGEST = 64
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"

_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_CAMEL = re.compile(r"[a-z][A-Z]")
_BLOB = re.compile(r"[A-Za-z0-9+/=_-]{100,}")  # Data in letters, in which capitals begin no words
# How often a word counts in one text: a search reads each, and learns little by more
_MOST_OF_A_WORD = 100
_ANY_WORD = re.compile(rf"((?:[^\W_]+|[{_SIGNS}]+)+(?:'[a-z]+)?)|([{_EMOJI}])")
# Accents are dropped from scripts where people leave them out when they type; not from Indic
# scripts or kana, where the mark makes another letter.
_ACCENT = re.compile(
    r"(?<=[A-Za-z\u0370-\u03ff\u0400-\u04ff\u0590-\u06ff])"
    r"[\u0300-\u036f\u0591-\u05c7\u064b-\u0652]+"
)
# Typographic apostrophes become plain ones; joiners and variation selectors only dress emoji.
_SIMPLER: dict[int, int | str | None] = {**TO_SIMPLIFIED, 0x2019: "'", 0xFE0F: None, 0x200D: None}
_FOLDED = _SIMPLER | {0xFF00 + n: 0x20 + n for n in range(1, 0x5F)}  # faster than normalising


def fold(text: str) -> str:
    """`text` with the differences gone that a person who searches does not think of."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text.translate(_FOLDED)).casefold()
    if _MARKED.search(text):
        text = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", text)))
    return text


def simplified(text: str) -> str:
    """`text` with simplified characters in the place of traditional ones, each where it was."""
    return text if text.isascii() else text.translate(_SIMPLER)


def index_words(text: str) -> list[str]:
    """The words that `text` is found by, in order, repetitions included."""
    words: list[str] = []
    for script, stretch in _stretches(fold(text)):
        if script == _LETTERS:
            words += [stem] if (stem := stem_of(stretch)) else []
        elif script == _PICTURE:
            words.append(stretch)
        else:
            words += [*_pairs(stretch), stretch[-1]]
    if _CAMEL.search(text):
        # `user`, `name` for `userName`: people ask for the parts
        for whole in re.findall(r"[A-Za-z]+", _BLOB.sub(" ", text)):
            if _CAMEL.search(whole):
                found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", whole)
                words += [stem for part in found if (stem := stem_of(part.lower()))]
    if len(words) <= _MOST_OF_A_WORD:
        return words
    seen: defaultdict[str, Iterator[int]] = defaultdict(count)
    return [word for word in words if next(seen[word]) < _MOST_OF_A_WORD]


def query_words(text: str) -> list[str]:
    """The words to look for, each once; `猫*` stands for all words that begin with it.

    Pairs of Chinese function characters are left out, unless there is nothing else.
    """
    telling: dict[str, None] = {}
    function: dict[str, None] = {}
    for script, stretch in _stretches(fold(text)):
        if script == _LETTERS:
            telling |= {stem: None} if (stem := stem_of(stretch)) else {}
        elif script == _PICTURE:
            telling[stretch] = None
        else:
            for found in _pairs(stretch) or [stretch + "*"]:
                plain = CHINESE_CHARACTERS.issuperset(found.rstrip("*"))
                (function if plain else telling)[found] = None
    words = list(telling or function)
    half = MAX_QUERY_WORDS // 2
    return words if len(words) <= MAX_QUERY_WORDS else words[:half] + words[-half:]


def stem_of(word: str) -> str:
    """The search word of one Latin word, folded already; empty for a function word."""
    # Keys and hashes are neither stemmed nor worth remembering.
    return _stem(word) if len(word) <= _LONGEST else word[:_LONGEST]


def among(words: Iterable[str], has: Collection[str]) -> list[str]:
    """Which of a query's words a text has, by its `index_words`."""
    return [
        word
        for word in words
        if word in has or (word[-1] == "*" and any(one.startswith(word[:-1]) for one in has))
    ]


def spoken(query: str, words: Collection[str]) -> list[str]:
    """The parts of a query that `words` (of its `query_words`) stand for, as they were typed."""
    found: dict[str, None] = {}
    for script, stretch in _stretches(fold(query)):
        if script in (_LETTERS, _PICTURE) or len(stretch) == 1:
            word = stem_of(stretch) if script == _LETTERS else stretch
            if word in words or f"{word}*" in words:
                found[stretch] = None
            continue
        # The runs of a stretch whose pairs are all in `words`
        for known, run in groupby(enumerate(_pairs(stretch)), lambda one: one[1] in words):
            places = [n for n, _ in run]
            found |= {stretch[places[0] : places[-1] + 2]: None} if known else {}
    return list(found)


def _stretches(folded: str) -> list[tuple[int, str]]:
    """A text cut where its script changes: (script, stretch)."""
    if folded.isascii():
        return [(_LETTERS, word) for word in _ASCII_WORD.findall(folded)]
    found: list[tuple[int, str]] = []
    for piece, emoji in _ANY_WORD.findall(folded):
        if emoji:
            found.append((_PICTURE, emoji))
        elif min(piece) >= "\u2e80" and max(piece) < "\uac00":  # all Chinese: most pieces are
            found.append((_HAN_KANA, piece))
        elif piece.isascii():
            found.append((_LETTERS, piece))
        else:
            found += [(script, "".join(group)) for script, group in groupby(piece, _script)]
    return found


def _script(one: str) -> int:
    return next((script for first, last, script in _SCRIPTS if first <= one <= last), _LETTERS)


def _pairs(stretch: str) -> list[str]:
    return [stretch[i : i + 2] for i in range(len(stretch) - 1)]


@lru_cache(maxsize=200_000)  # most words recur
def _stem(word: str) -> str:
    bare = word.partition("'")[0]
    if bare in ENGLISH:
        return ""
    if bare.isascii():
        base = BASES.get(bare, bare)
        stem: str = _english(base) if len(base) > 2 else base
        return _SPELLED.get(stem, stem)
    return str(_russian(bare)) if "\u0400" <= bare[0] <= "\u04ff" else bare


_english, _russian = (Stemmer.Stemmer(name).stemWord for name in ("english", "russian"))
_SPELLED: dict[str, str] = {_english(other): _english(word) for other, word in SPELLINGS.items()}
_MARKED = re.compile(r"[\u00c0-\u06ff\u1e00-\u1fff]")
