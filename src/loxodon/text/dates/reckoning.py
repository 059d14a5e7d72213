"""The calendar behind the words: weeks, months, distances, times of day."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Literal, NamedTuple

from loxodon.text.dates.table import COUNT, EDGE
from loxodon.text.wordlists import TO_SIMPLIFIED

Grain = Literal[
    "minute", "hour", "part", "day", "week", "month", "quarter", "season", "year", "span"
]
Lean = Literal["weekday", "coming", "recent", "near", "this"]
Span = tuple[datetime, datetime]
_MONTHS_IN = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
# The first, middle and last part of each: by which unit, from where to where
_EDGES = {
    "week": ("day", (0, 2), (2, 4), (4, 7)),
    "month": ("day", (0, 10), (10, 20), (20, 31)),
    "quarter": ("month", (0, 1), (1, 2), (2, 3)),
    "season": ("month", (0, 1), (1, 2), (2, 3)),
    "year": ("month", (0, 2), (5, 7), (10, 12)),
    "span": ("month", (0, 36), (36, 84), (84, 120)),
}


class DatedText(NamedTuple):
    """A text as the rules read it, and the moment it was said at."""

    raw: str
    text: str  # As long as `raw`, in the characters that the rules know
    at: datetime
    now: datetime  # `at` without its zone: all reckoning is on the wall clock
    today: datetime
    whole: bool  # The text is to be a date and nothing else, so it needs no context to be believed
    asked: bool  # The text is a question, so what it leaves open lies behind


class DatePiece(NamedTuple):
    """A stretch of time that a rule has read."""

    since: datetime
    until: datetime
    grain: Grain
    fixed: bool = False  # It names its year, so the words mean the same on any day
    recurring: bool = False
    # The k-th from this one, where the words do not say which they mean
    again: Callable[[int], Span] | None = None
    lean: Lean = "this"  # Which one is meant where no verb tells


class Clock(NamedTuple):
    """A time of day in minutes after midnight; grain `part` for a morning or an evening."""

    start: int
    length: int
    grain: Grain
    sure: bool = True  # It does not leave open which half of the day is meant


@cache
def _plain() -> dict[int, int]:
    """Each character to the one that the rules know, one for one so that positions stay."""
    table = {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F)}
    table |= {c: c + 32 for c in range(65, 91)} | {c: c - 0xFEC0 for c in range(0xFF21, 0xFF3B)}
    pairs = "○〇’'‘'–-—-～~\u3000 \xa0 "
    table |= {ord(a): ord(b) for a, b in zip(pairs[::2], pairs[1::2], strict=True)}
    return TO_SIMPLIFIED | table


def hear(text: str, at: datetime, *, whole: bool = False, asked: bool = False) -> DatedText:
    now = at.replace(tzinfo=None, fold=0)
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return DatedText(text, text.translate(_plain()), at, now, today, whole, asked)


def number_of(word: str) -> int:
    """The value of digits or numerals: 12, 十二, 廿五, 二〇二六, twelve; ValueError for others."""
    if word in COUNT:
        return COUNT[word]
    hundreds, hundred, rest = word.partition("百")
    if hundred:
        return 100 * (number_of(hundreds) if hundreds else 1) + number_of(rest)
    head, ten, tail = word.replace("廿", "二十").replace("卅", "三十").partition("十")
    digits = "".join(str(COUNT.get(c, c)) for c in (tail if ten else head))
    return (10 * (number_of(head) if head else 1) if ten else 0) + int(digits or "0")


def shift(when: datetime, unit: str, n: int) -> datetime:
    """`when`, n units on; the 31st of a shorter month is its last day."""
    if unit in ("day", "week"):
        return when + timedelta(7 * n if unit == "week" else n)
    year, month = divmod(when.year * 12 + when.month - 1 + n * _MONTHS_IN[unit], 12)
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
    elif unit in _MONTHS_IN:
        month = when.year * 12 + when.month - 1
        month -= month % _MONTHS_IN[unit]
        start = datetime(month // 12, month % 12 + 1, 1)
    start = shift(start, unit, n)
    return start, shift(start, unit, 1)


def whole_unit(when: datetime, unit: str, n: int = 0) -> DatePiece:
    grain: Grain = "span" if unit == "decade" else unit  # type: ignore[assignment]
    return DatePiece(*unit_at(when, unit, n), grain)


def months_from(year: int, month: int, length: int) -> Span:
    start = datetime(year, month, 1)
    return start, shift(start, "month", length)


def days_from(start: datetime, first: int = 0, length: int = 1) -> Span:
    since = start + timedelta(first)
    return since, since + timedelta(length)


def occurrences(again: Callable[[int], Span], reach: int) -> list[Span]:
    """The occurrences around now, in order; not every month has a 31st."""
    found = []
    for k in range(-reach, reach + 1):
        with suppress(ValueError, OverflowError):
            found.append(again(k))
    return found


def any_of(
    again: Callable[[int], Span], grain: Grain, lean: Lean, recurring: bool = False
) -> DatePiece:
    """A piece whose words may mean any `again(k)`; ValueError where there is none."""
    for k in sorted(range(9, -10, -1), key=abs):
        with suppress(ValueError, OverflowError):
            return DatePiece(*again(k), grain, False, recurring, again, lean)
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
    if piece.grain not in _EDGES:
        return None
    unit, *cuts = _EDGES[piece.grain]
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


def narrow(piece: DatePiece, clock: Clock) -> DatePiece:
    """The time of day on the day (or in the part of the day) of the piece."""

    def change(since: datetime, _: datetime) -> Span:
        start, hour, part = clock.start, clock.start // 60, since.hour
        if piece.grain != "part":
            start += 720 if not clock.sure and 1 <= hour <= 6 else 0
        elif part == 0:  # 凌晨十二点
            start -= 720 if hour == 12 else 0
        elif part >= 18:  # 晚上十二点, 半夜两点: after midnight
            start += 1440 if hour < 5 else 720 if hour <= 12 else 0
        elif part >= 11:
            start += 720 if hour < 12 and (part > 11 or hour < 6) else 0
        since = since.replace(hour=0, minute=0) + timedelta(minutes=start)
        return since, since + timedelta(minutes=clock.length)

    return mapped(piece, clock.grain, change)
