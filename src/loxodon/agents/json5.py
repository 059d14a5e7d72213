"""Small changes in a JSON5 file that leave every other byte as it was, and can be undone.

OpenClaw's own `config set` writes its file anew and drops the comments of whoever wrote it. Here a
member is put in or taken out of the text itself; the rest stays. JSON is JSON5, so one pair of
hands does for both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from loxodon.agents.changes import line_end
from loxodon.errors import InputError

Path = Sequence[str]
_DEEPEST = 100
_BLANK = re.compile(r"(?:[\s\ufeff]+|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_STRING = r"{0}[^{0}\\\n\r]*(?:\\(?:\r\n|.)[^{0}\\\n\r]*)*{0}"
_TOKEN = re.compile(
    rf"(?P<string>{_STRING.format(chr(34))}|{_STRING.format(chr(39))})"
    r"|(?P<word>[^\s\ufeff,:\[\]{}\"'/]+)|[{}\[\]:,]",
    re.DOTALL,
)
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_LITERALS = {"true": True, "false": False, "null": None}


class Node(NamedTuple):
    """A value and where it stands. `members` of an object, in order; the last of a name counts."""

    start: int
    end: int
    value: object
    members: tuple[tuple[str, int, Node], ...] = ()  # name, where the name begins, and the value
    items: tuple[Node, ...] = ()

    def at(self, path: Path) -> Node | None:
        """The value under `path`; None where there is none."""
        node: Node | None = self
        for name in path:
            found = {key: inner for key, _, inner in node.members} if node else {}
            node = found.get(name)
        return node


class ConfigEdit(NamedTuple):
    """One change, as it must be known to be taken back."""

    path: tuple[str, ...]
    piece: str  # what was put in, to the letter; empty where a value was replaced
    was: str | None  # what was written there before
    known: int  # how many names of the path were there already
    item: str = ""  # what was put into the list there; empty where it is no list

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> ConfigEdit:
        return cls(**{**value, "path": tuple(value["path"])})


def parse(text: str) -> Node:
    def wrong(at: int) -> InputError:
        line = text.count("\n", 0, at) + 1
        return InputError("this is not JSON5: line {line}", hint="fix that line", line=line)

    def token(at: int) -> re.Match[str]:
        at = _blank(text, at)
        found = _TOKEN.match(text, at)
        if found is None:
            raise wrong(at)
        return found

    def value(found: re.Match[str], depth: int) -> Node:
        start, closing = found.start(), {"{": "}", "[": "]"}.get(found.group())
        if found["string"]:
            return Node(start, found.end(), _unquoted(found["string"]))
        if found["word"]:
            try:
                return Node(start, found.end(), _plain(found["word"]))
            except ValueError:
                raise wrong(start) from None
        if closing is None or depth > _DEEPEST:
            raise wrong(start)
        members: list[tuple[str, int, Node]] = []
        items: list[Node] = []
        found = token(found.end())
        while found.group() != closing:
            if closing == "]":
                items.append(node := value(found, depth + 1))
            else:
                name = _unquoted(found["string"]) if found["string"] else found["word"]
                colon = token(found.end())
                if name is None or colon.group() != ":":
                    raise wrong(found.start() if name is None else colon.start())
                node = value(token(colon.end()), depth + 1)
                members.append((name, found.start(), node))
            found = token(node.end)
            if found.group() == ",":
                found = token(found.end())
            elif found.group() != closing:
                raise wrong(found.start())
        held = {name: node.value for name, _, node in members}
        whole = held if closing == "}" else [node.value for node in items]
        return Node(start, found.end(), whole, tuple(members), tuple(items))

    root = value(token(0), 0)
    if (end := _blank(text, root.end)) != len(text):
        raise wrong(end)
    return root


def _blank(text: str, at: int) -> int:
    """Where the next thing begins that is neither space nor comment."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _unquoted(string: str) -> str:
    def unescaped(found: re.Match[str]) -> str:
        code = found.group(1)
        if code[0] in "ux" and len(code) > 1:
            return chr(int(code[1:], 16))
        return "" if code in ("\n", "\r", "\r\n", "\u2028", "\u2029") else _ESCAPES.get(code, code)

    return _ESCAPE.sub(unescaped, string[1:-1])


def _plain(word: str) -> object:
    if word in _LITERALS:
        return _LITERALS[word]
    if word.lower().lstrip("+-").startswith("0x"):
        return int(word, 16)
    return float(word.replace("Infinity", "inf").replace("NaN", "nan"))


# Putting something in


