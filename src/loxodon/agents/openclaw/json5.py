"""Small changes in a JSON5 file that leave every other byte as it was.

OpenClaw's own `config set` writes its file anew and drops the comments of whoever wrote it. Here a
member is put in or taken out of the text itself; the rest stays. JSON is JSON5, so one pair of
hands does for both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from loxodon.errors import InputError

Path = Sequence[str]
_DEEPEST = 100
_BLANK = re.compile(r"(?:[\s\ufeff]+|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_SAME_LINE = re.compile(r"[ \t]*(?://[^\n\r\u2028\u2029]*|/\*[^\n]*?\*/[ \t]*(?=[\r\n]))?")
_WORD = re.compile(r"[^\s\ufeff,:\[\]{}\"'/]+")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_LITERALS = {"true": True, "false": False, "null": None}


class Node(NamedTuple):
    """A value and where it stands. `members` of an object, in order; the last of a name counts."""

    start: int
    end: int
    value: object
    members: tuple[tuple[str, int, Node], ...] = ()
    """Name, where the name begins, and the value."""
    items: tuple[Node, ...] = ()

    def at(self, path: Path) -> Node | None:
        """The value under `path`; None where there is none."""
        node: Node | None = self
        for name in path:
            found = {key: inner for key, _, inner in node.members} if node else {}
            node = found.get(name)
        return node


def parse(text: str) -> Node:
    """The document; an InputError where it is none."""
    reader = _Reader(text)
    node = reader.value(_blank(text, 0), 0)
    if _blank(text, node.end) != len(text):
        raise reader.wrong(node.end)
    return node


def raw(text: str, path: Path) -> str | None:
    """The value under `path` as it is written; None where there is none."""
    node = parse(text).at(path)
    return None if node is None else text[node.start : node.end]


def replace(text: str, path: Path, written: str) -> str:
    """`text` with what is written under `path` replaced; as it is where nothing is there."""
    node = parse(text).at(path)
    return text if node is None else text[: node.start] + written + text[node.end :]


def put(text: str, path: Path, value: object) -> tuple[str, str]:
    """`text` with a new member `value` under `path`, and what was put in as one piece.

    Objects on the way are made where they are missing.
    """
    root = parse(text)
    known = len(path) - 1
    while (parent := root.at(path[:known])) is None:
        known -= 1
    if not isinstance(parent.value, dict):
        raise InputError("{name} is not an object", name=".".join(path[:known]) or "$")
    for name in reversed(path[known + 1 :]):
        value = {name: value}
    at, piece = _member(text, parent, path[known], value)
    return text[:at] + piece + text[at:], piece


def append(text: str, path: Path, value: object) -> tuple[str, str]:
    """`text` with `value` last in the list under `path`, and what was put in."""
    node = parse(text).at(path)
    if node is None or not isinstance(node.value, list):
        raise InputError("{name} is not a list", name=".".join(path))
    at, piece = node.start + 1, compact(value)
    if node.items:
        last = node.items[-1]
        line = text.rfind("\n", 0, last.start) + 1
        at, lead = last.end, text[line : last.start]
        if line > node.start and not lead.strip():  # each item has lines of its own
            eol = "\r\n" if "\r\n" in text else "\n"
            at, comma = _after(text, last.end, eol + lead)
            piece = comma + _spread(value, lead, eol)
        else:
            piece = ", " + piece
    return text[:at] + piece + text[at:], piece


def drop(text: str, path: Path) -> str:
    """`text` without the member under `path`, with its line where it has one to itself."""
    parent = parse(text).at(path[:-1])
    if parent is None or parent.at(path[-1:]) is None:
        return text
    places = [(begin, node.end) for name, begin, node in parent.members if name == path[-1]]
    for begin, end in reversed(places):
        text = _without(text, parent, begin, end)
    return text


def drop_item(text: str, path: Path, value: object) -> str:
    """`text` without `value` in the list under `path`."""
    node = parse(text).at(path)
    if node is None:
        return text
    for item in reversed(node.items):
        if item.value == value:
            text = _without(text, node, item.start, item.end)
    return text


def _without(text: str, parent: Node, begin: int, end: int) -> str:
    after = _blank(text, end)
    if after < parent.end and text[after] == ",":
        end = after + 1
        line = text.rfind("\n", 0, begin) + 1
        if not text[line:begin].strip() and re.match(r"[ \t]*\r?\n", text[end:]):
            begin, end = line, text.index("\n", end) + 1
        elif text[end : end + 1] == " ":
            end += 1
        return text[:begin] + text[end:]
    before = len(text[:begin].rstrip())
    if text[before - 1] == ",":  # the last one: the comma before it goes instead
        before = len(text[: before - 1].rstrip())
    return text[:before] + text[end:] if before > parent.start + 1 else text[:begin] + text[end:]


def _member(text: str, parent: Node, name: str, value: object) -> tuple[int, str]:
    """Where a member goes that is to be the last of `parent`, and how it is written there."""
    body = text[parent.start : parent.end]
    spread = "\n" in body
    eol = "\r\n" if "\r\n" in text else "\n"
    outer = _indent(text, parent.end - 1) if spread else ""
    inner = _member_indent(text, parent, outer)
    key = json.dumps(name, ensure_ascii=False)
    written = f"{key}: {_spread(value, inner, eol) if spread else compact(value)}"
    if not parent.members:
        if not spread:
            return parent.start + 1, written
        return len(text[: parent.end - 1].rstrip()), f"{eol}{inner}{written}"
    end = parent.members[-1][2].end
    after = _blank(text, end)
    if text[after] != ",":
        at, comma = _after(text, end, eol + inner) if spread else (end, ", ")
        return at, comma + written
    after += 1
    if not spread:
        return after, f" {written},"
    line = _SAME_LINE.match(text, after)
    return line.end() if line else after, f"{eol}{inner}{written},"


def _after(text: str, end: int, line: str) -> tuple[int, str]:
    """Where something goes that follows what ends at `end`, and what stands before it.

    A remark on that line stays there: then the comma begins the new line.
    """
    found = _SAME_LINE.match(text, end)
    if found is None or not found.group().strip():
        return end, "," + line
    return found.end(), line + ", "


def _member_indent(text: str, parent: Node, outer: str) -> str:
    for _, begin, _ in parent.members:
        line = text.rfind("\n", 0, begin) + 1
        if not text[line:begin].strip():
            return text[line:begin]
    return outer + "  "


def _indent(text: str, at: int) -> str:
    line = text.rfind("\n", 0, at) + 1
    return text[line : line + len(text[line:at]) - len(text[line:at].lstrip(" \t"))]


def compact(value: object) -> str:
    """`value` on one line."""
    return json.dumps(value, ensure_ascii=False)


def _spread(value: object, indent: str, eol: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", eol + indent)


def _blank(text: str, at: int) -> int:
    """Where the next thing begins that is neither space nor comment."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def wrong(self, at: int) -> InputError:
        return InputError(
            "this is not JSON5: line {line}",
            hint="fix that line",
            line=self.text.count("\n", 0, at) + 1,
        )

    def value(self, at: int, depth: int) -> Node:
        mark = self.text[at : at + 1]
        if depth > _DEEPEST or not mark:
            raise self.wrong(at)
        if mark == "{":
            return self.braces(at, depth)
        if mark == "[":
            return self.brackets(at, depth)
        if mark in "\"'":
            end, text = self.string(at)
            return Node(at, end, text)
        word = _WORD.match(self.text, at)
        if word is None:
            raise self.wrong(at)
        return Node(at, word.end(), self.plain(word.group(), at))

    def braces(self, start: int, depth: int) -> Node:
        members: list[tuple[str, int, Node]] = []
        at = _blank(self.text, start + 1)
        while self.text[at : at + 1] != "}":
            end, name = self.name(at)
            colon = _blank(self.text, end)
            if self.text[colon : colon + 1] != ":":
                raise self.wrong(colon)
            node = self.value(_blank(self.text, colon + 1), depth + 1)
            members.append((name, at, node))
            at = self.next(node.end, "}")
        value = {name: node.value for name, _, node in members}
        return Node(start, at + 1, value, members=tuple(members))

    def brackets(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        at = _blank(self.text, start + 1)
        while self.text[at : at + 1] != "]":
            items.append(self.value(at, depth + 1))
            at = self.next(items[-1].end, "]")
        return Node(start, at + 1, [node.value for node in items], items=tuple(items))

    def next(self, at: int, closing: str) -> int:
        """Where the next member begins, or the bracket that closes them."""
        at = _blank(self.text, at)
        if self.text[at : at + 1] == ",":
            return _blank(self.text, at + 1)
        if self.text[at : at + 1] != closing:
            raise self.wrong(at)
        return at

    def name(self, at: int) -> tuple[int, str]:
        if self.text[at : at + 1] in ('"', "'"):
            return self.string(at)
        word = _WORD.match(self.text, at)
        if word is None:
            raise self.wrong(at)
        return word.end(), word.group()

    def string(self, start: int) -> tuple[int, str]:
        quote = self.text[start]
        found = re.compile(
            rf"[^{quote}\\\n\r]*(?:\\(?:\r\n|.)[^{quote}\\\n\r]*)*{quote}", re.DOTALL
        )
        inside = found.match(self.text, start + 1)
        if inside is None:
            raise self.wrong(start)
        return inside.end(), _ESCAPE.sub(_unescaped, inside.group()[:-1])

    def plain(self, word: str, at: int) -> object:
        if word in _LITERALS:
            return _LITERALS[word]
        sign = -1 if word[0] == "-" else 1
        digits = word.lstrip("+-")
        try:
            if digits[:2].lower() == "0x":
                return sign * int(digits, 16)
            number = sign * float(digits.replace("Infinity", "inf").replace("NaN", "nan"))
        except ValueError:
            raise self.wrong(at) from None
        return int(number) if digits.isdecimal() else number


def _unescaped(found: re.Match[str]) -> str:
    code = found.group(1)
    if code[0] in "ux" and len(code) > 1:
        return chr(int(code[1:], 16))
    return "" if code in ("\n", "\r", "\r\n", "\u2028", "\u2029") else _ESCAPES.get(code, code)
