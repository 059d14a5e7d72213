"""Token counts, estimated for o200k, the tokenizer of GPT-4o, without it.

It splits a text into pieces as that does and guesses what each costs: a word by its letters, and
Chinese by which characters and pairs are one token. `bench/tokens.py` measures how well.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cache, lru_cache
from math import sqrt

Counter = Callable[[str], int]  # how many tokens a text takes

_WORD = re.compile(r"([^A-Za-z\u00c0-\u024f]*)([A-Za-z\u00c0-\u024f']+)")
_RUN = re.compile("一+")
_REPEAT = re.compile(r"(.)\1\1+")
# o200k's split without its Unicode classes; lengths are bounded for the sake of the cache.
PIECE = re.compile(
    r"[^\r\n\w]?_?(?:(?:[A-Z]{0,32}[a-z\u00c0-\u024f]{1,32}|[A-Z]{1,32})"
    r"(?:'(?:[stmd]|re|ve|ll))?|[^\W\d_A-Za-z]{1,32})"
    r"|\d{1,3}| ?[^\s\w]{1,64}[\r\n/]{0,32}|\s{0,64}[\r\n]{1,32}|\s{1,64}(?!\S)|\s| ?_{1,64}"
)
# The ends of sentences, of words, and of characters with what is joined to them
_ENDS = (
    r"[。！？]+[”’」』）]*|[.!?]+[\"')”’]*(?=\s)|\n",
    r"(?<=\S)(?=\s)|(?<=[\u3000-\u9fff\uff00-\uffef])|(?=[\u3000-\u9fff])",
    "(?s).(?:[\u0300-\u036f\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]|\u200d.)*",
)
# Written by `bench/tokens.py --fit`, which says what they are.
with open(os.path.join(os.path.dirname(__file__), "tokens.json"), encoding="utf-8") as _file:
    _FITTED = json.load(_file)
ADDED: dict[str, tuple[float, float]] = _FITTED["added"]
_GRAMS: bytes = _FITTED["grams"].encode()


@cache
def _chinese() -> tuple[dict[int, str], dict[str, str]]:
    """The mark for each character of one token; for each, those it is one token with."""
    alone = filter(str.isalpha, _FITTED["singles"] + _FITTED["pairs"])
    followers = {some[0]: some[1:] for some in _FITTED["pairs"].split("|")}
    return dict.fromkeys(map(ord, alone), "一"), followers


def estimate(text: str) -> int:
    """About how many tokens `text` takes: 4% too many on average, seldom too few, and nearly always
    within 10% from 200 tokens on. Those of lines add up to about what their text takes, or more."""
    han = 0
    if not text.isascii():
        # Each run of known characters is cut down to a mark that costs nothing, so that the pieces
        # around it stay as they are. The characters count one each, a known pair of them one less.
        (singles, followers), pairing = _chinese(), ""
        rest = _RUN.sub("一", text.translate(singles))
        han = len(text) - len(rest) + rest.count("一")
        for character in text:
            if character in pairing:
                han -= 1
                pairing = ""
            else:
                pairing = followers.get(character, "")
        text = rest
    # The margins are as wide as the guesses are rough: Chinese is nearly exact.
    return int(1.025 * sum(map(_cost, PIECE.findall(text))) + 1.01 * han + bool(text))


@lru_cache(1 << 15)  # most recur
def _cost(piece: str) -> float:
    """What one of the pieces costs on average, in tokens."""
    last, size = piece[-1], len(piece)
    if found := parts(piece):
        lead, body, kind = found
        letters = f"`{body.lower()}`".encode()  # each three of which have a place in a table
        threes = zip(letters, letters[1:], letters[2:], strict=False)
        places = ((a * 961 + b * 31 + c) % len(_GRAMS) for a, b, c in threes)
        extra = sum(_GRAMS[place] - ord("?") for place in places) / 20
        for at_once, each in (ADDED[kind], ADDED.get(lead[-1:], ADDED["?"])):
            extra += at_once + each * len(body)
        return max(1, len(lead)) + (extra + sqrt(extra * extra + 0.05)) / 2  # smooth, never below 0
    if "\u3400" <= last <= "\u9fff":  # rare characters, two tokens each, and the marks
        return 2.0 * (size - piece.count("一")) - (not piece[0].isalpha())
    if last.isalpha():  # Greek, Cyrillic, Arabic, ...; kana; Hangul; full-width letters
        rate = 0.75 if last < "\ua000" else 0.9 if last < "\ue000" else 2.2
        return rate * size if last > "\u2000" else 0.4 + 0.22 * size
    if piece.isascii():
        return 1 + size / 99
    signs = "".join(_REPEAT.sub(r"\1\1", piece).split())
    drawn = [one for one in signs if "\u2190" <= one < "\u2c00" or one > "\uffff"]  # → ▣ 😀
    return max(1.0, 1.25 * len(drawn) + 0.75 * len(signs))


def parts(piece: str) -> tuple[str, str, str] | None:
    """What stands before a word, or before ASCII signs; the word or signs; and their kind."""
    if word := _WORD.fullmatch(piece):
        lead, body = word.groups()
        kind = "lower" if body.islower() else "UPPER" if body.isupper() else "Mixed"
        return lead, body, "Title" if kind == "Mixed" and body[1:].islower() else kind
    body = _REPEAT.sub(r"\1\1", piece.strip())
    known = piece.isascii() and len(body) > 2 and not body.isdecimal()
    return (piece[: piece[0] == " "], body, "signs") if known else None


def cut(text: str, budget: int, count: Counter = estimate) -> str:
    """The longest beginning of `text` that is within `budget` tokens, its "…" included; or "".

    It ends with a sentence, else a word, where that uses half of the budget; else anywhere.
    """
    if count(text) <= budget:
        return text

    def beginning(end: int) -> str:
        kept = text[:end].rstrip()
        return kept and kept + (" …" if kept[-1] in ".!?" else "…")

    best = ""
    for unit in _ENDS:
        # No token has 40 characters, but for blank space: what is beyond that many cannot fit.
        ends = [match.end() for match in re.finditer(unit, text[: 40 * max(budget, 0)])]
        fitting = bisect_right(ends, budget, key=lambda end: count(beginning(end)))
        if fitting and 2 * count(best := beginning(ends[fitting - 1])) >= budget:
            break
    return best
