"""Secrets told in words: a small linear model says of each word of a text whether it is one.

`told.bin` has one signed byte for each bucket of hashed features: what a word looks like, what
stands beside it, how far the nearest cue is (`cues.py`), and what was said in the turns before. It
is trained by `tools/train_secrets.py` on talk written and marked for it (`data/secrets`). Likely
words are joined to spans. Where no secret is named, only words that look odd are weighed.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import islice, pairwise
from math import exp, log
from zlib import crc32

from loxodon.text.numbers import COUNTED
from loxodon.text.patterns import lazy
from loxodon.trust.guard import cues
from loxodon.trust.guard.guard import SHORT, EarlierTurn
from loxodon.values import NamedTuple

BITS = 17
BUCKETS = 1 << BITS
HEAD = struct.Struct("<2f")
"""Of the file of weights: what a step of a byte stands for, and the weight that all share."""
SURE, MAYBE, GROWN = 0.7, 0.65, 0.2
"""The scores from which on a word is a secret, may be one, and belongs to the one beside it."""
LEAST = -0.7
"""What a word must weigh by its looks alone to be weighed with what stands around it."""
REACH = 30
"""Words from a cue within which a word is read."""
_LATELY = 8
"""Words of an earlier turn that count, from its end."""

_HAN = "\u3400-\u9fff\u3007"
_MARKS = r"\s\"“”‘`,，;；。、<>「」『』《》（）()|【】！？：:…=/\[\]{}→"
_TOKEN = lazy(
    rf"\[(?:secret|removed): [a-z0-9 -]{{1,40}}\]|[{_HAN}]"
    rf"|(?:[^{_MARKS}{_HAN}'’]|['’](?=[A-Za-z]))+|[^\s]"
)
_HASH = lazy(r"#?(?:[0-9a-f]{4,12}-){4}[0-9a-f]{12}|(?:0x)?[0-9a-f]{12,}|\S{41,}")
"""Numbers of things, and keys, which rules know by their form."""
_TRAILING = ".!?*~_"
_STOPS = frozenset(".!?。！？\n…")
_NUMBERS = frozenset({"zero", "oh", *COUNTED, "double", "triple"}) | frozenset(
    "零〇一幺二两三四五六七八九"
)
_QUOTES = frozenset("\"“”‘’`'「」『』《》*")
_SPELLED = frozenset("-–—,，、.·/ ") | {"空格", "dash", "hyphen", "space"}


_MARKS_ONLY = frozenset(("mark", "marker"))
_PLAIN = _MARKS_ONLY | {"word", "Word", "WORD", "han", "d1", "d2"}
"""The forms of words that are told by their names only."""


class Token(NamedTuple):
    start: int
    end: int
    low: str
    form: str
    """How it looks: digits, a word, a mix, …"""
    key: int
    """The hash of the word in small letters."""
    about: int
    """The hash of its form."""
    own: tuple[int, ...]
    """The buckets of what it looks like."""


class TaggedSpan(NamedTuple):
    """Where something stands that is told as a secret, how sure that is, and of what kind it is."""

    start: int
    end: int
    score: float
    kind: str


def _hash(text: str) -> int:
    return crc32(text.encode("utf-8", "replace"))


def _form(it: str) -> str:
    if it[0] == "[" and len(it) > 1:
        return "marker"
    low = it.lower()
    if low in _NUMBERS:
        return "number"
    if "\u3400" <= it <= "\u9fff\uffff" and len(it) == 1:
        return "han"
    if not any(c.isalnum() for c in it):
        return "mark" + ("*" if any(c in "#*" for c in it) else "")
    if _HASH.fullmatch(low):
        return "marker"
    digits = sum(c.isdigit() for c in it)
    letters = sum(c.isalpha() for c in it)
    if not letters:
        plain = it.strip("#*")
        if not plain.isdigit():
            return "dashed" if set(plain) <= set("0123456789-") else "numeric"
        if len(plain) == 4 and plain[:2] in ("19", "20") and plain == it:
            return "year"
        return f"d{min(len(plain), 9)}" + ("#" if plain != it else "")
    if digits:
        return "mixed!" if digits + letters < len(it) else "mixed"
    plain = it.replace("'", "").replace("’", "")
    if not plain.isalpha():
        return "hyphened" if {c for c in plain if not c.isalpha()} <= {"-"} else "symbols"
    if it.islower():
        return "word" if len(it) < 14 or not it.isascii() else "long"
    return "Word" if it[1:].islower() or len(it) == 1 else "WORD" if it.isupper() else "wOrd"


def _shape(it: str) -> str:
    found: list[str] = []
    for c in it[:24]:
        kind = "0" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c
        if not found or found[-1] != kind:
            found.append(kind)
    return "".join(found)


@lru_cache(maxsize=20_000)
def _looked(it: str) -> tuple[str, str, int, int, tuple[int, ...]]:
    low, form = it.lower() if it[0] != "[" or len(it) < 2 else "[secret]", _form(it)
    own = [f"w {low}", f"s {_shape(it)}", f"n {form} {min(len(it), 14)}", f"f {form}"]
    if form in ("word", "Word", "WORD", "wOrd", "hyphened"):
        own += [f"p {low[:3]}", f"q {low[-3:]}", f"r {low[-2:]}"]
    return low, form, _hash(low), _hash(form), tuple(_hash(one) >> 32 - BITS for one in own)


def tokens(text: str) -> list[Token]:
    """The words and marks of a text; each Chinese character by itself."""
    found = []
    for match in _TOKEN.finditer(text):
        it, start = match[0], match.start()
        if it.isalnum():
            found.append(Token(start, match.end(), *_looked(it)))
            continue
        parts = [it]
        if len(it) > 1 and it[0] != "[":
            lead = len(it) - len(it.lstrip("*_~"))
            plain = it[lead:].rstrip(_TRAILING)
            parts = [it[:lead], plain, it[lead + len(plain) :]] if plain else [it]
        for part in filter(None, parts):
            found.append(Token(start, start + len(part), *_looked(part)))
            start += len(part)
    return found


# Cues

_NAME, _VERB, _THING, _USER, _OTHER = range(5)


class _Cue(NamedTuple):
    sort: int
    word: str
    kind: str
    key: int


@cache
def _cues() -> tuple[dict[str, list[_Cue]], dict[str, list[_Cue]]]:
    """The cues that are words, and those in Chinese by their first character."""
    plain: dict[str, list[_Cue]] = {}
    chinese: dict[str, list[_Cue]] = {}
    sorts = [(_NAME, kind, words) for kind, words in cues.NAMES.items()]
    sorts += [(_VERB, "", cues.VERBS), (_THING, "", cues.THINGS), (_USER, "", cues.USERS)]
    sorts.append((_OTHER, "", cues.OTHERS))
    for sort, kind, words in sorts:
        for word in words.split():
            cue = _Cue(sort, word, kind, _hash(word))
            if "\u3400" <= word[0] <= "\u9fff":
                chinese.setdefault(word[0], []).append(cue)
            else:
                plain.setdefault(word, []).append(cue)
    return plain, chinese


def _cues_of(text: str, found: Sequence[Token]) -> list[tuple[int, _Cue]]:
    plain, chinese = _cues()
    cued = []
    for n, one in enumerate(found):
        low = one.low
        if one.form == "han":
            cued += [
                (n, cue) for cue in chinese.get(low, ()) if text.startswith(cue.word, one.start)
            ]
        elif one.form not in ("mark", "marker"):
            low = low.removesuffix("'s").removesuffix("’s")
            cued += [(n, cue) for cue in plain.get(low, ())]
    return cued


# Features

_MIX, _MASK, _SHIFT = 0x9E3779B97F4A7C15, (1 << 64) - 1, 64 - BITS
_PAIR, _SALT = 0x100000001B3, 0xD1B54A32D192ED03
_FAR = 255
_SIDES = 10
"""The nearest cue of each of five sorts, on the left and on the right."""
_BUCKETS = tuple(n if n < 6 else 6 + min(int(log(n / 6, 1.6)), 5) for n in range(_FAR + 1))


_ALONE = tuple(_SALT * (10 + n) for n in range(6))
_BESIDE = tuple(_SALT * (20 + n) for n in range(6))
_FORMS = tuple((d, _SALT * (30 + n)) for n, d in enumerate((-3, -2, -1, 1, 2, 3)))


class TaggedText:
    """A text, and what was said before it, as the model sees it."""

    def __init__(self, text: str, lately: Sequence[EarlierTurn] = ()) -> None:
        self.text = text
        self.tokens = tokens(text)
        self._lately = lately if len(text) <= SHORT else ()
        self._size = _BUCKETS[min(len(self.tokens), _FAR)]

    # What only words that may be told ask for

    @cached_property
    def _cued(self) -> list[tuple[int, _Cue]]:
        return _cues_of(self.text, self.tokens)

    @cached_property
    def _keys(self) -> list[int]:
        return [0, 0, 0, *(one.key for one in self.tokens), 0, 0, 0]

    @cached_property
    def _abouts(self) -> list[int]:
        return [0, 0, 0, *(one.about for one in self.tokens), 0, 0, 0]

    @cached_property
    def _before(self) -> list[int]:
        turns = enumerate(reversed(self._lately), 1)
        return list(dict.fromkeys(key for back, one in turns for key in _turn(one, back)))

    @cached_property
    def _sentence(self) -> list[int]:
        found, at = [], 0
        for one in self.tokens:
            found.append(at)
            at += one.low[0] in _STOPS
        return found

    @cached_property
    def _quoted(self) -> list[bool]:
        at = -1
        marks = [n for n, one in enumerate(self.tokens) if one.low[0] in _QUOTES]
        inside = [False] * len(self.tokens)
        for first, last in pairwise(marks):
            if at != first and last - first <= 8:
                inside[first + 1 : last] = [True] * (last - first - 1)
                at = last
        return inside

    def read(self, is_named: bool = True) -> list[int]:
        """The words that may be told: near a cue, in a text after one, or what looks odd."""
        if not is_named:
            return [
                n for n, one in enumerate(self.tokens) if one.form not in _PLAIN or self._is_odd(n)
            ]
        wanted: Iterable[int] = range(len(self.tokens))
        if not self._lately:
            near: set[int] = set()
            for n, _ in self._cued:
                near.update(range(n - REACH, n + REACH + 1))
            wanted = sorted(near.intersection(wanted))
        return [n for n in wanted if self.tokens[n].form not in _MARKS_ONLY]

    def _is_odd(self, n: int) -> bool:
        """Whether a word of small Latin letters stands right behind Chinese."""
        one = self.tokens[n]
        if one.form != "word" or len(one.low) < 7 or not n:
            return False
        return self.tokens[n - 1].form == "han" or self.tokens[n - 1].low in "，：“"

    def features(self, n: int) -> list[int]:
        """The buckets of what is known of a word."""
        one, keys, abouts = self.tokens[n], self._keys, self._abouts
        it, at, size = one.about, n + 3, self._size
        l3, l2, l1, r1, r2, r3 = (*keys[at - 3 : at], *keys[at + 1 : at + 4])
        left, right = l2 * 31 + l1, r1 * 31 + r2
        found = [
            it + (2 + self._quoted[n]) * _SALT,
            *[key + salt for key, salt in zip((l3, l2, l1, r1, r2, r3), _ALONE, strict=True)],
            *[
                key * _PAIR + it + salt
                for key, salt in zip((l3, l2, l1, r1, r2, r3), _BESIDE, strict=True)
            ],
            *[abouts[at + d] * _PAIR + it + salt for d, salt in _FORMS],
            left + _SALT * 40,
            left * _PAIR + it + _SALT * 41,
            right + _SALT * 42,
            right * _PAIR + it + _SALT * 43,
            (l1 * 31 + r1) * _PAIR + it + _SALT * 44,
            (l3 * 961 + left) * _PAIR + it + _SALT * 45,
            *[key * _PAIR + it + _SALT * 46 for key in keys[max(3, at - 8) : max(3, at - 3)]],
            *[key * _PAIR + it + _SALT * 47 for key in keys[at + 4 : min(at + 9, len(keys) - 3)]],
            it * 64 + size + _SALT * 50,
            it * 64 + min(n, 4) + _SALT * 51,
            it * 64 + min(len(self.tokens) - n, 4) + _SALT * 52,
            one.own[2] * 8 + min(size, 7) + _SALT * 53,
            *[key * _PAIR + it + _SALT * 54 for key in self._before],
        ]
        if self._before:
            found.append(it * 64 + size + _SALT * 55)
        self._near(n, it, found)
        return [*one.own, *[(key * _MIX & _MASK) >> _SHIFT for key in found]]

    def _near(self, n: int, it: int, found: list[int]) -> None:
        """How far the nearest cues of each sort are, and which."""
        sentence = self._sentence
        for side, nearest in enumerate(self._nearest):
            other, cue = nearest[n]
            if cue is None:
                found.append(it + (80 + side) * _SALT)
                continue
            apart = min(abs(sentence[n] - sentence[other]), 2) * 16 + side
            where = _BUCKETS[min(abs(other - n), _FAR)] * 64 + apart
            word = cue.key * _PAIR + it
            found += (
                it * 4096 + where + _SALT * 70,
                word + where + _SALT * 71,
                word + apart + _SALT * 72,
            )

    @cached_property
    def _nearest(self) -> list[list[tuple[int, _Cue | None]]]:
        """Of each word the nearest cues, by sort and side, where they are in reach."""
        size = len(self.tokens)
        found: list[list[tuple[int, _Cue | None]]] = []
        for sort in range(_SIDES // 2):
            for cued in (
                [one for one in self._cued if one[1].sort == sort],
                [one for one in reversed(self._cued) if one[1].sort == sort],
            ):
                is_left = len(found) % 2 == 0
                nearest: list[tuple[int, _Cue | None]] = [(0, None)] * size
                for at, cue in cued:
                    reach = (
                        range(at, min(at + REACH + 1, size))
                        if is_left
                        else range(max(0, at - REACH), at)
                    )
                    for n in reach:
                        nearest[n] = (at, cue)
                found.append(nearest)
        return found

    def is_named_beside(self, first: int, last: int, *, on_page: bool) -> bool:
        """Whether the sentence of these words, or on a page their one line, names a secret."""
        if not on_page:
            where = self._sentence
        elif "\n" in self.text[self.tokens[first].start : self.tokens[last].end]:
            return False
        else:
            where = self._lines
        return any(cue.sort == _NAME and where[at] == where[first] for at, cue in self._cued)

    @cached_property
    def _lines(self) -> list[int]:
        found, line, at = [], 0, 0
        for one in self.tokens:
            line += self.text.count("\n", at, one.start)
            at = one.start
            found.append(line)
        return found

    def kind(self, n: int) -> str:
        """What the word that stands nearest calls a secret."""
        named = [(abs(at - n), cue.kind) for at, cue in self._cued if cue.sort == _NAME]
        return min(named)[1] if named else cues.USUAL


@lru_cache(maxsize=64)
def _turn(said: EarlierTurn, back: int) -> tuple[int, ...]:
    """What a turn before is about: its last words, the cues among them, and how it ends."""
    text = said.text[-SHORT:]
    words = tokens(text)
    found = [one.key for one in words[-_LATELY:]] if back == 1 or said.is_named else []
    found += [_hash(f"{back} {cue.sort} {cue.kind}") for _, cue in _cues_of(text, words)]
    found += [_hash(f"{back} ends {words[-1].low}")] if words else []
    return (*found, _hash(f"{back} is {said.is_named}"))


# Weights


class Tagger:
    """The model at work."""

    def __init__(self, data: bytes) -> None:
        self._step, self._base = HEAD.unpack(data[: HEAD.size])
        self._weights = memoryview(data[HEAD.size :]).cast("b")

    def scores(
        self, text: str, lately: Sequence[EarlierTurn] = (), is_named: bool = True
    ) -> tuple[TaggedText, dict[int, float]]:
        """How likely each word is told as a secret."""
        reading, weights = TaggedText(text, lately), self._weights
        found = {}
        least = LEAST / self._step
        for n in reading.read(is_named):
            if sum([weights[one] for one in reading.tokens[n].own]) < least:
                continue
            total = self._base + self._step * sum([weights[one] for one in reading.features(n)])
            found[n] = 1 / (1 + exp(-max(-30.0, min(30.0, total))))
        return reading, found

    def secrets(
        self, text: str, lately: Sequence[EarlierTurn] = (), is_named: bool = True
    ) -> Iterator[TaggedSpan]:
        """What in a text is told as a secret, or may be; only what looks odd, if none is named."""
        reading, scores = self.scores(text, lately, is_named)
        if not scores:
            return
        public = [one.span() for one in _PUBLIC.finditer(text)]
        is_page = sum(1 for _ in islice(_LISTED.finditer(text), _PAGE)) == _PAGE
        for first, last, score in _spans(reading.tokens, scores):
            start, end = reading.tokens[first].start, reading.tokens[last].end
            it = text[start:end].strip(_MARKS)
            if not any(map(str.isalnum, it)) or any(a <= start < b for a, b in public):
                continue
            begins = is_page and not text[text.rfind("\n", 0, start) + 1 : start].strip(_MARKS)
            if begins and _NUMBERED.fullmatch(it):
                continue
            in_doubt = is_page or _COMPOUND.fullmatch(it)
            if in_doubt and not reading.is_named_beside(first, last, on_page=is_page):
                continue
            yield TaggedSpan(start, end, score, reading.kind(first))


_MARKS = " \t\r\n*_#|>~:-"
_LISTED = lazy(r"(?m)^[ \t]*(?:[*+-]|\d{1,2}[.)]|#{1,5}|\*\*|\|)[ \t]*\S")
"""A line of a page, as assistants write them: of a list or a table, a heading."""
_PAGE = 3
"""Such lines that make a page of a text."""
_NUMBERED = lazy(r"\d{1,2}[.)]?")
_COMPOUND = lazy(r"\d[\d.,]*(?:st|nd|rd|th|s)?-[A-Za-z]+|[a-z]+(?:-[a-z]+)+")
"""Words with a hyphen as there are many: 20th-century, 6.5-mile, up-to-date."""
_PUBLIC = lazy(
    r"\b(?:https?|ftp)://[^\s@]{1,500}+|#[0-9A-Fa-f]{6}\b|\$\{[^}]{1,100}\}"
    r"|\b(?:ssh-(?:ed25519|rsa|dss)|ecdsa-sha2-\w{1,20}) [\w+/=]{20,1000}+"
)
"""What only looks odd: an address without a password in it, a colour, a public key, a variable."""


def _spans(found: Sequence[Token], scores: dict[int, float]) -> Iterator[tuple[int, int, float]]:
    """Likely words and what belongs to them: first, last, and the score of the likeliest."""
    at = 0
    while at < len(found):
        if scores.get(at, 0.0) < GROWN:
            at += 1
            continue
        last, best = at, scores[at]
        n = at + 1
        while n < len(found) and n - last <= 2:
            if scores.get(n, 0.0) >= GROWN:
                last, best = n, max(best, scores[n])
            elif found[n].low not in _SPELLED and not (
                found[n].form == "word" and len(found[n].low) <= 3
            ):
                break
            n += 1
        if best >= MAYBE:
            yield at, last, best
        at = last + 1


@cache
def tagger() -> Tagger:
    """The model that comes with the package."""
    with open(os.path.join(os.path.dirname(__file__), "told.bin"), "rb") as file:
        return Tagger(file.read())
