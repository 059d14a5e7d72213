"""Changes in someone's TOML file: put there and taken away to the letter where that is possible."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from loxodon.agents.changes import behind
from loxodon.errors import InputError


def parsed(text: str) -> Mapping[str, Any]:
    import tomlkit
    from tomlkit.exceptions import ParseError

    try:
        return tomlkit.parse(text.removeprefix("\ufeff"))
    except ParseError as error:
        raise InputError(
            "this is not TOML: line {line}", hint="fix that line", line=error.line
        ) from None


def value_at(text: str, path: tuple[str, ...]) -> object:
    found: Any = parsed(text)
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def put(text: str, path: tuple[str, ...], value: Mapping[str, object]) -> tuple[str, str]:
    """`text` with a new table at its end, and what was put there as one piece."""
    # A JSON string, and a list of them, is the same in TOML; but TOML has no escape for DEL.
    values = {key: json.dumps(one, ensure_ascii=False) for key, one in value.items()}
    lines = [f"{key} = {one}".replace("\x7f", "\\u007f") for key, one in values.items()]
    piece = behind(text, [f"[{'.'.join(path)}]", *lines])
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


def changed(text: str, path: tuple[str, ...], value: object) -> str:
    document: Any = parsed(text)
    above = document
    for name in path[:-1]:
        above = above[name]
    above[path[-1]] = value
    return _dumped(document, text)


def drop(text: str, path: tuple[str, ...], piece: str) -> str:
    """`text` without what is under `path`: to the letter where possible, else by structure."""
    if value_at(text, path) is None:
        return text
    document: Any = parsed(text)
    levels = [document]
    for name in path[:-1]:
        levels.append(levels[-1][name])
    for depth in range(len(path) - 1, -1, -1):
        del levels[depth][path[depth]]
        if levels[depth] or f"[{'.'.join(path[:depth])}]" not in piece:
            break
    wanted = _dumped(document, text)
    if piece and text.count(piece) == 1:
        plain = text.replace(piece, "")
        with suppress(InputError):
            if _full(parsed(plain)) == _full(parsed(wanted)):
                return plain
    return wanted


def _dumped(document: Any, like: str) -> str:
    import tomlkit

    return ("\ufeff" if like.startswith("\ufeff") else "") + tomlkit.dumps(document)


def _full(value: object) -> object:
    """All that is set in a document, without empty tables."""
    if not isinstance(value, Mapping):
        return value
    inner = {name: _full(one) for name, one in value.items()}
    return {name: one for name, one in inner.items() if one != {}}
