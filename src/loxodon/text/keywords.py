"""Keywords: the most telling words and short phrases of a text, found without a model.

A text becomes pieces (words that may be part of a keyword), neighbouring pieces become phrases, and
phrases are ranked by kind, length, number and position. Function words are never pieces, so no
phrase reaches over one; Chinese is cut at them.

A keyword is always a slice of the text as it was given: traditional characters stay traditional.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import log2, sqrt
from typing import NamedTuple

import Stemmer

from loxodon.text.wordlists import (
    CHINESE_CHARACTERS,
    CHINESE_NOMINAL,
    CHINESE_PROTECTED,
    CHINESE_WORDS,
    ENGLISH,
    FILLERS,
    TO_SIMPLIFIED,
    characters_of,
    words_of,
)

MAX_TEXT = 200_000  # Characters that are looked at: what a longer text is about is said by then
_MAX_WORDS = 3  # Of a phrase
_MAX_NAME = 5  # Words of a name
_MAX_HAN = 6  # Characters of a Chinese keyword


class Kind:
    """What a piece may do. Plain integers: pieces are made by the thousand."""

    WORD = 0  # an English content word
    NAME = 1  # capitalised, or technical: getUserById, v2.3.0, BM25
    WEAK = 2  # a filler with a capital: part of a name (New York), never one alone
    LINK = 3  # "of" inside a name
    NUMBER = 4  # part of a name: PostgreSQL 16
    HAN = 5  # Chinese
    OPENING = 6  # a capitalised word that begins a sentence: WORD or NAME, as the text shows


_IN_NAME = frozenset((Kind.NAME, Kind.WEAK, Kind.LINK))
_NOT_ALONE = frozenset((Kind.WEAK, Kind.LINK, Kind.NUMBER))


class KeywordPiece(NamedTuple):
    start: int
    end: int
    key: str  # Equal for forms of one word: its stem, in lower case
    weight: float
    kind: int


def quick(text: str, limit: int = 8) -> list[str]:
    """At most `limit` keywords of `text`, best first."""
    text = text[:MAX_TEXT]
    plain = text if text.isascii() else text.translate(TO_SIMPLIFIED)
    pieces = _pieces(plain)
    phrases: dict[str, list[KeywordPiece]] = {}
    counts: Counter[str] = Counter()
    for phrase in (one for run in _runs(plain, pieces) for one in _phrases(run)):
        key = " ".join([piece.key for piece in phrase])
        counts[key] += 1
        phrases.setdefault(key, phrase)
    alone = [piece for piece in pieces if piece.kind not in _NOT_ALONE]
    recurring = Counter(piece.key for piece in alone)
    for piece in alone:  # also within phrases
        if recurring[piece.key] > 1:
            phrases.setdefault(piece.key, [piece])
            counts[piece.key] = max(counts[piece.key], recurring[piece.key])

    def rank(key: str) -> tuple[float, int, str]:
        phrase = phrases[key]
        weight = sum(piece.weight for piece in phrase) / sqrt(len(phrase))
        position = 1.2 - 0.2 * phrase[0].start / len(plain)
        return -(weight * (1 + log2(counts[key])) * position), phrase[0].start, key

    def repeats(key: str, other: str) -> bool:
        """Whether `key` adds nothing to `other`, which is ranked above it."""
        if f" {key} " in f" {other} ":
            # A name is worth naming apart; a word only if it is used on its own, too.
            name = phrases[key][0].kind == Kind.NAME
            return counts[key] < 2 * counts[other] and not (name and counts[key] == 1)
        return " " in other and f" {other} " in f" {key} "

    chosen: dict[str, str] = {}  # with its words as they stand in the text
    for key in sorted(phrases, key=rank):
        if len(set(chosen.values())) >= limit:
            break
        if not any(repeats(key, other) for other in chosen):
            chosen[key] = text[phrases[key][0].start : phrases[key][-1].end]
    return list(dict.fromkeys(chosen.values()))


# --- pieces -------------------------------------------------------------------------------------

_TECHNICAL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[_#+/\d]|\w\.\w|^\.")
_BARE_NUMBER = re.compile(
    r"[\d.,:/-]+(?:st|nd|rd|th|[ap]m|[mnu]?s|secs?|mins?|hrs?|h|x|k|w|[kmg]?g|[kcm]?m|ml|l"
    r"|[kmgt]i?b?|px|[kmg]?hz|usd|rmb|eur)?",
    re.IGNORECASE,
)
# Marks after which a capital letter does not make a name
_BEFORE_CAPITAL = frozenset(".!?:\n。！？：•|#>*")
_LINKS = frozenset(("of", "de", "del", "der", "van", "von", "la", "le", "di", "da"))
_NOT_ADVERBS = frozenset(("family", "assembly", "anomaly", "reply", "supply", "italy"))
_TITLES = frozenset(("mr", "mrs", "ms", "dr", "prof", "st"))
_IMPERATIVES = words_of("imperatives")
_NAME_WEIGHT, _TITLE_WEIGHT = 1.9, 2.2
_SHORT_NAMES = frozenset(("US", "IT", "U.S", "U.K"))
_stem = Stemmer.Stemmer("english").stemWord


@cache  # classes of Chinese characters take milliseconds to compile, which English need not pay
def _token(ascii_only: bool) -> re.Pattern[str]:
    letter = "[A-Za-z0-9]" if ascii_only else r"(?![\u3005-\u3007\u3400-\u9fff])[^\W_]"
    inner = r"[.'\-]" if ascii_only else r"[.'’\-]"
    return re.compile(
        r"(?P<title>(?<=《)[^《》\n]{1,30}(?=》))"
        r"|(?P<skip>(?:https?://|www\.)[!-~]+|[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9.-]+)"
        r"|(?P<latin>(?:(?<![\w.])\.)?(?:[A-Z]{1,5}/[A-Z]{1,5}(?!\w)"
        rf"|_{{0,2}}(?:(?:{letter})++(?:{inner}|_+)?)++(?:\+\+|\#)?))"
        r"|(?P<han>[^\W\x00-\xff]+)"
    )


def _pieces(text: str) -> list[KeywordPiece]:
    """The pieces of `text` in order; what is left out between two of them keeps them apart."""
    found: list[KeywordPiece] = []
    previous, titled = 0, False
    # Capitals tell nothing where all is written in them
    shouted = text.isascii() and text.count(" ") >= 3
    shouted = shouted and sum(map(str.isupper, text)) > sum(map(str.islower, text))
    for match in _token(text.isascii()).finditer(text):
        start, previous_end, previous = match.start(), previous, match.end()
        if match.lastgroup == "title":  # whatever its words are
            key = match[0].lower()
            found.append(KeywordPiece(start, match.end(), key, _TITLE_WEIGHT, Kind.HAN))
        elif match.lastgroup == "han":
            found += _chinese(match[0], start)
        elif match.lastgroup == "latin":
            word = match[0].rstrip(".'’-")
            opening = not previous_end or not _BEFORE_CAPITAL.isdisjoint(text[previous_end:start])
            if shouted and word.isupper():
                word = word.lower()
            if piece := _latin(word, start, opening and not titled):
                found.append(piece)
            titled = word.lower() in _TITLES or (len(word) == 1 and word.isupper())
            previous = start + len(word)
    # An opening piece is a name if it is one elsewhere or a name follows
    names = {piece.key for piece in found if piece.kind == Kind.NAME}
    for index in range(len(found) - 1, -1, -1):
        piece = found[index]
        if piece.kind == Kind.OPENING:
            after = found[index + 1] if index + 1 < len(found) else piece
            followed = after.kind == Kind.NAME and text[piece.end : after.start] == " "
            if piece.key in names or (followed and piece.key not in _IMPERATIVES):
                found[index] = piece._replace(kind=Kind.NAME, weight=_NAME_WEIGHT)
            else:
                found[index] = piece._replace(kind=Kind.WORD)
    return found


def _latin(word: str, start: int, opening: bool) -> KeywordPiece | None:
    """The piece for a word that is not Chinese; None for one that no keyword has in it."""
    word = word.replace("’", "'").partition("'")[0]
    lower, capital, end = word.lower(), word[0].isupper(), start + len(word)

    def piece(weight: float, kind: int, key: str = lower) -> KeywordPiece:
        return KeywordPiece(start, end, key, weight, kind)

    if lower in ENGLISH and word not in _SHORT_NAMES:
        return piece(0.0, Kind.LINK) if lower in _LINKS else None
    if _BARE_NUMBER.fullmatch(word) and not (len(word) == 2 and word[1].isupper()):
        return piece(0.0, Kind.NUMBER) if word[-1].isdigit() else None
    if lower.replace(".", "") in FILLERS and word not in _SHORT_NAMES:
        return piece(0.3, Kind.WEAK) if capital and (not opening or lower == "new") else None
    if _TECHNICAL.search(word) or (len(word) > 1 and word.isupper()):
        return piece(2.0, Kind.NAME)
    stem = _stem(lower) if lower.isascii() else lower
    if capital and not opening:
        return piece(_NAME_WEIGHT, Kind.NAME, stem)
    if lower in _LINKS:
        return piece(0.0, Kind.LINK)
    if len(word) < 3 or (lower.endswith("ly") and len(word) > 4 and lower not in _NOT_ADVERBS):
        return None
    weight = 0.7 + 0.05 * min(len(word), 10)
    if lower.endswith(("ing", "ed", "ful", "ous", "ive", "able", "ible", "less")):
        weight *= 0.7  # more often a verb or an adjective than a topic
    return piece(weight, Kind.OPENING if capital else Kind.WORD, stem)


# --- Chinese ------------------------------------------------------------------------------------

_VERBS, _MEASURES = characters_of("chinese_verbs"), characters_of("chinese_measures")
_PLACES = frozenset("时里中上下前后内外")
_SINGLES = frozenset("猫狗兔鱼鸟马龟茶酒药琴棋")  # The few single characters that make a keyword
_WORD_FIRST = frozenset(word[0] for word in CHINESE_WORDS)
_EVERYDAY_FIRST = frozenset(word[0] for word in CHINESE_PROTECTED)
_BREAKS = CHINESE_CHARACTERS | frozenset("太刚才由含只先挺蛮吃喝买说做叫换去请")
_LOOSE_FIRST = _VERBS | frozenset("后过")
_LOOSE_LAST = _VERBS | _PLACES | frozenset("坏高住完出成")
_NUMERAL = "[零一二三四五六七八九十百千万亿两半几]"
_COUNTED = (
    f"{_NUMERAL}{{2,}}|{_NUMERAL}(?:小时|分钟|公里|公斤|星期|季度|[{''.join(sorted(_MEASURES))}])"
)


def _chinese(run: str, offset: int) -> Iterator[KeywordPiece]:
    """Stretches of 2 to 6 characters between function words, numbers and plain verbs."""
    # What is counted becomes as many function characters, so that offsets stay.
    masked = re.sub(_COUNTED, lambda m: "的" * len(m[0]), run)
    spans: list[tuple[int, int]] = []
    for start, end in _content_runs(masked, _BREAKS):
        if end - start <= _MAX_HAN:
            spans.append((start, end))
        else:  # too long for a keyword: cut at verbs too
            cut = _content_runs(masked[start:end], _BREAKS | _VERBS)
            spans += [(start + first, start + last) for first, last in cut]
    for start, end in spans:
        if start and run[start - 1] in "这那哪每某" and run[start] in _MEASURES:
            start += 1
        while end - start > 2 and run[start] in _LOOSE_FIRST and not _everyday(run, start):
            start += 1
        while end - start > 2 and run[end - 1] in _LOOSE_LAST and not _everyday(run, end - 2):
            end -= 1
        word = run[start:end]
        if 1 < len(word) <= _MAX_HAN or word in _SINGLES:
            weight = 0.7 + 0.1 * min(len(word), 5)
            yield KeywordPiece(offset + start, offset + end, word, weight, Kind.HAN)


def _content_runs(run: str, breaks: frozenset[str]) -> Iterator[tuple[int, int]]:
    """(start, end) of what stands between function words."""
    position = start = 0
    while position < len(run):
        word = _listed(run, position, CHINESE_WORDS) if run[position] in _WORD_FIRST else 0
        everyday = 0 if word else _everyday(run, position)
        if word or (run[position] in breaks and not everyday):
            if position > start:
                yield start, position
            position += word or 1
            start = position
        else:
            position += everyday or 1
    if len(run) > start:
        yield start, len(run)


def _everyday(run: str, position: int) -> int:
    return _listed(run, position, CHINESE_PROTECTED) if run[position] in _EVERYDAY_FIRST else 0


def _listed(run: str, position: int, words: frozenset[str]) -> int:
    """The length of the word of a list that stands at `position`, 0 for none."""
    for length in (4, 3, 2):
        if (word := run[position : position + length]) in words:
            return len(word)
    return 0


# --- phrases ------------------------------------------------------------------------------------


def _runs(text: str, pieces: list[KeywordPiece]) -> Iterator[list[KeywordPiece]]:
    """Pieces that belong together, however many."""
    run: list[KeywordPiece] = []
    for index, piece in enumerate(pieces):
        if piece.kind == Kind.LINK:
            following = pieces[index + 1 : index + 2]
            if not any(p.kind in _IN_NAME and text[piece.end : p.start] == " " for p in following):
                continue
        if run and not _joins(text, run[-1], piece):
            yield run
            run = []
        if piece.kind == Kind.NUMBER:
            # It may count what follows: "Emma 5 times", but not "React 18 with Vite"
            counted = re.compile(" ([a-z]+)").match(text, piece.end)
            if counted and counted[1] not in ENGLISH:
                continue
        if run or piece.kind not in (Kind.LINK, Kind.NUMBER):
            run.append(piece)
    if run:
        yield run


def _joins(text: str, last: KeywordPiece, piece: KeywordPiece) -> bool:
    """Whether `piece` continues what ends with `last`."""
    gap = text[last.end : piece.start]
    if piece.kind == Kind.HAN:
        # A noun makes a term (OKR系统), a verb makes a clause (v2.3.0发布).
        near = gap == "" or (gap == " " and last.kind != Kind.WEAK)
        named = last.kind in (Kind.NAME, Kind.WEAK, Kind.NUMBER)
        return near and named and piece.key not in CHINESE_NOMINAL
    initial = gap == ". " and last.end - last.start == 1 and last.kind == Kind.NAME
    if last.kind == Kind.HAN or (gap != " " and not initial):
        return False
    if piece.kind == Kind.NUMBER:
        return last.kind == Kind.NAME
    if piece.kind == Kind.WORD:
        return last.kind in (Kind.WORD, Kind.NAME)
    if last.kind == Kind.WORD:
        return _is_letter(piece)  # vitamin C, plan B
    return last.kind in _IN_NAME


def _is_letter(piece: KeywordPiece) -> bool:
    return piece.kind == Kind.NAME and piece.end - piece.start == 1


def _phrases(run: list[KeywordPiece]) -> Iterator[list[KeywordPiece]]:
    """A run as phrases short enough for a keyword, and the names that they begin with."""
    start = 0
    for end in range(1, len(run) + 1):
        most = _MAX_WORDS if end < len(run) and run[end].kind == Kind.WORD else _MAX_NAME
        if end < len(run) and end - start < most:
            continue
        phrase, start = run[start:end], end
        others = (n for n, p in enumerate(phrase) if p.kind in (Kind.WORD, Kind.HAN))
        name = next(others, 0)  # 0 where all of it is a name
        if {p.kind for p in phrase} <= _NOT_ALONE or (len(phrase) == 1 and _is_letter(phrase[0])):
            continue
        yield phrase
        if any(p.kind == Kind.NAME and not _is_letter(p) for p in phrase[:name]):
            yield phrase[:name]
