"""A table at the end of someone's TOML file, put there and taken away to the letter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from loxodon.errors import InputError


def parsed(text: str) -> Mapping[str, Any]:
    """The document; an InputError with its line where it is none."""
    import tomlkit
    from tomlkit.exceptions import ParseError

    try:
        return tomlkit.parse(text.removeprefix("\ufeff"))
    except ParseError as error:
        raise InputError(
            "this is not TOML: line {line}", hint="fix that line", line=error.line
        ) from None


def value_at(text: str, path: tuple[str, ...]) -> object:
    """What stands under `path`; None where nothing does."""
    found: Any = parsed(text)
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def put(text: str, path: tuple[str, ...], value: Mapping[str, object]) -> tuple[str, str]:
    """`text` with a new table at its end, and what was put there as one piece."""
    eol = "\r\n" if "\r\n" in text else "\n"
    lead = "" if not text else eol if text.endswith("\n") else eol + eol
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {_written(one)}" for key, one in value.items()), ""]
    piece = lead + eol.join(lines)
    changed = text + piece
    try:
        parsed(changed)
    except InputError:  # the tables above are written in a way that none can be added to
        raise InputError(
            "cannot add [{table}]: {above} is written on one line",
            hint="write it as tables, such as [{above}.NAME], then try again",
            table=".".join(path),
            above=".".join(path[:-1]),
        ) from None
    return changed, piece


def drop(text: str, path: tuple[str, ...], piece: str) -> str:
    """`text` without the table: to the letter where the piece still stands, else by structure."""
    if text.count(piece) == 1:
        plain = text.replace(piece, "")
        if value_at(plain, path) is None:
            return plain
    if value_at(text, path) is None:
        return text
    import tomlkit

    document: Any = parsed(text)
    above = document
    for name in path[:-1]:
        above = above[name]
    del above[path[-1]]
    return ("\ufeff" if text.startswith("\ufeff") else "") + tomlkit.dumps(document)


def _written(value: object) -> str:
    # A JSON string, and a list of them, is the same in TOML; but TOML has no escape for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
