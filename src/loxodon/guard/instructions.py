"""Instructions in words that nobody vouches for: where they stand, and of what kind they are.

A text is looked at as a model would understand it, not as it is spelled: folded, without invisible
characters, with look-alike letters and digits read as what they look like; and so are its letters
set apart, turned round or shifted, and what is encoded in it. What is found is the whole sentence
in the text as it was said; where words address a model, also what follows in the same paragraph.

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from loxodon.types import Origin

_WIDE: tuple[Origin, ...] = ("tool", "web", "group")
_NARROW: tuple[Origin, ...] = ("assistant", "import", "relayed")
_CARRIES_ON = frozenset({"override", "persona", "addressed", "marker", "hidden"})
"""Kinds after which the rest of the paragraph belongs to it."""
_PARAGRAPH = 600
_AROUND = 200
MOST = 50
"""Places of one text that are told apart; one with more is held from the first to its end."""
READ = 200_000
"""Characters of a text that are looked at; what is beyond is held, since nobody has looked."""


class Instruction(NamedTuple):
    """A stretch of a text that is an instruction, and of what kind."""

    start: int
    end: int
    reason: str
    """`override`, `persona`, `secrecy`, `exfiltration`, `addressed`, `decode`, `memory`,
    `standing`, `claim`, `claimed`, `permission`, `marker`, `hidden`, `encoded` or `unread`."""


def screens(origin: str) -> bool:
    """Whether words of this origin are looked through at all."""
    return origin in _WIDE or origin in _NARROW


def found_in(text: str, origin: Origin) -> list[Instruction]:
    """The instructions in a text of this origin, in order, none within another."""
    if not text or not screens(origin):
        return []
    wide = origin in _WIDE
    read = text[:READ]
    places = dict.fromkeys((*_worded(read, wide), *_unseen(read), *_encoded(read, wide)))
    if len(text) > READ:
        places[Instruction(READ, len(text), "unread")] = None
    return _joined(_widened(text, places)) if places else []


# --- what is read -------------------------------------------------------------------------------


class _View(NamedTuple):
    """A text in another spelling, and where each of its characters stands in the text."""

    text: str
    at: Sequence[int]

    def place(self, start: int, end: int, kind: str) -> Instruction:
        """A stretch of it where it stands in the text itself."""
        first, last = self.at[start], self.at[end - 1]
        return Instruction(min(first, last), max(first, last) + 1, kind)


_ALIKE = str.maketrans("аеорсухіѕјкмтвнԁɡαεορτυνικзг", "aeopcyxisjkmtbhdgaeoptuvik3r")
"""Cyrillic and Greek letters that look like Latin ones."""
_DIGITS = str.maketrans("013457@$!|", "oieastasil")
_ROT = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_FULL = str.maketrans("：，。！；（）", ":,.!;()")
_NOT_ONE = "\0"
_GAP = re.compile(r"(?<!\S)(\S) (?=\S(?!\S))")
"""A blank that only sets letters apart which stand alone: `i g n o r e`, `忽 略`."""
_BLANKS = re.compile(r"[ \n]{2,}")


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


class _OneForOne(dict[int, str]):
    """What each character is folded to, where that is one character."""

    def __missing__(self, code: int) -> str:
        plain = _plain(chr(code))
        self[code] = plain if len(plain) == 1 else _NOT_ONE
        return self[code]


_ONE_FOR_ONE = _OneForOne()


def _folded(text: str) -> _View:
    """The text as patterns read it: folded, letters that are set apart together, runs of blanks
    made one."""
    gaps = {match.end() - 1 for match in _GAP.finditer(text)}
    folded = text.translate(_ONE_FOR_ONE)
    at: Sequence[int] = range(len(text))  # each where it stood, which is nearly always so
    if gaps or _NOT_ONE in folded:
        pairs = [(c, n) for n, one in enumerate(text) if n not in gaps for c in _plain(one)]
        folded, at = "".join(c for c, _ in pairs), [n for _, n in pairs]
    parts, places, done = list[str](), list[int](), 0
    for run in _BLANKS.finditer(folded):
        parts += [folded[done : run.start()], "\n" if "\n" in run[0] else " "]
        places += at[done : run.start() + 1]
        done = run.end()
    if not parts:
        return _View(folded, at)
    return _View("".join((*parts, folded[done:])), [*places, *at[done:]])


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
    return _compiled(pattern.replace(" ", r"\s"))


def _compiled(pattern: str) -> Any:
    # Imported here: what only the owner said needs none.
    import re2  # type: ignore[import-untyped]

    options = re2.Options()
    options.max_mem = 64 << 20
    options.dot_nl = True
    return re2.compile(pattern, options)


# --- where it stands ----------------------------------------------------------------------------


def _worded(text: str, wide: bool) -> Iterator[Instruction]:
    """What is worded as an instruction, however it is spelled."""
    view = _folded(text)
    looks = view._replace(text=view.text.translate(_ALIKE))
    strong, every = tuple(_words()["strong"]), tuple(_words()["strong"] | _words()["wide"])
    kinds = (*(every if wide else strong), "marker")
    for one in dict.fromkeys((view.text, looks.text)):
        if not _pattern(*kinds).search(one):  # one look for what is nearly always so
            continue
        for kind in kinds:
            for match in _pattern(kind).finditer(one):
                yield view.place(match.start(), match.end(), kind)
    if not wide:  # who disguises words is nobody's assistant
        return
    for other in _disguises(looks):
        for match in _pattern(*every).finditer(other.text):
            start, end = match.span()
            if other.text[start:end] != looks.text[start:end]:  # not what was seen already
                yield other.place(start, end, "hidden")
    # Letters with blanks or marks between them: `i g n o r e`, `ig-no-re`.
    kept = [n for n, character in enumerate(looks.text) if character.isalpha()]
    together = _View("".join(looks.text[n] for n in kept), kept)
    for match in _pattern("run_together").finditer(together.text):
        start, end, _ = together.place(match.start(), match.end(), "")
        if end - start > len(match[0]) * 4 / 3:  # words have a gap in six letters
            yield looks.place(start, end, "hidden")


def _disguises(view: _View) -> Iterator[_View]:
    """The same with digits read as letters, shifted by thirteen, and from its end."""
    words = view.text.split(" ")
    meant = (one.translate(_DIGITS) if any(map(str.isalpha, one)) else one for one in words)
    yield view._replace(text=" ".join(meant))
    yield view._replace(text=view.text.translate(_ROT))
    yield _View(view.text[::-1], view.at[::-1])


_UNSEEN = re.compile(
    "(?<!\U0001f3f4)[\U000e0020-\U000e007e\U000e0100-\U000e01ef]{4,}|\u202e[^\u202c]*\u202c?"
)
"""Tags, selectors, and marks of direction turned round; not a flag, which is made of a few."""


def _unseen(text: str) -> Iterator[Instruction]:
    """Words in characters that nobody sees."""
    return (Instruction(*match.span(), "hidden") for match in _UNSEEN.finditer(text))


def _encoded(text: str, wide: bool) -> Iterator[Instruction]:
    """Stretches that say an instruction once they are decoded."""
    if not _any_code().search(text):
        return
    for pattern, decode in _codes():
        for match in pattern.finditer(text):
            try:
                said = decode(match[0])
            except ValueError:
                continue
            readable = said != match[0] and said.translate(_LINE_ENDS).isprintable()
            if readable and any(_worded(said, wide)):
                yield Instruction(match.start(), match.end(), "encoded")


_LINE_ENDS = str.maketrans("", "", "\t\n\r")


@cache
def _any_code() -> Any:
    """What matches in every text that one of the codes does, and in few others."""
    return _compiled(
        r"[A-Za-z0-9+/_-]{20}|(?:[0-9a-fA-F]{2}[\s:]?){12}|%[0-9a-fA-F]{2}|&#?\w{2,8};"
        r"|\\u[0-9a-fA-F]{4}"
    )


@cache
def _codes() -> list[tuple[Any, Callable[[str], str]]]:
    from base64 import b64decode
    from html import unescape
    from urllib.parse import unquote

    def base64(text: str) -> str:
        padded = text.rstrip("=").replace("-", "+").replace("_", "/")
        return b64decode(padded + "=" * (-len(padded) % 4)).decode()

    def bits(text: str) -> str:
        digits = "".join(text.split())
        return bytes(int(digits[n : n + 8], 2) for n in range(0, len(digits) - 7, 8)).decode()

    def escapes(text: str) -> str:
        return re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)

    entity = r"&(?:#\d{2,6}|#[xX][0-9a-fA-F]{2,5}|\w{2,8});"
    codes: dict[str, Callable[[str], str]] = {
        r"[A-Za-z0-9+/_-]{20,}={0,2}": base64,
        r"(?:[0-9a-fA-F]{2}[\s:]?){12,}": lambda text: bytes.fromhex(
            "".join(one for one in text if one not in ": \t\n")
        ).decode(),
        r"(?:[^\s%]*%[0-9a-fA-F]{2}[^\s%]*){3,}": lambda text: unquote(text).replace("+", " "),
        rf"(?:[^&\n]{{0,20}}{entity}[^&\n]{{0,20}}){{3,}}": unescape,
        r"(?:[^\\\n]{0,20}\\u[0-9a-fA-F]{4}[^\\\n]{0,20}){3,}": escapes,
        r"(?:[01]{8}\s?){8,}": bits,
    }
    return [(_compiled(pattern), decode) for pattern, decode in codes.items()]


# --- what is held -------------------------------------------------------------------------------


def _widened(text: str, places: Iterable[Instruction]) -> Iterator[Instruction]:
    """The sentences that instructions stand in, and what belongs to them."""
    from loxodon.text.sentences import spans

    sentences = spans(text[:READ])
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
    if len(found) > MOST:
        found = [*found[: MOST - 1], Instruction(found[MOST - 1].start, found[-1].end, "unread")]
    return found
