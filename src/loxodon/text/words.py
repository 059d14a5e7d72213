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
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from functools import cache, lru_cache
from itertools import groupby

import Stemmer

from loxodon.text.steps import charge
from loxodon.text.wordlists import BASES, CHINESE_CHARACTERS, ENGLISH, SPELLINGS, TO_SIMPLIFIED

# Raised when the same text gives other words than before: indexes are then made anew
VERSION = f"3/{Stemmer.version()}"

# More words than this tell nothing more, and cost time: a whole pasted page may be a query
MAX_QUERY_WORDS = 256

# Scripts that are not cut by spaces, as (first, last character, kind); the rest is letters.
_LETTERS, _HAN_KANA, _HANGUL, _UNSPACED = range(4)
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


def fold(text: str) -> str:
    """`text` with the differences gone that a person who searches does not think of."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text.translate(_SIMPLER)).casefold()
    if _MARKED.search(text):
        text = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", text)))
    return text


def simplified(text: str) -> str:
    """`text` with simplified characters in the place of traditional ones, each where it was."""
    return text if text.isascii() else text.translate(_SIMPLER)


def index_words(text: str) -> list[str]:
    """The words that `text` is found by, in order, repetitions included."""
    charge(len(text))
    folded = fold(text)
    if folded.isascii():
        words = [stem for word in _ASCII_WORD.findall(folded) if (stem := _STEMS[word])]
    else:
        words = []
        for piece, emoji in _ANY_WORD.findall(folded):
            if emoji:
                words.append(emoji)
            elif piece.isascii():
                if stem := _STEMS[piece]:
                    words.append(stem)
            else:
                for script, stretch in _stretches(piece):
                    if script:
                        words += _pairs(stretch)
                        words.append(stretch[-1])
                    elif stem := _STEMS[stretch]:
                        words.append(stem)
    if _CAMEL.search(text):
        # `user`, `name` for `userName`: people ask for the parts
        parts = []
        for whole in re.findall(r"[A-Za-z]+", _BLOB.sub(" ", text)):
            if _CAMEL.search(whole):
                found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", whole)
                parts += [_STEMS[part.lower()] for part in found]
        words += [part for part in parts if part]
    return words if len(words) <= _MOST_OF_A_WORD else _few_of_each(words)


def _few_of_each(words: list[str]) -> list[str]:
    seen: Counter[str] = Counter()
    few = []
    for word in words:
        seen[word] += 1
        if seen[word] <= _MOST_OF_A_WORD:
            few.append(word)
    return few


def query_words(text: str) -> list[str]:
    """The words to look for: each once, in order, at most `MAX_QUERY_WORDS`; of more than that as
    many from the beginning as from the end.

    A word that ends in `*` is a single character and stands for all words that begin with it.
    Pairs of Chinese function characters are left out, unless there is nothing else; English
    function words always are, because no index has them.
    """
    folded = fold(text)
    if folded.isascii():
        stems = dict.fromkeys(stem for w in _ASCII_WORD.findall(folded) if (stem := _STEMS[w]))
        return _both_ends(list(stems))
    telling: dict[str, None] = {}
    function: dict[str, None] = {}
    for match in _ANY_WORD.finditer(folded):
        piece, emoji = match.groups()
        if emoji:
            telling[emoji] = None
            continue
        for script, stretch in _stretches(piece):
            if script:
                for found in _pairs(stretch) if len(stretch) > 1 else [stretch + "*"]:
                    plain = all(c in CHINESE_CHARACTERS or c == "*" for c in found)
                    (function if plain else telling)[found] = None
            elif stem := _STEMS[stretch]:
                telling[stem] = None
    return _both_ends(list(telling or function))


def _both_ends(words: list[str]) -> list[str]:
    if len(words) <= MAX_QUERY_WORDS:
        return words
    half = MAX_QUERY_WORDS // 2
    return words[:half] + words[-half:]


def stem_of(word: str) -> str:
    """The search word of one Latin word, folded already; empty for a function word."""
    return _STEMS[word]


def among(words: Iterable[str], has: Collection[str]) -> list[str]:
    """Which of a query's words a text has, by its `index_words`."""
    return [
        word
        for word in words
        if word in has or (word[-1] == "*" and any(one.startswith(word[:-1]) for one in has))
    ]


def spoken(query: str, words: Collection[str]) -> list[str]:
    """The parts of a query that `words` (of its `query_words`) stand for, as they were typed.

    A person is shown `manager` rather than `manag`, and 推荐餐厅 rather than its three pairs.
    """
    found: dict[str, None] = {}
    for script, stretch in _cut(query):
        if script < 0:
            found |= dict.fromkeys([stretch] if stretch in words else [])
        elif not script:
            found |= dict.fromkeys([stretch] if _STEMS[stretch] in words else [])
        elif len(stretch) == 1:
            found |= dict.fromkeys([stretch] if stretch + "*" in words else [])
        else:
            # The runs of a stretch whose pairs are all in `words`
            runs: list[str] = []
            joined = False
            for pair in _pairs(stretch):
                if pair in words:
                    if joined:
                        runs[-1] += pair[1]
                    else:
                        runs.append(pair)
                joined = pair in words
            found |= dict.fromkeys(runs)
    return list(found)


@lru_cache(maxsize=2)  # a recall asks for each of its items, with the same query
def _cut(query: str) -> tuple[tuple[int, str], ...]:
    """A query in stretches of one script, each once; script -1 is an emoji."""
    found: dict[tuple[int, str], None] = {}
    for piece, emoji in _ANY_WORD.findall(fold(query)):
        found |= dict.fromkeys([(-1, emoji)] if emoji else _stretches(piece))
    return tuple(found)


def _stretches(piece: str) -> list[tuple[int, str]]:
    """A piece cut where its script changes: (script, stretch); script 0 is cut by spaces."""
    if min(piece) >= "\u2e80" and max(piece) < "\uac00":  # all Chinese: most pieces are
        return [(_HAN_KANA, piece)]
    return [(script, "".join(group)) for script, group in groupby(piece, _script)]


def _script(character: str) -> int:
    if character < "\u0e01":
        return _LETTERS
    for first, last, script in _SCRIPTS:
        if first <= character <= last:
            return script
    return _LETTERS


def _pairs(stretch: str) -> list[str]:
    return [stretch[i : i + 2] for i in range(len(stretch) - 1)]


class _Stems(dict[str, str]):
    """The stem of a word, empty for a function word. Looked up: most words recur."""

    _LIMIT = 200_000

    def __missing__(self, word: str) -> str:
        if len(word) > _LONGEST:  # keys and hashes: neither stemmed nor worth remembering
            return word[:_LONGEST]
        if len(self) >= self._LIMIT:
            self.clear()
        bare = word.partition("'")[0]
        if bare in ENGLISH:
            stem = ""
        elif bare.isascii():
            base = BASES.get(bare, bare)
            stem = _english(base) if len(base) > 2 else base
            stem = _SPELLED.get(stem, stem)
        elif "\u0400" <= bare[0] <= "\u04ff":
            stem = _russian()(bare)
        else:
            stem = bare
        self[word] = stem
        return stem


_STEMS = _Stems()
_english = Stemmer.Stemmer("english").stemWord
_SPELLED = {_english(other): _english(word) for other, word in SPELLINGS.items()}
_MARKED = re.compile(r"[\u00c0-\u06ff\u1e00-\u1fff]")


@cache
def _russian() -> Callable[[str], str]:
    stem: Callable[[str], str] = Stemmer.Stemmer("russian").stemWord
    return stem
