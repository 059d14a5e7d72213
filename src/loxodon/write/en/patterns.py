"""Regular expressions that are compiled when they are first used, so that importing stays quick."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any


class Lazy:
    """A pattern with the methods of `re.Pattern` that the rules use."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern = pattern
        self._flags = flags

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.match

    @cached_property
    def search(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.search

    @cached_property
    def fullmatch(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.fullmatch

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        return self._compiled.finditer

    @cached_property
    def findall(self) -> Callable[..., list[Any]]:
        return self._compiled.findall

    @cached_property
    def sub(self) -> Callable[..., str]:
        return self._compiled.sub

    @cached_property
    def split(self) -> Callable[..., list[Any]]:
        return self._compiled.split

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern, self._flags)


__all__ = ["Lazy"]
