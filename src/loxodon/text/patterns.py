"""Patterns without regard to case, compiled in little time, and tables of patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping

_CLASS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.S)
_HAN = re.compile(r"\\u4e00-\\u9fff|\u4e00-\u9fff")
_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}|\\.", re.S)
_NAME = re.compile(r"\{([a-z_]+)\}")


class Patterns:
    """Patterns by name, in each of which `{name}` stands for another; each is compiled when it is
    first asked for."""

    def __init__(self, sources: Mapping[str, str], *, cased: bool = False) -> None:
        self._sources = sources
        self._cased = cased
        self._compiled: dict[str, re.Pattern[str]] = {}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        if name not in self._compiled:
            source = self._filled(self._sources[name])
            self._compiled[name] = re.compile(source) if self._cased else any_case(source)
        return self._compiled[name]

    def _filled(self, source: str) -> str:
        return _NAME.sub(lambda other: self._filled(self._sources[other[1]]), source)


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
