"""Keywords: the most telling words and short phrases of a text, found without a model.

`keywords` cuts Chinese with a dictionary (loading it costs a process 80 ms, once); `quick` does not
load it and cuts at function words instead. English is the same in both. A text becomes pieces
(words that may be part of a keyword), neighbouring pieces become phrases, and phrases are ranked by
kind, length, number and position. Function words are never pieces, so no phrase reaches over one.

A keyword is always a slice of the text as it was given: traditional characters stay traditional.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import log2, sqrt
from typing import NamedTuple

from loxodon.text.keyword_pieces import (
    Cutter,
    KeywordPiece,
    Kind,
    cut_by_dictionary,
    cut_by_function,
    pieces_of,
)
from loxodon.text.stopwords import CHINESE_CHARACTERS, CHINESE_NOMINAL, CHINESE_WORDS, ENGLISH
from loxodon.text.variants import TO_SIMPLIFIED

MAX_TEXT = 200_000  # Characters that are looked at: what a longer text is about is said by then


class _Phrase(NamedTuple):
    pieces: tuple[KeywordPiece, ...]
    start: int
    end: int
    boost: float = 1.0


def keywords(text: str, limit: int = 8, corpus: Mapping[str, float] | None = None) -> list[str]:
    """At most `limit` keywords of `text`, best first.

    `corpus` has the share of documents (0 to 1) that a word is in, by its lower-case form or its
    stem; common words weigh less.
    """
    return _rank(text, limit, corpus or {}, cut_by_dictionary)


def quick(text: str, limit: int = 8) -> list[str]:
    """As `keywords`, without the dictionary: for a cold start or the path of every message."""
    return _rank(text, limit, {}, cut_by_function)


# --- phrases ------------------------------------------------------------------------------------

_MAX_WORDS = 3
_MAX_NAME = 5
_MAX_HAN = 8
_IN_NAME = frozenset((Kind.NAME, Kind.WEAK, Kind.LINK))
_MAY_BEGIN = frozenset((Kind.WORD, Kind.NAME, Kind.HAN))
_MAY_END = _MAY_BEGIN | {Kind.GLUE}
_NOT_ALONE = frozenset((Kind.WEAK, Kind.LINK, Kind.NUMBER))
_LOWER_WORD = re.compile(r" ([a-z]+)")
_BEFORE_HAN = frozenset((Kind.NAME, Kind.WEAK, Kind.NUMBER))


def _runs(text: str, pieces: list[KeywordPiece]) -> Iterator[list[KeywordPiece]]:
    """Pieces that belong together, however many."""
    run: list[KeywordPiece] = []
    for index, piece in enumerate(pieces):
        if piece.kind == Kind.LINK and not _links(text, piece, pieces[index + 1 : index + 2]):
            continue
        if run and not _joins(text, run[-1], piece):
            yield run
            run = []
        if piece.kind == Kind.NUMBER and _is_amount(text, piece.end):
            continue
        if run or piece.kind not in (Kind.LINK, Kind.NUMBER):
            run.append(piece)
    if run:
        yield run


def _links(text: str, piece: KeywordPiece, following: list[KeywordPiece]) -> bool:
    return any(p.kind in _IN_NAME and text[piece.end : p.start] == " " for p in following)


def _is_amount(text: str, end: int) -> bool:
    """Whether a number counts what follows: "Emma 5 times", but not "React 18 with Vite"."""
    found = _LOWER_WORD.match(text, end)
    return found is not None and found[1] not in ENGLISH


def _joins(text: str, last: KeywordPiece, piece: KeywordPiece) -> bool:
    """Whether `piece` continues what ends with `last`."""
    gap = text[last.end : piece.start]
    if piece.kind >= Kind.HAN:
        if Kind.LONE in (piece.kind, last.kind):
            return False
        if last.kind >= Kind.HAN:
            return gap == ""
        # A noun makes a term (OKR系统), a verb makes a clause (v2.3.0发布).
        near = gap == "" or (gap == " " and last.kind != Kind.WEAK)
        return near and last.kind in _BEFORE_HAN and piece.key not in CHINESE_NOMINAL
    if last.kind >= Kind.HAN:
        return False
    initial = gap == ". " and last.end - last.start == 1 and last.kind == Kind.NAME
    if gap != " " and not initial:
        return False
    if piece.kind == Kind.NUMBER:
        return last.kind == Kind.NAME
    if piece.kind == Kind.WORD:
        return last.kind in (Kind.WORD, Kind.NAME)
    if last.kind == Kind.WORD:
        return piece.kind == Kind.NAME and piece.end - piece.start == 1  # vitamin C, plan B
    return last.kind in _IN_NAME


def _phrases(run: list[KeywordPiece]) -> Iterator[_Phrase]:
    """A run as phrases short enough for a keyword."""
    current: list[KeywordPiece] = []
    long = len(run) > _MAX_WORDS
    for piece in run:
        # A long run is best cut before a verb: 注册信息 | 生成兴趣标签
        verb = long and len(current) > 1 and piece.key in CHINESE_NOMINAL
        if current and (verb or _is_full(current, piece)):
            yield from _phrase(current)
            current = []
        current.append(piece)
    yield from _phrase(current)


def _is_full(current: list[KeywordPiece], piece: KeywordPiece) -> bool:
    if piece.kind < Kind.HAN:
        return len(current) >= (_MAX_WORDS if piece.kind == Kind.WORD else _MAX_NAME)
    words = sum(1 for p in current if p.kind == Kind.HAN)
    chars = sum(p.end - p.start for p in current if p.kind >= Kind.HAN)
    return words >= _MAX_WORDS or chars + piece.end - piece.start > _MAX_HAN


def _phrase(current: list[KeywordPiece]) -> Iterator[_Phrase]:
    """The phrase, if it can stand alone, and the name that it begins with."""
    while current and current[0].kind == Kind.LINK:
        current = current[1:]
    while current and current[-1].kind == Kind.LINK:
        current = current[:-1]
    kinds = {piece.kind for piece in current}
    if kinds <= _NOT_ALONE or (len(current) == 1 and _is_letter(current[0])):
        return
    yield _Phrase(tuple(current), current[0].start, current[-1].end)
    name = 0
    while name < len(current) and current[name].kind < Kind.HAN and current[name].kind:
        name += 1
    named = any(p.kind == Kind.NAME and not _is_letter(p) for p in current[:name])
    if named and name < len(current):
        yield _Phrase(tuple(current[:name]), current[0].start, current[name - 1].end)


def _is_letter(piece: KeywordPiece) -> bool:
    """A single letter or character: but two in a row are a name that no dictionary knows."""
    return piece.kind in (Kind.NAME, Kind.GLUE) and piece.end - piece.start == 1


def _quoted(text: str, pieces: list[KeywordPiece]) -> Iterator[_Phrase]:
    """What stands in quotes and is a title, or content words through and through."""
    if text.isascii() and "`" not in text and '"' not in text:
        return
    index = 0
    for match in _QUOTES.finditer(text):
        start, end = match.span(match.lastindex or 0)
        while index < len(pieces) and pieces[index].start < start:
            index += 1
        inside = []
        while index < len(pieces) and pieces[index].end <= end:
            inside.append(pieces[index])
            index += 1
        title = match.lastindex == 1 and text[start].isalnum() and not text[end - 1].isspace()
        if title or _is_term(text[start:end], inside):
            if {piece.kind for piece in inside} <= _NOT_ALONE:
                inside = [KeywordPiece(start, end, text[start:end].lower(), 1.4, Kind.HAN)]
            yield _Phrase(tuple(inside), start, end, 1.6 if title else 1.3)


def _is_term(quoted: str, inside: list[KeywordPiece]) -> bool:
    """Whether quoted words are a term, and not something that was said."""
    if {p.kind for p in inside} - _NOT_ALONE and sum(p.end - p.start for p in inside) >= len(
        quoted.replace(" ", "")
    ):
        return quoted == quoted.strip()
    short = 1 < len(quoted) <= 6 and quoted[0] >= "\u3400" and quoted not in CHINESE_WORDS
    return short and CHINESE_CHARACTERS.isdisjoint(quoted) and quoted.isalpha()


_QUOTES = re.compile(
    r"《([^《》\n]{1,30})》|「([^「」\n]{2,16})」|“([^“”\n]{2,24})”|`([^`\n]{2,40})`"
    r'|"([^"\n]{2,40})"'
)


# --- ranking ------------------------------------------------------------------------------------


def _rank(text: str, limit: int, corpus: Mapping[str, float], cut: Cutter) -> list[str]:
    text = text[:MAX_TEXT]
    plain = text if text.isascii() else text.translate(TO_SIMPLIFIED)
    pieces = pieces_of(plain, cut)
    runs = list(_runs(plain, pieces))
    phrases: dict[str, _Phrase] = {}
    counts: Counter[str] = Counter()
    for phrase in (*_quoted(plain, pieces), *(p for run in runs for p in _phrases(run))):
        key = _key(phrase.pieces)
        counts[key] += 1
        phrases.setdefault(key, phrase)
    _count_parts(runs, phrases, counts)
    scored = sorted(
        (-_score(phrase, counts[key], plain, corpus), phrase.start, key)
        for key, phrase in phrases.items()
    )
    return _choose(text, limit, [key for _, _, key in scored], phrases, counts)


def _key(pieces: Iterable[KeywordPiece]) -> str:
    return " ".join([piece.key for piece in pieces])


def _count_parts(
    runs: list[list[KeywordPiece]], phrases: dict[str, _Phrase], counts: Counter[str]
) -> None:
    """Counts what recurs inside phrases: 'connection pool' in 'connection pool size'."""
    parts: Counter[str] = Counter()
    found: dict[str, list[KeywordPiece]] = {}
    for run in runs:
        for length in range(1, min(len(run), _MAX_WORDS) + 1):
            for first in range(len(run) - length + 1):
                part = run[first : first + length]
                if part[0].kind in _MAY_BEGIN and part[-1].kind in _MAY_END:
                    key = _key(part)
                    parts[key] += 1
                    found.setdefault(key, part)
    for key, count in parts.items():
        if key in phrases:
            counts[key] = max(counts[key], count)
        elif count > 1:
            part = found[key]
            phrases[key] = _Phrase(tuple(part), part[0].start, part[-1].end)
            counts[key] = count


def _score(phrase: _Phrase, count: int, text: str, corpus: Mapping[str, float]) -> float:
    weight = 0.0
    for piece in phrase.pieces:
        rarity = _rarity(piece, corpus, text[piece.start : piece.end]) if corpus else 1.0
        weight += piece.weight * rarity
    position = 1.2 - 0.2 * phrase.start / len(text)
    return weight / sqrt(len(phrase.pieces)) * (1 + log2(count)) * position * phrase.boost


def _rarity(piece: KeywordPiece, corpus: Mapping[str, float], surface: str) -> float:
    """1 for a word that no document has, near 0 for one that all have."""
    share = corpus.get(surface.lower(), corpus.get(piece.key, 0.0))
    return float(max(0.05, 1 - share) ** 2)


_ENOUGH = 3  # With so many keywords, verbs and adjectives add little


def _choose(
    text: str, limit: int, ranked: list[str], phrases: dict[str, _Phrase], counts: Counter[str]
) -> list[str]:
    """The best, without those that repeat a better one or a part of it."""
    chosen: list[str] = []
    answer: dict[str, None] = {}
    for key in ranked:
        if len(answer) >= limit:
            break
        phrase = phrases[key]
        if phrase.pieces[0].kind == Kind.LONE and len(answer) >= _ENOUGH:
            continue
        if not any(_repeats(key, phrase, other, counts) for other in chosen):
            chosen.append(key)
            answer[text[phrase.start : phrase.end]] = None
    return list(answer)


def _repeats(key: str, phrase: _Phrase, other: str, counts: Counter[str]) -> bool:
    """Whether `key` adds nothing to `other`, which is ranked above it."""
    if f" {key} " in f" {other} ":
        # A name is worth naming apart; a word only if it is used on its own, too.
        name = phrase.pieces[0].kind == Kind.NAME
        return counts[key] < 2 * counts[other] and not (name and counts[key] == 1)
    return " " in other and f" {other} " in f" {key} "
