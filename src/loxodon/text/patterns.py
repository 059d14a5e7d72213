"""Patterns that are compiled late, or in little time."""

from __future__ import annotations

import re
from typing import Any, cast


class Lazy:
    """A pattern that is compiled when it is first asked for something."""

    def __init__(self, source: str, flags: re.RegexFlag | int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """A method of the pattern, which from now on is an attribute of this."""
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def lazy(source: str, flags: re.RegexFlag | int = 0) -> re.Pattern[str]:
    """`re.compile`, put off: it takes up to two milliseconds, and a recall from the shell uses few
    of the patterns that the modules have which it loads."""
    return cast("re.Pattern[str]", Lazy(source, flags))


_CLASS = lazy(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.S)
_HAN = lazy(r"\\u4e00-\\u9fff|\u4e00-\u9fff")
_ESCAPE = lazy(r"\\u[0-9a-fA-F]{4}|\\.", re.S)


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
