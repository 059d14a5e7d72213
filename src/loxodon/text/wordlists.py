"""The word lists of `wordlists.txt`, which says what each is for."""

from __future__ import annotations

import os
import re
from functools import cache


def sections(module: str, *names: str) -> list[tuple[str, str]]:
    """The sections of a table beside a module: what each is called and its lines, without those of
    comments."""
    with open(os.path.join(os.path.dirname(module), *names), encoding="utf-8") as file:
        text = re.sub(r"(?m)^#.*\n", "", file.read())
    _, *parts = re.split(r"^\[(\w+)\]\n", text, flags=re.M)
    return [(name, body.rstrip("\n")) for name, body in zip(parts[::2], parts[1::2], strict=True)]


_LISTS = dict(sections(__file__, "wordlists.txt"))


@cache
def words_of(name: str) -> frozenset[str]:
    """The words of one list."""
    return frozenset(_LISTS[name].split())


def characters_of(name: str) -> frozenset[str]:
    """The characters of one list."""
    return frozenset("".join(_LISTS[name].split()))


def pairs_of(name: str) -> dict[str, str]:
    """What each word of one list stands for."""
    pairs = (pair.split() for pair in _LISTS[name].split(","))
    return {form: base for form, base in pairs}  # noqa: C416  strict typing wants the two named


ENGLISH = words_of("english")
FILLERS = words_of("fillers")
CHINESE_CHARACTERS = characters_of("chinese_characters")
CHINESE_LINKING = characters_of("chinese_linking")
CHINESE_WORDS = words_of("chinese_words")
CHINESE_PROTECTED = words_of("chinese_protected")
CHINESE_NOMINAL = words_of("chinese_nominal")
BASES = pairs_of("verbs") | pairs_of("nouns")
# Forms that tell of what is over or done to somebody
PAST = frozenset(pairs_of("verbs")) - {"goes"}
SPELLINGS = pairs_of("spellings")
OPPOSITES = frozenset(frozenset(pair.split()) for pair in _LISTS["opposites"].split(","))
TRADITIONAL, SIMPLIFIED = ("".join(_LISTS[name].split()) for name in ("traditional", "simplified"))
TO_SIMPLIFIED = str.maketrans(TRADITIONAL, SIMPLIFIED)
