"""JSON with the places where its values stand, so that something can be put in between them.

A body that is parsed and written again is another body: numbers, escapes, blanks and the order of
doubled keys change. Here the client's own bytes stay as they are, and what is added is spliced in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\n\r]*")


class Value(NamedTuple):
    """A value and where it stands in the text: from `start` up to `end`."""

    value: Any
    start: int
    end: int


class Insertion(NamedTuple):
    """Text to put in before the character at `place`."""

    place: int
    text: str


def object_of(text: str) -> dict[str, Value]:
    """The fields of an object; ValueError where the text is none.

    Of a key that is given twice the last, as parsers have it.
    """
    found: dict[str, Value] = {}
    place = _skip(text, _expect(text, _skip(text, 0), "{"))
    if text[place : place + 1] == "}":
        return _whole(text, place + 1, found)
    while True:
        _expect(text, place, '"')
        key = _value(text, place)
        place = _skip(text, _expect(text, _skip(text, key.end), ":"))
        value = found[key.value] = _value(text, place)
        place = _skip(text, value.end)
        if text[place : place + 1] == "}":
            return _whole(text, place + 1, found)
        place = _skip(text, _expect(text, place, ","))


def items_of(text: str, start: int) -> list[Value]:
    """The values of the array that stands at `start`; ValueError where it is none."""
    found: list[Value] = []
    place = _skip(text, _expect(text, start, "["))
    if text[place : place + 1] == "]":
        return found
    while True:
        value = _value(text, place)
        found.append(value)
        place = _skip(text, value.end)
        if text[place : place + 1] == "]":
            return found
        place = _skip(text, _expect(text, place, ","))


def spliced(text: str, insertions: Iterable[Insertion]) -> str:
    """The text with all of these put in, at one place in the order they are given; itself where
    there are none."""
    parts: list[str] = []
    place = 0
    ordered = sorted(insertions, key=lambda one: one.place)
    if not ordered:
        return text
    for one in ordered:
        parts += (text[place : one.place], one.text)
        place = one.place
    return "".join((*parts, text[place:]))


def _whole(text: str, end: int, found: dict[str, Value]) -> dict[str, Value]:
    if _skip(text, end) != len(text):
        raise ValueError("something stands behind the object")
    return found


def _value(text: str, place: int) -> Value:
    try:
        value, end = _DECODER.raw_decode(text, place)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return Value(value, place, end)


def _skip(text: str, place: int) -> int:
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place


def _expect(text: str, place: int, character: str) -> int:
    if text[place : place + 1] != character:
        raise ValueError(f"{character} was expected")
    return place + 1
