"""Pieces: the words of a text that may be part of a keyword. A part of `keywords`.

English is cut at what is not a letter; Chinese by a dictionary, or at function words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

import Stemmer

from loxodon.text.stopwords import (
    CHINESE_CHARACTERS,
    CHINESE_NOMINAL,
    CHINESE_PROTECTED,
    CHINESE_WORDS,
    ENGLISH,
    FILLERS,
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
    return _content(word, start, capital, opening)


def _content(word: str, start: int, capital: bool, opening: bool) -> KeywordPiece | None:
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
