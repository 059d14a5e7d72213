"""JSON as other programs export it: whole, or a long list piece by piece.

An export may have a gigabyte of conversations in one list. Each is parsed by itself, so that only
one has to fit into memory.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from loxodon.errors import InputError
from loxodon.journal.moments import read_instant
from loxodon.workspace.imports.package import MOST_WHOLE, Limited, Package

_PIECE = 1 << 20
_MOST_ELEMENT = 256 << 20
"""Characters of one element of a list."""
_SPACE = re.compile(r"[ \t\r\n]*")


def elements(package: Package, name: str, inside: Sequence[str] = ()) -> Iterator[tuple[str, Any]]:
    """The elements of the list in a file, each with its path (`[3]`).

    The file is a list, or an object that has one under any of the names `inside`. Raises InputError
    where it is not JSON.
    """
    with package.open(name) as file:
        text = _Text(file, name)
        if text.peek() == "[":
            yield from _streamed(text)
            return
    value = whole(package, name)
    if isinstance(value, Mapping):
        for key in inside:
            found = value.get(key)
            if isinstance(found, list):
                yield from ((f".{key}[{n}]", one) for n, one in enumerate(found))
                return
    yield "", value


def whole(package: Package, name: str) -> Any:
    """The value of a file. A line that begins with two slashes is a comment, as some configs have.

    Raises InputError where it is not JSON.
    """
    data = package.read(name, MOST_WHOLE)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf8(name, error) from None
    if "//" in text:
        lines = text.split("\n")
        text = "\n".join("" if line.lstrip().startswith("//") else line for line in lines)
    try:
        return json.loads(text)
    except RecursionError:
        raise _too_deep(name) from None
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        raise not_json(name, line, getattr(error, "msg", str(error))) from None


class _Text:
    """The characters of a file that are in hand, and those to come."""

    def __init__(self, file: Limited, name: str) -> None:
        self.name = name
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self.buffer = ""
        self.at = 0
        self.ended = False
        self._lines = 1

    def more(self) -> None:
        """Read on: at least as much as is in hand, so that a long element costs linear time."""
        left = len(self.buffer) - self.at
        if left > _MOST_ELEMENT:
            raise InputError(
                "{file} line {line}: an element is longer than {most} million characters",
                hint="the file may be damaged",
                file=self.name,
                line=self.line(self.at),
                most=_MOST_ELEMENT // 1_000_000,
            )
        data = self._file.read(max(_PIECE, left))
        self.ended = not data
        self._lines += self.buffer.count("\n", 0, self.at)
        try:
            self.buffer = self.buffer[self.at :] + self._decoder.decode(data, final=self.ended)
        except UnicodeDecodeError as error:
            raise _not_utf8(self.name, error) from None
        self.at = 0

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            self.at = _SPACE.match(self.buffer, self.at).end()  # type: ignore[union-attr]
            if self.at < len(self.buffer) or self.ended:
                return self.buffer[self.at : self.at + 1]
            self.more()

    def line(self, position: int) -> int:
        return self._lines + self.buffer.count("\n", 0, position)


def _streamed(text: _Text) -> Iterator[tuple[str, Any]]:
    text.at += 1
    number = 0
    if text.peek() == "]":
        text.at += 1
        _nothing_follows(text)
        return
    while True:
        yield f"[{number}]", _next_value(text)
        number += 1
        sign = text.peek()
        text.at += 1
        if sign == "]":
            _nothing_follows(text)
            return
        if sign != ",":
            why = "expecting ',' or ']'" if sign else "it ends in the middle"
            raise not_json(text.name, text.line(text.at), why)


_DECODER = json.JSONDecoder()


def _next_value(text: _Text) -> Any:
    text.peek()
    while True:
        try:
            value, end = _DECODER.raw_decode(text.buffer, text.at)
        except RecursionError:
            raise _too_deep(text.name) from None
        except ValueError as error:  # or there is only more to come
            if text.ended:
                reason = getattr(error, "msg", "a number is too long")
                line = text.line(getattr(error, "pos", text.at))
                raise not_json(text.name, line, reason) from None
            text.more()
            continue
        if end == len(text.buffer) and not text.ended:  # a number may go on
            text.more()
            continue
        text.at = end
        return value


def _nothing_follows(text: _Text) -> None:
    if text.peek():
        raise not_json(text.name, text.line(text.at), "something follows the list")


def not_json(name: str, line: int, reason: str) -> InputError:
    return InputError(
        "{file} is not valid JSON: {reason} on line {line}",
        hint="the download may be incomplete: export it again; nothing was imported",
        file=name,
        reason=reason.removesuffix(" starting at"),
        line=line,
    )


def _not_utf8(name: str, error: UnicodeDecodeError) -> InputError:
    return InputError(
        "{file} is not UTF-8 text", hint="save it as UTF-8 and import it again", file=name
    )


def _too_deep(name: str) -> InputError:
    return InputError(
        "the JSON in {file} is nested too deeply", hint="the file may be damaged", file=name
    )


# What stands in a document, whatever was put there


def text_in(value: Mapping[str, Any], *names: str) -> str:
    """The text under the first of these names that has one; empty for none."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found.strip():
            return found
    return ""


def names_in(value: object) -> tuple[str, ...]:
    """Names: of a list, or separated by commas; anything else is none."""
    if isinstance(value, str):
        value = value.replace("，", ",").split(",")
    if not isinstance(value, list):
        return ()
    names = (one.strip() for one in value if isinstance(one, str))
    return tuple(dict.fromkeys(name for name in names if name))


def number_in(value: object) -> float | None:
    """A number, also as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < 1e15 else None  # neither NaN nor infinite


def share_in(value: object) -> float | None:
    """How much something matters, from 0 to 1; what is counted up to 10 or 100 is brought there."""
    number = number_in(value)
    if number is None or not 0 <= number <= 100:
        return None
    return number if number <= 1 else number / (10 if number <= 10 else 100)


def instant_in(value: Mapping[str, Any], zone: tzinfo | None, *names: str) -> datetime | None:
    """The moment under the first of these names that has one. Raises InputError for nonsense."""
    for name in names:
        found = value.get(name)
        if found is not None and found != "":
            return read_instant(found, zone)
    return None