def put(text: str, path: tuple[str, ...], value: object) -> tuple[str, ConfigEdit | None]:
    """`text` with `value` under `path`, and what was done for it; None where it was there."""
    root = parse(text)
    old = root.at(path)
    if old is None:
        return _put_new(text, root, path, value)
    if old.value == value:
        return text, None
    was = text[old.start : old.end]
    text = text[: old.start] + compact(value) + text[old.end :]
    return text, ConfigEdit(path, "", was, len(path))


def append(text: str, path: tuple[str, ...], value: object) -> tuple[str, ConfigEdit]:
    """`text` with `value` last in the list under `path`, which is made where there is none."""
    root, item = parse(text), compact(value)
    node = root.at(path)
    if node is None:
        text, edit = _put_new(text, root, path, [value])
        return text, edit._replace(item=item)
    if not isinstance(node.value, list):
        raise InputError("{name} is not a list", name=".".join(path))
    at, piece = node.start + 1, item
    if node.items:
        at = node.items[-1].end
        piece = f", {item}"
        if (lead := _line_before(text, node.items[-1].start)) is not None:
            piece = f",{line_end(text)}{lead}{_spread(text, value, lead)}"
    return text[:at] + piece + text[at:], ConfigEdit(path, piece, None, len(path), item)


def _put_new(text: str, root: Node, path: tuple[str, ...], value: object) -> tuple[str, ConfigEdit]:
    """`text` with a new member, first in its object, where no comma is in the way."""
    known = len(path) - 1
    while (parent := root.at(path[:known])) is None:
        known -= 1
    if not isinstance(parent.value, dict):
        raise InputError("{name} is not an object", name=".".join(path[:known]) or "$")
    for name in reversed(path[known + 1 :]):
        value = {name: value}
    comma = "," if parent.members else ""
    if "\n" not in text[parent.start : parent.end]:
        piece = f"{compact(path[known])}: {compact(value)}{comma}{' ' if comma else ''}"
    else:
        line = text[text.rfind("\n", 0, parent.end - 1) + 1 : parent.end - 1]
        closing = line[: len(line) - len(line.lstrip(" \t"))]
        first = _line_before(text, parent.members[0][1]) if parent.members else None
        lead = first or closing + "  "
        piece = f"{line_end(text)}{lead}{compact(path[known])}: {_spread(text, value, lead)}{comma}"
    at = parent.start + 1
    return text[:at] + piece + text[at:], ConfigEdit(path, piece, None, known)


def _line_before(text: str, at: int) -> str | None:
    """The blanks before something that has a line to itself; None where it has not."""
    begin = text.rfind("\n", 0, at) + 1
    return text[begin:at] if begin and not text[begin:at].strip() else None


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _spread(text: str, value: object, indent: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", line_end(text) + indent)


# Taking it out


def undone(text: str, edit: ConfigEdit) -> str:
    """`text` as it was before: to the letter where our piece still stands, else by structure."""
    if edit.piece and text.count(edit.piece) == 1:
        plain = text.replace(edit.piece, "")
        try:
            if not stands(plain, edit):
                return plain
        except InputError:
            pass
    node = parse(text).at(edit.path)
    if node is None:
        return text
    if edit.was is not None:
        return text[: node.start] + edit.was + text[node.end :]
    if edit.item:
        for item in reversed(node.items):
            if item.value == json.loads(edit.item):
                text = _cut(text, node, item.start, item.end)
    else:
        text = _without_member(text, edit.path)
    for length in range(len(edit.path), edit.known, -1):
        above = parse(text).at(edit.path[:length])
        if above is not None and above.value in ({}, []):
            text = _without_member(text, edit.path[:length])
    return text


def stands(text: str, edit: ConfigEdit) -> bool:
    """Whether what was put in is there, in whatever form."""
    node = parse(text).at(edit.path)
    if node is None or not edit.item:
        return node is not None
    return isinstance(node.value, list) and json.loads(edit.item) in node.value


def _without_member(text: str, path: Path) -> str:
    parent = parse(text).at(path[:-1])
    for name, begin, node in reversed(parent.members if parent else ()):
        if parent and name == path[-1]:
            text = _cut(text, parent, begin, node.end)
    return text


def _cut(text: str, parent: Node, begin: int, end: int) -> str:
    """`text` without a member or an item, one comma, and the blanks before it."""
    after = _blank(text, end)
    before = len(text[:begin].rstrip())
    if after < parent.end and text[after] == ",":
        end = after + 1
    elif text[before - 1] == ",":  # the last one: the comma before it goes instead
        before = len(text[: before - 1].rstrip())
    return text[:before] + text[end:]
