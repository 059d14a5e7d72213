"""Dates in Chinese and English text: `reading` finds them, by `rules` made of `words`."""

from __future__ import annotations

from loxodon.text.dates.reading import (
    Moment,
    absolute,
    find_asked,
    find_moments,
    format_date,
    parse_moment,
    parse_past,
    until,
)

__all__ = [
    "Moment",
    "absolute",
    "find_asked",
    "find_moments",
    "format_date",
    "parse_moment",
    "parse_past",
    "until",
]
