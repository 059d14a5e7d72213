"""Instructions in words that nobody vouches for: where they stand, and of what kind they are.

A text is looked at as a model would understand it, not as it is spelled: folded, without invisible
characters, with look-alike letters and digits read as what they look like; and so are its letters
set apart, turned round or shifted, and what is encoded in it. What is found is the whole sentence
in the text as it was said; where words address a model, also what follows in the same paragraph.

How wide the net is follows from the origin: `user` and `file` are the owner's, and nothing of
theirs is held; what the assistant said or an import brings is held for what no person says to
another; tool output, web pages and group members for anything that reads like an order or a claim
on the user's behalf, because to hold costs little: it can be read and released.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
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
    places = [*_worded(read, wide), *_smuggled(read), *_encoded(read, wide)]
    if len(text) > READ:
        places.append(Instruction(READ, len(text), "unread"))
    return _joined(_whole(text, places)) if places else []


# --- what is read -------------------------------------------------------------------------------


class _View(NamedTuple):
    """A text in another spelling, and where each of its characters stands in the text."""

    text: str
    at: Sequence[int]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of it stands in the text itself."""
        first, last = self.at[start], self.at[end - 1]
        return min(first, last), max(first, last) + 1


_ALIKE = str.maketrans("аеорсухіѕјкмтвнԁɡαεορτυνικзг", "aeopcyxisjkmtbhdgaeoptuvik3r")
"""Cyrillic and Greek letters that look like Latin ones."""
_DIGITS = str.maketrans("013457@$!|", "oieastasil")
_ROT = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_FULL = str.maketrans("：，。！；（）", ":,.!;()")


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


_NOT_ONE = "\0"


class _OneForOne(dict[int, str]):
    """What each character is folded to, where that is one character."""

    def __missing__(self, code: int) -> str:
        plain = _plain(chr(code))
        self[code] = plain if len(plain) == 1 else _NOT_ONE
        return self[code]


_ONE_FOR_ONE = _OneForOne()


def _folded(text: str) -> _View:
    """The text as patterns read it: folded, runs of blanks made one."""
    folded = text.translate(_ONE_FOR_ONE)  # each where it stood, which is nearly always so
    if _NOT_ONE in folded or _GAP.search(text):
        return _folded_one_by_one(text)
    runs = list(_BLANKS.finditer(folded))
    if not runs:
        return _View(folded, range(len(folded)))
    parts, at, done = [], list[int](), 0
    for run in runs:
        parts += [folded[done : run.start()], "\n" if "\n" in run[0] else " "]
        at += range(done, run.start() + 1)
        done = run.end()
    return _View("".join((*parts, folded[done:])), [*at, *range(done, len(folded))])


_GAP = re.compile(r"(?<!\S)\S \S(?!\S)")
_BLANKS = re.compile(r"[ \n]{2,}")


def _folded_one_by_one(text: str) -> _View:
    """The same where a character becomes none or several, or letters are set apart."""
    found: list[str] = []
    at: list[int] = []
    for n, character in enumerate(text):
        if character == " " and _is_gap(text, n):
            continue
        for plain in _plain(character):
            if plain in " \n" and found and found[-1] in " \n":
                found[-1] = "\n" if "\n" in (plain, found[-1]) else " "
            else:
                found.append(plain)
                at.append(n)
    return _View("".join(found), at)


def _is_gap(text: str, n: int) -> bool:
    """Whether a blank only sets letters apart that stand alone: `i g n o r e`, `忽 略`."""
    before, after = text[max(0, n - 2) : n], text[n + 1 : n + 3]
    return (
        0 < n < len(text) - 1
        and not before[-1].isspace()
        and not after[0].isspace()
        and (len(before) == 1 or before[0].isspace())
        and (len(after) == 1 or after[1].isspace())
    )


def _run_together(view: _View) -> _View:
    """Letters alone, without blanks and marks."""
    kept = [n for n, character in enumerate(view.text) if character.isalpha()]
    return _View("".join(view.text[n] for n in kept), [view.at[n] for n in kept])


@cache
def _patterns(wide: bool) -> list[tuple[str, Any]]:
    """(kind, pattern) in the order in which they are tried."""
    from loxodon.guard.instruction_words import MARKERS, STRONG, WIDE

    kinds = {**STRONG, **(WIDE if wide else {})}
    found = [(kind, _compiled("|".join(words))) for kind, words in kinds.items()]
    return [*found, ("marker", _compiled(MARKERS))]


