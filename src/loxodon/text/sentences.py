"""Sentences of Chinese, English and mixed text.

Nothing is lost but white space between sentences: a sentence keeps its closing punctuation, quotes
and emoji, a list item keeps its number or bullet, and a fenced block of code is one sentence.

The text is first cut into blocks (a fenced block, a line, or a paragraph of soft-wrapped lines),
then each block at every run of closing marks that does close a sentence. Each mark is looked at
once, with a bounded look around, so that time grows with the length of the text and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from loxodon.text.wordlists import ENGLISH, words_of

_UNFINISHED = words_of("unfinished")
_NEVER_LAST = words_of("abbreviations_never_last")
_MAYBE_LAST = words_of("abbreviations_maybe_last")
_BEFORE_NUMBER = words_of("abbreviations_before_numbers")
_DATES = words_of("abbreviations_of_dates")
_ZONES = words_of("time_zones")
_LAST_WORD = re.compile(r"(?:[A-Za-z]+\.)*[A-Za-z]+\Z|[0-9]+\Z|\w\Z")
_ACRONYM = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]|Ph\.D")


def split(text: str) -> list[str]:
    """The sentences of `text` in order, without the white space around them."""
    return [text[start:end] for start, end in spans(text)]


def spans(text: str) -> list[tuple[int, int]]:
    """Where each sentence of `text` begins and ends; between two there is only white space."""
    found: list[tuple[int, int]] = []
    for first, last, whole in _blocks(text):
        start, end = _trimmed(text, first, last)
        if not whole and end - start > 2 and text[start] != "|":  # a row of a table stays whole
            for cut in _cuts(text, start, end):
                found.append(_trimmed(text, start, cut))
                start = cut
            start, end = _trimmed(text, start, end)
        if start < end:
            found.append((start, end))
    return found


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return start + left, start + max(left, len(piece.rstrip()))


# --- blocks -------------------------------------------------------------------------------------

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[^`]*$")
_ITEM = re.compile(r"(?:[-*+•·#>|]|\(?[a-z0-9]{1,2}[.)]\s)")
# A line this long that breaks off before a small letter was broken by an editor, not a person
_WRAPPED = 40


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, whole) of each fenced block, line, or paragraph of wrapped lines."""
    fence = before = ""
    start = position = 0
    for line in text.splitlines(keepends=True):
        follows = position + len(line)
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                yield start, follows, True
                fence, start = "", follows
        elif mark:
            yield start, position, False
            fence, start = mark[1], position
        elif line.isspace():
            if before:
                yield start, position, False
            before, start, position = "", follows, follows
            continue
        elif not _continues(before, line):
            yield start, position, False
            start = position
        before = "" if mark else line
        position = follows
    yield start, position, bool(fence)


def _continues(before: str, line: str) -> bool:
    """Whether `line` goes on with the sentence that `before` did not finish."""
    bare = line.lstrip()
    if not ("a" <= bare[:1] <= "z") or _ITEM.match(bare):
        return False
    before = before.strip()
    if not before or before[0] in "#|>":
        return False
    if not before[-1].isascii() or not (before[-1].isalnum() or before[-1] in ",-'\")"):
        return False
    indented = bare != line and _ITEM.match(before) is not None
    last = before[before.rfind(" ") + 1 :].lower()
    return indented or len(before) >= _WRAPPED or last[-1] == "," or last in _UNFINISHED


# --- cuts ---------------------------------------------------------------------------------------

