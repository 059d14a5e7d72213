"""The word lists of `wordlists.txt`, which says what each is for."""

from __future__ import annotations

import os
import re


def _sections() -> dict[str, str]:
    with open(os.path.join(os.path.dirname(__file__), "wordlists.txt"), encoding="utf-8") as file:
        text = re.sub(r"(?m)^#.*\n", "", file.read())
    _, *parts = re.split(r"(?m)^\[(\w+)\]\n", text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


_LISTS = _sections()


def words_of(name: str) -> frozenset[str]:
    """The words of one list."""
    return frozenset(_LISTS[name].split())


def _bases(name: str) -> dict[str, str]:
    pairs = (pair.split() for pair in _LISTS[name].split(","))
    return {form: base for form, base in pairs}  # noqa: C416  strict typing wants the two named


ENGLISH = words_of("english")
FILLERS = words_of("fillers")
CHINESE_CHARACTERS = frozenset("".join(_LISTS["chinese_characters"].split()))
CHINESE_WORDS = words_of("chinese_words")
CHINESE_PROTECTED = words_of("chinese_protected")
CHINESE_NOMINAL = words_of("chinese_nominal")
BASES = _bases("verbs") | _bases("nouns")
PAST = frozenset(_bases("verbs")) - {"goes"}  # Forms that tell of what is over or done to somebody
SPELLINGS = _bases("spellings")
TRADITIONAL, SIMPLIFIED = ("".join(_LISTS[name].split()) for name in ("traditional", "simplified"))
TO_SIMPLIFIED = str.maketrans(TRADITIONAL, SIMPLIFIED)
