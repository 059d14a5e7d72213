"""Instructions in words that nobody vouches for: where they stand, and of what kind they are.

A text is looked at as a person would read it: folded, without invisible characters, look-alike
letters as what they look like, letters that are set apart together. What is found is the sentence,
or the paragraph where only that reads like an instruction; where words address a model, also the
rest of the paragraph.

How wide the net is follows from the origin: `user` and `file` are the owner's, and nothing of
theirs is held; what the assistant said or an import brings is held for what no person says to
another; tool output, web pages and group members for anything that reads like an order or a claim
on the user's behalf, because to hold costs little: it can be read and released. The words are in
`instructions.toml`. This is a second line: what is not held is fenced, and believed by nobody.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from loxodon.text.sentences import spans
from loxodon.text.words import fold
from loxodon.types import Origin

_WIDE: tuple[Origin, ...] = ("tool", "web", "group")
_NARROW: tuple[Origin, ...] = ("assistant", "import", "relayed")
# Kinds after which the rest of the paragraph belongs to it, up to so many characters
_CARRIES_ON = frozenset({"override", "persona", "addressed", "marker", "hidden"})
_CARRIED = 600
_READ = 200_000  # characters that are looked at; what is beyond is held, since nobody has looked
_PARAGRAPH = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|$))+")
# Cyrillic and Greek letters that look like Latin ones
_ALIKE = str.maketrans("аеорсухіѕјкмтвнԁɡαεορτυνικзг", "aeopcyxisjkmtbhdgaeoptuvik3r")
_NO_ROOM = re.compile(
    "[\u00ad\u034f\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\U000e0000-\U000e01ef]"
)
_GAP = re.compile(r"(?<!\S)(\S) (?=\S(?!\S))")  # only sets letters apart: `i g n o r e`, `忽 略`
# Tags, selectors, and marks of direction turned round; not a flag, which is made of a few
_UNSEEN = re.compile("(?<!\U0001f3f4)[\U000e0020-\U000e007e\U000e0100-\U000e01ef]{4,}|\u202e")


class Instruction(NamedTuple):
    """A stretch of a text that is an instruction, and of what kind."""

    start: int
    end: int
    reason: str


def screens(origin: str) -> bool:
    """Whether words of this origin are looked through at all."""
    return origin in _WIDE or origin in _NARROW


def found_in(text: str, origin: Origin) -> list[Instruction]:
    """The instructions in a text of this origin, in order, none within another."""
    if not text or not screens(origin):
        return []
    found: list[Instruction] = []
    for one in _places(text[:_READ], origin in _WIDE):
        if found and one.start <= found[-1].end + 1:
            found[-1] = found[-1]._replace(end=max(found[-1].end, one.end))
        else:
            found.append(one)
    if len(text) > _READ:
        found.append(Instruction(_READ, len(text), "unread"))
    return found


def _places(text: str, wide: bool) -> Iterator[Instruction]:
    words = _words()
    kinds = (*words["strong"], *(words["wide"] if wide else ()), "marker")
    for paragraph in _PARAGRAPH.finditer(text):
        first, last = paragraph.start(), paragraph.start() + len(paragraph[0].rstrip())
        if not (reason := _reason(text[first:last], kinds)):
            continue
        sentences = [(first + a, first + b) for a, b in spans(text[first:last])]
        said = [(a, b, kind) for a, b in sentences if (kind := _reason(text[a:b], kinds))]
        for start, end, kind in said or [(first, last, reason)]:
            if kind in _CARRIES_ON:
                end = min(last, end + _CARRIED)
            yield Instruction(start, end, kind)


def _reason(text: str, kinds: tuple[str, ...]) -> str:
    """The kind of instruction that a text is; empty for none."""
    if _UNSEEN.search(text):
        return "hidden"
    plain = fold(_GAP.sub(r"\1", _NO_ROOM.sub("", text))).replace("。", ".")
    plain = re.sub(r"[^\S\n]+", " ", re.sub(r"\s*\n\s*", "\n", plain))
    for one in dict.fromkeys((plain, plain.translate(_ALIKE))):
        if _pattern(*kinds).search(one):  # one look for what is nearly always so
            return next((kind for kind in kinds if _pattern(kind).search(one)), kinds[0])
    return ""


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "instructions.toml").read_text("utf-8"))


@cache
def _pattern(*kinds: str) -> Any:
    """What matches where any of some kinds does; a blank in it is any white space."""
    words = _words()
    known = words["strong"] | words["wide"] | words
    pattern = "|".join(one for kind in kinds for one in known[kind])
    for name, fragment in words["fragments"].items():
        pattern = pattern.replace(f"<{name}>", fragment)
    import re2  # type: ignore[import-untyped]  # what only the owner said needs none

    options = re2.Options()
    options.max_mem = 64 << 20
    options.dot_nl = True
    return re2.compile(pattern.replace(" ", r"\s"), options)
