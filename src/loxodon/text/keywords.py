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
from collections.abc import Callable, Iterable, Iterator, Mapping
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
)

_MAX_RUN = 6


class Kind:
    """What a piece may do. Plain integers: pieces are made by the thousand."""

    WORD = 0  # an English content word
    NAME = 1  # capitalised, or technical: getUserById, v2.3.0, BM25
    WEAK = 2  # a filler with a capital: part of a name (New York), never one alone
    LINK = 3  # "of" inside a name
    NUMBER = 4  # part of a name: PostgreSQL 16
    HAN = 5  # a Chinese word that joins its neighbours
    GLUE = 6  # one character that joins its neighbours and cannot stand alone
    LONE = 7  # a Chinese word that stands alone: verbs, adjectives
    OPENING = 8  # a capitalised word that begins a sentence: WORD or NAME, as the text shows


class KeywordPiece(NamedTuple):
    start: int
    end: int
    key: str  # Equal for forms of one word: its stem, in lower case
    weight: float
    kind: int


Cutter = Callable[[str, int], Iterable[KeywordPiece]]


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
# Stems of verbs that a request begins with: in "Invite Emma" the name is Emma
_IMPERATIVES = frozenset(
    """
    add ask book cancel check clean contact delet deploy download draft email fix hire instal invit
    mail merg messag migrat order prepar print renam renew replac repli review schedul ship sync
    test text track translat updat upgrad upload
    """.split()  # noqa: SIM905
)
_NAME_WEIGHT = 1.9
_SHORT_NAMES = frozenset(("US", "IT", "U.S", "U.K"))


@cache  # classes of Chinese characters take milliseconds to compile, which English need not pay
def _token(ascii_only: bool) -> re.Pattern[str]:
    letter = "[A-Za-z0-9]" if ascii_only else r"[^\W_\u3005-\u3007\u3400-\u9fff]"
    inner = r"[.'\-]" if ascii_only else r"[.'’\-]"
    return re.compile(
        r"(?P<skip>(?:https?://|www\.)[!-~]+|[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9.-]+)"
        r"|(?P<latin>(?:(?<![\w.])\.)?(?:[A-Z]{1,5}/[A-Z]{1,5}(?!\w)"
        rf"|_{{0,2}}(?:{letter}++(?:{inner}|_+)?)++(?:\+\+|\#)?))"
        r"|(?P<han>[^\W\x00-\xff]+)"
    )


def pieces_of(text: str, cut: Cutter) -> list[KeywordPiece]:
    """The pieces of `text` in order; what is left out between two of them keeps them apart."""
    found: list[KeywordPiece] = []
    previous = 0
    titled = False
    shouted = _is_shouted(text)
    for match in _token(text.isascii()).finditer(text):
        start, end = match.span()
        if match.lastgroup == "han":
            found.extend(cut(match.group(), start))
        elif match.lastgroup == "latin":
            word = match.group().rstrip(".'’-")
            opening = not previous or not _BEFORE_CAPITAL.isdisjoint(text[previous:start])
            if shouted and word.isupper():
                word = word.lower()
            piece = _latin(word, start, opening and not titled)
            if piece:
                found.append(piece)
            titled = word.lower() in _TITLES or (len(word) == 1 and word.isupper())
            end = start + len(word)
        previous = end
    _settle(text, found)
    return found


def _settle(text: str, pieces: list[KeywordPiece]) -> None:
    """Makes each OPENING piece a name, if it is one elsewhere or a name follows, or a word."""
    names = {piece.key for piece in pieces if piece.kind == Kind.NAME}
    for index in range(len(pieces) - 1, -1, -1):
        piece = pieces[index]
        if piece.kind != Kind.OPENING:
            continue
        after = pieces[index + 1] if index + 1 < len(pieces) else piece
        followed = after.kind == Kind.NAME and text[piece.end : after.start] == " "
        if piece.key in names or (followed and piece.key not in _IMPERATIVES):
            pieces[index] = piece._replace(kind=Kind.NAME, weight=_NAME_WEIGHT)
        else:
            pieces[index] = piece._replace(kind=Kind.WORD)


def _is_shouted(text: str) -> bool:
    """Whether capitals tell nothing, because all is written in them."""
    if not text.isascii() or text.count(" ") < 3:
        return False
    return sum(map(str.isupper, text)) > sum(map(str.islower, text))


