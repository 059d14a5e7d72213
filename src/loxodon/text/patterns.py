"""Patterns without regard to case, compiled in little time."""

from __future__ import annotations

import re

_CLASS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.S)
_HAN = re.compile(r"\\u4e00-\\u9fff|\u4e00-\u9fff")
_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}|\\.", re.S)


def any_case(source: str) -> re.Pattern[str]:
    """A pattern that takes no notice of case.

    For a class with the range of Chinese characters, `re` looks up the case of each of the 20,000,
    which takes milliseconds; one whose letters are there in both cases is taken as it stands.
    """
    return re.compile(_CLASS.sub(_as_it_stands, source), re.I)


def _as_it_stands(found: re.Match[str]) -> str:
    one = found[0]
    if one[0] != "[" or not _HAN.search(one):
        return one
    rest = _ESCAPE.sub("", one.replace("A-Za-z", ""))
    letters = any(c.isalpha() and c.lower() != c.upper() for c in rest)
    return one if letters else f"(?-i:{one})"
