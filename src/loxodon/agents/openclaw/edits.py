"""Changes in someone's JSON5 file that are remembered to the letter, so that they can be undone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from loxodon.agents.openclaw import json5
from loxodon.errors import InputError


class ConfigEdit(NamedTuple):
    """One change, as it must be known to be taken back."""

    path: tuple[str, ...]
    piece: str
    """What was put in, to the letter; empty where a value was replaced."""
    was: str | None
    """What was written there before."""
    known: int
    """How many names of the path were there already."""
    item: str = ""
    """What was put into the list there; empty where it is no list."""

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> ConfigEdit:
        item = value.get("item", "")
        return cls(tuple(value["path"]), value["piece"], value["was"], value["known"], item)


def put(text: str, path: tuple[str, ...], value: object) -> tuple[str, ConfigEdit | None]:
    """`text` with `value` under `path`, and what was done for it; None where it was there."""
    root = json5.parse(text)
    old = root.at(path)
    if old is None:
        known = next(n for n in range(len(path), -1, -1) if root.at(path[:n]) is not None)
        text, piece = json5.put(text, path, value)
        return text, ConfigEdit(path, piece, None, known)
    if old.value == value:
        return text, None
    was = json5.raw(text, path)
    return json5.replace(text, path, json5.compact(value)), ConfigEdit(path, "", was, len(path))


def append(text: str, path: tuple[str, ...], value: object) -> tuple[str, ConfigEdit]:
    """`text` with `value` last in the list under `path`, which is made where there is none."""
    item = json5.compact(value)
    root = json5.parse(text)
    if root.at(path) is None:
        known = next(n for n in range(len(path), -1, -1) if root.at(path[:n]) is not None)
        text, piece = json5.put(text, path, [value])
        return text, ConfigEdit(path, piece, None, known, item)
    text, piece = json5.append(text, path, value)
    return text, ConfigEdit(path, piece, None, len(path), item)


def undone(text: str, edit: ConfigEdit) -> str:
    """`text` as it was before: to the letter where our piece still stands, else by structure.

    Programs write their files anew when they change something, and people edit them.
    """
    in_list = edit.item and edit.known == len(edit.path)
    if edit.piece and not in_list and text.count(edit.piece) == 1:
        plain = text.replace(edit.piece, "")
        if _is_gone(plain, edit):
            return plain
    node = json5.parse(text).at(edit.path)
    if node is None:
        return text
    if edit.was is not None:
        return json5.replace(text, edit.path, edit.was)
    text = _without_item(text, edit) if edit.item else json5.drop(text, edit.path)
    for length in range(len(edit.path), edit.known, -1):
        above = json5.parse(text).at(edit.path[:length])
        if above is not None and above.value in ({}, []):
            text = json5.drop(text, edit.path[:length])
    return text


def stands(text: str, edit: ConfigEdit) -> bool:
    """Whether what was put in is there, in whatever form."""
    node = json5.parse(text).at(edit.path)
    if node is None or not edit.item:
        return node is not None
    return isinstance(node.value, list) and json.loads(edit.item) in node.value


def _without_item(text: str, edit: ConfigEdit) -> str:
    """`text` without our item of a list; the same words may stand elsewhere too."""
    node = json5.parse(text).at(edit.path)
    value, piece = json.loads(edit.item), edit.piece
    for item in node.items if node else ():
        begin = item.end - len(piece)
        if item.value == value and text[begin : item.end] == piece:
            return text[:begin] + text[item.end :]
    return json5.drop_item(text, edit.path, value)


def _is_gone(text: str, edit: ConfigEdit) -> bool:
    try:
        return json5.parse(text).at(edit.path) is None
    except InputError:
        return False