@cache
def _any_pattern(wide: bool) -> Any:
    """What matches where any of the patterns does."""
    from loxodon.guard.instruction_words import MARKERS, STRONG, WIDE

    kinds = {**STRONG, **(WIDE if wide else {})}
    return _compiled("|".join((*(one for words in kinds.values() for one in words), MARKERS)))


@cache
def _strong() -> Any:
    from loxodon.guard.instruction_words import STRONG, WIDE

    return _compiled("|".join(one for words in (STRONG | WIDE).values() for one in words))


@cache
def _joined_letters() -> Any:
    from loxodon.guard.instruction_words import RUN_TOGETHER

    return _compiled(RUN_TOGETHER)


def _compiled(pattern: str) -> Any:
    """A pattern of RE2; a blank in it is any white space."""
    return _exactly(pattern.replace(" ", r"\s"))


def _exactly(pattern: str) -> Any:
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
    if not view.text:
        return
    looks = view._replace(text=view.text.translate(_ALIKE))
    for one in (view, looks) if looks.text != view.text else (view,):
        if not _any_pattern(wide).search(one.text):  # one look for what is nearly always so
            continue
        for kind, pattern in _patterns(wide):
            yield from _matches(one, pattern, kind)
    if not wide:  # who disguises words is nobody's assistant
        return
    for other in _disguises(looks):
        for match in _strong().finditer(other.text):
            start, end = match.span()
            if other.text[start:end] != looks.text[start:end]:  # not what was seen already
                yield Instruction(*other.place(start, end), "hidden")
    yield from _set_apart(looks)


def _matches(view: _View, pattern: Any, kind: str) -> Iterator[Instruction]:
    for match in pattern.finditer(view.text):
        start, end = match.span()
        if end > start:
            yield Instruction(*view.place(start, end), kind)


def _disguises(view: _View) -> Iterator[_View]:
    """The same with digits read as letters, shifted by thirteen, and from its end."""
    if any(map(str.isdigit, view.text)) or "@" in view.text or "$" in view.text:
        yield view._replace(text=_letters_for_digits(view.text))
    yield view._replace(text=view.text.translate(_ROT))
    yield _View(view.text[::-1], view.at[::-1])


def _letters_for_digits(text: str) -> str:
    """`1gn0re` as it is meant; a number stays one."""
    words = text.split(" ")
    mixed = (any(map(str.isalpha, word)) for word in words)
    pairs = zip(words, mixed, strict=True)
    return " ".join(word.translate(_DIGITS) if is_mixed else word for word, is_mixed in pairs)


def _set_apart(view: _View) -> Iterator[Instruction]:
    """Letters with blanks or marks between them: `i g n o r e`, `ig-no-re`."""
    for found in _matches(_run_together(view), _joined_letters(), "hidden"):
        said = view.text[_index(view, found.start) : _index(view, found.end - 1) + 1]
        gaps = sum(not one.isalpha() for one in said)
        if gaps > len(said) * 0.25:  # words have a gap in six letters
            yield found


def _index(view: _View, at: int) -> int:
    from bisect import bisect_left

    return bisect_left(view.at, at)


_UNSEEN = re.compile("[\U000e0020-\U000e007e\U000e0100-\U000e01ef\u202e]")


def _smuggled(text: str) -> Iterator[Instruction]:
    """Words in characters that nobody sees: tags, selectors, marks of direction turned round."""
    if not _UNSEEN.search(text):
        return
    start = -1
    for n, character in enumerate(f"{text}\0"):
        hidden = (
            "\U000e0020" <= character <= "\U000e007e" or "\U000e0100" <= character <= "\U000e01ef"
        )
        if hidden and start < 0:
            start = n
        elif not hidden and start >= 0:
            # A flag is made of a few of them: 🏴 and its letters.
            if n - start > 3 and text[start - 1 : start] != "\U0001f3f4":
                yield Instruction(start, n, "hidden")
            start = -1
    if "\u202e" in text:
        at = text.index("\u202e")
        stop = text.find("\u202c", at)
        yield Instruction(at, stop + 1 if stop >= 0 else len(text), "hidden")


