"""The tables of both languages: words with their numbers, rules by what they begin with."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import NamedTuple

_DIGITS = "0123456789"
NUMERALS = "〇零一二两三四五六七八九十廿卅百半几"
# What opens a date without being the beginning of a rule
_OPENERS = "从 自 from between week end start beginning middle early mid late"


class Rule(NamedTuple):
    name: str
    follow: str  # The characters one of which must come second; any where empty
    pattern: str


_words: dict[str, dict[str, str]] = {}
_fragments: dict[str, str] = {}
DATES: dict[str, list[Rule]] = {word: [] for word in _OPENERS.split()}  # By what they begin with
TIMES: dict[str, list[Rule]] = {}
SECOND: dict[str, str] = dict.fromkeys(DATES, "")  # What a date begins with, and may come second


def _load(name: str) -> None:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        text = re.sub(r"(?m)^#.*\n", "", file.read())
    for head, separator, body in re.findall(r"(?m)^(\w+)( = |: )(.*\n(?:[ ].*\n)*)", text):
        first, *rest = body.split("\n")
        lines = "".join(line.strip() for line in rest)
        if separator == ": ":
            _add_rule(head, first, lines)
        elif head.isupper():
            _fragments[head] = first + lines
        else:
            pairs = (pair.strip().rpartition(" ") for pair in f"{first} {lines}".split(","))
            _words.setdefault(head, {}).update((word, value) for word, _, value in pairs)


def _add_rule(name: str, begins: str, pattern: str) -> None:
    table = TIMES if name.startswith("time") else DATES
    for begin in re.sub(r"\{(\w+)\}", lambda name: " ".join(_words[name[1]]), begins).split():
        firsts, _, follow = begin.rstrip("]").partition("[")
        follow = follow.replace("#", _DIGITS).replace("〇", NUMERALS)
        for first in [firsts] if firsts.isascii() else firsts:
            table.setdefault(first, []).append(Rule(name, follow, pattern))
            known = SECOND.get(first, follow)
            SECOND[first] = known + follow if known and follow else ""


def _numbers(name: str) -> dict[str, int]:
    return {word: int(value) for word, value in _words[name].items()}


_load("en.txt")
_load("zh.txt")
SECOND["〇"] = "个多来分小钟天日周星礼月季年点时号世 夜晚"
COUNT, MONTH, WEEKDAY, SEASON = map(_numbers, ("count", "month", "weekday", "season"))
ORDINAL, OFFSET, EDGE, HOUR = map(_numbers, ("ordinal", "offset", "edge", "hour"))
UNIT = _words["unit"]


@cache
def compiled(source: str) -> re.Pattern[str]:
    """A pattern with its fragments put in; compiled when it is first needed."""
    while fragment := re.search(r"\{([A-Z]+)\}", source):
        source = source.replace(fragment[0], f"(?:{_fragments[fragment[1]]})")
    return re.compile(source)


@cache  # a class of Chinese characters takes longer to compile than all of it for English
def token(ascii_only: bool) -> re.Pattern[str]:
    """What finds a word, a number or a character that a date may begin with."""
    if ascii_only:
        return re.compile("[a-z]+|[0-9]+")
    single = "".join(first for first in SECOND if not first.isascii() and first != "〇")
    return re.compile(f"[a-z]+|[0-9]+|[{NUMERALS}]+|[{single}]")


def key_of(token: str) -> str:
    """What rules that begin with this token are listed under."""
    return "#" if token[0] in _DIGITS else "〇" if token[0] in NUMERALS else token