def _latin(word: str, start: int, opening: bool) -> KeywordPiece | None:
    """The piece for a word that is not Chinese; None for one that no keyword has in it."""
    word = word.replace("’", "'").partition("'")[0]
    end = start + len(word)
    lower = word.lower()
    if lower in ENGLISH and word not in _SHORT_NAMES:
        return KeywordPiece(start, end, lower, 0.0, Kind.LINK) if lower in _LINKS else None
    if _BARE_NUMBER.fullmatch(word) and not (len(word) == 2 and word[1].isupper()):
        return KeywordPiece(start, end, lower, 0.0, Kind.NUMBER) if word[-1].isdigit() else None
    capital = word[0].isupper()
    if lower.replace(".", "") in FILLERS and word not in _SHORT_NAMES:
        if capital and (not opening or lower == "new"):
            return KeywordPiece(start, end, lower, 0.3, Kind.WEAK)
        return None
    end, lower = start + len(word), word.lower()
    if _TECHNICAL.search(word) or (len(word) > 1 and word.isupper()):
        return KeywordPiece(start, end, lower, 2.0, Kind.NAME)
    if capital and not opening:
        return KeywordPiece(start, end, _stem(lower), _NAME_WEIGHT, Kind.NAME)
    if lower in _LINKS:
        return KeywordPiece(start, end, lower, 0.0, Kind.LINK)
    if len(word) < 3 or (lower.endswith("ly") and len(word) > 4 and lower not in _NOT_ADVERBS):
        return None
    weight = 0.7 + 0.05 * min(len(word), 10)
    if lower.endswith(("ing", "ed", "ful", "ous", "ive", "able", "ible", "less")):
        weight *= 0.7  # more often a verb or an adjective than a topic
    return KeywordPiece(start, end, _stem(lower), weight, Kind.OPENING if capital else Kind.WORD)


_ENGLISH_STEM: Callable[[str], str] = Stemmer.Stemmer("english").stemWord


def _stem(lower: str) -> str:
    return _ENGLISH_STEM(lower) if lower.isascii() else lower


# --- Chinese ------------------------------------------------------------------------------------

_VERBS = frozenset(
    "吃喝买卖看用做写叫说学玩养住去来开打听找带戴弹换喂订改修装发交报教读跑选加调想招搬"
)
_ADVERBS = frozenset("太刚才由含只先挺蛮")
_PLACES = frozenset("时里中上下前后内外")
_MEASURES = frozenset(
    "个名条次点分天周年月号日秒块元只艘家位本台张件双杯瓶斤米岁层遍种份部辆间场届片根颗套"
)
_JUNK_FIRST = frozenset("我你他她它您咱这那哪很太不没就也都又再还才刚挺最更")
_JUNK_LAST = frozenset("的了着过吗呢吧啊呀嘛们得地")
_NUMERALS = frozenset("零一二三四五六七八九十百千万亿两半几第每某")
_SINGLES = frozenset("猫狗兔鱼鸟马龟茶酒药琴棋")  # The few single characters that make a keyword
_NOT_GLUE = CHINESE_CHARACTERS | _VERBS | _ADVERBS | _PLACES | _MEASURES | _NUMERALS
_NOT_INVENTED = CHINESE_CHARACTERS | _VERBS | _PLACES
# Words that the dictionary lacks and cuts wrongly
_OWN_WORDS = re.compile(
    "(后端|大模型|智能体|提示词|微服务|小程序|公众号|短视频|钉钉|充电宝|充电桩|无人机|个税|月报"
    "|持续集成|科目[一二三四])"
)
_TAG_WEIGHTS = (
    dict.fromkeys(("nr", "ns", "nt", "nz", "nrt", "nrfg"), (1.4, Kind.HAN))
    | dict.fromkeys(("n", "vn", "an", "j", "b", "f", "s", "x", "t", "m", "ng"), (1.0, Kind.HAN))
    | dict.fromkeys(("i", "l", "nl"), (0.8, Kind.LONE))
    | dict.fromkeys(("v", "vi", "vd"), (0.55, Kind.LONE))
    | dict.fromkeys(("a", "ad", "z"), (0.4, Kind.LONE))
)


def cut_by_dictionary(run: str, offset: int) -> Iterator[KeywordPiece]:
    # Imported here: it loads a dictionary, which takes 80 ms.
    import rjieba

    before = ""
    for stretch in _OWN_WORDS.split(run):
        own = _OWN_WORDS.fullmatch(stretch)
        for word, tag in [(stretch, "n")] if own else rjieba.tag(stretch):
            if len(word) == 1:
                piece = _character(word, tag, offset)
            else:
                if before.endswith("叫"):
                    tag = "nr"  # 我的猫叫可可: whatever follows is a name
                piece = _chinese(word, tag, offset, bool(own) or rjieba.has_word(word))
            if piece:
                yield piece
            offset += len(word)
            before = word


