"""Reading views back: JSON that a person may have edited, cut or mangled.

What is good is given, what is not is named with its line. Nothing here trusts a type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn, TypeVar

from loxodon.errors import InputError
from loxodon.types import FileProblem
from loxodon.views import VERSION, bad_view, marker_of, stored_moment

T = TypeVar("T")

Object = dict[str, Any]
Trouble = tuple[int, InputError]
"""A line (from 1) and why it cannot be taken."""


class JsonLines(NamedTuple):
    """The objects of a file of JSON lines, each with its line."""

    objects: tuple[tuple[int, Object], ...]
    troubles: tuple[Trouble, ...] = ()


def check_marker(name: str, text: str) -> None:
    """Refuse a file that is not the view it should be, or that a newer Loxodon wrote."""
    marker = marker_of(text)
    if marker is None:
        raise bad_view(name, 0, InputError("it is not marked as written by Loxodon"))
    if marker.version > VERSION:
        raise newer(name)


def newer(name: str) -> InputError:
    """The error for a view of a version that is not known yet."""
    return bad_view(
        name,
        0,
        InputError(
            "it was written by a newer version of Loxodon",
            hint="install that version of Loxodon or a later one",
        ),
    )


def json_lines(name: str, text: str) -> JsonLines:
    """The lines of a view below its first, which says what it is; empty ones are passed over."""
    check_marker(name, text)
    objects: list[tuple[int, Object]] = []
    troubles: list[Trouble] = []
    lines = text.split("\n")
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        try:
            objects.append((number, an_object(line)))
        except InputError as error:
            cut = number == len(lines)  # every line that was written to its end has one after it
            troubles.append((number, InputError("the line is incomplete") if cut else error))
    return JsonLines(tuple(objects), tuple(troubles))


def json_object(name: str, text: str) -> Object:
    """A view that is one JSON object."""
    try:
        found = an_object(text)
    except InputError as error:
        raise bad_view(name, 0, error) from None
    check_marker(name, text)
    return found


def an_object(text: str) -> Object:
    """The JSON object that a text is."""
    try:
        found = json.loads(text.lstrip("\ufeff"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise InputError("it is not JSON") from None
    if not isinstance(found, dict):
        raise InputError("it is not a JSON object")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def as_problems(name: str, troubles: tuple[Trouble, ...]) -> tuple[FileProblem, ...]:
    """Troubles as they are reported to a person."""
    return tuple(FileProblem(name, line, *error.localized()) for line, error in troubles)


# Values


def a_text(value: object) -> str:
    if not isinstance(value, str) or "\0" in value or not _whole(value):
        raise InputError("it is not text")
    return value


def _whole(text: str) -> bool:
    """Whether it has no half of a character, which JSON can write down and nothing can keep."""
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def a_number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -(1 << 62) < value < 1 << 62:
        raise InputError("it is not a whole number")
    return value


def a_share(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise InputError("it is not a number from 0 to 1")
    return float(value)


def a_float(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < 1e15:
        raise InputError("it is not a number")
    return float(value)


def a_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise InputError("it is neither true nor false")
    return value


def a_moment(value: object) -> int:
    """Milliseconds since 1970 UTC."""
    try:
        return stored_moment(a_text(value))[0]
    except (ValueError, OverflowError, InputError):
        raise InputError("it is not a time such as 2026-02-04T10:30:00Z") from None


def a_ref(value: object) -> int:
    """The number of a turn (`t_512`)."""
    if isinstance(value, str) and value[:2] == "t_" and len(value) < 20:
        number = value[2:]
        if number.isascii() and number.isdecimal():
            return int(number)
    raise InputError("it is not a turn such as t_512")


def some_bytes(value: object) -> bytes:
    try:
        return bytes.fromhex(a_text(value))
    except (ValueError, InputError):
        raise InputError("it is not hexadecimal") from None


def some_texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InputError("it is not a list")
    return tuple(a_text(one) for one in value)


def or_nothing(read: Callable[[object], T]) -> Callable[[object], T | None]:
    """The same, for a value that may be null."""
    return lambda value: None if value is None else read(value)


def field(found: Mapping[str, Any], name: str, read: Callable[[object], T]) -> T:
    """A value that has to be there; the error names it."""
    if name not in found:
        raise InputError("{field} is missing", field=name)
    try:
        return read(found[name])
    except InputError as error:
        raise InputError("{field}: {error}", field=name, error=error) from None
