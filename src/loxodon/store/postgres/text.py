"""Texts with a NUL in them, which PostgreSQL has no room for.

It is written as a noncharacter and a digit, and so is that noncharacter itself: what was put in
comes out. Few spaces have any, and only those look for it when they read (`spaces.escaped`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_MARK = "\ufffe"


def needs_escape(values: Sequence[Any]) -> bool:
    """Whether a text among some values cannot be sent as it is."""
    return any(isinstance(one, str) and ("\0" in one or _MARK in one) for one in values)


def escaped(values: Any) -> Any:
    """Values, or rows of them, as they can be sent."""
    if isinstance(values, str):
        return values.replace(_MARK, f"{_MARK}1").replace("\0", f"{_MARK}0")
    if isinstance(values, list | tuple):
        return [escaped(value) for value in values]
    return values


def unescaped(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows as they were given."""
    return [tuple(map(_plain, row)) for row in rows]


def _plain(value: Any) -> Any:
    if isinstance(value, str) and _MARK in value:
        return value.replace(f"{_MARK}0", "\0").replace(f"{_MARK}1", _MARK)
    return value