def _chinese(word: str, tag: str, start: int, known: bool) -> KeywordPiece | None:
    """The piece for a word as it was tagged; None for one that no keyword has in it.

    Not `known` are words that the tagger made up: names mostly, and bits of grammar.
    """
    end = start + len(word)
    if word in CHINESE_WORDS:
        return None
    if word in CHINESE_NOMINAL:
        return KeywordPiece(start, end, word, 0.9, Kind.HAN)
    if len(word) == 2 and word[0] in _SINGLES and word[1] in _VERBS:  # 猫叫, 狗叫
        return KeywordPiece(start, start + 1, word[0], 0.6, Kind.HAN)
    if word not in CHINESE_PROTECTED:
        grammar = len(word) == 2 and (word[0] in _JUNK_FIRST or word[1] in _JUNK_LAST)
        number = word[0] in _NUMERALS and (tag in ("m", "t") or word[-1] in _MEASURES)
        made_up = not known and tag[:2] != "nr" and not _NOT_INVENTED.isdisjoint(word)
        if grammar or number or made_up:
            return None
    weight, kind = _TAG_WEIGHTS.get(tag, (0.0, 0))
    return KeywordPiece(start, end, word, weight * _by_length(word), kind) if weight else None


def _by_length(word: str) -> float:
    return 0.7 + 0.1 * min(len(word), 5)


def _character(word: str, tag: str, start: int) -> KeywordPiece | None:
    if word in _SINGLES:
        return KeywordPiece(start, start + 1, word, 0.6, Kind.HAN)
    if tag[0] in "nkqz" and word not in _NOT_GLUE:
        return KeywordPiece(start, start + 1, word, 0.3, Kind.GLUE)
    return None


_BREAKS = CHINESE_CHARACTERS | _ADVERBS | frozenset("吃喝买说做叫换去请")
_WORD_FIRST = frozenset(word[0] for word in CHINESE_WORDS)
_PROTECTED_FIRST = frozenset(word[0] for word in CHINESE_PROTECTED)
_LOOSE_FIRST = _VERBS | frozenset("后过")
_LOOSE_LAST = _VERBS | _PLACES | frozenset("坏高住完出成")


def cut_by_function(run: str, offset: int) -> Iterator[KeywordPiece]:
    """Stretches of 2 to 6 characters between function words, numbers and plain verbs."""
    # What is counted becomes as many function characters, so that offsets stay.
    masked = _COUNTED.sub(lambda m: "的" * len(m[0]), run)
    for start, end in _shortened(masked, _content_runs(masked, _BREAKS)):
        if start and run[start - 1] in "这那哪每某" and run[start] in _MEASURES:
            start += 1
        while end - start > 2 and run[start] in _LOOSE_FIRST and not _protected(run, start):
            start += 1
        while end - start > 2 and run[end - 1] in _LOOSE_LAST and not _protected(run, end - 2):
            end -= 1
        word = run[start:end]
        if 1 < len(word) <= _MAX_RUN or word in _SINGLES:
            yield KeywordPiece(offset + start, offset + end, word, _by_length(word), Kind.HAN)


_NUMERAL = "[零一二三四五六七八九十百千万亿两半几]"
_COUNTED = re.compile(
    f"{_NUMERAL}{{2,}}|{_NUMERAL}(?:小时|分钟|公里|公斤|星期|季度|[{''.join(sorted(_MEASURES))}])"
)


def _shortened(run: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """`spans`, with those too long for a keyword cut at verbs too."""
    for start, end in spans:
        if end - start <= _MAX_RUN:
            yield start, end
        else:
            for first, last in _content_runs(run[start:end], _BREAKS | _VERBS):
                yield start + first, start + last


def _content_runs(run: str, breaks: frozenset[str]) -> Iterator[tuple[int, int]]:
    position = start = 0
    size = len(run)
    while position < size:
        length = _function(run, position, breaks)
        if length:
            if position > start:
                yield start, position
            position += length
            start = position
        else:
            position += _protected(run, position) or 1
    if size > start:
        yield start, size


def _function(run: str, position: int, breaks: frozenset[str]) -> int:
    """The length of the function word that stands at `position`, 0 for none."""
    first = run[position]
    if first in _WORD_FIRST:
        for length in (4, 3, 2):
            if (word := run[position : position + length]) in CHINESE_WORDS:
                return len(word)
    return int(first in breaks and not _protected(run, position))


def _protected(run: str, position: int) -> int:
    """The length of the everyday word that stands at `position`, 0 for none."""
    if run[position] in _PROTECTED_FIRST:
        for length in (4, 3, 2):
            if (word := run[position : position + length]) in CHINESE_PROTECTED:
                return len(word)
    return 0


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
        rarity = 1.0
        if corpus:  # near 0 for a word that all documents have
            surface = text[piece.start : piece.end].lower()
            rarity = max(0.05, 1 - corpus.get(surface, corpus.get(piece.key, 0.0))) ** 2
        weight += piece.weight * rarity
    position = 1.2 - 0.2 * phrase.start / len(text)
    return weight / sqrt(len(phrase.pieces)) * (1 + log2(count)) * position * phrase.boost


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
