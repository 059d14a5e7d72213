"""The calendar behind the words: weeks, months, distances, and which one is meant.

A part of `dates`; nobody else uses it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Literal, NamedTuple

from loxodon.text.dates.words import COUNT, CUES, DIGIT, EDGE, EDGES, MONTHS_IN

Grain = Literal[
    "minute", "hour", "part", "day", "week", "month", "quarter", "season", "year", "span"
]


# --- What a rule is handed, and what it gives -----------------------------------------------------


class DatedText(NamedTuple):
    """A text as the rules read it, and the moment it was said at."""

    raw: str
    text: str  # As long as `raw`, in the characters that the rules know
    at: datetime
    now: datetime  # `at` without its zone: all reckoning is on the wall clock
    today: datetime
    whole: bool  # The text is to be a date and nothing else, so it needs no context to be believed
    asked: bool = False  # The text is a question, so what it leaves open lies behind


class RuleMatch(NamedTuple):
    """Where a rule matched, and those of its groups that did."""

    start: int
    end: int
    words: dict[str, str]


Span = tuple[datetime, datetime]
_Again = Callable[[int], Span]
Lean = Literal["weekday", "coming", "recent", "near", "this"]


class DatePiece(NamedTuple):
    """A date that a rule has read."""

    since: datetime
    until: datetime
    grain: Grain
    fixed: bool = False  # It names its year, so the words mean the same on any day
    recurring: bool = False
    # The k-th from this one, where the words do not say which they mean
    again: _Again | None = None
    lean: Lean = "this"  # Which one is meant where no verb tells


class Clock(NamedTuple):
    """A time of day in minutes after midnight; grain `part` for a morning or an evening."""

    start: int
    length: int
    grain: Grain
    sure: bool = True  # It does not leave open which half of the day is meant


compiled = cache(re.compile)


def hear(text: str, at: datetime, *, whole: bool = False, asked: bool = False) -> DatedText:
    now = at.replace(tzinfo=None, fold=0)
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return DatedText(text, text.translate(_plain()), at, now, today, whole, asked)


@cache
def _plain() -> dict[int, int]:
    """Each character to the one that the rules know, one for one so that positions stay."""
    table = {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F)}
    table |= {c: c + 32 for c in range(65, 91)} | {c: c - 0xFEC0 for c in range(0xFF21, 0xFF3B)}
    pairs = "週周這这個个後后兩两點点號号時时鐘钟鍾钟禮礼過过來来從从間间幾几淩凌將将會会開开們们"
    pairs += (
        "沒没內内當当○〇’'‘'–-—-～~剛刚準准備备計计劃划記记還还農农陰阴曆历舊旧總总經经預预紀纪"
    )
    pairs += "\u3000 \xa0 "
    return table | {ord(a): ord(b) for a, b in zip(pairs[::2], pairs[1::2], strict=True)}


def number_of(word: str) -> int:
    """The value of digits or numerals: 12, 十二, 廿五, 二〇二六, twelve; ValueError for others."""
    if word in COUNT:
        return COUNT[word]
    hundreds, hundred, rest = word.partition("百")
    if hundred:
        return 100 * (number_of(hundreds) if hundreds else 1) + number_of(rest)
    head, ten, tail = word.replace("廿", "二十").replace("卅", "三十").partition("十")
    digits = "".join(str(DIGIT.get(c, c)) for c in (tail if ten else head))
    return (10 * (number_of(head) if head else 1) if ten else 0) + int(digits or "0")


# --- Reckoning ------------------------------------------------------------------------------------


def shift(when: datetime, unit: str, n: int) -> datetime:
    """`when`, n units on; the 31st of a shorter month is its last day."""
    if unit in ("day", "week"):
        return when + timedelta(7 * n if unit == "week" else n)
    year, month = divmod(when.year * 12 + when.month - 1 + n * MONTHS_IN[unit], 12)
    first = when.replace(year=year, month=month + 1, day=1)
    try:
        return first.replace(day=when.day)
    except ValueError:
        return (first + timedelta(31)).replace(day=1) - timedelta(1)


def unit_at(when: datetime, unit: str, n: int = 0) -> Span:
    """The calendar unit that `when` (a midnight) lies in, or the n-th from it."""
    start = when
    if unit == "week":
        start = when - timedelta(when.weekday())
    elif unit == "quarter":
        start = when.replace(month=when.month - (when.month - 1) % 3, day=1)
    elif unit == "month":
        start = when.replace(day=1)
    elif unit in ("year", "decade"):
        start = datetime(when.year - (when.year % 10 if unit == "decade" else 0), 1, 1)
    start = shift(start, unit, n)
    return start, shift(start, unit, 1)


def whole_unit(when: datetime, unit: str, n: int = 0) -> DatePiece:
    grain: Grain = "span" if unit == "decade" else unit  # type: ignore[assignment]
    return DatePiece(*unit_at(when, unit, n), grain)


def months_from(year: int, month: int, length: int) -> Span:
    start = datetime(year, month, 1)
    return start, shift(start, "month", length)


def days_from(start: datetime, first: int, length: int = 1) -> Span:
    since = start + timedelta(first)
    return since, since + timedelta(length)


def day_of(month: datetime, n: int) -> Span:
    return days_from(month.replace(day=n), 0)


def occurrences(again: _Again, reach: int) -> list[Span]:
    """The occurrences around now, in order; not every month has a 31st."""
    found = []
    for k in range(-reach, reach + 1):
        try:
            found.append(again(k))
        except (ValueError, OverflowError):
            continue
    return found


def any_of(again: _Again, grain: Grain, lean: Lean, recurring: bool = False) -> DatePiece:
    """A piece whose words may mean any `again(k)`; ValueError where there is none."""
    for k in sorted(range(9, -10, -1), key=abs):
        try:
            return DatePiece(*again(k), grain, False, recurring, again, lean)
        except (ValueError, OverflowError):
            continue
    raise ValueError("no such day")


def mapped(
    piece: DatePiece, grain: Grain, change: Callable[[datetime, datetime], Span]
) -> DatePiece:
    """The piece with `change` made to it and to every other one that its words may mean."""
    if again := piece.again:
        return any_of(lambda k: change(*again(k)), grain, piece.lean, piece.recurring)
    return DatePiece(*change(piece.since, piece.until), grain, piece.fixed)


def edge_of(piece: DatePiece, word: str) -> DatePiece | None:
    """The beginning, the middle or the end of a week, month, quarter, season, year or decade."""
    if piece.grain not in EDGES:
        return None
    unit, *cuts = EDGES[piece.grain]
    first, last = cuts[EDGE[word]]
    return mapped(piece, "span", lambda s, u: (shift(s, unit, first), min(u, shift(s, unit, last))))


def around(said: DatedText, unit: str, n: int, sign: int) -> DatePiece:
    """The last (sign -1) or the next n units, with today."""
    if unit in ("minute", "hour"):
        ends = said.now, said.now + sign * timedelta(minutes=n * (60 if unit == "hour" else 1))
        return DatePiece(min(ends), max(ends), "span")
    ends = said.today, shift(said.today, unit, sign * n)
    return DatePiece(min(ends), max(ends) + timedelta(1), "span")


def apart(said: DatedText, unit: str, low: int, high: int, sign: int) -> DatePiece:
    """What lies `low` to `high` units back (sign -1) or ahead."""
    if unit in ("minute", "hour"):
        length = sign * timedelta(minutes=low * (60 if unit == "hour" else 1))
        moved = said.at + length
        if zone := said.at.tzinfo:  # real time, across a change of the clocks too
            moved = (said.at.astimezone(UTC) + length).astimezone(zone)
        since = moved.replace(tzinfo=None, second=0, microsecond=0, fold=0)
        return DatePiece(since, since + timedelta(minutes=1), "minute")
    ends = [unit_at(shift(said.today, unit, sign * n), unit) for n in (low, high)]
    if low == high:
        return whole_unit(ends[0][0], unit)
    return DatePiece(min(ends)[0], max(ends)[1], "span")


def settle(said: DatedText, piece: DatePiece, cue: int) -> DatePiece:
    """The piece as the one of its occurrences that is meant: back for cue -1, ahead for 1."""
    if piece.again is None:
        return piece
    options, past, ahead = [], [], []
    for reach in (1, 9):
        options = occurrences(piece.again, reach)
        if piece.lean == "weekday":  # who means today says so
            options = [o for o in options if not said.today <= o[0] < said.today + timedelta(1)]
        past = [o for o in options if o[0] <= said.now]
        ahead = [o for o in options if o[1] > said.now]
        if past and ahead:
            break
    lean = "coming" if cue == 1 or piece.recurring else "recent" if cue == -1 else piece.lean
    if lean in ("coming", "weekday"):
        span = (ahead or options[-1:])[0]
    elif lean == "recent":
        span = (past or options[:1])[-1]
    elif lean == "near":
        span = min(options, key=lambda o: abs(o[0] - said.today))
    else:
        span = piece.since, piece.until
    return piece._replace(since=span[0], until=span[1])


# What stands before the day that something was put off to, which is still to come
_MOVED_TO = (
    r"\b(?:moved?|slipped|slid|bumped|push(?:ed)?|postponed?|rescheduled?|delayed|extend(?:ed)?|shift(?:ed)?|changed?"
    r"|put|brought|switched|rebooked|booked)\b[^.!?,;]{0,40} (?:to|until|till|for)"
    r" (?:the |on |at )?$"
    r"|\b(?:is|are|am|we're|i'm) (?:getting|being|to be) \w+ed (?:in |on |at |by )?(?:the )?$"
    r"|(?:[改推挪延调换约]|推迟|延期|提前|延后|顺延|改期)[到至成]了?$"
)


def _holds_since(text: str, start: int, end: int) -> bool:
    """Whether something has held since a date: since Monday, 自从周五以来, 从周五起就."""
    if compiled(r"\bsince (?:the )?$").search(text, max(0, start - 10), start):
        reason = r"(?:'s| (?:is|was|isn't|wasn't|will|has|works|suits))\b"  # since Monday is free
        return compiled(reason).match(text, end) is None
    goes_on = r"[以之]来|(?:起|开始)[^,。;!?]{0,12}?(?:一直|已经|都|就(?![要会得去]))"
    return text[start - 1 : start] in ("从", "自") and bool(compiled(goes_on).match(text, end))


def cue_at(said: DatedText, start: int, end: int, hour: bool = False) -> int:
    """-1 where the nearest verb of the sentence looks back, 1 ahead, 2 for a habit, 0 for none.
    What is appointed looks ahead by itself, but its `hour` alone is no day."""
    text, low = said.text, max(0, start - 160)  # "met X, an old colleague from …, on May 3"
    if compiled(_MOVED_TO).search(text, max(0, start - 60), start):
        return 1
    if _holds_since(text, start, end):
        return -1
    left = max(text.rfind(mark, low, start) for mark in ".!?。;\n") + 1
    stop = compiled(r"[!?。;\n]|\. ").search(text, end, end + 60)
    nearest, cue, appointed = 999, 0, 0
    for m in compiled(CUES).finditer(text, max(left, low), stop.start() if stop else end + 60):
        if m.lastgroup == "habit":
            return 2
        gap = text[end : m.start()] if m.start() >= end else text[m.end() : start]
        distance = len(gap) + 30 * ("," in gap)  # a verb of the same clause first
        if m.lastgroup == "due":
            appointed = 1
        elif not start < m.end() <= end and distance < nearest:
            nearest, cue = distance, -1 if m.lastgroup == "past" else 1
    return cue or (0 if hour else appointed)