def _encoded(text: str, wide: bool) -> Iterator[Instruction]:
    """Stretches that say an instruction once they are decoded."""
    if not _any_code().search(text):
        return
    for pattern, decode in _codes():
        for match in pattern.finditer(text):
            said = decode(match[0])
            if said and said != match[0] and any(_worded(said, wide)):
                start, end = match.span()
                yield Instruction(start, end, "encoded")


@cache
def _any_code() -> Any:
    """What matches in every text that one of the codes does, and in few others."""
    return _exactly(
        r"[A-Za-z0-9+/_-]{20}|(?:[0-9a-fA-F]{2}[\s:]?){12}|%[0-9a-fA-F]{2}|&#?\w{2,8};"
        r"|\\u[0-9a-fA-F]{4}"
    )


@cache
def _codes() -> list[tuple[Any, Callable[[str], str]]]:
    entity = r"&(?:#\d{2,6}|#[xX][0-9a-fA-F]{2,5}|\w{2,8});"
    return [
        (_exactly(r"[A-Za-z0-9+/_-]{20,}={0,2}"), _from_base64),
        (_exactly(r"(?:[0-9a-fA-F]{2}[\s:]?){12,}"), _from_hex),
        (_exactly(r"(?:[^\s%]*%[0-9a-fA-F]{2}[^\s%]*){3,}"), _from_percent),
        (_exactly(rf"(?:[^&\n]{{0,20}}{entity}[^&\n]{{0,20}}){{3,}}"), _from_entities),
        (_exactly(r"(?:[^\\\n]{0,20}\\u[0-9a-fA-F]{4}[^\\\n]{0,20}){3,}"), _from_escapes),
        (_exactly(r"(?:[01]{8}\s?){8,}"), _from_bits),
    ]


def _from_base64(text: str) -> str:
    from base64 import b64decode

    padded = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _readable(b64decode(padded + "=" * (-len(padded) % 4)))
    except ValueError:
        return ""


def _from_hex(text: str) -> str:
    try:
        return _readable(bytes.fromhex("".join(one for one in text if one not in ": \t\n")))
    except ValueError:
        return ""


def _from_bits(text: str) -> str:
    return _readable(bytes(int(one, 2) for one in _eights("".join(text.split()))))


def _eights(bits: str) -> Iterable[str]:
    return (bits[n : n + 8] for n in range(0, len(bits) - 7, 8))


def _from_percent(text: str) -> str:
    from urllib.parse import unquote

    return unquote(text, errors="replace").replace("+", " ")


def _from_entities(text: str) -> str:
    from html import unescape

    return unescape(text)


def _from_escapes(text: str) -> str:
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)


def _readable(data: bytes) -> str:
    """Bytes as text, where they are some."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return text if text.translate(_LINE_ENDS).isprintable() else ""


_LINE_ENDS = str.maketrans("", "", "\t\n\r")


# --- what is held -------------------------------------------------------------------------------


def _whole(text: str, places: Iterable[Instruction]) -> list[Instruction]:
    """The sentences that instructions stand in, and what belongs to them."""
    from loxodon.text.sentences import spans

    sentences = spans(text[:READ])
    return [_widened(text, sentences, one) for one in dict.fromkeys(places)]


def _widened(text: str, sentences: Sequence[tuple[int, int]], one: Instruction) -> Instruction:
    from bisect import bisect_right

    starts = [start for start, _ in sentences]
    first = bisect_right(starts, one.start) - 1
    last = bisect_right(starts, one.end - 1) - 1
    start, end = one.start, one.end
    if first >= 0 and sentences[first][1] > one.start:
        start = max(sentences[first][0], one.start - _AROUND)
    if last >= 0 and sentences[last][1] >= one.end:
        end = min(sentences[last][1], one.end + _AROUND)
    if one.reason in _CARRIES_ON:
        gap = text.find("\n\n", end, end + _PARAGRAPH)
        end = gap if gap >= 0 else min(len(text), end + _PARAGRAPH)
    opened = text.rfind("<!--", 0, start)
    if opened >= 0 and text.find("-->", opened, start) < 0:
        closed = text.find("-->", end)
        start, end = opened, closed + 3 if closed >= 0 else len(text)
    return Instruction(start, end, one.reason)


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
