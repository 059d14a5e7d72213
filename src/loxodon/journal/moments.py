"""Dates and times as people and programs write them in notes and chat logs."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple

from loxodon.clock import in_zone, parse_instant
from loxodon.errors import InputError
from loxodon.journal.lines import shown, stem_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A number below the first is counted in the second to the second: 10**11 seconds is the year 5138,
# and 10**11 milliseconds is 1973, so that the size tells the unit.
_EPOCH_UNITS = (10**11, 1), (10**14, 10**3), (10**17, 10**6), (10**20, 10**9)
_ABSURD = 2200  # a count that leads to this year counts something else
_EPOCH_DIGITS = (9, 10, 13, 16, 19)  # of a count, as text; 12 and 14 are a date: 20260204103015

_SPACE = r"[ \t]"
_WEEKDAY = (
    r"(?:[（(]?(?:星期|周|週|礼拜)[一二三四五六日天][)）]?"
    r"|\(?(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?\)?)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"

_DAY = re.compile(
    rf"(?<!\d)(?:{_WEEKDAY}[,，]?{_SPACE}{{0,2}})?"
    r"(?:(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?:\s?日)?"
    r"|(\d{1,2})([-/.])(\d{1,2})\5(\d{4}|\d{2})"
    rf"|{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})"
    rf"|(\d{{1,2}})(?:st|nd|rd|th)? {_MONTH},? (\d{{4}}))(?!\d)"
    rf"(?:[,，]?{_SPACE}{{0,2}}{_WEEKDAY})?",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(上午|下午|凌晨|清晨|早上|早晨|中午|傍晚|晚上|夜里)?\s?"
    r"(\d{1,2})(?:[:：](\d{2})(?:[:：](\d{2})(?:[.,]\d{1,9})?)?(?!\d)"
    # 3点 alone is a time only where it ends: 3点建议 is three suggestions.
    r"|\s?[点點时時](?:(\d{1,2})分?|(半)|[整钟鐘]|(?=$|[\s\-–—:：，,、)）\]~～至到]))"
    r"|(?=\s?[ap]\.?m\b))"
    r"(?:\s?([ap])\.?m(?![a-z])\.?)?"
    r"(?:\s?(Z|UTC|GMT)(?![\w])|\s?((?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?)(?![\w:]))?",
    re.IGNORECASE,
)


class Day(NamedTuple):
    """A date as written; in `04/02/2026` nothing says which of the two is the month."""

    year: int
    month: int
    day: int
    ambiguous: bool
    text: str

    def resolve(self, *, month_first: bool = False) -> date:
        """The date; raises InputError where the calendar has no such day."""
        swap = self.ambiguous and month_first
        month, day = (self.day, self.month) if swap else (self.month, self.day)
        try:
            # The first and the last year leave no room for a change of time zone.
            return date(self.year if 1 < self.year < 9999 else 0, month, day)
        except ValueError:
            raise InputError(
                "the date {date} does not exist",
                hint="correct it, or write it as 2026-02-04",
                date=self.text.strip(),
            ) from None


class Clock(NamedTuple):
    """A time of day, with its zone where it names one."""

    hour: int
    minute: int
    second: int = 0
    zone: tzinfo | None = None


MIDNIGHT = Clock(0, 0)


def match_day(text: str, start: int = 0) -> tuple[Day, int] | None:
    """The date that begins at `start`, and where it ends."""
    return _day_of(_DAY.match(text, start))


def search_day(text: str) -> tuple[Day, int] | None:
    """The first date in `text`, and where it ends."""
    return _day_of(_DAY.search(text))


def day_at_start(text: str) -> date | None:
    """The day that a text begins with, where there is such a day and it is clear which."""
    found = match_day(text.lstrip("([（*_ \"'"))
    try:
        return found[0].resolve() if found and not found[0].ambiguous else None
    except InputError:
        return None


def day_in_name(name: str) -> date | None:
    """The day that a file is named after."""
    return day_at_start(stem_of(name).replace("_", "-"))


def _day_of(found: re.Match[str] | None) -> tuple[Day, int] | None:
    if found is None:
        return None
    text = found.group().strip(" ()（）")
    year, month, day, first, _, second, late, name, of, in_, d, named, y = found.groups()
    if year:
        parts = int(year), int(month), int(day)
    elif late:
        parts = int(late) + (2000 if len(late) == 2 else 0), int(second), int(first)
    else:
        month = _MONTHS.index((name or named).lower()) + 1
        parts = int(in_ or y), month, int(of or d)
    return Day(*parts, bool(late), text), found.end()


def match_clock(text: str, start: int = 0) -> tuple[Clock, int] | None:
    """The time of day that begins at `start`, and where it ends; None for 25:61 too."""
    found = _CLOCK.match(text, start)
    if not found:
        return None
    part, hour_text, minute, second, minutes, half, letter, utc, offset = found.groups()
    hour, end = int(hour_text), found.end()
    if offset and offset[0] in "+-" and not second:
        # 10:30-11:00 is half an hour; only a full 10:30:00-11:00 has an offset.
        end, offset = found.start(9), None
    if letter and hour > 12:
        return None
    if letter in ("p", "P") or part in ("下午", "傍晚", "晚上", "夜里"):
        hour += 12 if hour < 12 else 0
    elif part == "中午":
        hour += 12 if hour < 4 else 0
    elif (letter or part) and hour == 12:
        hour = 0
    zone: tzinfo | None = UTC if utc else None
    if offset:
        digits = offset.lstrip("UTCGMutcgm+-").replace(":", "").zfill(2)
        hours, rest = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
        east = timedelta(hours=int(hours), minutes=int(rest))
        zone = timezone(-east if "-" in offset else east) if east < timedelta(days=1) else None
    clock = Clock(hour, 30 if half else int(minute or minutes or 0), int(second or 0), zone)
    valid = clock.hour < 24 and clock.minute < 60 and clock.second < 60
    return (clock, end) if valid else None


def moment(day: date, clock: Clock, zone: tzinfo | None) -> datetime:
    """That time of that day: in its own zone where it names one, else in `zone`."""
    naive = datetime(day.year, day.month, day.day, clock.hour, clock.minute, clock.second)
    return naive.replace(tzinfo=clock.zone) if clock.zone else in_zone(naive, zone)


def to_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    """The same moment as the clocks of `zone` (the machine's when None) show it."""
    try:
        return moment.astimezone(zone)
    except (OverflowError, OSError, ValueError):  # years the C library cannot place
        return moment


def read_instant(value: object, zone: tzinfo | None) -> datetime:
    """The moment that a field of a JSON object names: ISO 8601, or a count since 1970.

    One without an offset is in `zone` (the machine's when None). Raises InputError.
    """
    if isinstance(value, str):
        whole, dot, _ = value.strip().partition(".")
        # Before ISO 8601, which reads the thirteen digits of a millisecond count as a date too.
        if len(whole) in _EPOCH_DIGITS and value.strip().replace(".", "", 1).isdecimal():
            found = _from_epoch(float(value) if dot else int(value), zone)
        else:
            found = _from_text(value.strip(), zone)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found = _from_epoch(value, zone)
    elif isinstance(value, datetime):  # handed in by a program, not read from a file
        found = value if value.tzinfo is not None else in_zone(value, zone)
    else:
        raise InputError(
            "the time must be a date and time, not {type}",
            hint="write it as 2026-02-04T10:30:00+08:00, or as seconds since 1970",
            type=type(value).__name__,
        )
    if found is None or not 1 < found.year < 9999:
        raise InputError(
            "{value} is not a valid message time",
            hint="write it as 2026-02-04T10:30:00+08:00, or as seconds since 1970",
            value=shown(value),
        )
    return found


def _from_epoch(number: float, zone: tzinfo | None) -> datetime | None:
    for most, units in _EPOCH_UNITS:
        if abs(number) < most:  # false for NaN, too
            whole = isinstance(number, int)
            micro = number * 10**6 // units if whole else round(number * 10**6 / units)
            try:
                found = to_zone(_EPOCH + timedelta(microseconds=micro), zone)
            except OverflowError:
                return None
            return found if found.year < _ABSURD else None
    return None


def _from_text(text: str, zone: tzinfo | None) -> datetime:
    """ISO 8601, `20260204103015`, `2026/2/4 9:05`, `2026年2月4日 下午3:20`."""
    if len(text) in (12, 14) and text.isdecimal():
        text = f"{text[:8]}T{text[8:]}"
    try:
        return parse_instant(text, zone)
    except InputError:
        day = match_day(text)
        # The two readings of 04/02/2026 are months apart, and one line cannot tell which is meant.
        if day is None or day[0].ambiguous:
            raise
        rest = text[day[1] :].lstrip(" \tT,，")
        clock, end = match_clock(rest) or (MIDNIGHT, 0)
        if end != len(rest):
            raise
        return moment(day[0].resolve(), clock, zone)
