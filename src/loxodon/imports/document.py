"""JSON as other programs export it, and what stands in it.

An export may have a gigabyte of conversations in one list. They are parsed one by one: objects
take many times the memory of their text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from loxodon.errors import InputError
from loxodon.imports.package import Package
from loxodon.journal.moments import read_instant

_MOST = 1 << 30  # bytes of a file
_SPACE = re.compile(r"\s*")
_COMMENT = re.compile(r"^[ \t]*//.*", re.MULTILINE)
_DECODER = json.JSONDecoder()


def elements(package: Package, name: str, inside: Sequence[str] = ()) -> Iterator[tuple[str, Any]]:
    """The elements of the list in a file, each with its path (`[3]`).

    The file is a list, or an object that has one under any of the names `inside`; anything else
    is its only element. Raises InputError where it is not JSON.
    """
    text = _text(package, name)
    at = _after_space(text, 0)
    if text[at : at + 1] == "[":
        yield from _listed(text, at + 1, name)
        return
    value = _value(text, at, name)[0]
    for key in inside:
        if isinstance(value, Mapping) and isinstance(value.get(key), list):
            yield from ((f".{key}[{n}]", one) for n, one in enumerate(value[key]))
            return
    yield ".", value


def whole(package: Package, name: str) -> Any:
    """The value of a file. Raises InputError where it is not JSON."""
    text = _text(package, name)
    return _value(text, _after_space(text, 0), name)[0]


def _text(package: Package, name: str) -> str:
    try:
        text = package.read(name, _MOST).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            "{file} is not UTF-8 text", hint="save it as UTF-8 and import it again", file=name
        ) from None
    # Some configs have comments. A list of conversations has none, and would take long to look at.
    return text if text.lstrip()[:1] == "[" else _COMMENT.sub("", text)


def _after_space(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _listed(text: str, at: int, name: str) -> Iterator[tuple[str, Any]]:
    """The elements of the list that begins at `at` and ends the file."""
    at = _after_space(text, at)
    number, sign = 0, text[at : at + 1]
    while sign != "]":
        value, at = _value(text, _after_space(text, at), name, last=False)
        yield f"[{number}]", value
        number, sign = number + 1, text[at : at + 1]
        if sign == ",":
            at += 1
        elif sign != "]":
            raise _not_json(name, text, at, "expecting ',' or ']'")
    if _after_space(text, at + 1) < len(text):
        raise _not_json(name, text, at + 1, "something follows the list")


def _value(text: str, at: int, name: str, *, last: bool = True) -> tuple[Any, int]:
    """The value that begins at `at`, and where the next sign stands; nothing is after the last."""
    try:
        value, at = _DECODER.raw_decode(text, at)
    except RecursionError:
        raise InputError(
            "the JSON in {file} is nested too deeply", hint="the file may be damaged", file=name
        ) from None
    except ValueError as error:  # also for a number of thousands of digits, which has no `msg`
        reason = getattr(error, "msg", str(error))
        raise _not_json(name, text, getattr(error, "pos", at), reason) from None
    at = _after_space(text, at)
    if last and at < len(text):
        raise _not_json(name, text, at, "something follows the value")
    return value, at


def _not_json(name: str, text: str, at: int, reason: str) -> InputError:
    return InputError(
        "{file} is not valid JSON: {reason} on line {line}",
        hint="the download may be incomplete: export it again; nothing was imported",
        file=name,
        reason=reason.removesuffix(" starting at"),
        line=text.count("\n", 0, at) + 1,
    )


# What stands in a document, whatever was put there


def text_in(value: object, *names: str) -> str:
    """The text under the first of these names that has one; empty for none."""
    texts = (value.get(name) for name in names) if isinstance(value, Mapping) else ()
    return next((one.strip() for one in texts if isinstance(one, str) and one.strip()), "")


def mapping_in(value: object, name: str) -> Mapping[str, Any]:
    """The object under this name; empty for none."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def list_in(value: object, name: str) -> list[Any]:
    """The list under this name; empty for none."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []


def names_in(value: object) -> tuple[str, ...]:
    """Names: of a list, or separated by commas; anything else is none."""
    if isinstance(value, str):
        value = value.replace("，", ",").split(",")
    names = (
        (one.strip() for one in value if isinstance(one, str)) if isinstance(value, list) else ()
    )
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
    found = (value.get(name) for name in names)
    return next((read_instant(one, zone) for one in found if one is not None and one != ""), None)