_STRONG = "。！？；｡"
# What may stand before the first word of a sentence
_SKIPPED = " \t\u3000\"'“‘「『（(《【[*_-+•·#>"
_CLOSERS = "\"'”’」』）)》〉】]}*`"
# Marks that open and close alike, and how many make a pair
_PAIRED = {'"': 2, "`": 2, "*": 4}
_ENCLOSING = frozenset("\"'”’」』)")
_EMOJI = "\u2600-\u27bf\ufe0f\u200d\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"
# Emoji that close what was said, as a face does; others may stand for a word
_MOODS = frozenset("👍👌👏💪🎉🎊❤💕🥰🤗🤔🤣🤩🥳🥺🤝🙂🙃").union(map(chr, range(0x1F600, 0x1F650)))
# After these characters ～ closes a sentence; after others it means 'to', as in 周一～周五
_CHATTY = frozenset("呀啊哦喔噢吧呢啦嘛哈好的了嗯哟呦嘿嗨拜见谢安早行棒爱乐嘞哒滴呗耶欸诶")
_GOES_ON = frozenset(",，、;；:：)）」』”’》〉】]}.。")
_SPEECH = re.compile(
    r"[^\W\x00-\xff]{0,4}[说說问問道喊答](?![：:])"
    "| (?:I|[A-Z][a-z]{1,15}) (?:said|asked|replied|answered|thought|cried)"
)
_NEXT = re.compile(r"[\s\"'“‘「『（(\[*_]*([A-Za-z]+(?:'[a-z]+)?|.)?", re.DOTALL)
_LIST_NUMBER = re.compile(r"([0-9]{1,3})[.．]")
_END, _CLOSER = f"{_STRONG}!?….．", re.escape(_CLOSERS)
_MARK = re.compile(
    rf"(?P<core>[{_END}](?:[{_END}{_CLOSER}]*[{_END}])?)(?P<tail>[{_CLOSER}～~{_EMOJI}]*)"
    rf"|(?P<soft>[～~{_EMOJI}]+)"
)
_ONLY_EMOJI = re.compile(rf"[\s～~{_EMOJI}]*+\Z")


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Where inside a block a sentence ends and the next begins."""
    begin = _first_word(text, start, end)
    listed = _LIST_NUMBER.match(text, begin, end)
    number = int(listed[1]) if listed else -1
    counted, seen = start, dict.fromkeys(_PAIRED, 0)
    for match in _MARK.finditer(text, begin, end):
        at, stop = match.span()
        if at <= begin:
            continue
        following = str(number + 1)
        item = at - len(following)  # where the 2 of "1. Tea 2. Milk" stands
        if number >= 0 and text[item:at] == following and text[max(begin, item - 1)].isspace():
            yield item
            begin, number = item, number + 1
            continue
        if not _PAIRED.keys().isdisjoint(match[0]):
            # A straight quote opens what follows if an even number of them came before
            for mark in seen:
                seen[mark] += text.count(mark, counted, at)
            counted = at
            opens = [m for m, n in _PAIRED.items() if m in match[0] and seen[m] % n == 0]
            stop = min([stop, *(at + match[0].index(mark) for mark in opens)])
        if stop < end and _ends(text, begin, match, stop, end):
            yield stop
            begin = _first_word(text, stop, end)


def _first_word(text: str, start: int, end: int) -> int:
    while start < end and text[start] in _SKIPPED:
        start += 1
    return start


# --- decisions ----------------------------------------------------------------------------------


def _ends(text: str, begin: int, match: re.Match[str], stop: int, end: int) -> bool:
    """Whether the marks of `match` end the sentence that began at `begin`."""
    core, tail = match["core"], text[match.end("core") : stop]
    before, after = text[match.start() - 1], text[stop]
    gap = after.isspace()
    if core and core[-1] in ".!?" and after.isascii() and not gap and not _is_han(before):
        return False  # main.py, a?b=1
    found = _NEXT.match(text, stop, end)
    following = (found[1] or "") if found else ""
    if not following or following in _GOES_ON:
        return False
    if not following.isalnum() and _ONLY_EMOJI.match(text, stop, end):
        return False  # what comes is part of this sentence
    if core is None:
        # ～ or emoji between words of a chat may end a sentence
        if not (_is_han(following[0]) or following[0].isupper()):
            return False
        return before in _CHATTY or not _MOODS.isdisjoint(match["soft"])
    if "》" in tail or "〉" in tail:
        return False  # the mark belongs to a title: 《怎么办？》
    if not _ENCLOSING.isdisjoint(tail) and (
        following[0].islower() or (")" not in tail and _SPEECH.match(text, stop, end))
    ):
        return False  # "Really?" she said.  “好吗？”他问。
    if any(c in _STRONG for c in core):
        return not (core[-1] in "！？" and "）" in tail)
    if "!" in core or "?" in core:
        return not (before.isspace() and following[0].islower())
    if len(core) > 1 or core == "…":
        is_i = following.partition("'")[0] == "I"
        return not following.isascii() or (following[0].isupper() and not is_i)
    return _period_ends(text, begin, match.start(), following, gap)


def _period_ends(text: str, begin: int, at: int, following: str, gap: bool) -> bool:
    """Whether the single period at `at` ends a sentence, and not an abbreviation or a number."""
    found = _LAST_WORD.search(text, max(begin, at - 16), at)
    word = found[0] if found else ""
    before = text[at - 1]
    if word and at - len(word) == begin and (word.isdigit() or len(word) == 1):
        return False  # the number of a list item, or an initial
    if word.isdigit():
        version = text[at - len(word) - 1] == "."
        return gap or version or (len(word) > 2 and _is_han(following[0]))
    if before.isspace():
        return following[0].isupper()
    return not word or not word[-1].isascii() or not _abbreviates(word, following)


def _abbreviates(word: str, following: str) -> bool:
    """Whether the period after `word` marks it as shortened and does not end the sentence, too."""
    lower = word.lower()
    starts = following[0].isupper() or not following.isascii()
    function_word = starts and following.lower() in ENGLISH
    if lower in _NEVER_LAST:
        return True
    if lower in _BEFORE_NUMBER:
        return following[0].isdigit()
    if lower == "st":
        return not function_word  # St. Mary's, but "Main St. The shop …"
    if lower in _DATES and word[0].isupper():
        return following[0].isdigit() or following[0].islower()
    if lower in ("a.m", "p.m"):
        return not starts or following.lower()[:3] in _DATES or following in _ZONES
    if lower in _MAYBE_LAST:
        return not starts
    if len(word) == 1 and word != "I" and word.isupper():
        return not function_word  # J. K. Rowling, but "vitamin C. It helps."
    is_acronym = len(word) < 8 and _ACRONYM.fullmatch(word) is not None
    return is_acronym and not function_word


def _is_han(character: str) -> bool:
    return "\u3041" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff"
