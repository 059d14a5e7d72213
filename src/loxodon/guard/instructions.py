"""Instructions in words that nobody vouches for: where they stand, and of what kind they are.

A text is looked at as a person would read it: folded, without invisible characters, look-alike
letters as what they look like, letters that are set apart together. What is found is the whole
sentence in the text as it was said; where words address a model, also the rest of the paragraph.

How wide the net is follows from the origin: `user` and `file` are the owner's, and nothing of
theirs is held; what the assistant said or an import brings is held for what no person says to
another; tool output, web pages and group members for anything that reads like an order or a claim
on the user's behalf, because to hold costs little: it can be read and released. The words are in
`instructions.toml`. This is a second line: what is not held is fenced, and believed by nobody.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from loxodon.types import Origin

_WIDE: tuple[Origin, ...] = ("tool", "web", "group")
_NARROW: tuple[Origin, ...] = ("assistant", "import", "relayed")
# Kinds after which the rest of the paragraph belongs to it
_CARRIES_ON = frozenset({"override", "persona", "addressed", "marker", "hidden"})
_PARAGRAPH = 600
_AROUND = 200
_MOST = 50  # places of one text that are told apart; one with more is held to its end
_READ = 200_000  # characters that are looked at; what is beyond is held, since nobody has looked
# Cyrillic and Greek letters that look like Latin ones
_ALIKE = str.maketrans("аеорсухіѕјкмтвнԁɡαεορτυνικзг", "aeopcyxisjkmtbhdgaeoptuvik3r")
_FULL = str.maketrans("：，。！；（）", ":,.!;()")
_GAP = re.compile(r"(?<!\S)(\S) (?=\S(?!\S))")  # only sets letters apart: `i g n o r e`, `忽 略`
# Tags, selectors, and marks of direction turned round; not a flag, which is made of a few
_UNSEEN = re.compile(
    "(?<!\U0001f3f4)[\U000e0020-\U000e007e\U000e0100-\U000e01ef]{4,}|\u202e[^\u202c]*\u202c?"
)


class Instruction(NamedTuple):
    """A stretch of a text that is an instruction, and of what kind (as in `instructions.toml`;
    `hidden` and `unread` where nobody can read it)."""

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
    wide = origin in _WIDE
    read = text[:_READ]
    places = [*_worded(read, wide)]
    places += [Instruction(*match.span(), "hidden") for match in _UNSEEN.finditer(read)]
    if len(text) > _READ:
        places.append(Instruction(_READ, len(text), "unread"))
    return _joined(_widened(text, dict.fromkeys(places))) if places else []


# --- what is read -------------------------------------------------------------------------------


@lru_cache(maxsize=8_192)
def _plain(character: str) -> str:
    """One character folded; empty for what nobody sees, a blank for what is white."""
    from loxodon.text.words import fold

    if character in "\n\r\x0b\x0c\x85\u2028\u2029":
        return "\n"
    if character.isspace():
        return " "
    if unicodedata.category(character) in ("Cf", "Cc", "Mn", "Me", "Co", "Cn"):
        return ""
    if "\ufe00" <= character <= "\ufe0f" or character in "\u115f\u1160\u3164\uffa0":
        return ""
    return fold(character).translate(_FULL) or character


def _folded(text: str) -> tuple[str, list[int]]:
    """The text as patterns read it, and where each of its characters stands in the text: folded,
    letters that are set apart together, runs of blanks made one."""
    gaps = {match.end() - 1 for match in _GAP.finditer(text)}
    folded, places = list[str](), list[int]()
    for n, one in enumerate(text):
        for c in _plain(one) if n not in gaps else "":
            if c in " \n" and folded and folded[-1] in " \n":
                folded[-1] = "\n" if "\n" in (c, folded[-1]) else " "
            else:
                folded.append(c)
                places.append(n)
    return "".join(folded), places


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


def _worded(text: str, wide: bool) -> Iterator[Instruction]:
    """What is worded as an instruction, however it is spelled."""
    folded, at = _folded(text)
    kinds = (*_words()["strong"], *(_words()["wide"] if wide else ()), "marker")
    for one in dict.fromkeys((folded, folded.translate(_ALIKE))):
        if not _pattern(*kinds).search(one):  # one look for what is nearly always so
            continue
        for kind in kinds:
            for match in _pattern(kind).finditer(one):
                yield Instruction(at[match.start()], at[match.end() - 1] + 1, kind)


# --- what is held -------------------------------------------------------------------------------


def _widened(text: str, places: Iterable[Instruction]) -> Iterator[Instruction]:
    """The sentences that instructions stand in, and what belongs to them."""
    from loxodon.text.sentences import spans

    sentences = spans(text[:_READ])
    starts = [start for start, _ in sentences]
    for at, to, reason in places:
        first, last = (bisect_right(starts, one) - 1 for one in (at, to - 1))
        start, end = at, to
        if first >= 0 and sentences[first][1] > at:
            start = max(sentences[first][0], at - _AROUND)
        if last >= 0 and sentences[last][1] >= to:
            end = min(sentences[last][1], to + _AROUND)
        if reason in _CARRIES_ON:
            gap = text.find("\n\n", end, end + _PARAGRAPH)
            end = gap if gap >= 0 else min(len(text), end + _PARAGRAPH)
        opened = text.rfind("<!--", 0, start)
        if opened >= 0 and text.find("-->", opened, start) < 0:
            closed = text.find("-->", end)
            start, end = opened, closed + 3 if closed >= 0 else len(text)
        yield Instruction(start, end, reason)


def _joined(places: Iterable[Instruction]) -> list[Instruction]:
    """Places that touch are one, called after the first."""
    found: list[Instruction] = []
    for one in sorted(places, key=lambda one: one.start):
        if found and one.start <= found[-1].end + 1:
            found[-1] = found[-1]._replace(end=max(found[-1].end, one.end))
        else:
            found.append(one)
    if len(found) > _MOST:
        found = [*found[: _MOST - 1], Instruction(found[_MOST - 1].start, found[-1].end, "unread")]
    return found
