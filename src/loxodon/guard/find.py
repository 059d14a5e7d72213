"""Finding what the rules are about, in time that is in proportion to the text.

One pass tells which keywords and prefilters a text has, and most texts have none. The rules of
those that it has are tried, and what they find is put to the test. Digits and letters of other
shapes, and characters that take no room, do not hide anything: the rules see the text without them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from itertools import accumulate
from typing import Any

import re2  # type: ignore[import-untyped]

from loxodon.guard import personal_checks  # noqa: F401  (has checks)
from loxodon.guard.guard import DOTS, Detection
from loxodon.guard.policy import CHECKS, Candidate, Policy, Rule, compiled, options
from loxodon.guard.secret_checks import answer, asked_for, entropy

_WIDE = (
    r"[０-９Ａ-Ｚａ-ｚ＠\x{0660}-\x{0669}\x{06F0}-\x{06F9}\x{1D7CE}-\x{1D7FF}"
    r"\x{200B}-\x{200F}\x{2060}\x{FEFF}\x{AD}]"
)
_NO_ROOM = frozenset(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"))
_PLAIN = (
    {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
    | {0x3000: 0x20}
    | {0x0660 + n: 0x30 + n for n in range(10)}
    | {0x06F0 + n: 0x30 + n for n in range(10)}
    | {0x1D7CE + n: 0x30 + n % 10 for n in range(50)}
)
# Written out in code, in an address, for a terminal: `\nAKIA…` is no word that begins with an n,
# `\"password\"` and `\u0070assword` name one; within JSON in JSON there are two or more strokes
_ESCAPE = re.compile(
    r"\\{1,8}(?:[nrtbf]|u00(?P<code>[2-7][0-9a-fA-F])|u[0-9a-fA-F]{4}|(?P<quote>[\"']))"
    r"|%(?P<percent>[2-7][0-9a-fA-F])|%[0-9a-fA-F]{2}|\x1b\[[0-9;]*m"
    r"|(?P<entity>&#[0-9]{1,7};?|&#[xX][0-9a-fA-F]{1,6};?|&[a-zA-Z]{2,8};)"
)
_EDGE = re.compile(r"\\b(?=\(\?P<it>)|(?<=\))\\b$")  # which `_` is, too: `prod_AKIA…`
_BEGINS = bytes(byte & 0xC0 != 0x80 for byte in range(256))  # whether a byte begins a character
_ALNUM = re.compile(rb"[0-9A-Za-z]*")
_LONG = 1_000  # bytes of a match that is none within which no other is looked for
_MANY = 5_000  # after so many in a text that are none, no other is looked for within those to come
_MARK = re.compile(  # A marker, or a mask
    r"\[(?:(?:secret|removed): (?P<kind>[a-z0-9 -]{1,40})"
    rf"|(?P<of>[a-z0-9 -]{{1,40}}) (?:{DOTS}[A-Za-z0-9]{{0,4}}|\S{DOTS}@[^\s\[\]]{{1,255}}))\]"
)


class Finder:
    def __init__(self, policy: Policy, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._kinds = {rule.kind for rule in policy.rules}
        self._compiled: dict[int, Any] = {}
        self._always = tuple(
            n for n, rule in enumerate(rules) if not rule.keywords and not rule.prefilter
        )
        self._of_sign: list[list[int]] = [[]]
        self._signs = self._sign_set()
        self._exceptions = tuple(map(compiled, policy.exceptions))

    def _sign_set(self) -> Any:
        """What tells the signs that a text has; the first is that of characters in disguise."""
        found = re2.Set.SearchSet(options(case_sensitive=False, never_capture=True))
        found.Add(_WIDE)
        numbers: dict[str, int] = {}
        for n, rule in enumerate(self._rules):
            signs = [re2.escape(word) for word in rule.keywords]
            # RE2 writes each repetition out, which takes as long as all the rest: without upper
            # bounds a prefilter lets through more, which the rules tell apart.
            signs += filter(None, (re.sub(r"\{([0-9]+),[0-9]{2,}\}", r"{\1,}", rule.prefilter),))
            for sign in signs:
                if sign not in numbers:
                    numbers[sign] = found.Add(sign)
                    self._of_sign.append([])
                self._of_sign[numbers[sign]].append(n)
        found.Compile()
        return found

    def found(self, text: str, question: str = "") -> list[Detection]:
        """What is in a text, in order, none overlapping; `question` is what was said before it."""
        try:
            hits = self._signs.Match(text)
        except UnicodeEncodeError:  # half a character
            text = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
            hits = self._signs.Match(text)
        positions: Sequence[int] = range(len(text) + 1)
        if hits and 0 in hits:
            text, positions = _levelled(text)
            hits = self._signs.Match(text)
        found = self._tried(text, hits)
        if _ESCAPE.search(text):
            plain, places = _unescaped(text)
            for one in self._tried(plain, self._signs.Match(plain)):
                _join(found, one._replace(start=places[one.start], end=places[one.end]))
        kind = asked_for(question) if question else ""
        place = answer(text, kind) if kind in self._kinds else None
        if place and not _overlapping(sorted(self._spared(text)), *place):
            _join(found, Detection(*place, kind, "secret"))
        return [it._replace(start=positions[it.start], end=positions[it.end]) for it in found]

    def _tried(self, text: str, hits: Iterable[int] | None) -> list[Detection]:
        """What the rules find whose signs a text has."""
        rules = sorted({n for hit in hits or () for n in self._of_sign[hit]}.union(self._always))
        spared, data = sorted(self._spared(text)), text.encode()
        # The character that each byte belongs to or, within one, the next
        same = len(data) == len(text)
        places = range(len(data) + 1) if same else [*accumulate(data.translate(_BEGINS), initial=0)]
        found: list[Detection] = []
        for n in rules:
            rule = self._rules[n]
            for first, start, end in self._matches(n, text, data, places):
                # What leads to it counts too: words before a marker are not about what is behind.
                if not spared or not _overlapping(spared, first, end):
                    _join(found, Detection(start, end, rule.kind, rule.family))
        return found

    def _matches(
        self, n: int, text: str, data: bytes, places: Sequence[int]
    ) -> Iterator[tuple[int, int, int]]:
        """Where a rule holds: where its words begin, and what is hidden."""
        rule = self._rules[n]
        if n not in self._compiled:
            pattern = compiled(_EDGE.sub(r"(?:\\b|_)", rule.pattern))
            groups = pattern.groupindex  # asked for once: it is made anew each time
            self._compiled[n] = (pattern, groups.get("it", 0), groups.get("name"))
        pattern, it, name = self._compiled[n]
        check = CHECKS.get(rule.check)
        at = missed = 0
        matches = pattern.finditer(data)
        match = next(matches, None)
        while match is not None:
            start, end = match.span(it if match[it] else 0)
            called = (match[name] or b"").decode() if name else ""
            one = Candidate(text, places[start], places[end], called)
            is_random = not rule.entropy or entropy(one.it) >= rule.entropy
            spans = check(one) if check is not None else [(one.start, one.end)]
            if end > start and spans and is_random:
                before = one.start - places[match.start()]
                for hidden_from, hidden_to in spans:
                    yield hidden_from - before, hidden_from, hidden_to
                at = end
            elif end - start > _LONG or missed > _MANY or rule.check == "seed_phrase":
                at = end  # no second look, which would take long or find no more
            elif it == 0:  # something else may begin within it, though not within a number
                run = _ALNUM.match(data, start)
                at = max(run.end() if run else start, start + 1)
            else:
                missed += 1
                at = max(start, at + 1)
            if at != match.end():
                matches = pattern.finditer(data, at)
            match = next(matches, None)

    def _spared(self, text: str) -> Iterator[tuple[int, int]]:
        """Where markers and masks of our own stand, and what the user has excepted."""
        if "[" in text:
            for match in _MARK.finditer(text):
                if (match["kind"] or match["of"]).replace(" ", "-") in self._kinds:
                    yield match.span()
        for pattern in self._exceptions:
            yield from (match.span() for match in pattern.finditer(text))


def _overlapping(spans: Sequence[tuple[Any, ...]], start: int, end: int) -> list[int]:
    """Which of these spans, in order and apart from each other, overlap one."""
    first = bisect_left(spans, (start,))
    if first and spans[first - 1][1] > start:
        first -= 1
    return list(range(first, bisect_left(spans, (end,), first)))


def _join(found: list[Detection], new: Detection) -> None:
    """Add what overlaps nothing; of two secrets in one place the first names both."""
    if not found or found[-1].end <= new.start:
        found.append(new)
        return
    over = _overlapping(found, new.start, new.end)
    if not over:
        insort(found, new)
    elif new.family == "secret" and found[over[0]].family == "secret" and len(over) == 1:
        one = found[over[0]]
        found[over[0]] = one._replace(start=min(one.start, new.start), end=max(one.end, new.end))


def _levelled(text: str) -> tuple[str, Sequence[int]]:
    """`text` in plain digits and letters, and where each character of it stood, and its end."""
    text = text.translate(_PLAIN)
    positions = [n for n, c in enumerate(text) if ord(c) not in _NO_ROOM]
    return "".join(text[n] for n in positions), [*positions, len(text)]


def _unescaped(text: str) -> tuple[str, Sequence[int]]:
    """The same for a text without escapes: each is the character that it says, or a blank."""
    parts, positions, at = list[str](), list[int](), 0
    for one in _ESCAPE.finditer(text):
        code = one["code"] or one["percent"]
        said = unescape(one["entity"] or (code and f"&#x{code};") or one["quote"] or " ")[:1] or " "
        parts += text[at : one.start()], said
        positions += range(at, one.start() + 1)
        at = one.end()
    return "".join((*parts, text[at:])), [*positions, *range(at, len(text) + 1)]
